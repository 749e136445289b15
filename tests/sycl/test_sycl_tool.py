#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tools/sycl_module.py: what it says of a compiler, and for which devices a module is.

    test_sycl_tool.py TOOL
"""
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = sys.argv[1]
ACPP = """#!/bin/sh
case $1 in
--acpp-version)
    echo 'acpp [AdaptiveCpp compilation driver], Copyright (C) 2018-2024 Aksel Alpay and the AdaptiveCpp project'
    echo '  AdaptiveCpp version: 24.06.0+git.49544a48.20241009.branch.develop'
    echo '  Installation root: /opt' ;;
--version) echo 'Debian clang version 15.0.6' ;;
esac
"""
ICPX = """#!/bin/sh
[ "$1" = --version ] || exit 1
echo 'Intel(R) oneAPI DPC++/C++ Compiler 2024.2.0 (2024.2.0.20240602)'
echo 'Target: x86_64-unknown-linux-gnu'
"""


def output(*args):
    return subprocess.run([sys.executable, TOOL, *args], check=True, stdout=subprocess.PIPE, text=True).stdout


def program(path, text):
    path.write_text(text, encoding='utf-8')
    path.chmod(0o755)
    return str(path)


def main(folder):
    assert output('compiler', program(folder / 'acpp', ACPP)) == (
        'AdaptiveCpp 24.06.0+git.49544a48.20241009.branch.develop\n')
    assert output('compiler', program(folder / 'icpx', ICPX)) == (
        'Intel(R) oneAPI DPC++/C++ Compiler 2024.2.0 (2024.2.0.20240602)\n')
    for targets, backends in (('omp.accelerated', 'omp'), ('omp', 'omp'), ('cuda:sm_80', 'cuda'), ('hip:gfx906', 'hip'),
                              ('cuda.explicit-multipass:sm_80,sm_90;omp', 'cuda omp'), ('cuda-nvcxx', 'cuda'),
                              ('omp;omp.library-only', 'omp'), ('generic', ''), ('omp;generic', ''), ('', '')):
        output('digest', str(folder / 'd.h'), 'a compiler', targets, TOOL)
        text = (folder / 'd.h').read_text(encoding='utf-8')
        expected = ''.join(f'sycl::backend::{b}, ' for b in backends.split()).rstrip()
        assert (f'#define SYCL_BACKENDS {expected}\n' in text) if expected else ('SYCL_BACKENDS' not in text), text
        assert f'#define SYCL_TARGETS "{targets}"\n' in text, text
        needs = 'the SYCL runtime of a compiler' + (f', for {targets}' if targets else '')
        assert f'#define SYCL_NEEDS "{needs}"\n' in text, text


with tempfile.TemporaryDirectory() as d:
    main(Path(d))
