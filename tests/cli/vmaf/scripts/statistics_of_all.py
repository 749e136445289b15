# SPDX-License-Identifier: BSD-2-Clause
"""What programs do that gather several metrics of libvmaf: every metric of every frame becomes a row of a table, and
each column gets its statistics."""
import json
import statistics
import subprocess
import sys

log = subprocess.run(["vmaf", "--reference", sys.argv[1], "--distorted", sys.argv[2], "--model", "version=vmaf_v0.6.1",
                      "--feature", "psnr", "--output", "/dev/stdout", "--json"],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
rows = []
for frame in json.loads(log)["frames"]:
    row = {"n": int(frame["frameNum"]) + 1}
    for name, value in frame["metrics"].items():
        row[name.replace("integer_", "")] = round(float(value), 3)
    rows.append(row)
for name in rows[0]:
    column = [row[name] for row in rows]
    print(name, round(statistics.mean(column), 3), round(statistics.stdev(column), 3), min(column), max(column))
