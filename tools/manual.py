#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the manual as HTML: the manual page, and the documents in Markdown, with the links between them.

    tools/manual.py FOLDER

FOLDER/index.html is README. A link to a file that is no part of the manual is shown as text.
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
STYLE = """body{max-width:60em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif;color:#222;background:#fff}
pre,code{font:14px/1.4 monospace;background:#f3f3f3}pre{padding:.7em;overflow:auto}table{border-collapse:collapse}
td,th{border:1px solid #ccc;padding:.2em .6em;vertical-align:top;text-align:left}img{max-width:100%}
dd p{margin:.2em 0}"""
KEPT = re.compile(r"`+[^`]+`+|\\[\\`*_|\[\]<>~#-]")  # code, and what a backslash takes its meaning from


def sources():
    """Path in the tree: path in the manual."""
    found = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
    names = [path.relative_to(ROOT) for path in found + sorted((ROOT / "docs").rglob("*.md"))]
    pages = {path: path.with_suffix(".html") for path in names}
    pages[pathlib.Path("README.md")] = pathlib.Path("index.html")
    pages[pathlib.Path("docs/assay.1")] = pathlib.Path("docs/assay.html")
    pages.update({path.relative_to(ROOT): path.relative_to(ROOT) for pattern in ("*.json", "pictures/*")
                  for path in sorted((ROOT / "docs").glob(pattern))})
    return pages


