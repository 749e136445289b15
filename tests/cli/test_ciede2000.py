# SPDX-License-Identifier: BSD-2-Clause
"""ciede2000 from outside: every layout, matrix and range against its page in double precision, what is taken although
it is tagged otherwise, what is refused."""
import json
import math
import os

from command import MISMATCH, PASS, USAGE, Case, frame, main, sizes, y4m
from pictures import RGB, pixels, png

KR_KB = {"bt709": (0.2126, 0.0722), "bt601": (0.299, 0.114), "bt2020": (0.2627, 0.0593)}
WIDTH, HEIGHT = 33, 21


def light(c):
    return ((c + 0.055) / 1.055) ** 2.4 if c > 10 / 255 else c / 12.92


def lab(r, g, b):
    r, g, b = light(r), light(g), light(b)
    f = [v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (
        (0.4124564390896921 * r + 0.357576077643909 * g + 0.18043748326639894 * b) / 0.95047,
        0.21267285140562248 * r + 0.715152155287818 * g + 0.07217499330655958 * b,
        (0.019333895582329317 * r + 0.119192025881303 * g + 0.9503040785363677 * b) / 1.08883)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def high(c):
    return math.sqrt(c ** 7 / (c ** 7 + 25 ** 7))


def difference(one, two):
    g = 1.5 - high((math.hypot(*one[1:]) + math.hypot(*two[1:])) / 2) / 2
    (a1, b1), (a2, b2) = (one[1] * g, one[2]), (two[1] * g, two[2])
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    mean, tau = (c1 + c2) / 2, 2 * math.pi
    h1, h2 = math.atan2(b1, a1) % tau, math.atan2(b2, a2) % tau
    turn = tau if h2 <= h1 else -tau
    dh = 0 if c1 * c2 == 0 else h2 - h1 if abs(h1 - h2) <= math.pi else h2 - h1 + turn
    h = (h1 + h2 + (tau if abs(h1 - h2) > math.pi else 0)) / 2
    t = (1 - 0.17 * math.cos(h - math.pi / 6) + 0.24 * math.cos(2 * h) + 0.32 * math.cos(3 * h + math.pi / 30)
         - 0.2 * math.cos(4 * h - 7 * math.pi / 20))
    away = ((one[0] + two[0]) / 2 - 50) ** 2
    x = (two[0] - one[0]) / (0.65 * (1 + 0.015 * away / math.sqrt(20 + away)))
    y = (c2 - c1) / (1 + 0.045 * mean)
    z = 2 * math.sqrt(c1 * c2) * math.sin(dh / 2) / (4 * (1 + 0.015 * mean * t))
    rotation = -2 * high(mean) * math.sin(math.pi / 3 * math.exp(-((math.degrees(h) - 275) / 25) ** 2))
    return math.sqrt(x * x + y * y + z * z + rotation * y * z)


def colours(data, chroma, depth, matrix, full):
    """L*a*b* of each pixel of a frame."""
    size, unit, planes = 2 if depth > 8 else 1, 1 << (depth - 8), []
    for w, h in sizes(WIDTH, HEIGHT, chroma):
        planes.append([[int.from_bytes(data[(y * w + x) * size:][:size], "little") for x in range(w)]
                       for y in range(h)])
        data = data[w * h * size:]
    kr, kb = KR_KB[matrix]
    kg = 1 - kr - kb
    red, blue = ((1.28033, 2.12798) if matrix == "bt709" else ((1 - kr) / 0.615, (1 - kb) / 0.436))
    across, down = int(chroma != "444"), int(chroma == "420")
    for y in range(HEIGHT):
        for x in range(WIDTH):
            luma, cb, cr = (planes[0][y][x], planes[1][y >> down][x >> across], planes[2][y >> down][x >> across])
            top = (1 << depth) - 1
            grey = luma / top if full else (luma - 16 * unit) / (219 * unit)
            u, v = ((c - 128 * unit) / (top if full else 224 * unit) for c in (cb, cr))
            yield lab(grey + red * v, grey - blue * kb / kg * u - red * kr / kg * v, grey + blue * u)


class Ciede2000(Case):
    def score(self, metric, *args):
        done = self.passes("-m", metric, "--precision", "max", "--json", "-", *args)
        return json.loads(done.out)["frames"][0]["metrics"]["ciede2000"], done.err

    def check(self, ones, twos, got):
        differences = [difference(one, two) for one, two in zip(ones, twos)]
        self.assertAlmostEqual(45 - 20 * math.log10(sum(differences) / len(differences)), got, delta=2e-5)

    def test_layouts_matrices_and_ranges(self):
        for chroma, depth, matrix, full in (("420", 8, "bt709", False), ("422", 10, "bt709", False),
                                            ("444", 12, "bt709", True), ("422", 8, "bt601", False),
                                            ("420", 16, "bt2020", True), ("420", 9, "bt601", True)):
            with self.subTest(chroma=chroma, depth=depth, matrix=matrix, full=full):
                raw = ["-w", WIDTH, "-h", HEIGHT, "-p", chroma, "-b", depth]
                data = [frame(WIDTH, HEIGHT, chroma, depth, seed=k, noise=k * (9 << (depth - 8))) for k in (0, 1)]
                files = self.write("a.yuv", data[0]), self.write("b.yuv", data[1])
                options = f"matrix={matrix}:range={'full' if full else 'limited'}"
                got, notice = self.score(f"ciede2000={options}", *files, *raw)
                self.check(*(colours(d, chroma, depth, matrix, full) for d in data), got)
                self.assertEqual(notice, "")
                if not full and matrix == "bt709":
                    self.assertEqual(got, self.score("ciede", *files, *raw)[0])
                tag = {"bt601": "bt601-625"}.get(matrix, matrix) + (",full" if full else ",limited")
                tags = ["--ref-colour", tag, "--dis-colour", tag]
                self.assertEqual(got, self.score("ciede2000=matrix=tagged:range=tagged", *files, *raw, *tags)[0])
                plain, notice = self.score("ciede2000", *files, *raw, *tags)
                self.assertEqual(plain, self.score("ciede2000", *files, *raw)[0])
                for word, passed_over in (("matrix", matrix != "bt709"), ("range full", full)):
                    self.assertEqual(passed_over, f"{word}" in notice, notice)

    def test_rgb(self):
        if not os.environ.get("ASSAY_PNG"):
            self.skipTest("a build without PNG")
        rows = [pixels(WIDTH, HEIGHT, RGB, seed=k) for k in (0, 1)]
        files = [self.write(f"{k}.png", png(r)) for k, r in enumerate(rows)]
        got, _ = self.score("ciede2000", *files)
        self.check(*([lab(*(v / 255 for v in row[3 * x:3 * x + 3])) for row in r for x in range(WIDTH)] for r in rows),
                   got)

    def test_refusals(self):
        grey = self.write("grey.y4m", y4m(chroma="mono"))
        quarter = self.write("quarter.y4m", y4m(chroma="411"))
        self.refuses(USAGE, "ciede2000 takes 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:0:0", "-m", "ciede2000", grey, grey)
        self.refuses(USAGE, "ciede2000 takes 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:1:1", "-m", "ciede", quarter, quarter)
        ref, dis = self.pair()
        self.refuses(MISMATCH, "matrix bt709 against bt601", "-m", "ciede2000", ref, dis, "--ref-colour",
                     "bt709", "--dis-colour", "bt601-625")

    def test_equal_pictures(self):
        ref, _ = self.pair()
        done = self.run_assay("-q", "-m", "ciede2000", "--json", "-", ref, ref)
        self.assertEqual(done.code, PASS, done)
        self.assertIsNone(json.loads(done.out)["frames"][0]["metrics"]["ciede2000"])


if __name__ == "__main__":
    main()
