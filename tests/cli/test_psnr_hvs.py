# SPDX-License-Identifier: BSD-2-Clause
"""psnr_hvs: which pictures have which scores, and which have none."""
import json
import math

from command import USAGE, Case, frame, main, y4m

CHROMA = ["psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"]


class PsnrHvs(Case):
    def scores(self, ref, dis, *args):
        self.passes("-q", "-m", "psnr_hvs", "--json", "out.json", "--force", *args, ref, dis)
        return json.loads(self.read("out.json"))["frames"][0]["metrics"]

    def test_smallest_pictures(self):
        for chroma, width, height in (("420", 15, 15), ("422", 15, 8), ("444", 8, 8), ("411", 29, 8)):
            scores = self.scores(*self.pair(width=width, height=height, frames=1, chroma=chroma))
            self.assertEqual(list(scores), ["psnr_hvs_y"] + CHROMA)
            self.assertTrue(all(0 < value < 100 for value in scores.values()), scores)
        for chroma, width, height, says in (("420", 14, 15, "cb is 7x8"), ("420", 15, 14, "cb is 8x7"),
                                            ("422", 14, 8, "cb is 7x8"), ("444", 7, 8, "y is 7x8"),
                                            ("444", 8, 7, "y is 8x7"), ("mono", 7, 9, "y is 7x9")):
            ref, dis = self.pair(width=width, height=height, frames=1, chroma=chroma)
            self.refuses(USAGE, ["psnr_hvs", "at least 8x8 in each plane", says], "-q", "-m", "psnr_hvs", ref, dis)

    def test_grey_has_luma_alone(self):
        grey = self.scores(*self.pair(width=40, height=30, frames=1, chroma="mono"))
        colour = self.scores(*self.pair(width=40, height=30, frames=1, chroma="444"))
        self.assertEqual(list(grey), ["psnr_hvs_y"])
        self.assertEqual(grey["psnr_hvs_y"], colour["psnr_hvs_y"])

    def test_identical_pictures_are_infinitely_good(self):
        ref = self.write("ref.y4m", y4m(width=40, height=30, frames=1))
        self.assertEqual(self.scores(ref, ref), dict.fromkeys(["psnr_hvs_y"] + CHROMA))
        self.passes("-q", "-m", "psnr_hvs", "--fail-under", "psnr_hvs=90", ref, ref)

    def test_the_mean_of_planes_is_weighted(self):
        scores = self.scores(*self.pair(width=64, height=48, frames=1), "--precision", "max")
        y, cb, cr, whole = (10 ** (-scores[key] / 10) for key in ["psnr_hvs_y"] + CHROMA)
        self.assertAlmostEqual(whole / (0.8 * y + 0.1 * (cb + cr)), 1, places=12)

    def shifted(self, depth):
        """The scores of one pair of pictures with more bits, less what the peak changes."""
        names = []
        for noise in (0, 3):
            samples = [v << (depth - 8) for v in frame(64, 48, noise=noise)]
            data = y4m(width=64, height=48, frames=0, depth=depth) + b"FRAME\n"
            names.append(self.write(f"{noise}.y4m", data + b"".join(v.to_bytes(2, "little") for v in samples)))
        peak = 20 * math.log10(((1 << depth) - 1) / (255 << (depth - 8)))
        return {key: value - peak for key, value in self.scores(*names).items()}

    def test_deep_samples(self):
        """Above 12 bits, too: the transform rounds less, nothing else changes."""
        twelve = self.shifted(12)
        for depth in (14, 16):
            for key, value in self.shifted(depth).items():
                self.assertAlmostEqual(value, twelve[key], delta=0.1)


if __name__ == "__main__":
    main()
