"""What ptxas computes itself: constants go in, immediates come out of the machine code.

usage: fold.py [--seed N] [--count N] [--only PREFIX] [--forms FILE] [--architecture NAME] OUTPUT

A case is a block with `mov` of the operands, the statement, and stores of the results. At -O3 ptxas folds many
statements; then a store writes a register that an immediate was moved to. Nothing is said of the others.
With --forms only the forms of a file of cases are asked about, and nearly all of them must fold.
PTXAS and NVDISASM name the programs.
"""

import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import cases
import forms

PTXAS = os.environ.get("PTXAS", "ptxas")
NVDISASM = os.environ.get("NVDISASM", "nvdisasm")
# Cases in a kernel, and kernels in a module. A kernel has cases of one form only, for what is not folded may end it.
IN_KERNEL, IN_MODULE = 20, 60
# Bytes between the results of a kernel.
STEP = 16


def declared(name, kind, value):
    """The declaration of a register that holds a constant."""
    register = forms.register(kind)
    if register == "pred":
        return f".reg .pred %{name}; .reg .b32 %i{name}; mov.b32 %i{name}, {value}; setp.ne.b32 %{name}, %i{name}, 0;"
    if register == "b128":
        halves = f"mov.b64 %l{name}, {value & (1 << 64) - 1:#x}; mov.b64 %h{name}, {value >> 64:#x};"
        return f".reg .b128 %{name}; .reg .b64 %l{name}, %h{name}; {halves} mov.b128 %{name}, {{%l{name}, %h{name}}};"
    if register == "b8":
        return f".reg .b8 %{name}; .reg .b16 %i{name}; mov.b16 %i{name}, {value:#x}; cvt.u8.u16 %{name}, %i{name};"
    return f".reg .{register} %{name}; mov.{register} %{name}, {value:#x};"


def stored(name, kind, at):
    """The store of a result; narrow ones are widened."""
    register = forms.register(kind)
    if register == "pred":
        return f".reg .b32 %o{name}; selp.b32 %o{name}, 1, 0, %{name}; st.global.b32 [%base+{at}], %o{name};"
    if register in ("b8", "b16"):
        return f".reg .b32 %o{name}; cvt.u32.u{register[1:]} %o{name}, %{name}; st.global.b32 [%base+{at}], %o{name};"
    if register == "b128":
        halves = f"mov.b128 {{%u{name}, %v{name}}}, %{name};"
        return f".reg .b64 %u{name}, %v{name}; {halves} st.global.v2.b64 [%base+{at}], {{%u{name}, %v{name}}};"
    return f"st.global.{register} [%base+{at}], %{name};"


def module(kernels, architecture):
    """PTX of kernels, each a form and the operands of its cases; a kernel is a line, the first is the second one."""
    out = [f".version 9.4 .target {architecture} .address_size 64\n"]
    for number, (form, operands) in enumerate(kernels):
        line = [f".visible .entry k{number}(.param .u64 p) {{ .reg .b64 %base; ld.param.u64 %base, [p];"]
        at = 0
        for values in operands:
            line.append("{")
            line += [declared(name, kind, values[name]) for name, kind in form.ins]
            line += [f".reg .{forms.register(kind)} %{name};" for name, kind in form.outs]
            line.append(form.text.replace("$", "%"))
            for name, kind in form.outs:
                line.append(stored(name, kind, at))
                at += STEP
            line.append("}")
        out.append(" ".join(line) + " ret; }\n")
    return "".join(out)


def half(word):
    """Digits of a half word of HFMA2: nvdisasm prints floats, and a NaN without its bits."""
    word = word.strip()
    if word.startswith(("0x", "-0x")):
        return f"{int(word, 16) & 0xFFFF:04x}"
    sign = word.startswith("-")
    if "NAN" in word:
        return "xxxx"
    if "INF" in word:
        return "fc00" if sign else "7c00"
    return struct.pack(">e", float(word)).hex()


INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")


class Walk:
    """Constants in registers, as 8 digits, along straight machine code."""

    def __init__(self):
        self.known = {}

    def read(self, operand):
        operand = operand.replace(".reuse", "").strip()
        if operand in ("RZ", "URZ", "SRZ", "-RZ"):
            return "00000000"
        if re.fullmatch(r"-?0x[0-9a-f]+", operand):
            return f"{int(operand, 16) & 0xFFFFFFFF:08x}"
        return self.known.get(operand)

    @staticmethod
    def next(register, by=1):
        found = re.fullmatch(r"(U?R)(\d+)", register)
        return f"{found[1]}{int(found[2]) + by}" if found else register

    def forget(self, register):
        # How many registers an unknown instruction writes is not known; 4 are the most.
        for by in range(4):
            self.known.pop(self.next(register, by), None)

    def step(self, guard, op, operands):
        """Takes an instruction; gives the address and the words of a store."""
        if op.startswith(("CALL", "BRA", "BSSY", "BSYNC", "RET", "WARPSYNC", "BREAK")):
            self.known.clear()
            return None
        if op.startswith("ST"):
            found = re.search(r"\+(0x[0-9a-f]+)\]", operands[0])
            count = 4 if ".128" in op else 2 if ".64" in op else 1
            register = operands[1].replace(".reuse", "")
            words = [self.read(self.next(register, i)) for i in range(count)]
            return (int(found[1], 16) if found else 0), words
        target = operands[0] if operands else ""
        if not re.fullmatch(r"U?R\d+", target):
            return None
        value = None
        if guard:
            pass
        elif op in ("MOV", "UMOV"):
            value = self.read(operands[1])
        elif op.startswith("IMAD.MOV") and operands[1:3] == ["RZ", "RZ"]:
            value = self.read(operands[3])
        elif op.startswith("HFMA2") and operands[1:3] == ["-RZ", "RZ"] and len(operands) == 5:
            value = half(operands[3]) + half(operands[4])
        elif op in ("CS2R", "CS2UR") and operands[1] == "SRZ":
            self.known[target] = self.known[self.next(target)] = "00000000"
            return None
        elif op in ("CS2R.32", "CS2UR.32") and operands[1] == "SRZ":
            value = "00000000"
        if value is None:
            self.forget(target)
        else:
            self.known[target] = value
        return None


