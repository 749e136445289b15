#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ssimulacra2=yuv_matrix=0:chroma=nearest against the figures of the system that has this option (golden/netflix.json).

    netflix_ssimulacra2.py ASSAY

At most 0.25 off: its blur is recursive and in float, its transfer function a table. The other three numbers must give
other scores. Skipped where the shared data folder (ASSAY_SHARED or ../shared) is absent."""
import json
import subprocess
import sys

import golden

BOUND = 0.25


def scores(assay, entry, data, number):
    command = [assay, data / entry['ref'], data / entry['dis'], '-w', entry['width'], '-h', entry['height'], '-p',
               '420', '-b', 8,
               '-m', f'ssimulacra2=yuv_matrix={number}:chroma=nearest', '--csv', '-', '-q', '--precision', 'max']
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    return [float(line.split(',')[1]) for line in done.stdout.splitlines()[1:]]


def main():
    assay, shared = sys.argv[1], golden.shared_folder()
    figures = shared / 'golden' / 'netflix.json'
    entries = [e for e in json.loads(figures.read_text()) if e['metric'] == 'ssimulacra2'] if figures.exists() else []
    entries = [e for e in entries if (shared / 'data' / e['ref']).exists() and (shared / 'data' / e['dis']).exists()]
    if not entries:
        print('skipped: no pair of the golden file is present')
        return golden.SKIP
    pool = {'pooled_mean': lambda v: sum(v) / len(v), 'pooled_min': min, 'pooled_max': max}
    failures, worst = 0, 0.0
    values = [scores(assay, entries[0], shared / 'data', number) for number in range(4)]
    for entry in entries:
        where = entry['frame_or_pool']
        got = values[0][int(where.split(':')[1])] if where.startswith('frame:') else pool[where](values[0])
        worst = max(worst, abs(got - entry['value']))
        if abs(got - entry['value']) > BOUND:
            failures += 1
            print(f"{where}: expected {entry['value']}, got {got}")
    if any(values[i][0] == values[k][0] for i in range(4) for k in range(i)):
        failures += 1
        print('two numbers of yuv_matrix give the same score')
    print(f'{len(entries)} figures, at most {worst:.4f} off')
    return 1 if failures else 0


sys.exit(main())
