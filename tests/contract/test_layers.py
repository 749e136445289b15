#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_layers.py must see every breach: each case is a small source tree with one thing wrong.

    test_layers.py CHECK_LAYERS
"""
import contextlib
import io
import runpy
import sys
import tempfile
from pathlib import Path

LONG_BODY = 'int f(int a)\n{\n' + '    a++;\n' * 81 + '    return a;\n}\n'
LONG_TABLE = 'static const int t[] = {\n' + '    1,\n' * 120 + '};\n'
TABLE = '## Layers\n\n| layer | includes |\n|---|---|\n'
CASES = [  # file, text, what the complaint must hold; None: no complaint
    ('src/metrics/a.c', '#include "graph/graph.h"\n#include "metrics/metric.h"\n', None),
    ('src/metrics/a.c', '#include "executors/executor.h"\n', 'metrics may not include'),
    ('src/metrics/a.c', '#include "kernels/kernel.h"\n', 'metrics may not include'),
    ('src/metrics/a.c', '/* as CUDA does */\n', 'the word "CUDA"'),
    ('src/metrics/a.c', 'static int a_sum(int x)\n{\n    return x;\n}\n', None),
    ('src/metrics/a.c', 'static int float_a_sum(int x)\n{\n    return x;\n}\n', None),
    ('src/metrics/a.c', 'static int sum(int x)\n{\n    return x;\n}\n', 'sum does not begin with a'),
    ('src/metrics/a.c', 'static const int *\nsum(int x)\n{\n    return 0;\n}\n', 'sum does not begin with a'),
    ('src/metrics/options.c', 'static int sum(int x)\n{\n    return x;\n}\n', None),
    ('src/executors/a.c', '/* for ms_ssim */\n', 'the word "ms_ssim"'),
    ('src/executors/a.c', '#include "engine/session.h"\n', 'executors may not include'),
    ('src/kernels/a.h', '#include "host/error.h"\n', 'kernels may not include'),
    ('src/graph/a.c', '#include "executors/executor.h"\n', 'graph may not include'),
    ('src/engine/a.c', '#include "report/reporter.h"\n', 'engine may not include'),
    ('src/engine/a.c', '#include "host/scores.h"\n', None),
    ('docs/architecture.md', TABLE + '| `a.c` | `host` |\n| `host` | |\n', 'a.c includes nothing of host'),
    ('docs/architecture.md', TABLE + '| `a.c` | |\n| `host` | `a.c` |\n',
     'host includes a.c, which is in no row below it'),
    ('src/report/a.c', '#include "input/input.h"\n', 'report may not include'),
    ('src/report/a.c', 'f(s, ", \\"%s\\": %d", name, n);\n', 'JSON is written by'),
    ('src/cli/a.c', 'f(s, "{\\"name\\": [");\n', 'JSON is written by'),
    ('src/cli/a.c', 'f(s, "no option \\"%s\\": it is skipped");\n', None),
    ('src/results/json_write.c', 'f(s, ", \\"%s\\": %d", name, n);\n', None),
    ('src/cli/score/a.c', '#include "cli/cli.h"\n#include "cli/score/a.h"\n', None),
    ('src/cli/score/a.c', '#include "cli/image/a.h"\n', 'score may not include "cli/image/a.h"'),
    ('src/cli/a.h', '#include "cli/image/a.h"\n', 'what commands share may not include'),
    ('src/cli/main.c', '#include "cli/image/a.h"\n', None),
    ('src/cli/a.c', 'struct image_run {\n    int a;\n};\n', 'struct image_run: a run is something else'),
    ('src/run/run.h', 'struct run {\n    int a;\n};\n', None),
    ('src/engine/a.c', '#include <unistd.h>\n', '<unistd.h> is a system'),
    ('src/host/a.c', '#include <sys/stat.h>\n', '<sys/stat.h> is a system'),
    ('src/host/posix/a.c', '#include <sys/stat.h>\n', None),
    ('src/cli/a.c', '#include <unistd.h>\n', None),
    ('src/cli/a.c', '#include <windows.h>\n', '<windows.h> is a system'),
    ('src/host/windows/a.c', '#include <windows.h>\n', None),
    ('src/engine/a.c', '#include <pthread.h>\n', None),
    ('src/elsewhere/a.c', '\n', 'no layer is called elsewhere'),
    ('src/host/a.c', LONG_BODY, 'a function of 83 lines'),
    ('src/host/a.c', LONG_TABLE, None),
    ('src/host/a.c', 'int a;\n' * 801, '801 lines'),
    ('src/kernels/a.k', 'f32 x = 0.25f * y;\n', 'float literal 0.25f'),
    ('src/kernels/a.k', '/* 0.25 */ f32 x = 0.5f * y;\n', None),
    ('src/kernels/a.k', 'f32 first_ = y;\nST_LAYER(plane, 0, x, y, first_);\n', 'a local is called first_'),
    ('src/kernels/a.h', '#define A(v) { \\\n        u32 radius_[2]; \\\n    }\n', 'a local is called radius_'),
    ('src/kernels/a.k', 'FOR(t_, 3) { a[t_] = b; }\n', 'a local is called t_'),
    ('src/kernels/a.k', '/* f32 first_ = y; */ f32 lightest_ = y;\n', None),
]


def check(checker, root):
    """(exit status, what it says) of the checker for this tree, in this process: one for each case takes ten times as
    long."""
    said, sys.argv = io.StringIO(), [checker, root]
    with contextlib.redirect_stdout(said):
        try:
            runpy.run_path(checker, run_name='__main__')
        except SystemExit as end:
            return (1, end.code) if isinstance(end.code, str) else (end.code, said.getvalue())
    return None, 'it does not end with an exit status'


def main():
    checker = sys.argv[1]
    for name, text, wanted in CASES:
        with tempfile.TemporaryDirectory() as root:
            path = Path(root) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            status, said = check(checker, root)
            if wanted is None and status != 0:
                sys.exit(f'{name}: {text[:60]!r} is fine, but: {said}')
            if wanted is not None and (status != 1 or wanted not in said):
                sys.exit(f'{name}: {text[:60]!r} should give {wanted!r}, gave: {status} {said}')
    print(f'{len(CASES)} trees')


if __name__ == '__main__':
    main()
