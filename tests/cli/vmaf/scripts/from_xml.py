# SPDX-License-Identifier: BSD-2-Clause
"""Reads the XML log, which is the default form."""
import sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
if root.tag != "VMAF":
    sys.exit("no log of VMAF")
size = root.find("params").attrib
print(size["qualityWidth"], size["qualityHeight"], float(root.find("fyi").attrib["fps"]) > 0)
for frame in root.findall("frames/frame"):
    print(frame.attrib["frameNum"], *("%s=%s" % item for item in sorted(frame.attrib.items()) if item[0] != "frameNum"))
for metric in root.iter("metric"):
    if metric.attrib["name"] == "vmaf":
        print(metric.attrib["mean"], metric.attrib["harmonic_mean"], metric.attrib["min"], metric.attrib["max"])
