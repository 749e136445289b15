# SPDX-License-Identifier: BSD-2-Clause
"""The documents say what the program says: every option, every metric, every exit code, and no link leads nowhere."""
import json
import os
import re
import shutil
import subprocess
import sys

from command import PASS, PROGRAM, ROOT, Case, main, y4m
from pictures import pixels, png

DOCUMENT_OF = {"float_psnr": "psnr", "float_ssim": "ssim", "float_ms_ssim": "ms_ssim", "float_moment": "moment",
               "float_adm": "adm"}

OPTION = r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]"
# Of other programs: pkg-config, meson, compilers, ffmpeg's configure, tools of the build and of the tests; sbatch,
# parallel, kubectl and aws; cvvdp; a name in Python with its underscores.
OTHERS = {"--cflags", "--libs", "--static", "--cross-file", "--suite", "--fmad", "--acpp-targets", "--acpp-cuda-path",
          "--tune",
          "--enable-libvmaf", "--kernels", "--limits", "--rounds", "--set", "--tool", "--pixels-per-degree",
          "--viewing-conditions", "--size", "--partition", "--cpus-per-task", "--time", "--gres", "--nonall",
          "--retries", "--dry-run", "--local", "--job-name", "--job-queue", "--job-definition", "--array-properties",
          "--retry-strategy", "--container-overrides", "--depends-on", "--nodes", "--tasks", "--seconds", "--display",
          "--pix-per-deg", "--fps", "--features", "--temp-padding", "--cuda-array-interface"}


