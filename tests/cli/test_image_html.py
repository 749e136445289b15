# SPDX-License-Identifier: BSD-2-Clause
"""assay image --html: a page that stands alone, with the figures of the JSON report, pictures and sliders."""
import base64
import hashlib
import json
import os
import re
import signal
import struct
import subprocess
import unittest

import command
from command import GATE, INPUT, MISMATCH, PASS, USAGE, Case, main
from pages import BROWSER, Browser, parse
from pictures import RGB, RGBA, pixels, png

NASTY = "<img src=x onerror=alert(1)> & \"q'.png"


def webp_size(node):
    """Width and height of the picture of a side, and whether it is coded without loss."""
    image = node.one("img")
    head, data = image.get("src").split(",", 1)
    assert head == "data:image/webp;base64", head
    data = base64.b64decode(data, validate=True)
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP", data[:12]
    exact = data[12:16] == b"VP8L"
    if exact:
        bits = struct.unpack("<I", data[21:25])[0]
        size = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        size = tuple(v & 0x3FFF for v in struct.unpack("<HH", data[26:30]))
    assert size == (int(image.get("width")), int(image.get("height"))), size
    return size, exact


def pfm(width, height, value):
    rows = b"".join(struct.pack("<3f", *value(x, y)) for y in reversed(range(height)) for x in range(width))
    return b"PF\n%d %d\n-1.0\n" % (width, height) + rows


class Base(Case):
    def png(self, name, rows, kind=RGB, depth=8):
        (self.dir / name).parent.mkdir(exist_ok=True, parents=True)
        return self.write(name, png(rows, kind, depth))

    def pair_of(self, name, change, width=40, height=30):
        """A pair of folders A and B whose first `change` samples of red differ by as much."""
        rows = pixels(width, height)
        self.png(f"A/{name}", rows)
        other = [list(row) for row in rows]
        for i in range(change):
            other[0][3 * i] ^= change
        self.png(f"B/{name}", other)

    def page(self, *args, code=PASS):
        done = self.run_assay("image", "-q", "--precision", "max", "--json", "r.json", "--html", "r.html", *args)
        self.assertEqual(done.code, code, done)
        return parse(self.read("r.html")), json.loads(self.read("r.json"))

    def rows(self, page):
        table = page.one("table", class_="overview")
        return [row for row in table.all("tr") if row.get("data-pair")]

    def frames(self, page):
        return list(page.all("li", class_="frame"))

    def sides(self, frame):
        return {side.get("data-side"): side for side in frame.all("div", class_="side")}

    def check_figures(self, node, metrics, every=True):
        seen = {td.get("data-key"): float(td.get("data-value")) for td in node.all("td") if td.get("data-key")}
        seen.pop("bits_per_pixel", None)
        for key, value in seen.items():
            self.assertEqual(value, metrics[key], key)
        if every:
            self.assertEqual(sorted(seen), sorted(metrics))


