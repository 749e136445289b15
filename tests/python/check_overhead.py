#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a call costs for a pair of small pictures, beside scikit-image and torchmetrics where they are installed: the
same pair, in one run, in turn. The least time of many is what a quiet machine takes; 1 ms of it is allowed.

check_overhead.py [--report]    --report: says the times and fails for none
"""
import importlib
import importlib.util
import sys
import time

import numpy as np

import assay

ROUNDS, LIMIT = 300, 1e-3


def calls():
    """{name: a function without arguments}"""
    dice = np.random.default_rng(3)
    a = dice.integers(0, 256, (64, 64), np.uint8)
    b = np.clip(a + dice.integers(-9, 10, a.shape), 0, 255).astype(np.uint8)
    found = {"assay.score, ssim": lambda: assay.score((a,), (b,), metrics="ssim", threads=1),
             "assay.score, psnr": lambda: assay.score((a,), (b,), metrics="psnr", threads=1)}
    session = assay.Session(assay.Format(64, 64, 8, "400"), metrics="ssim", threads=1)

    def again():
        session.submit((a,), (b,))
        session.flush()

    found["assay.Session, ssim, each further pair"] = again
    if importlib.util.find_spec("skimage"):
        metrics = importlib.import_module("skimage.metrics")
        found["scikit-image, structural_similarity"] = lambda: metrics.structural_similarity(a, b, data_range=255)
    if importlib.util.find_spec("torchmetrics"):
        torch, image = importlib.import_module("torch"), importlib.import_module("torchmetrics.functional.image")
        one, two = (torch.from_numpy(x.astype(np.float32))[None, None] for x in (a, b))
        found["torchmetrics, structural_similarity_index_measure"] = lambda: (
            image.structural_similarity_index_measure(one, two, data_range=255.0))
    return found


def main():
    functions = calls()
    least = dict.fromkeys(functions, 1.0)
    for _ in range(ROUNDS):
        for name, function in functions.items():
            begin = time.perf_counter()
            function()
            least[name] = min(least[name], time.perf_counter() - begin)
    for name, seconds in least.items():
        print(f"{1e3 * seconds:8.3f} ms  {name}")
    slow = [name for name, seconds in least.items() if name.startswith("assay") and seconds > LIMIT]
    return 1 if slow and "--report" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
