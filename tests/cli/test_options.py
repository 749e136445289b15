# SPDX-License-Identifier: BSD-2-Clause
"""Help, manual and completions have the options of the tables, and no other ones."""
import json
import re
import shutil
import subprocess
import sys
import unittest

from command import PROGRAM, ROOT, Case, main

TOOL = ROOT / "tools" / "options.py"


class Options(Case):
    def tables(self):
        return {row["command"]: row["options"] for row in json.loads(self.passes("--list-options-json").out)}

    def test_help_has_the_rows_of_each_command(self):
        scoring = {row["name"] for row in self.tables()[""]}
        for command, rows in self.tables().items():
            if command == "vmaf": # its help is that of libvmaf's command
                continue
            text = self.passes("help", *filter(None, [command])).out
            said = {name for line in re.findall(r"(?m)^  (--.*|-.*)", text)
                    for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.split(r" {3,}", line)[0])}
            shown = {row["name"] for row in rows if "section" in row and "hidden" not in row}
            self.assertGreater(len(said), 0, command)
            if command == "run":
                self.assertLessEqual(said, scoring)
                self.assertIn("json", said)
                self.assertNotIn("frames", said)
            else:
                self.assertEqual(said - {"shard", "frames", "first", "json"} if command == "merge" else said,
                                 shown - {"json"} if command == "merge" else shown, command)

    def test_each_row_has_its_words(self):
        for command, rows in self.tables().items():
            first = True
            for row in rows:
                if command == "vmaf" or row["name"] == "help" or "hidden" in row:
                    continue
                self.assertIn(row.get("section"), ("Inputs", "Metrics", "Results", "Machine", "Other"), row)
                self.assertTrue("help" in row or not first, row)
                self.assertEqual("argument" in row, "takes_value" in row or row["name"] == "compare", row)
                first = False

    def test_each_field_of_a_request_has_an_option(self):
        """Of frames `assay` has it, of pictures `assay image`; which of both is compared, their names say."""
        def names(of, outer=""):
            for name, value in of["properties"].items():
                yield from names(value, f"{name}.") if "properties" in value else [outer + name]
        schema = json.loads((ROOT / "docs/request.schema.json").read_text(encoding="utf-8"))
        root = schema["properties"]
        fields = {*names(schema), *names(root["encodes"]["items"])} - {"assay", "encodes"}
        scoring = self.tables()[""]
        self.assertEqual({name.removeprefix("reference.") for name in fields} - {"compare"},
                         {row["field"] for row in scoring + self.tables()["image"] if "field" in row})
        self.assertEqual({f"allow-{word}" for word in root["allow"]["items"]["enum"]},
                         {row["name"] for row in scoring if row.get("field") == "allow"})

    def manual(self, page):
        self.write("page.1", page.encode())
        return subprocess.run([sys.executable, TOOL, PROGRAM, "man", self.dir / "page.1"], capture_output=True,
                              text=True, check=False)

    def test_manual_has_the_paragraphs_of_the_tables(self):
        page = (ROOT / "docs/assay.1").read_text(encoding="utf-8")
        done = self.manual(page)
        self.assertEqual(done.returncode, 0, done.stderr)
        every = "\\fB\\-\\-every\\fR \\fIN\\fR"
        for new, why in ((every.replace("every", "each"), "--each is in no table of assay"),
                         (every.replace("N", "ROWS"), "does not have the options"),
                         ("Text", "--every of assay has no paragraph")):
            self.assertIn(every, page)
            self.assertIn(why, self.manual(page.replace(every, new)).stderr)

    def completed(self, line):
        script = f"""source {self.dir}/assay.bash
            COMP_WORDS=({line} "$1"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _assay
            printf '%s\\n' "${{COMPREPLY[@]}}"
            """
        *words, last = line.split(" ")
        script = script.replace(f"({line} ", f"({' '.join(words)} ")
        done = subprocess.run(["bash", "-c", script, "bash", last], capture_output=True, text=True, check=True,
                              cwd=self.dir)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_completion_of_bash(self):
        subprocess.run([sys.executable, TOOL, PROGRAM, "bash", self.dir / "assay.bash"], check=True)
        self.write("a.y4m", b"")
        self.assertEqual(self.completed("assay --pa"), ["--pair"])
        self.assertEqual(self.completed("assay -m ss"), ["ssim", "ssimulacra2"])
        self.assertEqual(self.completed("assay -m psnr,ss"), ["psnr,ssim", "psnr,ssimulacra2"])
        self.assertEqual(self.completed("assay a.y4m --pair t"), ["time"])
        self.assertEqual(self.completed("assay --json a."), ["a.y4m"])
        self.assertEqual(self.completed("assay bdr"), ["bdrate"])
        self.assertEqual(self.completed("assay image --rec"), ["--recursive"])
        self.assertEqual(self.completed("assay batch --summ"), ["--summary"])
        self.assertEqual(self.completed("assay bdrate --method ak"), ["akima"])
        self.assertEqual(self.completed("assay --recu"), [])

    def test_completions_of_other_shells(self):
        for shell, part in (("zsh", "'*--pair["), ("fish", "-l pair ")):
            subprocess.run([sys.executable, TOOL, PROGRAM, shell, self.dir / shell], check=True)
            text = self.read(shell)
            self.assertIn(part, text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.dir / shell], check=True)


if __name__ == "__main__":
    main()
