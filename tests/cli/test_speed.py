# SPDX-License-Identifier: BSD-2-Clause
"""speed_chroma and speed_temporal on pictures where their figures are known, and what they refuse."""
import json

from command import USAGE, Case, frame, main, sizes, y4m

MODE = "speed_chroma=speed_weight_var_mode="


def flat(width, height, chroma, codes, noise_in=()):
    """A frame whose planes have one code each, but for those in `noise_in`, which have slopes and noise."""
    noisy, out, at = frame(width, height, chroma, noise=30), b"", 0
    for plane, (w, h) in enumerate(sizes(width, height, chroma)):
        out += noisy[at:at + w * h] if plane in noise_in else bytes([codes[plane]]) * (w * h)
        at += w * h
    return f"YUV4MPEG2 W{width} H{height} F25:1 C{chroma}\nFRAME\n".encode() + out


class Speed(Case):
    def scores(self, metric, *args):
        report = json.loads(self.passes("-q", "-m", metric, "--precision", "max", "--json", "-", *args).out)
        return [list(f["metrics"].values()) for f in report["frames"]]

    def files(self, **how):
        return self.write("a.y4m", y4m(noise=20, **how)), self.write("b.y4m", y4m(noise=33, **how))

    def test_identical_pictures(self):
        """0, and in modes 4 to 6 the rounding of one of two equal logarithms' arguments."""
        a, _ = self.files(width=330, height=322, frames=2)
        for mode in range(4):
            self.assertEqual(self.scores(f"{MODE}{mode}", a, a), [[0, 0, 0]] * 2)
        for mode in range(4, 7):
            for score in sum(self.scores(f"{MODE}{mode}", a, a), []):
                self.assertTrue(0 < score < 1e-4, score)
        self.assertEqual(self.scores("speed_temporal", a, a), [[0]] * 2)

    def test_flat_chroma(self):
        """A flat plane is singular: its channel is 0, and both together are the other channel's."""
        size = 330, 322, "420"
        noisy = self.write("n.y4m", flat(*size, (90, 110, 140), noise_in=(0, 1, 2)))
        for bare in ((0, 1), (0, 2)):
            one = self.write("o.y4m", flat(*size, (90, 100, 150), noise_in=bare))
            for pair in ((noisy, one), (one, noisy)):
                u, v, uv = self.scores(MODE + "0", *pair)[0]
                self.assertEqual((v, uv) if bare == (0, 1) else (u, uv), (0, u if bare == (0, 1) else v))
        none = self.write("p.y4m", flat(*size, (90, 100, 150)))
        self.assertEqual(self.scores(MODE + "5", none, none), [[0, 0, 0]])
        self.assertEqual(self.scores(MODE + "5", noisy, none), [[0, 0, 0]])

    def test_smallest_pictures(self):
        for chroma, least, less in (("420", (160, 160), (159, 160)), ("422", (160, 80), (160, 79)),
                                    ("444", (80, 80), (79, 80))):
            a, b = self.files(width=least[0], height=least[1], frames=1, chroma=chroma)
            self.assertEqual(self.scores("speed_chroma", a, b), [[0, 0, 0]])  # one position, so singular
            a, b = self.files(width=less[0], height=less[1], frames=1, chroma=chroma)
            self.refuses(USAGE, ["speed_chroma needs at least {}x{}".format(*least), "{}x{}".format(*less)], "-m",
                         "speed_chroma", a, b)
        a, b = self.files(width=80, height=79, frames=1)
        self.refuses(USAGE, "speed_temporal needs at least 80x80", "-m", "speed_temporal", a, b)
        a, b = self.files(width=400, height=250, frames=1)
        for scale, least in (("0.6", 266), ("0.5", 318)):
            self.refuses(USAGE, f"needs at least {least}x{least} with this speed_prescale", "-m",
                         f"speed_chroma=speed_prescale={scale}", a, b)

    def test_refused(self):
        a, b = self.files(width=200, height=200, frames=1, chroma="mono")
        self.refuses(USAGE, "speed_chroma needs YUV with chroma planes", "-m", "speed_chroma", a, b)
        a, b = self.files(width=200, height=200, frames=1)
        for scale in ("0.9", "1.002", "4"):
            for metric in ("speed_chroma", "speed_temporal"):
                self.refuses(USAGE, [metric, "speed_kernelscale", scale], "-m", f"{metric}=speed_kernelscale={scale}",
                             a, b)
        self.refuses(USAGE, "speed_prescale_method", "-m", "speed_chroma=speed_prescale_method=area", a, b)

    def test_a_scale_near_1_is_1(self):
        a, b = self.files(width=400, height=330, frames=2)
        for metric in ("speed_chroma", "speed_temporal"):
            plain = self.scores(metric, a, b)
            scaled = metric + "=speed_prescale_method=bicubic:speed_prescale="
            for scale in ("1.0009", "0.9991"):
                self.assertEqual(self.scores(scaled + scale, a, b), plain)
            self.assertNotEqual(self.scores(scaled + "1.01", a, b), plain)

    def test_parts_and_threads(self):
        """The frame before is read where a part begins, and no score depends on threads or instruction sets."""
        a, b = self.files(width=320, height=324, frames=5)
        metric = "speed_temporal=speed_prescale=0.75:speed_prescale_method=lanczos4"
        whole = self.scores(metric, a, b)
        self.assertEqual(whole[0], [0])
        self.assertEqual(self.scores(metric, "--first", "2", "--frames", "3", a, b), whole[2:])
        for how in (("--threads", "1", "--cpu", "scalar"), ("--threads", "3"), ("--strip", "4")):
            self.assertEqual(self.scores(metric, *how, a, b), whole)


if __name__ == "__main__":
    main()
