#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command for Windows, under wine, does what the native one does: the same codes, texts and reports.

    test_command.py NATIVE WINDOWS [--wine WINE]

Reports as CSV, XML and SUB are equal by bytes, those as JSON by values but for times, paths' forms and devices.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from wine import keep

SAMPLE = Path(__file__).resolve().parents[2] / "examples/sample"
NAME = "dé 漢"
# What a run says of its machine and of how long it took.
VARIES = [(re.compile(rb"[\d.]+ frames/s"), b"N frames/s"),
          (re.compile(rb'(fps|[a-z_]*[sS]econds[a-z_]*)="[^"]*"'), rb"\1"),
          (re.compile(rb"\.part-\d+-\d+"), b".part")]
VARIES_JSON = re.compile(r"fps|second|device|driver|threads|host|time_|duration|cpu", re.I)
LEVELS = ("scalar", "sse4", "avx2", "avx512", "avx512vnni")


def ten_bits(path, to, seed):
    """A file of ten bits made of one of eight: four times each sample and a part of a step."""
    data, source = path.read_bytes(), random.Random(seed)
    head, rest = data.split(b"\n", 1)
    width, height = (int(re.search(rb" %c(\d+)" % c, head)[1]) for c in b"WH")
    size, out = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2), []
    for at in range(0, len(rest), size + 6):
        frame = rest[at + 6:at + 6 + size]
        noise = source.randbytes(size)
        wide = bytearray(2 * size)
        for i, v in enumerate(frame):
            sample = 4 * v + (noise[i] & 3)
            wide[2 * i], wide[2 * i + 1] = sample & 255, sample >> 8
        out.append(b"FRAME\n" + bytes(wide))
    head = re.sub(rb" C\S+", b"", head) + b" C420p10"
    to.write_bytes(head + b"\n" + b"".join(out[:3]))


class Pair:
    """A folder for each of the two programs, with the same files."""

    def __init__(self, args, folder):
        self.command = {"native": [str(Path(args.native).resolve())],
                        "windows": [*args.wine.split(), str(Path(args.windows).resolve())]}
        self.root, self.runs, self.faults = Path(folder), 0, []
        for name in self.command:
            at = self.root / name
            (at / "a").mkdir(parents=True)
            (at / "b").mkdir()
            for side in ("ref", "dis"):
                data = (SAMPLE / f"{side}.y4m").read_bytes()
                (at / f"{side}.y4m").write_bytes(data)
                (at / f"{NAME} {side}.y4m").write_bytes(data)
                (at / ("a" if side == "ref" else "b") / "same.y4m").write_bytes(data)
            (at / "r.yuv").write_bytes(bytes([0x1a, 13, 10, 26] * 6000))
            (at / "d.yuv").write_bytes(bytes([0x1a, 13, 10, 27] * 6000))
            (at / "text.csv").write_text("mine\n", encoding="ascii")
            (at / "models").mkdir()
        for side, seed in (("ref", 1), ("dis", 2)):
            ten_bits(SAMPLE / f"{side}.y4m", self.root / "native" / f"{side}10.y4m", seed)
            (self.root / "windows" / f"{side}10.y4m").write_bytes((self.root / "native" / f"{side}10.y4m").read_bytes())

    def run(self, name, arguments, given, **streams):
        made = set((self.root / name).rglob("*"))
        streams = {"input": given, "stdout": subprocess.PIPE, **streams}
        done = subprocess.run([*self.command[name], *arguments], cwd=self.root / name, stderr=subprocess.PIPE,
                              check=False, **{key: value for key, value in streams.items() if value is not None})
        texts = [done.stdout or b"", done.stderr]
        for pattern, to in VARIES:
            texts = [pattern.sub(to, text) for text in texts]
        files = {str(p.relative_to(self.root / name)): p.read_bytes()
                 for p in sorted((self.root / name).rglob("*")) if p not in made and p.is_file()}
        for path in files:
            (self.root / name / path).unlink()
        return done.returncode, *texts, files

    def fault(self, arguments, text):
        self.faults.append(f"{' '.join(arguments)}: {text}")

    def same(self, *arguments, given=None, code=None):
        """Runs both; all must be equal. Returns what the native one gave."""
        self.runs += 1
        native, windows = (self.run(name, arguments, given) for name in self.command)
        for what, a, b in zip(("code", "standard output", "standard error"), native, windows):
            if a != b:
                self.fault(arguments, f"{what}: {a!r} and {b!r}")
        if code is not None and native[0] != code:
            self.fault(arguments, f"code {native[0]}: {native[2]!r}")
        if set(native[3]) != set(windows[3]):
            self.fault(arguments, f"files: {sorted(native[3])} and {sorted(windows[3])}")
        for path in set(native[3]) & set(windows[3]):
            a, b = native[3][path], windows[3][path]
            if path.endswith(".json"):
                a, b = (values(json.loads(text)) for text in (a, b))
            for pattern, to in VARIES:
                a, b = (pattern.sub(to, t) if isinstance(t, bytes) else t for t in (a, b))
            if a != b:
                self.fault(arguments, f"{path} differs")
        return native


