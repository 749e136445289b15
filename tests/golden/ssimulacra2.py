#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command against the figures of the reference program ssimulacra2 2.1.

    ssimulacra2.py ASSAY SOURCE_ROOT

Natural pairs (Kodak, JPEG): at most 0.25 off, 0.05 in the mean. Identical pairs: exactly 100. Synthetic ones are printed: there the
reference is up to 2 from its own definition. Reads the shared data folder (ASSAY_SHARED or ../shared) and needs a build with libav for
PNG; exits 77 without them."""
import json
import os
import subprocess
import sys
from pathlib import Path

SKIP = 77


def score(assay, ref, dis):
    done = subprocess.run([assay, ref, dis, '-m', 'ssimulacra2', '--csv', '-', '--precision', 'max', '--allow-depth'],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'{dis}: {done.stderr.strip()}')
    return float(done.stdout.splitlines()[1].split(',')[1])


def main():
    assay, root = sys.argv[1], Path(sys.argv[2])
    shared = Path(os.environ.get('ASSAY_SHARED') or root / '..' / 'shared')
    golden, data = shared / 'golden' / 'ssimulacra2.json', shared / 'data'
    if not golden.exists():
        print('skipped: no shared data folder')
        return SKIP
    natural, synthetic, failures = [], [], 0
    for entry in json.loads(golden.read_text()):
        if not entry.get('ref') or 'tank' in entry['ref']:
            continue  # made on the fly there, or a figure of another program
        ref, dis = data / entry['ref'], data / (entry.get('dis_png') or entry['dis'])
        if not ref.exists() or not dis.exists():
            continue
        if 'synth' in entry['ref']:
            synthetic.append(abs(score(assay, ref, dis) - entry['value']))
            continue
        natural.append(abs(score(assay, ref, dis) - entry['value']))
        if natural[-1] > 0.25:
            failures += 1
            print(f'{dis.name}: {natural[-1]:.4f} from the reference')
    same = data / 'images/kodak/kodim03.png'
    if same.exists() and score(assay, same, same) != 100.0:
        failures += 1
        print('an identical pair does not score 100')
    if not natural:
        print('skipped: no pair of the golden file is present')
        return SKIP
    mean = sum(natural) / len(natural)
    print(f'{len(natural)} natural pairs: at most {max(natural):.4f}, mean {mean:.4f} from the reference')
    if synthetic:
        print(f'{len(synthetic)} synthetic pairs: at most {max(synthetic):.4f} (reported)')
    return 1 if failures or mean > 0.05 else 0


sys.exit(main())
