# SPDX-License-Identifier: BSD-2-Clause
"""The documents say what the program says: every option, every metric, every exit code, and no link leads nowhere."""
import json
import re

from command import ROOT, Case, main

DOCUMENT_OF = {"float_psnr": "psnr", "float_ssim": "ssim", "float_ms_ssim": "ms_ssim", "float_moment": "moment",
               "float_adm": "adm"}


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
        for flag in re.findall(r"(?<=, )-[a-z-]{3,}", text.split("--allow-size", 1)[1].split("\n", 1)[0]):
            self.assertIn("--allow" + flag, page)

    def test_help_knows_every_option_of_the_manual_page(self):
        before, bench, after = re.split(r"(?ms)^(\.SH BENCHMARKS.*?)(?=^\.SH)", manual())
        for page, command in ((before + after, []), (bench, ["bench"])):
            for option in sorted(set(re.findall(r"(?m)^\.BR? (--[a-z-]+)", page))):
                result = self.run_assay(*command, option)
                self.assertNotIn("no option", result.err, option)

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
                self.assertIn(option["default"] if option["type"] == "choice" else json.dumps(option["default"]),
                              re.split(r"[ ,;()]+", row[1]),
                              f"{metric['name']}: {option['name']}")

    def test_links(self):
        for path in [ROOT / p for p in ("README.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").rglob("*.md")):
            for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text(encoding="utf-8")):
                if "://" not in target:
                    self.assertTrue((path.parent / target).exists(), f"{path.name}: {target}")


if __name__ == "__main__":
    main()
