"""The same source by two compilers: PTX of nvcc, and a library of the compiler of the host.

usage: host.py [--seed N] [--count N] OUTPUT

NVCC and CXX name the compilers. Products are not fused with sums unless the source says so. A NaN has no defined bits.
"""

import argparse
import ctypes
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import cases
import forms

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.cu")
C_TYPES = {
    "uint32_t": ("u32", ctypes.c_uint32),
    "int32_t": ("s32", ctypes.c_uint32),
    "uint64_t": ("u64", ctypes.c_uint64),
    "int64_t": ("s64", ctypes.c_uint64),
    "float": ("f32", ctypes.c_float),
    "double": ("f64", ctypes.c_double),
}
CLASSES = {"p": "pred", "rs": "b16", "r": "b32", "f": "b32", "rd": "b64", "fd": "b64"}


@dataclass
class Function(forms.Form):
    name: str = ""
    # The registers between, with their classes.
    between: list = field(default_factory=list)


def functions(ptx, source):
    """The functions of a module, as forms."""
    lists = dict(re.findall(r"#define ([USFD]\d+) (.*)", source))
    for name, result, parameters in re.findall(r"^FUNCTION\((\w+), (\w+), (\w+),", source, re.M):
        types = [it.split()[0] for it in lists[parameters].split(",")]
        body = re.search(rf"\.entry {name}\(.*?\)\s*(?:\.\w+[^\n]*\n)*\{{(.*?)\n\}}", ptx, re.S)[1]
        body = re.sub(r"\{\s*//.*?\n|//[^\n]*", "", body)
        statements = [it.strip() for it in body.split(";") if it.strip()]
        ins, outs, kept = [], [], []
        for statement in statements:
            if statement.startswith(".reg") or re.match(r"(cvta|ret)\b", statement):
                continue
            if found := re.match(r"ld\.param\.\w+\s+%(\w+), \[\w+_param_(\d+)\]", statement):
                if found[2] != "0":
                    ins.append((int(found[2]), found[1]))
            elif found := re.match(r"st\.global\.\w+\s+\[%\w+\], %(\w+)", statement):
                outs.append((found[1], C_TYPES[result][0]))
            else:
                kept.append(re.sub(r"\s+", " ", statement.replace("%", "$")) + ";")
        ins = [(register, C_TYPES[types[number - 1]][0]) for number, register in sorted(ins)]
        if any(it.startswith("@") or re.match(r"bra|call", it) for it in kept) or len(ins) != len(types):
            raise SystemExit(f"{name} is not straight: {kept}")
        text = " ".join(kept)
        known = {it for it, _ in ins + outs}
        between = sorted(set(re.findall(r"\$(\w+)", text)) - known)
        between = [(it, CLASSES[re.match(r"[a-z]+", it)[0]]) for it in between]
        yield Function(text, ins, outs, name=name, between=between), result, types


def called(library, name, result, types, values):
    """The bits of a result."""
    arguments = []
    for of, bits in zip(types, values):
        kind = C_TYPES[of][1]
        raw = bits.to_bytes(ctypes.sizeof(kind), "little")
        arguments.append(kind.from_buffer_copy(raw))
    out = C_TYPES[result][1]()
    getattr(library, name)(ctypes.byref(out), *arguments)
    return int.from_bytes(bytes(out), "little")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("output")
    options = parser.parse_args()
    nvcc, cxx = os.environ.get("NVCC", "nvcc"), os.environ.get("CXX", "g++")
    with open(SOURCE) as file:
        source = file.read()
    with tempfile.TemporaryDirectory() as folder:
        ptx, library = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.so")
        subprocess.run([nvcc, "-ptx", "-arch", "sm_90", "-fmad=false", SOURCE, "-o", ptx], check=True)
        command = [cxx, "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-x", "c++", SOURCE, "-o", library, "-lm"]
        subprocess.run(command, check=True)
        with open(ptx) as file:
            found = list(functions(file.read(), source))
        loaded = ctypes.CDLL(library)
    operands = forms.Operands(options.seed)
    judged = []
    for form, result, types in found:
        rows = []
        for _ in range(options.count):
            values = operands.values(form)
            values = [values[name] for name, _ in form.ins]
            rows.append([f"{it:x}" for it in values] + [f"{called(loaded, form.name, result, types, values):x}"])
        judged.append((form, rows))
    cases.write(options.output, f"nvcc and the compiler of the host, seed {options.seed}", judged)
    print(f"{len(judged)} functions, {sum(len(rows) for _, rows in judged)} cases")


if __name__ == "__main__":
    main()
