# SPDX-License-Identifier: BSD-2-Clause
"""What scripts that plot VMAF over time do before they plot: reads a JSON log, prints frames and statistics."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as log:
    data = json.load(log)

scores = []
for frame in data["frames"]:
    scores.append(frame["metrics"]["vmaf"])
ordered = sorted(scores)
print("version", data["version"].split(".")[0])
print("frames", len(scores), "first", data["frames"][0]["frameNum"])
print("mean %.6f" % (sum(scores) / len(scores)))
print("harmonic %.6f" % (len(scores) / sum(1 / (s + 1) for s in scores) - 1))
print("lowest %.6f" % ordered[0])
print("pooled", data["pooled_metrics"]["vmaf"]["mean"], data["pooled_metrics"]["vmaf"]["harmonic_mean"])