@unittest.skipUnless(os.environ.get("ASSAY_PNG"), "this build has no libpng")
class Page(Base):
    def need_pictures(self, page):
        if not list(page.all("img")):
            self.skipTest("no libwebp")

    def test_two_files(self):
        self.pair_of("a.png", 5)
        page, report = self.page("A/a.png", "B/a.png")
        self.assertEqual(page.one("title").text, "A/a.png against B/a.png")
        frame, = self.frames(page)
        self.check_figures(frame, report["pairs"][0]["metrics"])
        self.assertEqual(page.one(id="counts").text, "differs")
        self.need_pictures(page)
        sides = self.sides(frame)
        self.assertEqual(list(sides), ["reference", "distorted", "map"])
        for side in sides.values():
            self.assertEqual(webp_size(side), ((40, 30), True))
        self.assertIn("brightest from 1.7 of 255 on", sides["map"].text)  # 5 of red alone
        page, _ = self.page("A/a.png", "A/a.png")
        self.assertIn("no difference", self.sides(self.frames(page)[0])["map"].text)
        page, report = self.page("--thumbnails", 0, "A/a.png", "B/a.png")
        self.assertEqual(list(page.all("img")), [])
        self.check_figures(self.frames(page)[0], report["pairs"][0]["metrics"])

    def test_the_worst_come_first(self):
        for name, change in (("a", 2), ("b", 0), ("c", 9), ("d", 4), ("e", 0)):
            self.pair_of(f"{name}.png", change)
        self.png("A/size.png", pixels(4, 4))
        self.png("B/size.png", pixels(4, 5))
        self.write("B/notes.txt", b"hello <b>")
        self.png("A/alone.png", pixels(4, 4))
        args = ("--allow-unpaired", "A", "B")
        page, report = self.page(*args, code=MISMATCH)
        named = {pair["name"]: pair for pair in report["pairs"]}
        rows = self.rows(page)
        order = ["size.png", "c.png", "d.png", "a.png", "b.png", "e.png"]
        self.assertEqual([row.one("th").text for row in rows], order)
        for row in rows:
            pair = named[row.one("th").text]
            self.assertEqual([n.get("data-result") for n in row.all() if n.get("data-result")], [pair["result"]])
            if pair["result"] != "error":
                self.check_figures(row, pair["metrics"], every=False)
        self.assertIn("the sizes differ", rows[0].text)
        frames = self.frames(page)
        self.assertEqual([f.one("h3").text for f in frames], ["c.png", "d.png", "a.png"])
        ids = {node.get("id") for node in page.all() if node.get("id")}
        links = [a.get("href") for a in page.all("a")]
        self.assertEqual(len(links), 3)
        self.assertEqual([href for href in links if href[1:] not in ids], [])
        rest = [li.text for li in page.one(id="rest").all("li")]
        self.assertEqual(sorted(rest), ["left out: B/notes.txt (text)", "no partner: A/alone.png"])
        counts = "6 pairs: 2 equal, 3 differ, 0 failed, 1 error, 1 unpaired, 1 left out"
        self.assertEqual(page.one(id="counts").text, counts)
        self.assertIn("lowest psnr first", page.one(id="order").text)
        page, _ = self.page(*args, "--thumbnails", 1, code=MISMATCH)
        self.assertEqual([f.one("h3").text for f in self.frames(page)], ["c.png"])

    def test_gates(self):
        """The first gate's figure orders the pairs, those that fail before others."""
        for name, change in (("few.png", 1), ("many.png", 3), ("more.png", 7), ("same.png", 0)):
            self.pair_of(name, change)
        page, _ = self.page("A", "B", "--fail-over", "diff_pixels=2", "--fail-under", "psnr=20", code=GATE)
        self.assertEqual([r.one("th").text for r in self.rows(page)], ["more.png", "many.png", "few.png", "same.png"])
        self.assertIn("highest diff_pixels first", page.one(id="order").text)
        gates = [(li.get("class"), li.text) for li in page.one("ul", class_="gates").all("li")]
        self.assertEqual(gates, [("failed", "failed diff_pixels at most 2: fails for 2 pairs"),
                                 ("passed", "passed psnr at least 20: fails for 0 pairs")])

    def test_names_are_text_and_nothing_is_loaded(self):
        self.pair_of(NASTY, 3)
        self.pair_of("<b>.png", 0)
        page, _ = self.page("A", "B")
        self.assertEqual(self.rows(page)[0].one("th").text, NASTY)
        self.assertEqual(self.frames(page)[0].one("h3").text, NASTY)
        text = self.read("r.html")
        self.assertNotIn("<img src=x", text)
        self.assertEqual(list(page.all("b", href="x")), [])
        self.assertEqual(set(re.findall(r"https?://[^\"' )]*", text)), {"http://www.w3.org/2000/svg"})
        for node in page.all():
            for key in ("src", "href"):
                self.assertTrue((node.get(key) or "#").startswith(("#", "data:")), (node.name, node.attributes))
            self.assertFalse([key for key in node.attributes if key.startswith("on")], node.attributes)
        script, = page.all("script")
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        policy = page.one("meta", http_equiv="Content-Security-Policy").get("content")
        self.assertEqual(policy, "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                         f"script-src 'sha256-{digest}'")
        for table in page.all("table"):
            self.assertTrue(table.get("aria-label"))
            self.assertTrue(all(th.get("scope") for th in table.all("th")))
        ids = [node.get("id") for node in page.all() if node.get("id")]
        self.assertEqual(len(ids), len(set(ids)))

    def test_large_pictures_are_reduced(self):
        """By a whole factor, to 1600x1200 of two files and to 800x600 of folders."""
        rows = [[(x // 8 + y) & 255 for x in range(3 * 1700)] for y in range(20)]
        other = [list(row) for row in rows]
        other[7][99] ^= 1
        for folder, picture in (("A", rows), ("B", other)):
            self.png(f"{folder}/wide.png", picture)
        page, _ = self.page("A/wide.png", "B/wide.png")
        self.need_pictures(page)
        self.assertIn("Reduced 2 times to 850x10", self.frames(page)[0].text)
        self.assertIn("at most 1600x1200", page.one(id="shown").text)
        for side in self.sides(self.frames(page)[0]).values():
            self.assertEqual(webp_size(side)[0], (850, 10))
        page, _ = self.page("A", "B")
        self.assertIn("Reduced 3 times to 567x7", self.frames(page)[0].text)
        self.assertIn("at most 800x600", page.one(id="shown").text)

    def test_alpha_16_bits_and_floats(self):
        rows = pixels(30, 20, RGBA, 16)
        other = [list(row) for row in rows]
        other[3][4 * 5 + 3] ^= 0x4000
        self.png("a.png", rows, RGBA, 16)
        self.png("b.png", other, RGBA, 16)
        page, _ = self.page("a.png", "b.png")
        self.need_pictures(page)
        sides = self.sides(self.frames(page)[0])
        self.assertEqual(list(sides), ["reference", "distorted", "map", "alpha"])
        self.assertIn("no difference", sides["map"].text)
        self.assertIn("difference of alpha, brightest from 63.8 of 255 on", sides["alpha"].text)
        self.write("a.pfm", pfm(30, 20, lambda x, y: (x / 30, y / 20, 7.5)))
        self.write("b.pfm", pfm(30, 20, lambda x, y: (x / 30, y / 20 + 2 * (x == 4), 7.5 if x < 15 else float("nan"))))
        page, report = self.page("a.pfm", "b.pfm")
        self.assertEqual(report["pairs"][0]["format"], "rgbf32")
        sides = self.sides(self.frames(page)[0])
        self.assertEqual(list(sides), ["reference", "distorted", "map"])
        self.assertIn("brightest from 2.0 on", sides["map"].text)

    def test_reasons_without_pictures(self):
        self.pair_of("a.png", 3)
        data = (self.dir / "B/a.png").read_bytes()
        done = self.run_assay("image", "-q", "A/a.png", "-", "--html", "r.html", input=data, text=False)
        self.assertEqual(done.code, PASS, done)
        self.assertIn("no file that can be read again", self.frames(parse(self.read("r.html")))[0].text)
        self.write("libwebp.so.7", b"no library")
        self.passes("image", "-q", "A", "B", "--html", "r.html", env={"LD_LIBRARY_PATH": str(self.dir)})
        self.assertIn("libwebp7", self.frames(parse(self.read("r.html")))[0].text)

    def test_incomplete(self):
        self.png("picture.png", pixels(400, 300))
        for side in "AB":
            (self.dir / side).mkdir()
            for i in range(400):
                (self.dir / side / f"{i}.png").symlink_to(self.dir / "picture.png")
        run = subprocess.Popen([command.PROGRAM, "image", "A", "B", "--html", "o.html"], cwd=self.dir,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        self.assertIn(" 0.png", run.stdout.readline())
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=600)
        self.assertEqual((run.returncode, err), (130, "assay: stopped by SIGINT\n"))
        page = parse(self.read("o.html"))
        done = len(self.rows(page))
        self.assertTrue(1 <= done < 400)
        self.assertEqual(page.one("p", class_="warning").text, f"Incomplete {done} of 400 pairs: stopped by SIGINT")

    def test_refusals(self):
        self.pair_of("a.png", 1)
        pair = ("image", "A/a.png", "B/a.png")
        self.refuses(USAGE, "both be written", *pair, "--html", "p", "--json", "p")
        self.refuses(USAGE, "overwritten", *pair, "--html", "B/a.png")
        self.refuses(USAGE, "--thumbnails are of --html", *pair, "--thumbnails", 3)
        self.write("mine.html", b"<!DOCTYPE html>\n<p>mine")
        self.refuses(USAGE, "--force", *pair, "--html", "mine.html")
        self.assertIn("<p>mine", self.read("mine.html"))
        for _ in range(2):  # its own is overwritten
            self.passes(*pair, "-q", "--html", "own.html")
        self.assertEqual(self.passes(*pair, "--html", "-").out, self.read("own.html"))
        self.fails(INPUT, "none.png", "image", "A/a.png", "none.png", "--html", "none.html")
        self.assertFalse((self.dir / "none.html").exists())


@unittest.skipUnless(BROWSER and os.environ.get("ASSAY_PNG"), "no chromium, or this build has no libpng")
class InBrowser(Base, Browser):
    def test_slider(self):
        """By keyboard and by dragging the pictures."""
        self.pair_of("a.png", 5)
        page, _ = self.page("A/a.png", "B/a.png")
        if not list(page.all("img")):
            self.skipTest("no libwebp")
        got = self.with_test_script("""
          const frame = document.querySelector('.frame'), out = {}, stage = frame.querySelector('.stage');
          const seen = () => [...frame.querySelectorAll('.side')].filter(s => !s.hidden).map(s => s.dataset.side);
          const cut = () => getComputedStyle(frame.querySelector('[data-side=distorted] img')).clipPath;
          const slider = frame.querySelector('input'), buttons = [...frame.querySelectorAll('button')];
          out.loaded = [...document.images].every(i => i.complete && i.naturalWidth === 40);
          out.follows = stage.nextElementSibling === slider;
          out.focus = slider.tabIndex;
          out.first = seen();
          slider.value = 20; slider.dispatchEvent(new Event('input'));
          out.cut = cut();
          const box = stage.getBoundingClientRect();
          stage.setPointerCapture = () => {};
          const point = buttons => ({buttons, pointerId: 1, clientX: box.left + box.width / 4, bubbles: true});
          stage.dispatchEvent(new PointerEvent('pointermove', point(0)));
          out.passed = cut();
          stage.dispatchEvent(new PointerEvent('pointerdown', point(1)));
          out.dragged = cut();
          buttons[1].click();
          out.second = seen();
          document.getElementById('result').textContent = JSON.stringify(out);""")
        self.assertEqual(got, {"loaded": True, "follows": True, "focus": 0, "first": ["reference", "distorted"],
                               "cut": "inset(0px 0px 0px 20%)", "passed": "inset(0px 0px 0px 20%)",
                               "dragged": "inset(0px 0px 0px 25%)", "second": ["reference", "map"]})

    def test_own_script_runs(self):
        """The policy lets the page's script run, and a name is no script."""
        self.pair_of(NASTY, 3)
        self.page("A", "B")
        dom, said = self.browse("r.html", "--dump-dom")
        self.assertEqual(said, [])
        if "data:image/webp" in dom:
            self.assertIn('type="range"', dom)


if __name__ == "__main__":
    main()