def stores(text):
    """The stores of each kernel: its number, the address and the words."""
    kernel, walk = None, None
    for line in text.splitlines():
        if found := re.match(r"\s*\.text\.k(\d+):", line):
            kernel, walk = int(found[1]), Walk()
        elif re.match(r"\s*\.L_x_\d+:", line) and walk:
            # Code comes here from elsewhere, too.
            walk.known.clear()
        elif kernel is not None and (found := INSTRUCTION.match(line)):
            operands = [it.strip() for it in re.sub(r"desc\[\w+\]", "", found[3]).split(",")]
            if done := walk.step(found[1], found[2], operands):
                yield kernel, *done


def judged(kernels, architecture):
    """The cases of kernels that ptxas folds; an error message where it refuses one."""
    results = [None] * len(kernels)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        while None in results:
            chosen = [i for i, it in enumerate(results) if it is None]
            with open(source, "w") as file:
                file.write(module([kernels[i] for i in chosen], architecture))
            command = [PTXAS, "-O3", "-arch", architecture, source, "-o", binary]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                # Those that an error names are left out, and the others tried again.
                wrong = {int(line): message for line, message in re.findall(r", line (\d+); (.*)", run.stderr)}
                if not wrong:
                    raise SystemExit(f"{source}: {run.stderr}")
                for line, message in wrong.items():
                    results[chosen[line - 2]] = message
                continue
            text = subprocess.run([NVDISASM, "-c", binary], capture_output=True, text=True, check=True).stdout
            words = {}
            for kernel, at, found in stores(text):
                for i, word in enumerate(found):
                    words[kernel, at + 4 * i] = word
            for number, i in enumerate(chosen):
                results[i] = folded(*kernels[i], number, words)
    return results


def folded(form, operands, kernel, words):
    """The cases of a kernel of which all results are known."""
    out, at = [], 0
    for values in operands:
        case = [f"{values[name]:x}" for name, _ in form.ins]
        known = True
        for _, kind in form.outs:
            width = forms.bits(kind)
            parts = [words.get((kernel, at + 4 * i)) for i in range((width + 31) // 32)]
            at += STEP
            if None in parts:
                known = False
                continue
            digits = "".join(reversed(parts))
            case.append(digits[-max(1, width // 4) :])
        if known:
            out.append(case)
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--forms")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("output")
    options = parser.parse_args()
    operands = forms.Operands(options.seed)
    chosen = [it for it in forms.everything() if not it.warp and it.text.startswith(options.only)]
    if options.forms:
        known = cases.texts(options.forms)
        chosen = [it for it in chosen if it.text in known]
    kernels = []
    for form in chosen:
        values = [operands.values(form) for _ in range(options.count)]
        kernels += [(form, values[i : i + IN_KERNEL]) for i in range(0, len(values), IN_KERNEL)]
    parts = [kernels[i : i + IN_MODULE] for i in range(0, len(kernels), IN_MODULE)]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = [it for part in pool.map(lambda it: judged(it, options.architecture), parts) for it in part]
    by_form, refused = {}, Counter()
    for (form, _), result in zip(kernels, results):
        if isinstance(result, str):
            refused[re.sub(r"'[^']*'", "'…'", result)] += 1
        else:
            by_form.setdefault(form.text, (form, []))[1].extend(result)
    told = [it for it in by_form.values() if it[1]]
    version = subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"V([\d.]+)", version)[1]
    total = sum(len(it[1]) for it in told)
    cases.write(options.output, f"ptxas {release}, {options.architecture}, seed {options.seed}", told)
    print(f"{len(chosen)} forms, {sum(refused.values())} kernels refused, {len(told)} forms folded, {total} cases", file=sys.stderr)
    for message, count in refused.most_common(5):
        print(f"  {count}: {message}", file=sys.stderr)
    if options.forms and len(told) < 0.95 * len(known):
        sys.exit(f"only {len(told)} of {len(known)} forms fold")


if __name__ == "__main__":
    main()
