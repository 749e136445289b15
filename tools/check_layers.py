#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds the shape of the source tree: who may include whom, which words may stand where, how long things may grow, that
one file writes JSON, what a run and a session are, and how static functions of metrics are called.

    tools/check_layers.py ROOT
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kernel_list  # noqa: E402

# Generated headers, and the layer that each belongs to.
GENERATED = {'kernels_gen.h': 'kernels', 'constants_gen.h': 'kernels', 'kernels_digest.h': 'kernels',
             'levels_gen.h': 'kernels', 'passes_gen.h': 'graph'}

BACKEND_WORD = re.compile(r'cuda|vulkan|opengl|sycl|avx2?|avx512|neon', re.I)
METRIC_WORD = re.compile(r'ssimulacra|ms_?ssim|ssim|psnr|\badm|\bvif|vmaf|ciede|cambi', re.I)

# A member of a JSON object in a format. json_write.c alone writes JSON; the others know a text by such bytes.
JSON_MEMBER = re.compile(r'\\"[\w%]+\\": ?(?:["%\[{\d\\]|null|true|false)')
JSON_FILES = {'results/json_write.c', 'results/file.c', 'results/compare.c'}

# A run, a session and a rung are one thing each (docs/architecture.md, Words): no other struct is called so.
MEANINGS = {'run': {'run', 'assay_run', 'report_run'}, 'session': {'assay_session'}, 'rung': {'rung'}}
DEFINED = re.compile(r'^(?:typedef )?struct ((?:\w+_)?(run|session|rung)) \{', flags=re.M)

# Files of src/metrics that belong to no metric.
METRICS_SHARED = {'metric', 'options', 'colour'}

# Headers of a system. The library has them in src/host alone, in the folder of the system; the first pattern is of
# those that src/host/windows/posix has for Windows, too, or that only GPUs need, which are not built there.
SYSTEM_HEADER = re.compile(r'^\s*#\s*include\s+<((?:unistd|fcntl|dirent|poll|glob|spawn|pwd|sched|locale)\.h|sys/[^>]+|'
                           r'linux/[^>]+|net[^>]+)>', flags=re.M)
WINDOWS_HEADER = re.compile(r'^\s*#\s*include\s+<((?:windows|windef|winbase|io|direct|process|shellapi|winsock2?)\.h)>',
                            flags=re.M)
GPUS = {'gpu', 'cuda', 'vulkan', 'opengl', 'sycl'}
# Layers of what only the command and its like are made of, which may name headers of POSIX.
FRONT = {'cli', 'report', 'results', 'jobs', 'run', 'input', 'align', 'libvmaf', 'vapoursynth'}

FILE_LINES = 800
FUNCTION_LINES = 80


def code_only(text):
    """`text` with comments, strings and character constants blanked out; line breaks stay."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m[0]), text, flags=re.S)


def read_layers(root):
    """{layer or file: the layers that it may include}, from the table of docs/architecture.md, whose
    arrows point downward."""
    own = root / 'docs/architecture.md'
    text = (own if own.exists()
            else Path(__file__).resolve().parents[1] / 'docs/architecture.md').read_text(encoding='utf-8')
    table = text.split('## Layers', 1)[1].split('\n## ', 1)[0]
    layers = {name: set(re.findall(r'`([^`]+)`', row)) for name,
              row in re.findall(r'^\| `([^`]+)` \|(.*)\|$', table, flags=re.M)}
    order = [name for name in layers if '/' not in name]
    for name, below in layers.items():
        at = order.index(name.split('/')[0])
        for other in below:
            if other not in order[at + 1:]:
                sys.exit(f'docs/architecture.md: {name} includes {other}, which is in no row below it')
    return layers, own.exists()


def check_includes(path, text, layers, layer, used):
    name = '/'.join(path.parts[1:])
    for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.M):
        target = GENERATED.get(include, include.split('/')[0] if '/' in include else layer)
        used |= {(layer, target), (name, target)}
        if target != layer and target not in layers[layer] | layers.get(name, set()):
            yield f'{path}: {layer} may not include "{include}"'


def check_commands(path, text):
    """A command's folder in src/cli knows no other one, and what commands share has no header of one of them."""
    inside = path.parts[2:]
    own = inside[0] if len(inside) > 1 else None
    for include in re.findall(r'^\s*#\s*include\s+"cli/([^"]+)"', text, flags=re.M):
        other = include.split('/')[0] if '/' in include else None
        if other and other != own and (own or path.suffix == '.h'):
            yield f'{path}: {own or "what commands share"} may not include "cli/{include}", which is another command\'s'


def check_words(path, text, layer):
    pattern = {'metrics': BACKEND_WORD, 'selftest': BACKEND_WORD, 'executors': METRIC_WORD}.get(layer)
    for number, line in enumerate(text.splitlines(), 1):
        found = pattern and pattern.search(line)
        if found:
            yield f'{path}:{number}: the word "{found[0]}" has no place in {layer}'


