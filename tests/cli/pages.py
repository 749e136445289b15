# SPDX-License-Identifier: BSD-2-Clause
"""What tests of HTML pages share: their nodes, and a browser."""
import html.parser
import json
import re
import shutil
import subprocess
import tempfile

BROWSER = shutil.which("chromium")
VOID = {"meta", "link", "img", "input"}
SCRIPT = re.compile(r"script-src '(?:sha256-[A-Za-z0-9+/=]*|none)'")
ROUNDING = 0.11  # of a pixel: places have one decimal


class Node:
    def __init__(self, name, attributes, parent=None):
        self.name, self.attributes, self.parent, self.children = name, attributes, parent, []

    def get(self, key):
        return self.attributes.get(key)

    def all(self, name=None, **attributes):
        """The nodes below it, in the order of the page. data_key is data-key, class_ one of the classes."""
        for child in self.children:
            if isinstance(child, str):
                continue
            good = name in (None, child.name)
            for key, value in attributes.items():
                have = child.get(key.rstrip("_").replace("_", "-"))
                good = good and have is not None and (value in have.split() if key == "class_" else have == value)
            if good:
                yield child
            yield from child.all(name, **attributes)

    def one(self, name=None, **attributes):
        found = list(self.all(name, **attributes))
        assert len(found) == 1, (name, attributes, len(found))
        return found[0]

    @property
    def text(self):
        return "".join(c if isinstance(c, str) else c.text for c in self.children)


class Tree(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = self.at = Node("", {})
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        node = Node(tag, dict(attrs), self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag, attrs):
        self.at.children.append(Node(tag, dict(attrs), self.at))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert tag == self.at.name, f"</{tag}> within <{self.at.name}>"
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)


def parse(text):
    tree = Tree(text)
    assert tree.at is tree.root, f"<{tree.at.name}> is open"
    return tree.root


class Browser:
    """Of a Case: pages of its folder in chromium."""

    def browse(self, name, *options):
        """The page as the browser has it when its scripts have run, and what it said."""
        home = tempfile.mkdtemp(prefix="assay-browser-")
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={home}",
             "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", "--no-first-run",
             "--disable-background-networking", "--window-size=1280,900", *options, (self.dir / name).as_uri()],
            capture_output=True, timeout=2400, check=True, cwd=self.dir)
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
        return done.stdout.decode(), said

    def with_test_script(self, text, name="r.html"):
        """What a copy of a page says that runs one more script at its end."""
        page = SCRIPT.sub("script-src 'unsafe-inline'", self.read(name))
        page = page.replace("</body>", f"<pre id=\"result\"></pre><script>{text}</script></body>")
        (self.dir / "t.html").write_text(page, encoding="utf-8")
        dom, said = self.browse("t.html", "--dump-dom")
        self.assertEqual(said, [])
        return json.loads(re.search(r'<pre id="result">(.*?)</pre>', dom, re.DOTALL)[1].replace("&gt;", ">")
                          .replace("&lt;", "<").replace("&amp;", "&"))