def anchor(heading):
    return re.sub(r"[^\w -]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


class Page:
    """A document in Markdown, as far as ours use it: headings, paragraphs, lists, tables, code, links and pictures."""

    def __init__(self, path, pages):
        self.path, self.pages, self.out, self.anchors = path, pages, [], {}
        self.blocks((ROOT / path).read_text(encoding="utf-8").split("\n"))

    def place(self, target):
        """Where a link leads from here, or None."""
        name, _, part = target.partition("#")
        if "://" in target or not name:
            return target
        found = pathlib.PurePosixPath(self.path.parent, name)
        parts = []
        for piece in found.parts:
            parts = parts[:-1] if piece == ".." else parts + [piece]
        page = self.pages.get(pathlib.Path(*parts)) if parts else None
        if not page:
            return None
        up = "../" * (len(self.pages[self.path].parts) - 1)
        return up + page.as_posix() + ("#" + part if part else "")

    def link(self, found):
        picture, text, place = found[1], found[2], self.place(html.unescape(found[3]))
        if place is None:
            return text
        place = html.escape(place)
        return f'<img src="{place}" alt="{text}">' if picture else f'<a href="{place}">{text}</a>'

    def text(self, text):
        """One paragraph's text."""
        kept = []

        def keep(found):
            kept.append(found[0])
            return f"\0{len(kept) - 1}\0"
        text = html.escape(KEPT.sub(keep, text), quote=False)
        text = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]*)\)", self.link, text)
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<b>\1</b>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])", r"<i>\1</i>", text, flags=re.S)

        def back(found):
            was = kept[int(found[1])]
            return html.escape(was[1:]) if was[0] == "\\" else f"<code>{html.escape(was.strip('`').strip())}</code>"
        return re.sub("\0(\\d+)\0", back, text)

    def table(self, rows):
        self.out.append("<table>")
        for i, row in enumerate(rows):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
            cells = [self.text(cell.replace("\\|", "|")) for cell in cells]
            kind = "td" if i else "th"
            if i != 1:
                self.out.append("<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells))
        self.out.append("</table>")

    def items(self, lines):
        """A list, whose items may hold blocks of their own."""
        numbered = lines[0].lstrip()[0].isdigit()
        self.out.append("<ol>" if numbered else "<ul>")
        while lines:
            indent = len(re.match(r"\s*(?:[-*]|\d+\.)\s+", lines[0])[0])
            item = [lines.pop(0)[indent:]]
            while lines and (not lines[0].strip() or lines[0].startswith(" ")):
                line = lines.pop(0)
                item.append(line[min(indent, len(line) - len(line.lstrip())):])
            self.out.append("<li>")
            self.blocks(item)
        self.out.append("</ol>" if numbered else "</ul>")

    def heading(self, line):
        marks, text = line.split(" ", 1)
        name = anchor(text)
        self.anchors[name] = self.anchors.get(name, -1) + 1
        name += f"-{self.anchors[name]}" if self.anchors[name] else ""
        self.out.append(f'<h{len(marks)} id="{html.escape(name)}">{self.text(text)}</h{len(marks)}>')

    def block(self, lines):
        """Takes one block from the front of the lines."""
        def take(wanted):
            taken = []
            while lines and wanted(lines[0]):
                taken.append(lines.pop(0))
            return taken
        bullet = re.compile(r"(?:[-*]|\d+\.)\s")
        if lines[0].startswith("```"):
            lines.pop(0)
            code = take(lambda line: not line.startswith("```"))
            del lines[:1]
            self.out.append(f"<pre>{html.escape(chr(10).join(code))}</pre>")
        elif lines[0].startswith("    "):
            code = take(lambda line: line.startswith("    ") or not line.strip())
            self.out.append("<pre>" + html.escape("\n".join(line[4:] for line in code).rstrip()) + "</pre>")
        elif re.match(r"#+ ", lines[0]):
            self.heading(lines.pop(0))
        elif lines[0].startswith("|"):
            self.table(take(lambda line: line.startswith("|")))
        elif bullet.match(lines[0]):
            taken = [lines.pop(0)]
            while lines and (bullet.match(lines[0]) or lines[0].startswith(" ") or (
                    lines[0].strip() and taken[-1].strip()) or (
                    not lines[0].strip() and len(lines) > 1 and (lines[1].startswith("  ") or bullet.match(lines[1])))):
                taken.append(lines.pop(0))
            for i, line in enumerate(taken):  # a line of an item that is not indented
                if i and line.strip() and not line.startswith(" ") and not bullet.match(line):
                    taken[i] = "  " + line
            self.items(taken)
        else:
            paragraph = [lines.pop(0)] + take(lambda line: line.strip() and not re.match(r"```|#+ |\|", line) and
                                              not re.match(r"[-*] ", line))
            self.out.append(f"<p>{self.text(chr(10).join(paragraph))}</p>")

    def blocks(self, lines):
        while lines:
            if lines[0].strip():
                self.block(lines)
            else:
                lines.pop(0)


def roff(text):
    """The text of a manual page, with its fonts."""
    text = html.escape(text.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", ""), quote=False)
    text = re.sub(r"\\fB(.*?)(?=\\f|$)", r"<b>\1</b>", text)
    text = re.sub(r"\\fI(.*?)(?=\\f|$)", r"<i>\1</i>", text)
    return re.sub(r"\\f[RP]", "", text).replace("\\e", "\\")


def manual_page(path):
    """docs/assay.1: headings, paragraphs, and terms with what they mean."""
    out, term, inside, verbatim = [], False, False, False
    for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
        macro, _, rest = line.partition(" ")
        if macro in (".SH", ".SS", ".TP", ".PP") and inside:
            out.append("</dl>" if macro != ".TP" else "")
            inside = inside and macro == ".TP"
        if macro in (".SH", ".SS"):
            level = 2 if macro == ".SH" else 3
            out.append(f'<h{level} id="{html.escape(anchor(rest))}">{roff(rest)}</h{level}>')
        elif macro == ".TP":
            out.append("" if inside else "<dl>")
            term = inside = True
        elif macro in (".PP", ".br"):
            out.append("<p>" if macro == ".PP" else "<br>")
        elif macro in (".nf", ".fi"):
            verbatim = macro == ".nf"
            out.append("<pre>" if verbatim else "</pre>")
        elif macro not in (".TH", '.\\"'):
            if re.fullmatch(r"\.(B|I|BR|BI|IR|RB|RI)", macro):
                fonts = macro[1:] if len(macro) > 2 else macro[1:] * 2
                words = re.findall(r'"[^"]*"|\S+', rest) if len(macro) > 2 else [rest]
                line = "".join(f"\\f{fonts[i % 2]}{word.strip(chr(34))}\\fR" for i, word in enumerate(words))
            elif line.startswith("."):
                raise SystemExit(f"{path}: the macro {macro} is not known")
            out.append(f"<dt>{roff(line)}</dt><dd>" if term else roff(line))
            term = False
    return [line for line in out if line or verbatim] + ["</dl>" if inside else ""]


def main():
    to, pages = pathlib.Path(sys.argv[1]), sources()
    for path, place in pages.items():
        at = to / place
        at.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix not in (".md", ".1"):
            at.write_bytes((ROOT / path).read_bytes())
            continue
        body = Page(path, pages).out if path.suffix == ".md" else manual_page(path)
        up = "../" * (len(place.parts) - 1)
        title = html.escape(f"assay: {path.stem}" if path.suffix == ".md" else "assay(1)")
        links = f'<p><a href="{up}index.html">README</a> · <a href="{up}docs/assay.html">manual page</a>'
        at.write_text(f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
                      f"<style>{STYLE}</style>\n{links}\n" + "\n".join(body) + "\n</html>\n", encoding="utf-8")


if __name__ == "__main__":
    main()