def check_system(path, text, layer):
    """Headers of POSIX are in src/host/posix, in fronts and in executors of GPUs; those of Windows in its folder."""
    folder = '/'.join(path.parts[1:3])
    if folder in ('host/windows', 'host/macos'):
        return
    free = layer in FRONT or folder == 'host/posix' or (layer == 'executors' and folder.split('/')[1] in GPUS)
    for header in WINDOWS_HEADER.findall(text) + ([] if free else SYSTEM_HEADER.findall(text)):
        yield f'{path}: <{header}> is a system\'s: src/host/system.h has what it is for'


def check_meanings(path, text):
    for name, word in DEFINED.findall(text):
        if name not in MEANINGS[word]:
            yield f'{path}: struct {name}: a {word} is something else'


def check_json(path, text):
    if '/'.join(path.parts[1:]) in JSON_FILES:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if JSON_MEMBER.search(line):
            yield f'{path}:{number}: JSON is written by results/json_write.h'


def check_statics(path, text):
    """Static functions of metrics carry their metric, so that a name means one function: that of the file, or of the
    file whose name begins the name of this one; with or without float_, unless a file is called so."""
    name, beside = path.stem, {p.stem for p in (Path(sys.argv[1]) / path).parent.glob('*.c')}
    while '_' in name and name.rsplit('_', 1)[0] in beside:
        name = name.rsplit('_', 1)[0]
    if name in METRICS_SHARED:
        return
    other = name[6:] if name.startswith('float_') else 'float_' + name
    names = (name,) if other in beside else (name, other)
    for found in re.finditer(r'^static [^=;{}()]*?(\w+)\(', code_only(text), flags=re.M):
        if not found[1].startswith(names):
            yield f'{path}: the static function {found[1]} does not begin with {name}'


def functions(text):
    """(first line, last line) of every brace block at file level that follows a parameter list. Preprocessor lines are
    dropped first, so that a macro's braces don't count."""
    code = re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: '\n' * m[0].count('\n'), code_only(text), flags=re.M)
    depth, start, before = 0, 0, ''
    for number, line in enumerate(code.splitlines(), 1):
        for c in line:
            if c == '{':
                if depth == 0:
                    start, is_function = number, before.rstrip().endswith(')')
                depth += 1
            elif c == '}':
                depth -= 1
                if depth == 0 and is_function:
                    yield start, number
                before = ''
            if depth == 0:
                before = '' if c == ';' else before + c


def check_lengths(path, text):
    lines = text.count('\n')
    if lines > FILE_LINES:
        yield f'{path}: {lines} lines, more than {FILE_LINES}'
    if path.suffix in ('.c', '.h') and 'tests' not in path.parts[:1]:
        for first, last in functions(text):
            if last - first > FUNCTION_LINES:
                yield f'{path}:{first}: a function of {last - first} lines, more than {FUNCTION_LINES}'


def check_kernel_text(path):
    checks = [kernel_list.check_locals] + [kernel_list.check_literals] * (path.suffix == '.k')
    for check in checks:
        try:
            check(path)
        except SystemExit as error:
            yield str(error)


def main():
    root = Path(sys.argv[1]).resolve()
    src, found, seen, used = root / 'src', [], 0, set()
    layers, whole = read_layers(root)
    for path in sorted(p for d in ('src', 'include', 'tests', 'bench', 'examples', 'tools')
                       for p in (root / d).rglob('*')):
        if path.suffix not in ('.c', '.h', '.k', '.py', '.cu'):
            continue
        text, short = path.read_text(encoding='utf-8'), path.relative_to(root)
        seen += 1
        found += check_lengths(short, text)
        if src in path.parents:
            layer = short.parts[1]
            if layer not in layers:
                found.append(f'{short}: no layer is called {layer}')
                continue
            found += check_includes(short, text, layers, layer, used)
            found += check_words(short, text, layer)
            found += check_json(short, text)
            found += check_meanings(short, text)
            found += check_system(short, text, layer)
            found += check_commands(short, text) if layer == 'cli' else []
            found += check_statics(short, text) if layer == 'metrics' and path.suffix == '.c' else []
        if short.parts[:2] == ('src', 'kernels') and path.suffix in ('.k', '.h') and 'dialect' not in short.parts:
            found += check_kernel_text(path)
    if whole:
        found += [f'docs/architecture.md: {a} includes nothing of {b}' for a,
                  below in layers.items() for b in sorted(below) if (a, b) not in used]
    print('\n'.join(found) if found else f'{seen} files hold to the layers')
    sys.exit(1 if found or not seen else 0)


if __name__ == '__main__':
    main()