def values(node):
    if isinstance(node, dict):
        return {k: values(v) for k, v in node.items() if not VARIES_JSON.search(k)}
    return [values(v) for v in node] if isinstance(node, list) else node


def scores(p, here):
    for level in LEVELS:
        if level in here:
            for ref, dis in (("ref.y4m", "dis.y4m"), ("ref10.y4m", "dis10.y4m")):
                made = p.same("-q", "-m", "all", "--cpu", level, "--csv", "s.csv", "--xml", "s.xml", "--sub", "s.sub",
                              "--json", "s.json", ref, dis, code=0)
                if len(made[3]) != 4 or any(len(data) < 500 for data in made[3].values()):
                    p.fault(["-m all"], f"reports of {({k: len(v) for k, v in made[3].items()})} bytes")


def names(p):
    p.same("-q", "--csv", f"{NAME}.csv", "--json", f"{NAME}/new/s.json", f"{NAME} ref.y4m", f"{NAME} dis.y4m", code=0)
    p.same("a/same.y4m", "b/same.y4m", "-m", "psnr", code=0)
    p.same("image", "a", "b", "-m", "psnr")
    p.same("image", "a", "ref.y4m")
    p.same("ref.y4m", "nothing.y4m", code=3)
    p.same("ref.y4m", f"nothing {NAME}.y4m", code=3)
    p.same("a", "b")
    p.same("ref.y4m", "a", code=2)
    p.same("--csv", "text.csv", "ref.y4m", "dis.y4m", code=2)
    p.same("--csv", "ref.y4m", "ref.y4m", "dis.y4m", code=2)
    p.same("-m", "psnr", "-q", "--force", "--csv", "text.csv", "ref.y4m", "dis.y4m", code=0)
    p.same("--model", f"path=models/{NAME}.json", "ref.y4m", "dis.y4m")


def streams(p):
    data = (SAMPLE / "dis.y4m").read_bytes()
    p.same("-m", "psnr", "ref.y4m", "-", given=data, code=0)
    p.same("-m", "psnr", "ref.y4m", "-", given=data[:-1000])
    p.same("-m", "psnr", "ref.y4m", "-", given=b"")
    p.same("-m", "psnr", "--csv", "-", "-q", "ref.y4m", "dis.y4m", code=0)
    p.same("-m", "psnr", "--json", "-", "--xml", "x.xml", "-q", "ref.y4m", "nothing.y4m")
    raw = ("--width", "100", "--height", "80", "--pixel-format", "420", "--bitdepth", "8", "-m", "psnr")
    p.same(*raw, "r.yuv", "d.yuv")
    p.same(*raw, "r.yuv", "-", given=bytes([0x1a, 13, 10, 27] * 6000))


def commands(p):
    for line in ("--version", "--help", "--list-metrics", "--list-metrics=json", "help", "help vmaf", "help psnr",
                 "help nothing", "probe ref.y4m dis10.y4m", "probe --json p.json ref.y4m", "nothing",
                 "ref.y4m", "-m nothing ref.y4m dis.y4m", "-m psnr --min psnr_y=40 ref.y4m dis.y4m",
                 "-m psnr --frames 3 ref.y4m dis.y4m", "-m psnr --skip 2 ref.y4m dis.y4m", "align ref.y4m dis.y4m",
                 "-m psnr --dump-graph ref.y4m dis.y4m", "-m psnr --threads 1 ref.y4m dis.y4m",
                 "-m psnr --threads 7 --in-flight 3 ref.y4m dis.y4m", "-m psnr --svg s.svg -q ref.y4m dis.y4m",
                 "-m psnr ref.y4m dis.y4m ref.y4m", "-m psnr,ssim --print-request ref.y4m dis.y4m",
                 "vmaf -r ref.y4m -d dis.y4m --json -o v.json", "vmaf -r ref.y4m -d dis.y4m --xml -o v.xml",
                 "vmaf -r ref.y4m -d dis.y4m --csv -o v.csv", "vmaf -r no.y4m -d dis.y4m", "-m psnr ref.y4m ref10.y4m",
                 "-m xpsnr --log s.log -q ref.y4m dis.y4m", "-q -m psnr --dump-stage halve_u8 ref.y4m dis.y4m"):
        p.same(*line.split())


