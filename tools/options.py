#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is made of the command's tables of options: the manual's heads of paragraphs, and completions for shells.

    options.py ASSAY man docs/assay.1 [--write]   each option has one paragraph, with the forms of its table at the head
    options.py ASSAY bash|zsh|fish OUTPUT         a completion

The manual has marked places: '.\\" options of COMMAND, SECTION'; those of scoring have the command "assay".
"""
import json
import pathlib
import re
import subprocess
import sys

# Options whose value is a file or a folder.
FILES = {"FILE", "DIR", "FILE.svg|FILE.png"}


def tables(program):
    def ask(option):
        return json.loads(subprocess.run([program, option], capture_output=True, text=True, check=True).stdout)
    options = {row["command"]: row["options"] for row in ask("--list-options-json")}
    return options, [metric["name"] for metric in ask("--list-metrics-json")]


# ---- the manual ----

def tag(option):
    words = ["\\fB" + name.replace("-", "\\-") + "\\fR"
             for name in (["-" + option["letter"]] if "letter" in option else []) + ["--" + option["name"]]]
    argument = re.sub(r"[A-Z][A-Za-z]*|[a-z0-9]+", r"\\fI\g<0>\\fR", option.get("argument", ""))
    return ", ".join(words) + (" " + argument if argument else "")


def rows_of(options, command, section):
    """The rows that have a paragraph in a place of the manual."""
    rows = [row for row in options["" if command == "assay" else command]
            if "section" in row and "hidden" not in row and row["section"] == (section or row["section"])]
    shared = command in ("image", "merge", "report", "parity", "align", "diff", "bdrate")
    scoring = {json.dumps(row) for row in options[""]} if shared else set()
    return [row for row in rows if json.dumps(row) not in scoring]


def manual(options, page):
    """The page with the tags of its paragraphs made of the tables, and what is wrong with its paragraphs."""
    faults = []

    def place(match):
        rows = {row["name"]: row for row in rows_of(options, match[2], match[3])}

        def head(found):
            names = re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"\\f.", "", found[1].replace("\\-", "-")))
            for name in [name for name in names if name not in rows]:
                faults.append(f"--{name} is in no table of {match[2]}, or stands twice")
            return ".TP\n" + ", ".join(tag(rows.pop(name)) for name in names if name in rows) + "\n"
        text = re.sub(r"(?m)^\.TP\n(.*)\n", head, match[4])
        faults.extend(f"--{name} of {match[2]} has no paragraph" for name in rows)
        return match[1] + text + match[5]
    made = re.sub(r'(?ms)^(\.\\" options of (\w+)(?:, (\w+))?\n)(.*?)^(\.\\" end\n)', place, page)
    return made, faults


# ---- completions ----

def values(option, metrics):
    """What completes a value: words, None for a file, or [] for nothing."""
    if option.get("field") == "metrics":
        return metrics
    if "words" in option:
        return option["words"].split(", ")
    argument = option.get("argument", "")
    if argument in FILES:
        return None
    return argument.split("|") if re.fullmatch(r"[a-z0-9]+(\|[a-z0-9]+)+", argument) else []


def bash(options, metrics):
    out = ["# SPDX-License-Identifier: BSD-2-Clause", "# Completion of assay for bash.", "_assay()", "{",
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]} names= list= at=", "    case $command in"]
    for command, rows in sorted(options.items(), reverse=True):
        names = " ".join("--" + row["name"] for row in rows if "hidden" not in row)
        out.append(f"    {command or '*'}) names='{names}' ;;")
    out += ["    esac", "    case $command:$before in"]
    for command, rows in sorted(options.items(), reverse=True):
        for row in rows:
            if "takes_value" not in row:
                continue
            forms = "|".join(f"{command or '*'}:{name}" for name in ["--" + row["name"]] +
                             (["-" + row["letter"]] if "letter" in row else []))
            words = values(row, metrics)
            if words is None:
                out.append(f"    {forms}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;")
            else:
                out.append(f"    {forms}) list='{' '.join(words)}' ;;")
    commands = " ".join(name for name in options if name)
    out += ["    *) if [[ $word == -* ]]; then", "            COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))",
            "        else", "            COMPREPLY=($(compgen -f -- \"$word\"))",
            "            if [[ $COMP_CWORD == 1 ]]; then",
            f"                COMPREPLY+=($(compgen -W '{commands} help' -- \"$word\"))",
            "            fi", "        fi",
            "        return ;;", "    esac", "    [[ $word == *,* ]] && at=${word%,*},",
            "    COMPREPLY=($(compgen -P \"$at\" -W \"$list\" -- \"${word##*,}\"))", "}",
            "complete -o filenames -F _assay assay"]
    return "\n".join(line for line in out if line) + "\n"


def quoted(text):
    return text.replace("'", "'\\''")


def zsh(options, metrics):
    out = ["#compdef assay", "# SPDX-License-Identifier: BSD-2-Clause", "local -a rows", "case $words[2] in"]
    for command, rows in sorted(options.items(), reverse=True):
        out.append(f"{command or '*'}) rows=(")
        for row in rows:
            if "hidden" in row:
                continue
            words = values(row, metrics)
            help_ = re.sub(r"[\[\]:]", " ", row.get("help", row["name"]))
            action = ""
            if "takes_value" in row:
                action = ":value:" + ("_files" if words is None else f"({' '.join(words)})" if words else "")
            for name in ["--" + row["name"]] + (["-" + row["letter"]] if "letter" in row else []):
                out.append(f"    '*{name}[{quoted(help_)}]{quoted(action)}'")
        out.append(") ;;")
    commands = " ".join(name for name in options if name)
    out += ["esac", f"_arguments -s $rows '1:command or file:_alternative \"words:command:({commands} help)\" "
            "\"files:file:_files\"' '*:file:_files'"]
    return "\n".join(out) + "\n"


def fish(options, metrics):
    out = ["# SPDX-License-Identifier: BSD-2-Clause", "# Completion of assay for fish.",
           f"complete -c assay -n __fish_use_subcommand -a '{' '.join(name for name in options if name)} help'"]
    others = " ".join(name for name in options if name)
    for command, rows in options.items():
        where = f"__fish_seen_subcommand_from {command}" if command else f"not __fish_seen_subcommand_from {others}"
        for row in rows:
            if "hidden" in row:
                continue
            words = values(row, metrics)
            line = f"complete -c assay -n '{where}' -l {row['name']}"
            line += f" -s {row['letter']}" if "letter" in row else ""
            if "takes_value" in row:
                line += " -r" if words is None else f" -x -a '{' '.join(words)}'" if words else " -x"
            out.append(line + f" -d '{row.get('help', row['name']).replace(chr(39), chr(8217))}'")
    return "\n".join(out) + "\n"


def main():
    program, what, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    options, metrics = tables(program)
    if what != "man":
        path.write_text({"bash": bash, "zsh": zsh, "fish": fish}[what](options, metrics), encoding="utf-8")
        return
    page = path.read_text(encoding="utf-8")
    made, faults = manual(options, page)
    if faults:
        sys.exit(f"{path}: " + "; ".join(faults))
    if sys.argv[4:] == ["--write"]:
        path.write_text(made, encoding="utf-8")
    elif made != page:
        sys.exit(f"{path} does not have the options of the tables: tools/options.py ASSAY man {path} --write makes "
                 "the first lines of its paragraphs")


if __name__ == "__main__":
    main()
