#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ssimulacra2 of the command on the images of golden/ssimulacra2.json, against the double oracle and
the reference program 2.1.

    ssimulacra2.py ASSAY ORACLE_IMAGES

- The oracle: natural pairs (Kodak, JPEG) within 0.005, synthetic ones (flat, gradients, noise, edges) within 0.02.
- The reference program: natural pairs at most 0.25 off, 0.05 in the mean. On synthetic ones it is up to 2 from its own
  definition; those are printed.
- Identical pairs: exactly 100.
- Pictures with alpha (golden/ssimulacra2_alpha.json): at most 0.3 from the reference program, by `assay image`.

Reads the shared data folder (ASSAY_SHARED or ../shared) and needs a build with libav for PNG; exits 77 without them."""
import json
import subprocess
import sys

import golden

BOUND = {'natural': 0.005, 'synthetic': 0.02}
REFERENCE, REFERENCE_MEAN, ALPHA = 0.25, 0.05, 0.3


def score(assay, ref, dis):
    done = subprocess.run([assay, ref, dis, '-m', 'ssimulacra2', '--csv', '-', '--precision', 'max'],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'{dis}: {done.stderr.strip()}')
    return float(done.stdout.splitlines()[1].split(',')[1])


def alpha_failures(assay, shared):
    """Of the pairs with alpha that are present."""
    figures, failures, off = shared / 'golden' / 'ssimulacra2_alpha.json', [], []
    for entry in json.loads(figures.read_text()) if figures.exists() else []:
        ref, dis = (shared / 'data' / entry[side] for side in ('ref', 'dis'))
        if not ref.exists() or not dis.exists():
            print(f'{entry["dis"]} is not in the shared folder: not compared')
            continue
        done = subprocess.run([assay, 'image', ref, dis, '-m', 'ssimulacra2', '-q', '--json', '-', '--precision',
                               'max'], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f'{dis}: {done.stderr.strip()}')
        off.append(abs(json.loads(done.stdout)['pairs'][0]['metrics']['ssimulacra2'] - entry['value']))
        if off[-1] > ALPHA:
            failures.append(f'{dis.name}: {off[-1]:.4f} from the reference')
    if off:
        print(f'{len(off)} pairs with alpha: at most {max(off):.4f} from the reference program')
    return failures


def pairs_of(figures, data):
    """Present pairs: kind, reference, distorted, the reference program's figure."""
    for entry in json.loads(figures.read_text()):
        if not entry.get('ref') or 'tank' in entry['ref']:
            continue  # identical pairs made on the fly there, or a figure of another program
        ref, dis = data / entry['ref'], data / (entry.get('dis_png') or entry['dis'])
        if ref.exists() and dis.exists():
            yield 'synthetic' if 'synth' in entry['ref'] else 'natural', ref, dis, entry['value']


def main():
    assay, oracle, shared = sys.argv[1], sys.argv[2], golden.shared_folder()
    figures, data = shared / 'golden' / 'ssimulacra2.json', shared / 'data'
    pairs = list(pairs_of(figures, data)) if figures.exists() else []
    if not pairs:
        print('skipped: no pair of the golden file is present')
        return golden.SKIP
    done = subprocess.run([oracle] + [path for _, ref, dis, _ in pairs for path in (ref, dis)], capture_output=True,
                          text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    failures = []
    for kind, bound in BOUND.items():
        to_oracle, to_reference = {}, {}
        for (of, ref, dis, value), exact in zip(pairs, map(float, done.stdout.split())):
            if of == kind:
                got = score(assay, ref, dis)
                to_oracle[dis.name], to_reference[dis.name] = abs(got - exact), abs(got - value)
        if not to_oracle:
            continue
        worst, off = max(to_oracle, key=to_oracle.get), max(to_reference, key=to_reference.get)
        mean = sum(to_reference.values()) / len(to_reference)
        print(f'{len(to_oracle)} {kind} pairs: at most {to_oracle[worst]:.5f} from the oracle ({worst})')
        print(f'    from the reference program at most {to_reference[off]:.4f} ({off}), mean {mean:.4f}')
        failures += [f'{name}: {v:.5f} from the oracle' for name, v in to_oracle.items() if v > bound]
        if kind == 'natural':
            failures += [f'{name}: {v:.4f} from the reference' for name, v in to_reference.items() if v > REFERENCE]
            if mean > REFERENCE_MEAN:
                failures.append(f'mean {mean:.4f} from the reference')
    failures += alpha_failures(assay, shared)
    for ref in sorted({ref for _, ref, _, _ in pairs}):
        if score(assay, ref, ref) != 100.0:
            failures.append(f'{ref.name} against itself does not score 100')
    print('\n'.join(failures))
    return 1 if failures else 0


sys.exit(main())