def windows_alone(p):
    """What has no native side."""
    def run(*arguments, code=0, **more):
        p.runs += 1
        done = p.run("windows", arguments, more.get("given"))
        if done[0] != code:
            p.fault(arguments, f"code {done[0]}, not {code}: {done[2]!r}")
        return done
    wanted = p.run("native", ("-m", "psnr", "ref.y4m", "dis.y4m"), None)[1]
    # Windows finds b\same.y4m~ by *.y4m, too, by its short name, and the folders . and .. by *.
    for name in ("same.y4m~", ".hidden.y4m"):
        (p.root / "windows/b" / name).write_bytes(b"")
    here = "\\\\?\\Z:" + str(p.root / "windows").replace("/", "\\")
    for arguments in (("-m", "psnr", ".\\ref.y4m", ".\\dis.y4m"), ("-m", "psnr", "a\\same.y4m", "b\\*.y4m"),
                      ("-m", "psnr", "a\\*", "b\\*m"), ("-m", "psnr", here + "\\a\\same.y4m", here + "\\b\\same.y4m"),
                      ("-m", "psnr", "re?.y4m", "di?.y4m"),
                      ("-m", "psnr", "d? \u6f22 r*.y4m", "*\u6f22 d?s.y4m")):
        said = run(*arguments)[1]
        if said.split(b"352x198")[1:] != wanted.split(b"352x198")[1:] or not said: # behind the names
            p.fault(arguments, f"said {said!r}")
    for name in ("same.y4m~", ".hidden.y4m"):
        (p.root / "windows/b" / name).unlink()
    for one, other in (("Scores.csv", "scores.CSV"), ("s.csv", "s.csv."), ("s.csv ", "s.csv"), ("\u00e4", "\u00c4")):
        done = run("-m", "psnr", "--csv", one, "--json", other, "ref.y4m", "dis.y4m", code=2)
        if b"two reports would both be written" not in done[2] or done[3]:
            p.fault(["--csv", one, "--json", other], f"said {done[2]!r}, files {list(done[3])}")
    if b"there on Linux alone" not in run("batch", "list.csv", code=2)[2]:
        p.fault(["batch"], "does not say so")
    run("-m", "psnr", "-q", "--csv", "NUL", "ref.y4m", "dis.y4m")
    page = run("-m", "psnr", "--html", "s.html", "-q", "ref.y4m", "dis.y4m")[3]  # without pictures: no libwebp is there
    if b"</html>" not in page.get("s.html", b""):
        p.fault(["--html"], "no page")
    held = p.root / "windows" / "s.csv"
    held.write_bytes(b"")
    run("-m", "psnr", "-q", "--csv", str(held.name), "ref.y4m", "dis.y4m")
    if not held.read_bytes().startswith(b"Frame,"):
        p.fault(["--csv"], "an older report is not replaced")
    held.unlink()
    ends(p)


def ends(p):
    """Where output ends up, and standard input that is a file."""
    def says(code, text, *arguments, **streams):
        p.runs += 1
        done = p.run("windows", ("-m", "psnr", *arguments), None, **streams)
        if done[0] != code or text not in done[2] or len(done[2].splitlines()) != (code != 0) or done[3]:
            p.fault(arguments, f"code {done[0]}, {done[2]!r}, files {list(done[3])}")
    pair = ("ref.y4m", "dis.y4m")
    with open(p.root / "windows/dis.y4m", "rb") as given:
        says(0, b"", "ref.y4m", "-", stdin=given)
    for form, name in zip(("csv", "json", "xml", "sub", "html", "shard"), 3 * ("NUL", "nul")):
        says(0, b"", "-q", f"--{form}", name, *pair)
    for arguments in (["--json", "-"], ["--csv", "-"], []):
        unread, pipe = os.pipe()
        os.close(unread)
        says(6, b"Broken pipe", *arguments, *pair, stdout=pipe)
        os.close(pipe)
    for form in ("csv", "json", "xml", "sub"):
        says(6, b"/dev/full: can't be written: No space left", "-q", f"--{form}", "/dev/full", *pair)
        says(6, b"a: can't be opened for writing: ", "-q", f"--{form}", "a", *pair)
    with open("/dev/full", "wb") as full:
        says(6, b"stdout: can't be written", *pair, stdout=full)
    says(2, b"'a' is a folder", "ref.y4m", "a")


def notices(p):
    """A sample that differs is a fault of each report."""
    path = p.root / "windows" / "dis.y4m"
    data = path.read_bytes()
    path.write_bytes(data[:-9000] + bytes([data[-9000] ^ 1]) + data[-8999:])
    p.same("-q", "-m", "psnr", "--csv", "s.csv", "--xml", "s.xml", "--json", "s.json", "ref.y4m", "dis.y4m")
    path.write_bytes(data)
    seen, p.faults = p.faults, []
    if len([fault for fault in seen if "s." in fault and "differs" in fault]) != 3:
        p.fault(["a sample that differs"], f"is seen in {seen}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("native")
    parser.add_argument("windows")
    parser.add_argument("--wine", default="wine")
    args = parser.parse_args()
    os.environ.pop("COLUMNS", None)
    keep(args.wine)
    here = [level for level in LEVELS if subprocess.run(
        [args.native, "-q", "-m", "psnr", "--cpu", level, SAMPLE / "ref.y4m", SAMPLE / "dis.y4m"],
        capture_output=True, check=False).returncode == 0]
    with tempfile.TemporaryDirectory() as folder:
        p = Pair(args, folder)
        notices(p)
        for part in (scores, names, streams, commands, windows_alone):
            part(p, here) if part is scores else part(p)
    print("\n".join(p.faults))
    print(f"{p.runs} runs, levels: {' '.join(here)}; {len(p.faults)} faults")
    sys.exit(1 if p.faults or not p.runs else 0)


if __name__ == "__main__":
    main()
