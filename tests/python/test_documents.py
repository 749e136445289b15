#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The examples of docs/python.md run, one after the other as one program, and what it says of the package is so."""
import contextlib
import importlib.util
import inspect
import io
import json
import os
import re
import shutil
import unittest
import warnings

from common import DIS, REF, ROOT, Case

import assay
from assay import _fields

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


class Documents(Case):
    def test_examples(self):
        blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
        self.assertGreater(len(blocks), 5)
        shutil.copy(REF, self.dir / "ref.y4m")
        shutil.copy(DIS, self.dir / "dis.y4m")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        names, said = {}, io.StringIO()
        self.find_command()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore", assay.AssayWarning)
            for number, block in enumerate(blocks):
                if importlib.util.find_spec("pandas") is None:
                    block = block.replace("table = results.to_pandas()", "")
                exec(compile(block, f"example {number}", "exec"), names)
        for part in ("none.y4m: can't be opened", "crf30 {'psnr_y': ", "\n8 8\n", '"encodes"', "\n[1.]\n",
                     "(198, 352) 7050", "False 0 there are too few frames", "\nFalse 4 0\n"):
            self.assertIn(part, said.getvalue())
        self.assertTrue((self.dir / "scores.json").exists())

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_notebook(self):
        """Its cells run, and draw."""
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")
        plots = importlib.import_module("matplotlib.pyplot")
        plots.close("all")
        self.addCleanup(plots.close, "all")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT / "examples")
        names = {}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore", assay.AssayWarning)
            for number, cell in enumerate(json.loads((ROOT / "examples/notebook.ipynb").read_text())["cells"]):
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        self.assertIn("<svg", names["results"]._repr_html_())
        lines = [len(axes.lines) for figure in map(plots.figure, plots.get_fignums()) for axes in figure.axes]
        self.assertEqual(lines[:2], [1, 2])
        self.assertTrue(names["maps"]["ssim"][60, 80] > 0 == names["maps"]["ssim"][5, 5])

    def test_names(self):
        """Every exception is in the table with its exit code, and every public name has a docstring."""
        for name in assay.__all__:
            thing = getattr(assay, name)
            if inspect.isclass(thing) and issubclass(thing, assay.AssayError) and thing is not assay.AssayError:
                self.assertRegex(PAGE, rf"\| `{name}`[^|]*\| {thing.exit_code} \|")
            if inspect.isclass(thing):
                for member, value in [("", thing), *vars(thing).items()]:
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member} has no docstring")
        for keyword in _fields.OF_REQUEST:
            self.assertIn(f"\n    {keyword}: ", inspect.getdoc(assay.score))
            self.assertIn(keyword, inspect.signature(assay.Request).parameters)


if __name__ == "__main__":
    unittest.main()
