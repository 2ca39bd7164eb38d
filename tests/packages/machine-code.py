"""Compares what the program says of machine code, binaries and pairs of builds with what is known of them.

usage: machine-code.py PTX-ANALYZER

PTX_MACHINE_CASES names a folder of recorded cases:

    sass/NAME.ptx, NAME.json        lines {"target", "entry", "live_peak", "rows": [[address, opcode, line]], ...}
    fatbin/FILE, expected.jsonl     {"file", "ptx": [{"target", "size", "sha256", ...}], "cubins"} or {"file", "bad"}
    diff/NAME/old.ptx, new.ptx      expected.json: [{"function", "change", "instructions_added", ...}]

PTXAS, NVDISASM and CUOBJDUMP name the programs that fresh builds are compared with, and NVCC the one that makes them.
"""

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ANALYZER = sys.argv[1]
TOOLS = {it: os.environ.get(it.upper()) or shutil.which(it) for it in ("ptxas", "nvdisasm", "cuobjdump", "nvcc")}
# A file that nobody can read must end soon, and must not fill the disk.
BAD_SECONDS, BAD_BYTES = 10, 4 << 20


class Tally:
    """Counts what agrees, and says what does not."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def case(self, what, problems):
        problems = list(problems)
        if problems:
            self.failed += 1
            print(f"FAILED: {self.name}: {what}")
            for it in problems[:4]:
                print(f"    {it}"[:240])
        else:
            self.passed += 1

    def end(self):
        print(f"{self.name}: {self.passed} of {self.passed + self.failed}", flush=True)
        return self.failed


def ours(*args, **options):
    return subprocess.run([ANALYZER, *map(str, args)], capture_output=True, **options)


def objects(text):
    return [json.loads(it) for it in text.splitlines()]


def difference(name, mine, expected):
    if mine != expected:
        yield f"{name}: {mine} where {expected} is expected"


# Recorded cases


def without_guard(text):
    return re.sub(r"^@!?U?P\w+ ", "", text)


def recorded_sass(folder):
    tally = Tally("machine code, recorded")
    for file in sorted(folder.glob("*.json")):
        for case in objects(file.read_text()):
            source = folder / case["file"]
            run = ours("sass", "--format", "json", "--target", case["target"], source)
            records = [it for it in objects(run.stdout) if it["entry"] == case["entry"]]
            what = f"{source.name} {case['target']} {case['entry']}"
            if len(records) != 1:
                tally.case(what, [run.stderr.decode() or f"{len(records)} objects"])
                continue
            record = records[0]
            rows = [
                [it["address"], re.split(r"[ ;]", without_guard(it["text"]))[0], it["line"]]
                for it in record["instructions"]
            ]
            problems = [f"{a} where {b} is expected" for a, b in zip(rows, case["rows"]) if a != b]
            problems += difference("rows", len(rows), len(case["rows"]))
            for key in ("registers", "spill_stores", "live_peak", "live_peak_lines"):
                problems += difference(key, record.get(key), case[key])
            tally.case(what, problems)
    return tally.end()


def recorded_images(folder):
    tally = Tally("images, recorded")
    for case in objects((folder / "expected.jsonl").read_text()):
        file = folder / case["file"]
        with tempfile.TemporaryDirectory() as work:
            start = time.monotonic()
            try:
                run = ours("extract", "--list", "--format", "json", "-o", work, file, timeout=60)
            except subprocess.TimeoutExpired:
                tally.case(file.name, ["no end within a minute"])
                continue
            seconds = time.monotonic() - start
            texts = [it.read_bytes() for it in Path(work).glob("*.ptx")]
        if case.get("bad"):
            problems = [] if run.returncode in (0, 1, 2) else [f"status {run.returncode}"]
            if seconds > BAD_SECONDS:
                problems.append(f"{seconds:.1f} s")
            if sum(map(len, texts)) >= BAD_BYTES:
                problems.append(f"{sum(map(len, texts))} bytes written")
            tally.case(file.name, problems)
            continue
        records = objects(run.stdout)
        found = [it for it in records if it["kind"] == "ptx"]
        keys = ("target", "compression", "version", "ident", "size")
        as_row = lambda it: tuple(it[key] for key in keys)
        problems = difference("images", [as_row(it) for it in found], [as_row(it) for it in case["ptx"]])
        sums = sorted(hashlib.sha256(it).hexdigest() for it in texts)
        problems = [*problems, *difference("texts", sums, sorted(it["sha256"] for it in case["ptx"]))]
        problems += difference("cubins", sum(it["kind"] == "cubin" for it in records), case["cubins"])
        tally.case(file.name, problems)
    return tally.end()


def recorded_pairs(folder):
    tally = Tally("pairs, recorded")
    for case in sorted(it for it in folder.iterdir() if it.is_dir()):
        run = ours("diff", "--format", "json", case / "old.ptx", case / "new.ptx")
        found = {it["function"]: it for it in objects(run.stdout) if "function" in it}
        expected = json.loads((case / "expected.json").read_text())
        problems, differs = [], False
        for it in expected:
            name, same = it["function"], {"change": "same"}
            mine = found.pop(name, same)
            differs |= it["change"] != "same"
            if it["change"] == "same" and mine["change"] in ("same", "renamed"):
                continue
            for key in ("change", "instructions_added", "instructions_removed"):
                if it.get(key) is not None:
                    problems += difference(f"{name}: {key}", mine.get(key), it[key])
        problems += [f"{it} is {change['change']}" for it, change in found.items() if change["change"] != "same"]
        problems += difference("status", run.returncode, int(differs))
        tally.case(case.name, problems)
    return tally.end()


# Fresh builds

KERNELS = """
#include <cstdio>
__device__ __noinline__ float heavy(float a, float b) { return a / b + sqrtf(a); }
extern __device__ int other(int);
__global__ void first(float *p, float d) { int i = threadIdx.x; p[i] = heavy(p[i], d); }
__global__ void __maxnreg__(LIMIT) spill(float *p, const float *q, int n) {
    float v[64];
#pragma unroll
    for (int i = 0; i < 64; i++) v[i] = q[i * n + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 64; i++) v[i] = v[i] * v[(i + 7) % 64] + p[k];
#pragma unroll
    for (int i = 0; i < 64; i++) p[i * n + threadIdx.x] = v[i];
}
template <typename T> __global__ void reduce(T *p, int n) {
    __shared__ T s[256];
    s[threadIdx.x] = p[threadIdx.x];
    for (int k = 128; k; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (!threadIdx.x) p[blockIdx.x] = s[0];
    if (n == 77) printf("%d\\n", n);
}
template __global__ void reduce<int>(int *, int);
template __global__ void reduce<double>(double *, int);
__constant__ unsigned long long table[64];
__global__ void choose(unsigned long long *p, int n) {
    unsigned long long local[16];
    for (int i = 0; i < 16; i++) local[i] = p[i] / (table[i] | 1);
    switch (n) {
    case 0: p[0] = local[n & 15]; break;
    case 1: p[1] = atomicAdd(p, 3ull); break;
    case 2: p[2] = __popcll(local[p[3] & 15]); break;
    case 3: asm volatile("{ .reg .u64 t; mov.u64 t, %0; add.u64 t, t, 1; }" :: "l"(p[4])); break;
    case 4: p[5] = __shfl_xor_sync(~0u, n, 3) + __ballot_sync(~0u, n & 1); break;
    default: p[6] = local[(n * 7) & 15] % 10;
    }
}
#ifdef RDC
__global__ void third(int *p) { *p = other(*p); }
#endif
#ifdef MAIN
int main() { first<<<1, 32>>>(nullptr, 1.f); return 0; }
#endif
"""
OTHER = """
__device__ int other(int a) { return a * 7 + 3; }
__global__ void fourth(int *p) { p[other(threadIdx.x)] = 1; }
"""
SEVERAL = [
    "-gencode=arch=compute_75,code=sm_75",
    "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]",
    "-gencode=arch=compute_100f,code=[sm_100f,compute_100f]",
    "-gencode=arch=compute_120,code=[sm_120,compute_120]",
]
TWO = ["-gencode=arch=compute_80,code=[sm_80,compute_80]", "-gencode=arch=compute_89,code=[sm_89,compute_89]"]
# The output and how nvcc makes it, in this order; a build may use those before it.
BUILDS = [
    ("plain.o", ["-c", "a.cu"]),
    ("several.o", ["-c", "a.cu", "-lineinfo", *SEVERAL]),
    ("debug.o", ["-c", "a.cu", "-G", "-arch=sm_86"]),
    ("rdc.o", ["-c", "a.cu", "-rdc=true", "-DRDC", "-DMAIN", *TWO]),
    ("other.o", ["-c", "o.cu", "-rdc=true", *TWO]),
    ("linked.o", ["-dlink", "rdc.o", "other.o", *TWO]),
    ("program", ["rdc.o", "other.o", *TWO]),
    ("library.so", ["-shared", "-Xcompiler=-fPIC", "a.cu", *TWO]),
    ("archive.a", ["-lib", "rdc.o", "other.o", "plain.o"]),
    ("lto.o", ["-c", "a.cu", "-dlto", "-DRDC", "-arch=sm_90"]),
    ("lto-several.o", ["-c", "o.cu", "-rdc=true", "-gencode=arch=compute_80,code=lto_80", *SEVERAL[1:3]]),
    ("none.fatbin", ["-fatbin", "a.cu", "--compress-mode=none", *SEVERAL]),
    ("size.fatbin", ["-fatbin", "a.cu", "--compress-mode=size", *SEVERAL]),
    ("speed.fatbin", ["-fatbin", "a.cu", "--compress-mode=speed", *SEVERAL]),
    ("balance.fatbin", ["-fatbin", "o.cu", "--compress-mode=balance", *TWO]),
    ("concatenated.fatbin", ["-fatbin", "a.cu", "-Xfatbin=--concat", *SEVERAL]),
    ("rdc.cubin", ["-cubin", "o.cu", "-rdc=true", "-arch=sm_103a", "-lineinfo"]),
    ("debug.cubin", ["-cubin", "a.cu", "-G", "-arch=sm_75"]),
]


def tool(name, *args, **options):
    return subprocess.run([TOOLS[name], *map(str, args)], capture_output=True, **options)


def build(folder):
    (folder / "a.cu").write_text(KERNELS.replace("LIMIT", "32"))
    (folder / "o.cu").write_text(OTHER)
    made = []
    for name, flags in BUILDS:
        run = tool("nvcc", *flags, "-o", name, cwd=folder)
        if run.returncode == 0:
            made.append(folder / name)
        else:
            print(f"note: nvcc does not make {name}: {run.stderr.decode().strip()[:200]}")
    return made


def inside(folder, file):
    """What our program takes out of a file, and what it says of that."""
    run = ours("extract", "--list", "--cubins", "--format", "json", "-o", folder, file)
    contents = {it: sorted(path.read_bytes() for path in folder.glob(f"*.{it}")) for it in ("ptx", "cubin")}
    return run, contents


def headings(text):
    """What cuobjdump says of each image: kind, target, version, name, compressed or not."""
    images, current, outer = [], {}, {}
    for line in text.splitlines():
        heading = re.fullmatch(r"(\t?)Fatbin (.+) code:", line.rstrip())
        key, _, value = (it.strip() for it in line.partition("="))
        if heading:
            kind = {"elf": "cubin"}.get(heading[2], heading[2])
            # Several images that are compressed together are below a heading of their own.
            packed = bool(heading[1]) and outer["packed"]
            current = {"kind": kind, "target": "", "version": "", "ident": "", "packed": packed}
            if kind == "concatenated entry":
                outer = current
            else:
                images.append(current)
        elif key == "arch":
            current["target"] = value
        elif key == "code version":
            current["version"] = value.strip("[]").replace(",", ".")
        elif key == "identifier":
            current["ident"] = value
        elif key == "compressed":
            current["packed"] = True
    return images


def fresh_images(binaries):
    tally = Tally("images of fresh builds as cuobjdump has them")
    for file in binaries:
        with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
            run, mine_inside = inside(Path(a), file)
            records = [it for it in objects(run.stdout) if not it["recovered"]]
            theirs = headings(tool("cuobjdump", "-all", file).stdout.decode())
            tool("cuobjdump", "-all", "-xptx", "all", "-xelf", "all", file, cwd=b)
            theirs_inside = {it: sorted(path.read_bytes() for path in Path(b).glob(f"*.{it}")) for it in mine_inside}
            problems = [run.stderr.decode()] if run.stderr and file.suffix != ".cubin" else []
            mine = [
                {**{key: it[key] for key in ("kind", "version", "ident")}, "target": it["target"],
                 "packed": it["compression"] != "none"}
                for it in records
            ]
            as_text = lambda it: json.dumps(it, sort_keys=True)
            problems += difference("images", sorted(map(as_text, mine)), sorted(map(as_text, theirs)))
            # A cubin has no images: its text comes from debug information.
            if file.suffix != ".cubin":
                problems += [f"{it} differ" for it in mine_inside if mine_inside[it] != theirs_inside[it]]
        tally.case(file.name, problems)
    return tally.end()


ROW = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*(?:/\*.*)?$")


def disassembled(text):
    """Rows of each section by the text of `nvdisasm -c -gp`: address, text, line; a label or routine forgets the line."""
    sections, rows, line = {}, None, None
    for it in text.splitlines():
        section = re.match(r'\s*\.section\s+"?\.text\.([^",]+)"?', it) or re.match(r"//-+ \.text\.(\S+) -+", it)
        marker = re.match(r'\s*//## File "\.nv_debug_ptx_txt", line (\d+)', it)
        row = ROW.match(it)
        if section:
            rows, line = sections.setdefault(section[1], []), None
        elif marker:
            line = int(marker[1])
        elif re.match(r"\s*\$\S+:", it):
            line = None
        elif row and rows is not None:
            rows.append((int(row[1], 16), re.sub(r"\s+", " ", row[2]), line))
    return sections


def stripped(rows):
    """Rows without the padding at the end."""
    rows = list(rows)
    while rows and rows[-1][1] == "NOP":
        rows.pop()
    return rows


def same_code(records, sections):
    """The differences between our rows of a cubin and those of nvdisasm."""
    mine = {it["entry"]: it for it in records}
    yield from difference("sections", sorted(mine), sorted(sections))
    for name, rows in sections.items():
        found = mine.get(name, {"instructions": []})["instructions"]
        theirs = stripped(rows)
        # After its end there may be a branch to itself, which is padding, too.
        if len(theirs) == len(found) + 1 and theirs[-1][1].startswith("BRA"):
            theirs.pop()
        yield from difference(f"{name}: rows", len(found), len(theirs))
        for it, (address, text, line) in zip(found, theirs):
            place = f"{name} {address:#x}"
            yield from difference(f"{place}: address", it["address"], address)
            yield from difference(f"{place}: text", re.sub(r"\s+", " ", it["text"]), text)
            if line is not None and not it.get("routine", "").startswith("$__internal"):
                yield from difference(f"{place}: line", it["line"], line)


def fresh_cubins(binaries):
    tally = Tally("machine code of fresh builds as nvdisasm has it")
    for file in binaries:
        with tempfile.TemporaryDirectory() as work:
            ours("extract", "--cubins", "-o", work, file)
            cubins = sorted(Path(work).glob("*.cubin")) or [it for it in [file] if it.suffix == ".cubin"]
            for cubin in cubins:
                text = tool("nvdisasm", "-c", "-gp", cubin).stdout.decode()
                run = ours("sass", "--format", "json", cubin)
                tally.case(f"{file.name}: {cubin.name}", same_code(objects(run.stdout), disassembled(text)))
    return tally.end()


TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f"]
TARGETS += ["sm_103", "sm_103a", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a"]


def fresh_texts(folder):
    """PTX of nvcc, compiled for each target by us and by hand."""
    tally = Tally("machine code of PTX for each target as ptxas and nvdisasm make it")
    for target in TARGETS:
        source, cubin = folder / f"{target}.ptx", folder / f"{target}.cubin"
        made = tool("nvcc", "-ptx", "a.cu", "-lineinfo", f"-arch={target.replace('sm_', 'compute_')}", "-o", source, cwd=folder)
        if made.returncode != 0:
            print(f"note: nvcc knows no {target}")
            continue
        tool("ptxas", "-lineinfo", f"-arch={target}", source, "-o", cubin)
        text = tool("nvdisasm", "-c", "-gp", cubin).stdout.decode()
        run = ours("sass", "--format", "json", source)
        tally.case(target, same_code(objects(run.stdout), disassembled(text)))
    return tally.end()


def torn(binaries):
    """Files that end early, have wrong bits or noise around them: each ends with a status and is not died of."""
    tally = Tally("torn files end")
    rng = random.Random(22)
    with tempfile.TemporaryDirectory() as work:
        bad = Path(work) / "bad.bin"
        for file in binaries:
            whole = file.read_bytes()
            for number in range(8):
                data = bytearray(whole)
                if number % 2:
                    del data[rng.randrange(len(data)):]
                else:
                    for _ in range(20):
                        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                bad.write_bytes(data)
                commands = [["extract", "--list", bad]]
                if number < 2:
                    commands += [["registers", bad], ["diff", file, bad]]
                problems = []
                for command in commands:
                    run = ours(*command, timeout=120)
                    if run.returncode not in (0, 1, 2) or b"panicked" in run.stderr:
                        problems.append(f"{command[0]}: status {run.returncode}: {run.stderr[-160:]}")
                tally.case(f"{file.name}, {number}", problems)
    return tally.end()


def joined(binaries):
    """Several files in one, with noise between them, have what each of them has."""
    tally = Tally("files in one")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        expected = {"ptx": [], "cubin": []}
        files = [it for it in binaries if it.suffix != ".cubin"]
        for file in files:
            (folder := work / f"{file.name}.d").mkdir()
            for kind, contents in inside(folder, file)[1].items():
                expected[kind] += contents
        (dump := work / "dump.bin").write_bytes(b"noise" + b"noise".join(it.read_bytes() for it in files))
        (folder := work / "dump").mkdir()
        _, found = inside(folder, dump)
        tally.case("dump.bin", [f"{it} differ" for it in found if found[it] != sorted(expected[it])])
    return tally.end()


def main():
    failed = 0
    cases = os.environ.get("PTX_MACHINE_CASES")
    if cases:
        cases = Path(cases)
        failed += recorded_sass(cases / "sass") + recorded_images(cases / "fatbin") + recorded_pairs(cases / "diff")
    else:
        print("note: PTX_MACHINE_CASES names no folder with recorded cases")
    if TOOLS["nvcc"]:
        with tempfile.TemporaryDirectory() as folder:
            binaries = build(Path(folder))
            failed += fresh_images(binaries) + joined(binaries)
            failed += fresh_cubins(binaries)
            failed += fresh_texts(Path(folder))
            failed += torn(binaries)
    else:
        print("note: there is no nvcc, so nothing is built")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
