#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""No callback of an example calls a function with the session, as assay.h asks.

    test_callbacks.py EXAMPLE.c ...
"""
import re
import sys
from pathlib import Path


def callbacks(text):
    """Names of the functions that a session is given."""
    return set(re.findall(r"assay_session_set_callback\(\w+, (\w+),", text) + re.findall(r"\.release = (\w+)", text))


def forbidden(text):
    """(callback, function) pairs."""
    found = []
    for name in callbacks(text):
        body = re.search(rf"(?m)^static \w+ {name}\(.*?^}}", text, re.S)
        if not body:
            sys.exit(f"the callback {name} was not found")
        found += [(name, call) for call in re.findall(r"assay_session_\w+", body.group())]
    return found


def main():
    seen = 0
    for path in sys.argv[1:]:
        text = Path(path).read_text(encoding="utf-8")
        seen += len(callbacks(text))
        for name, call in forbidden(text):
            sys.exit(f"{path}: the callback {name} calls {call}")
    wrong = ("static int tell(void *opaque)\n{\n    return assay_session_keys(opaque);\n}\n"
             "assay_session_set_callback(s, tell, s);\n")
    if not seen or forbidden(wrong) != [("tell", "assay_session_keys")]:
        sys.exit("the test does not see what it looks for")


if __name__ == "__main__":
    main()
