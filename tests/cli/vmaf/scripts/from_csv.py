# SPDX-License-Identifier: BSD-2-Clause
"""Reads the CSV log by its heading. Every column but the first is a metric."""
import csv
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as log:
    rows = list(csv.DictReader(log))
names = [name for name in rows[0] if name and name != "Frame"]
print(len(rows), *names)
for name in names:
    print(name, "%.6f" % (sum(float(row[name]) for row in rows) / len(rows)))
