#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lists every fused multiply-add in the machine code of the CUDA kernels and says which have no right to be there.

    cuobjdump -sass kernels.fatbin | tools/check_sass.py       (or: nvdisasm -c kernels.cubin)
    tools/check_sass.py --self-test

cuobjdump comes with the CUDA toolkit and is needed on the machine where this runs. Four kinds of fused operation are
fine, everything else is a breach:
  one rounding     the addend is zero (-0 where the sign matters) or a factor is one: the same as a product or a sum
  a constant       two halves of a register, as zero times zero plus each
  an expansion     of div.rn or sqrt.rn: it works on the estimate of a MUFU.RCP or MUFU.RSQ, directly or through
                   other operations of the expansion. For doubles MUFU.RCP64H gives the upper register of a pair
  a slow path      of an expansion: a subroutine of the kernel, reached by CALL and left by RET, without loads or
                   stores
"""
import re
import sys
from collections import Counter

FUSED = re.compile(r'^(?:FFMA|DFMA|HFMA2|FFMA2)\b')
# what passes an estimate on inside an expansion
CARRIES = re.compile(r'^(?:FFMA|FMUL|FADD|MOV|SEL|FSEL|DFMA|DMUL|DADD)\b')
# instructions between an estimate and the last operation of its expansion (118 seen: the scheduler fills it up)
REACH = 192
REGISTER = re.compile(r'\bR\d+\b')
CONDITIONAL = re.compile(r'BRA\b|EXIT\b|MUFU\b')  # where a condition is kept
CONDITION = re.compile(r'!?U?P\d\b')  # an operand that decides


def parse(lines):
    """{function: [(label or None, opcode, operands)]} of cuobjdump's or nvdisasm's listing; BRA@, EXIT@ and MUFU...@
    have a condition."""
    functions, code = {}, None
    for line in lines:
        name = re.match(r'\s*(?:Function : |\.text\.)([\w$]+):?\s*$', line)
        label = re.match(r'\s*\.?(L_[\w$]+|\$[\w$]+)\s*:\s*$', line)
        found = re.match(r'\s*(?:/\*([0-9a-f]+)\*/)\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);', line)
        if name:
            code = [] # once for each architecture
            functions[f'{name[1]} {len(functions)}' if name[1] in functions else name[1]] = code
        elif label and code is not None:
            code.append((label[1], '', ''))
        elif found and code is not None:
            condition = CONDITIONAL.match(found[3]) and (found[2] or CONDITION.match(found[4]))
            code.append((found[1], found[3] + ('@' if condition else ''), found[4]))
    return functions


def subroutines(code):
    """Indices inside a block that starts where a CALL goes to and ends with the next RET, and
    holds no load or store."""
    at = {int(label, 16): i for i, (label, opcode, _) in enumerate(code) if opcode and re.fullmatch('[0-9a-f]+', label)}
    names = {label: i for i, (label, opcode, _) in enumerate(code) if not opcode}
    inside = set()
    for _, opcode, operands in code:
        if not opcode.startswith('CALL'):
            continue
        address = re.search(r'0x([0-9a-f]+)', operands)
        name = re.search(r'`\(\.?([\w$]+)\)', operands)
        start = at.get(int(address[1], 16)) if address else names.get(name[1]) if name else None
        if start is None:
            continue
        end = next((i for i in range(start, len(code)) if code[i][1].startswith('RET')), None)
        if end is not None and not any(re.match(r'(LD|ST|ATOM|RED)', code[i][1]) for i in range(start, end)):
            inside.update(range(start, end))
    return inside


def one_rounding(operands):
    words = [w.strip() for w in operands.split(',')]
    return len(words) >= 4 and (words[3] in ('RZ', '-RZ') or '1' in (words[1], words[2]))


def constant(opcode, operands):
    words = [w.strip() for w in operands.split(',')]
    return opcode.startswith('HFMA2') and len(words) == 5 and words[1:3] == ['-RZ', 'RZ']


def aim(operands):
    """Where a branch goes: the label as `parse` has it."""
    address, name = re.search(r'0x([0-9a-f]+)', operands), re.search(r'`\(\.?([\w$]+)\)', operands)
    return name[1] if name else address[1].zfill(4) if address else None


def written(opcode, target):
    """The registers that an instruction with this first one writes: pairs and fours by its width, none by a store."""
    if not target or opcode.startswith(('ST', 'RED')):
        return []
    wide = 4 if '.128' in opcode else 2 if re.match(r'D(ADD|MUL|FMA)\b', opcode) or re.search(r'\.(64|WIDE)\b',
                                                                                              opcode) else 1
    first = int(target[1:])
    return [f'R{n}' for n in range(first, first + wide)]


def turns_back(code):
    """The labels that a branch below them goes to."""
    seen, back = set(), set()
    for label, opcode, operands in code:
        seen.add(label)
        if opcode.startswith('BRA') and aim(operands) in seen:
            back.add(aim(operands))
    return back


def breaches(code):
    """Yields (kind, text) of every fused operation; kind None: not allowed."""
    slow, estimate, ahead, back = subroutines(code), {}, {}, turns_back(code)
    for i, (label, opcode, operands) in enumerate(code):
        if label in ahead: # both ways here must have the estimate; behind a jump there is only the one
            falls = not (i and re.fullmatch(r'(BRA|EXIT)[^@]*', code[i - 1][1]))
            estimate = {r: at for r, at in ahead[label].items() if not falls or estimate.get(r) == at}
        if label in back: # what the way from below has is not known yet
            estimate = {}
        if opcode.startswith('BRA'):
            to = aim(operands)
            known = ahead.get(to, estimate)
            ahead[to] = {r: at for r, at in estimate.items() if known.get(r) == at}
        registers = REGISTER.findall(operands)
        target, sources = (registers[0], registers[1:]) if registers else (None, [])
        if re.match(r'D(ADD|MUL|FMA)\b', opcode): # an operand is named by the lower register of its pair
            sources = sources + [f'R{int(r[1:]) + 1}' for r in sources]
        fresh = [estimate[r] for r in sources if r in estimate and i - estimate[r] <= REACH]
        if FUSED.match(opcode):
            kind = ('slow path' if i in slow else 'expansion' if fresh and opcode.startswith(('FFMA', 'DFMA'))
                    else 'one rounding' if one_rounding(operands)
                    else 'constant' if constant(opcode, operands) else None)
            yield kind, f'{opcode} {operands}'
        if opcode.startswith(('MUFU.RCP', 'MUFU.RSQ')):
            if not opcode.endswith('@'): # with a condition the register may hold what it held
                estimate[target] = i
        elif CARRIES.match(opcode) and fresh:
            estimate.update({register: max(fresh) for register in written(opcode, target)})
        else:
            for register in written(opcode, target):
                estimate.pop(register, None)


SAMPLE = '''
        Function : good
        /*0000*/                   MUFU.RCP R0, R5 ;
        /*0010*/                   FCHK P0, R4, R5 ;
        /*0020*/                   FFMA R3, -R5, R0, 1 ;
        /*0030*/                   FFMA R0, R0, R3, R0 ;
        /*0040*/                   FFMA R7, R4, R0, RZ ;
        /*0050*/               @P0 CALL.REL.NOINC 0x90 ;
        /*0060*/                   FFMA R8, R9, R10, -RZ ;
        /*0070*/                   STG.E [R2], R7 ;
        /*0080*/                   EXIT ;
        /*0090*/                   FFMA.RM R11, R12, R13, R14 ;
        /*00a0*/                   RET.REL.NODEC R20 0x0 ;
        Function : labels
        /*0000*/                   CALL.REL.NOINC `($labels$__internal_0_$slowpath) ;
        /*0010*/                   EXIT ;
$labels$__internal_0_$slowpath:
        /*0020*/                   FFMA.RP R11, R12, R13, R14 ;
        /*0030*/                   RET.REL.NODEC R20 `(labels) ;
        Function : root
        /*0000*/                   MUFU.RSQ R2, R9 ;
        /*0010*/              @!P2 BRA 0x50 ;
        /*0020*/                   MOV R2, 0x40 ;
        /*0030*/                   CALL.REL.NOINC 0x100 ;
        /*0040*/                   BRA 0x80 ;
        /*0050*/                   FMUL.FTZ R8, R9, R2 ;
        /*0060*/                   FFMA R3, -R8, R8, R9 ;
        /*0070*/                   FFMA R8, R3, R2, R8 ;
        /*0080*/                   FFMA R5, R2, R6, R7 ;
        Function : exits
        /*0000*/                   MUFU.RCP R2, R9 ;
        /*0010*/                   FFMA R3, -R9, R2, 1 ;
        /*0020*/              @!P2 BRA 0x50 ;
        /*0030*/                   LDG.E R2, [R4] ;
        /*0040*/               @P1 EXIT ;
        /*0050*/                   FFMA R5, R2, R6, R7 ;
        /*0060*/                   EXIT ;
        Function : decides
        /*0000*/                   BRA.U !UP1, 0x60 ;
        /*0010*/                   MUFU.RCP R2, R9 ;
        /*0020*/                   FFMA R3, -R9, R2, 1 ;
        /*0030*/              @!P2 BRA 0x50 ;
        /*0040*/                   LDG.E R2, [R4] ;
        /*0044*/                   BRA !UP0, 0x70 ;
        /*0050*/                   FFMA R5, R2, R6, R7 ;
        /*0054*/                   MUFU.RCP R2, R9 ;
        /*0060*/                   FFMA R5, R2, R6, R7 ;
        /*0070*/                   EXIT ;
        Function : loop
        /*0000*/                   MUFU.RCP R2, R9 ;
        /*0010*/                   FFMA R5, R2, R6, R7 ;
        /*0020*/                   LDG.E R2, [R4] ;
        /*0030*/               @P0 BRA 0x10 ;
        /*0040*/                   EXIT ;
        Function : wide
        /*0000*/                   MUFU.RCP R3, R9 ;
        /*0010*/                   STG.E.128 [R2.64], R12 ;
        /*0020*/                   FFMA R8, -R9, R3, 1 ;
        /*0030*/                   LDG.E.64 R2, [R4.64] ;
        /*0040*/                   FFMA R5, R3, R6, R7 ;
        /*0050*/                   MUFU.RSQ R15, R9 ;
        /*0060*/                   LDS.128 R12, [R4] ;
        /*0070*/                   FFMA R5, R15, R6, R7 ;
        /*0080*/                   MUFU.RCP R17, R9 ;
        /*0090*/                   IMAD.WIDE.U32 R16, R4, 0x4, R20 ;
        /*00a0*/                   FFMA R5, R17, R6, R7 ;
        Function : perhaps
        /*0000*/                   LDG.E R2, [R4.64] ;
        /*0010*/               @P0 MUFU.RCP R2, R9 ;
        /*0020*/                   FFMA R5, R2, R6, R7 ;
        /*0030*/                   MUFU.RCP R2, R8 ;
        /*0040*/              @!P0 MUFU.RCP R2, R9 ;
        /*0050*/                   FFMA R3, -R9, R2, 1 ;
        Function : double
        /*0000*/                   MUFU.RCP64H R5, R9 ;
        /*0010*/                   IMAD.MOV.U32 R4, RZ, RZ, 0x1 ;
        /*0020*/                   DFMA R6, -R8, R4, 1 ;
        /*0030*/                   DFMA R6, R6, R6, R6 ;
        /*0040*/                   DMUL R10, R12, R6 ;
        /*0050*/                   DFMA R14, -R8, R10, R12 ;
        /*0060*/                   FFMA R0, RZ, R9, R15 ;
        /*0070*/                   DFMA R16, R18, R20, R22 ;
        /*0080*/                   LDG.E.64 R6, [R2.64] ;
        /*0090*/                   DFMA R16, R6, R20, R22 ;
        Function : bad
        /*0000*/                   MUFU.RCP R0, R5 ;
        /*0010*/                   LDG.E R0, [R2] ;
        /*0020*/                   FFMA R3, R5, R0, R6 ;
        /*0030*/                   HFMA2.MMA R7, -RZ, RZ, 0, 6.67572021484375e-06 ;
        /*0040*/                   HFMA2.MMA R7, -RZ, R7, 0, 1 ;
'''


def self_test():
    found = {name: [kind for kind, _ in breaches(code)] for name, code in parse(SAMPLE.splitlines()).items()}
    wanted = {'good': ['expansion', 'expansion', 'expansion', 'one rounding', 'slow path'], 'labels': ['slow path'],
              'root': ['expansion', 'expansion', None], 'exits': ['expansion', None],
              'decides': ['expansion', None, None], 'loop': [None],
              'wide': ['expansion', None, None, None], 'perhaps': [None, 'expansion'],
              'double': ['expansion'] * 4 + [None, None], 'bad': [None, 'constant', None]}
    sys.exit(0 if found == wanted else f'{found} should be {wanted}')


def main():
    if sys.argv[1:] == ['--self-test']:
        self_test()
    functions = parse(sys.stdin)
    counts, bad = Counter(), []
    for name, code in functions.items():
        for kind, text in breaches(code):
            counts[kind or 'not allowed'] += 1
            bad += [] if kind else [f'{name}: {text}']
    print(f'{len(functions)} functions, ' + (', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))
                                             or 'nothing fused'))
    for line in bad[:50]:
        print(line)
    sys.exit(1 if bad or not functions else 0)


if __name__ == '__main__':
    main()