def page_of(metric):
    """The page in docs/metrics/ whose heading names the metric."""
    for path in sorted((ROOT / "docs" / "metrics").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if metric in re.split(r"[,\s]+", text.split("\n", 1)[0].lstrip("# ")):
            return text
    raise AssertionError(f"no page in docs/metrics/ has {metric} in its heading")


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def manual():
    """The manual page with roff's escapes undone."""
    return re.sub(r"\\f[BIRP]", "", text_of("docs/assay.1").replace("\\-", "-"))


class Documents(Case):
    def table(self):
        return json.loads(self.passes("--list-metrics-json").out)

    def test_manual_page_knows_every_option_of_the_help(self):
        page = manual()
        text = self.passes("--help").out
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) | set(re.findall(r"(?<![\w-])-[a-z](?=,)", text))
        self.assertGreater(len(options), 30)
        for option in sorted(options):
            self.assertIn(option, page, f"{option} is not in docs/assay.1")

    def test_help_knows_every_option_of_the_manual_page(self):
        of_command = {"batch": "MANY PAIRS"}
        rest, pages = manual(), []
        for command, heading in of_command.items():
            before, section, after = re.split(rf'(?ms)^(\.SH "?{heading}.*?)(?=^\.SH)', rest)
            rest = before + after
            pages.append((section, [command]))
        for page, command in [(rest, []), *pages]:
            for option in sorted(set(re.findall(r"(?m)^\.BR? (--[a-z-]+)", page))):
                result = self.run_assay(*command, option)
                self.assertNotIn("no option", result.err, option)

    def test_manual_page_knows_every_option_of_each_command(self):
        page = manual()
        for command in "image merge report parity align bdrate batch diff doctor probe run".split():
            for option in sorted(set(re.findall(OPTION, self.passes("help", command).out))):
                self.assertRegex(page, rf"{option}(?![a-z])", f"{option} of {command} is not in docs/assay.1")

    def test_documents_name_no_option_that_is_none(self):
        known = {"--" + option["name"] for command in json.loads(self.passes("--list-options-json").out)
                 for option in command["options"]} | {"--allow"} # "--allow-..."
        self.assertGreater(len(known), 100)
        for path in sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]):
            for option in sorted(set(re.findall(OPTION, path.read_text(encoding="utf-8").replace("_", "-"))) - OTHERS):
                self.assertIn(option, known, f"{path.name} names {option}")

    def test_page_of_vmaf_knows_every_option_of_its_help(self):
        page = text_of("docs/vmaf.md")
        options = set(re.findall(r"(?<![\w-])--?[a-z][a-z_-]*", self.passes("help", "vmaf").out))
        self.assertGreater(len(options), 35)
        for option in sorted(options):
            self.assertIn(f"`{option}", page, f"{option} is not in docs/vmaf.md")

    def test_page_of_vmaf_knows_the_options_of_assay(self):
        """Those that work there, but for the ones that libvmaf's command has; and some of those that are refused."""
        named = {c["command"]: {"--" + o["name"] for o in c["options"]}
                 for c in json.loads(self.passes("--list-options-json").out)}
        table, rest = text_of("docs/vmaf.md").split("Underscores may be dashes", 1)
        theirs = {o.replace("_", "-") for o in re.findall(r"--[a-z_]+", str(re.findall(r"(?m)^\|[^|]*", table)))}
        works, refused = rest.split("\n\n")[0].split("The others are refused")
        both = {o for o in (named[""] & named["vmaf"]) - theirs - {"--help"} if not re.search("--allow-|-json$", o)}
        self.assertEqual(both, {o for o in re.findall(OPTION, works) if not o.startswith("--allow")})
        self.assertLessEqual(set(re.findall(OPTION, refused)), named[""] - named["vmaf"])
        self.assertIn("each other `--allow-...`", works)
        self.assertLessEqual({o for o in named[""] if o.startswith("--allow-")}, named["vmaf"])

    def test_stated_bounds_are_those_of_the_tests(self):
        """docs/numerics.md says of each metric how far it may be from libvmaf: the bound that tests/golden compares."""
        sys.path.insert(0, str(ROOT / "tests/golden"))
        import golden
        rows = re.findall(r"(?m)^\| (`.*) \| (.*) \|$", text_of("docs/numerics.md"))
        for metric in ("psnr", "float_psnr", "float_moment", "float_ssim", "float_ms_ssim", "float_adm", "float_vif",
                       "ciede2000", "psnr_hvs", "float_motion"):
            said = next(said for names, said in rows if f"`{metric}`" in names)
            bounds = [float(x) for x in re.findall(r"within (\d[\d.]*(?:e-\d+)?)", said)]
            self.assertIn(golden.LIBVMAF[metric], bounds, metric)
            self.assertEqual("relative" in said, metric in golden.RELATIVE, metric)
        self.assertIn(f"within {golden.LIBVMAF['float_motion']:.0e} (relative)".replace("e-0", "e-"),
                      text_of("docs/metrics/motion.md"))

    def test_exit_codes(self):
        page, readme = manual(), text_of("README.md")
        header = text_of("include/assay/assay.h")
        for name, code in re.findall(r"ASSAY_E([A-Z]+) = -(\d)", header):
            self.assertRegex(page, rf"(?m)^\.B {code}$", name)
            self.assertRegex(readme, rf"(?m)^\| {code} \|", name)

    def test_each_metric_has_its_page(self):
        for metric in self.table():
            page = page_of(metric["name"])
            self.assertIn(f"`{metric['name']}`", text_of("README.md"))
            self.assertIn(f"`{metric['name']}`", text_of("docs/output.md"))
            for option in metric["options"]:
                row = re.search(rf"(?m)^\| `{option['name']}`[^|]*\| ([^|]*?) *\|", page)
                self.assertTrue(row, f"{metric['name']}: {option['name']} has no row in its page")
                self.assertIn(option["default"] or "none" if option["type"] in ("choice", "text")
                              else json.dumps(option["default"]),
                              re.split(r"[ ,;()]+", row[1]),
                              f"{metric['name']}: {option['name']}")

    def test_commands_of_the_readme(self):
        """Each command of "Using it" does what it says, on small files of these names."""
        text = text_of("README.md").split("## Using it\n", 1)[1].split("\n## ", 1)[0]
        commands = [re.split(r" {3,}", line.strip())[0] for line in re.findall(r"(?m)^    (?=assay|ffmpeg)(.*)", text)]
        self.assertGreater(len(commands), 10)
        (self.dir / "bin").mkdir()
        (self.dir / "scores").mkdir()
        (self.dir / "bin" / "assay").symlink_to(PROGRAM)
        reference, distorted = (y4m(352, 198, frames=1, noise=n).replace(b"FRAME\n", b"\0", 1) for n in (0, 2))
        video = [data.replace(b"\0", b"FRAME\n", 1) + 149 * (b"FRAME\n" + data.split(b"\0", 1)[1])
                 for data in (reference, distorted)] # a reader is chosen by what is in the file
        for names, data in ((["source.mkv", "source.y4m"], video[0]), (["encode.mp4"], video[1]),
                            (["360p.mp4", "720p.mp4", "1080p.mp4"], video[1]),
                            (["source.yuv"], 150 * reference.split(b"\0", 1)[1]),
                            (["decoded.yuv"], 150 * distorted.split(b"\0", 1)[1])):
            for name in names:
                self.write(name, data)
        for i in range(4):
            for name in ("x264", "x265"):
                self.write(f"{name}-{i}.json", json.dumps({
                    "frames": [{"frameNum": 0, "metrics": {"vmaf": 60 + 9 * i, "psnr_y": 30 + 2 * i}}],
                    "pooled_metrics": {}, "assay": {"distorted_bitrate_kbps": 2**i}}).encode())
        self.write("jobs.csv", b"reference,distorted,metric,every\nsource.mkv,encode.mp4,psnr,-\n"
                   b"source.mkv,encode.mp4,-,50\n")
        rows = pixels(40, 30)
        for name in ("source.png", "encodes/a.png", "expected.png", "expected/a.png", "expected/b/c.png",
                     "originals/a.png", "source/frame_0001.png", "source/frame_0002.png"):
            (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, png(rows))
        rows[3][7] ^= 1
        for name in ("rendered.png", "rendered/a.png", "rendered/b/c.png", "compressed/a.png", "encode/frame_0001.png",
                     "encode/frame_0002.png"):
            (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, png(rows))
        for command in commands:
            if ((" image " in command or ".png" in command) and not os.environ.get("ASSAY_PNG")) or \
               ("ffmpeg" in command and not shutil.which("ffmpeg")):
                continue
            path = f"{self.dir / 'bin'}:{os.environ['PATH']}"
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.dir, capture_output=True,
                                  text=True, env={**os.environ, "PATH": path}, check=False, timeout=1200)
            self.assertEqual(done.returncode, PASS, (command, done.stdout, done.stderr))
            if "every 10" in command:
                self.assertIn(" 5 frames", done.stdout)

    def test_links(self):
        for path in [ROOT / p for p in ("README.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").rglob("*.md")):
            for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text(encoding="utf-8")):
                if "://" not in target:
                    self.assertTrue((path.parent / target).exists(), f"{path.name}: {target}")


if __name__ == "__main__":
    main()
