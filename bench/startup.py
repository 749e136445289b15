#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a short run costs: many runs of each program in turn, CPU and wall milliseconds.

    bench/startup.py RUNS REF DIS ASSAY [ASSAY ...] [-- OPTIONS ...]     options: --threads 1 -m psnr unless given
"""
import os
import sys
import time


def once(command):
    """User and system time together, elapsed time, page faults."""
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return (usage.ru_utime + usage.ru_stime) * 1e3, (time.perf_counter() - start) * 1e3, usage.ru_minflt


def main():
    args = sys.argv[1:]
    options = ["--threads", "1", "-m", "psnr"]
    if "--" in args:
        at = args.index("--")
        args, options = args[:at], args[at + 1:]
    if len(args) < 4:
        sys.exit(__doc__)
    runs, ref, dis, programs = int(args[0]), args[1], args[2], args[3:]
    taken = {p: [] for p in programs}
    for _ in range(runs):
        for p in programs:
            taken[p].append(once([p, "-q", *options, ref, dis]))
    print(f"{runs} runs of {' '.join(options)}")
    print(f"{'':40} {'CPU ms':>8} {'least':>8} {'wall ms':>8} {'least':>8} {'faults':>8}")
    for p in programs:
        cpu, wall, faults = (sorted(column) for column in zip(*taken[p]))
        median = runs // 2
        print(f"{p[-40:]:40} {cpu[median]:8.1f} {cpu[0]:8.1f} {wall[median]:8.1f} {wall[0]:8.1f} {faults[median]:8}")


if __name__ == "__main__":
    main()
