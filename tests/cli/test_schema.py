# SPDX-License-Identifier: BSD-2-Clause
"""docs/results.schema.json describes the reports of assay: of one encode, of several, of parts, and no others."""
import copy
import json
import re

from command import DIS, GATE, INPUT, REF, ROOT, Case, main

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
WORDS = {"$schema", "$defs", "$ref", "title", "description", "type", "minimum", "pattern", "anyOf", "required",
         "properties", "additionalProperties", "items"}
SCHEMA = json.loads((ROOT / "docs/results.schema.json").read_text(encoding="utf-8"))


def is_a(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int,) if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(schema, value, where="it"):
    """What in a value is not as the schema says: by those of a JSON schema's words that ours has."""
    assert not schema.keys() - WORDS, schema.keys()
    if "$ref" in schema:
        yield from faults(SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, where)
    names = schema.get("type", [])
    if names and not any(is_a(value, name) for name in ([names] if isinstance(names, str) else names)):
        yield f"{where} is not of {names}: {value!r:.60}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where} is less than {schema['minimum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where} is not like {schema['pattern']}: {value!r}"
    if "anyOf" in schema:
        ways = [list(faults(way, value, where)) for way in schema["anyOf"]]
        if all(ways):
            yield from (fault for way in ways for fault in way)
    if isinstance(value, dict):
        yield from (f"{where} has no {name}" for name in schema.get("required", []) if name not in value)
        known = schema.get("properties", {})
        for name, member in value.items():
            rule = known.get(name, schema.get("additionalProperties", True))
            if rule is False:
                yield f"{where} has {name}"
            elif rule is not True:
                yield from faults(rule, member, f"{where}.{name}")
    for i, member in enumerate(value if isinstance(value, list) and "items" in schema else []):
        yield from faults(schema["items"], member, f"{where}[{i}]")


class Schema(Case):
    def described(self, name):
        report = json.loads(self.read(name))
        self.assertEqual(list(faults(SCHEMA, report)), [], name)
        return report

    def test_reports(self):
        common = ("-q", "-m", "psnr=enable_apsnr=true,float_ssim,diff")
        self.passes(*common, "--json", "a.json", REF, DIS)
        self.passes(*common, "--json", "max.json", "--precision", "max", "--reproducible", REF, DIS)
        self.passes(*common, "--json", "same.json", REF, REF)
        self.assertEqual(self.run_assay(*common, "--json", "gates.json", "--fail-under", "psnr_y=99", "--fail-under",
                                        "apsnr_y=1", REF, DIS).code, GATE)
        self.passes(*common, "--json", "time.json", "--pair", "time", REF, DIS)
        self.passes(*common, "--json", "both.json", REF, DIS, REF)
        self.fails(INPUT, "nothing", *common, "--json", "failed.json", REF, DIS, "nothing.mp4")
        for name in ("a", "max", "same", "gates", "time", "both", "failed"):
            self.described(f"{name}.json")

    def test_parts(self):
        for first, count in ((0, 3), (3, 9)):
            self.passes("-q", "-m", "psnr=enable_apsnr=true,motion", "--first", first, "--frames", count, "--shard",
                        f"{first}.part", REF, DIS)
            part = self.described(f"{first}.part")
            self.assertEqual(part["assay"]["part"]["first"], first)
            values = [v for f in part["frames"] for v in f["metrics"].values()]
            self.assertEqual({type(v) for v in values}, {str})
        self.passes("merge", "0.part", "3.part", "--json", "whole.json")
        self.assertNotIn("part", self.described("whole.json")["assay"])

    def test_what_is_no_report_is_noticed(self):
        self.passes("-q", "-m", "psnr", "--shard", "a.part", REF, DIS)
        good = self.described("a.part")

        def broken(change):
            report = copy.deepcopy(good)
            change(report)
            self.assertTrue(list(faults(SCHEMA, report)))
        for name in good:
            broken(lambda r, n=name: r.pop(n))
        for name in ("version", "width", "height", "frames", "incomplete", "reason", "bits", "percentiles"):
            broken(lambda r, n=name: r["assay"].pop(n))
        for name in good["assay"]["part"]:
            broken(lambda r, n=name: r["assay"]["part"].pop(n))
            broken(lambda r, n=name: r["assay"]["part"].update({n: 1.5}))
        broken(lambda r: r["assay"]["part"].update(more=1))
        broken(lambda r: r["assay"].update(more=[1]))
        broken(lambda r: r["frames"][0]["metrics"].update(psnr_y="1.5"))
        broken(lambda r: r["frames"][0].update(time="0.1"))
        broken(lambda r: r["frames"][0].update(more=1))
        broken(lambda r: r["frames"][0].pop("frameNum"))
        broken(lambda r: r["assay"]["bits"].update(psnr_y="0"))


if __name__ == "__main__":
    main()
