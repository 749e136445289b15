#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the tests of the command (tests/cli, tests/fault) with the command for Windows under wine, but for those below.

    test_cli.py WINDOWS [--wine WINE] [--only TEXT]
"""
import argparse
import importlib
import os
import pathlib
import re
import sys
import tempfile
import unittest

from wine import ROOT, program

FILES = ("align", "bdrate", "bitrate", "borders", "ciede2000", "crop", "diff", "differences", "documents", "files",
         "html", "image_floats", "inputs", "ladder", "ladder_mix", "metric_options", "models", "moments", "options",
         "pairing", "pairs", "plot", "psnr_hvs", "raw", "report", "reports", "request", "scale", "schema", "shards",
         "stages", "terminal", "usage", "vmaf", "vmaf_v1", "xpsnr", "disk")
# What can't run, and why: names of tests, with that of their file and class in front. Files that are not named above
# need images or containers, which this build does not read, GPUs, other programs than the command, or `batch`.
PNG, POSIX, BATCH, OTHERS, NAMES = (
    "this build writes and reads no PNG", "signals, named pipes, numbers of processes and limits are those of Linux",
    "assay batch is not there", "another program than the command", "Windows has no such names")
LEFT_OUT = {
    "bdrate.(Page.test_head|Outputs.test_long_names)": NAMES,
    "borders.Borders.test_images": PNG,
    "crop.Crop.test_many_readers": OTHERS,
    "crop.Crop.test_image(s|_command)": PNG,
    "differences.Table.test_rows": PNG,
    "disk.Disk.test_(full_after_n_bytes|what_was_there_stays)": POSIX,
    "disk.Disk.test_(device_that_is_full|the_table_is_printed)": "wine opens no /dev/full for reading, too",
    "documents.Documents.test_commands_of_the_readme": PNG,
    "documents.Documents.test_documents_name_no_option_that_is_none": BATCH,
    "files.Kept.test_a_run_that_is_killed_leaves_what_it_had_beside": POSIX,
    "files.Replaced.test_closed_streams_are_no_files": "wine hands on no closed stream",
    "files.Replaced.test_empty_files_and_other_places": "links, rights and named pipes of Linux",
    "html.(Ladder.test_encodes_over_each_other|WithoutBrowser.test_names_are_text)": NAMES,
    "html.WithoutBrowser.test_(no_pictures|worst_frames|worst_of_every_kind)": "this build has no pictures",
    "image_floats.Light.test_(maps|refused)": PNG,
    "image_floats.Pfm.test_(heatmap|metrics_of_colour|refused)": PNG,
    "inputs.Inputs.test_named_pipe_written_in_small_pieces": POSIX,
    "ladder.Outputs.test_csv": NAMES,
    "ladder.Outputs.test_one_file_by_two_spellings": "a link to what isn't there is not followed",
    "ladder.Readers.test_ends": OTHERS,
    "ladder_mix.(Known.test_grey_and_colour|Directions.test_lists|Random.test_random)": BATCH,
    "moments.Moments.test_lists": BATCH,
    "options.Options.test_(completion_of_bash|help_has_the_rows.*|manual_has_the_paragraphs.*)": BATCH,
    "pairing.Pairing.test_parity": OTHERS,
    "plot.Plot.test_png": PNG,
    "plot.Plot.test_stands_alone": NAMES,
    "request.Probes.test_what_is_stopped_leaves_no_part_of_a_list": POSIX,
    "terminal.Terminal.test_(no_color|progress)": "wine's console draws letter by letter: test_console.py has them",
    "usage.Usage.test_(help_of_each_command|what_is_given_twice)": BATCH,
    "vmaf.Models.test_terminal": "wine's console draws letter by letter",
    "vmaf.(Texts.test_a_stream_has_what_a_file_has|Scripts.test_all_metrics)": "Windows has no /dev/stdout",
    "xpsnr.Xpsnr.test_images_need_no_rate": PNG,
}


def tests_of(name):
    """(name, test) of a file"""
    found = [unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"test_{name}"))]
    while found:
        one = found.pop()
        if isinstance(one, unittest.TestCase):
            yield f"{name}.{type(one).__name__}.{one._testMethodName}", one  # pylint: disable=protected-access
        else:
            found.extend(one)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("windows")
    parser.add_argument("--wine", default="wine")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    for name in ("IMAGES", "LIBAV", "PNG", "VULKAN", "SCALAR", "RATES", "MANY", "FLIPPED"):
        os.environ[f"ASSAY_{name}"] = ""
    with tempfile.TemporaryDirectory() as folder:
        log = program(pathlib.Path(folder), str(pathlib.Path(args.windows).resolve()), args.wine)
        sys.path[:0] = [str(ROOT / "tests" / where) for where in ("cli", "fault")]
        suite, seen = unittest.TestSuite(), set()
        for name, test in (pair for file in FILES for pair in tests_of(file)):
            why = [pattern for pattern in LEFT_OUT if re.fullmatch(pattern, name)]
            seen.update(why)
            if not why and args.only in name:
                suite.addTest(test)
        result = unittest.TextTestRunner(verbosity=2, buffer=True).run(suite)
        starts = len(log.read_text(encoding="utf-8").splitlines())
    unused = [] if args.only else sorted(set(LEFT_OUT) - seen)
    print(f"{result.testsRun} tests, {len(result.skipped)} of them skipped, {starts} starts of the command; "
          f"names that are left out and no test has: {unused}")
    sys.exit(0 if result.wasSuccessful() and not unused and (starts >= 100 or args.only) else 1)


if __name__ == "__main__":
    main()
