"""Compares what `extract` takes out of wheels with what cuobjdump takes out of them.

usage: wheels.py PTX-ANALYZER CUOBJDUMP FOLDER

The wheels are fetched into the folder.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

# From CUDA 11.8 to 13.2, LZ4 and ZSTD, a text or dozens of them.
WHEELS = [
    "bitsandbytes==0.50.2",
    "cupy-cuda13x==14.2.0",
    "ctranslate2==4.8.5",
    "torchvision==0.29.2",
    "nvidia-nvjpeg-cu12==12.4.0.76",
]
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_24_x86_64", "manylinux2014_x86_64"]
MAGIC = b"\x50\xed\x55\xba\x01\x00\x10\x00"


def fetch(wheel: str, folder: Path) -> Path:
    name, version = wheel.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        platforms = [word for it in PLATFORMS for word in ("--platform", it)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--python-version", "3.11", *platforms, "--dest", str(folder), wheel]
        subprocess.run(command, check=True)
    return next(folder.glob(pattern))


def ours(program: str, binary: Path, folder: Path) -> list:
    command = [program, "extract", "--list", "--format", "json", "--output-dir", str(folder), str(binary)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    records = [json.loads(it) for it in run.stdout.splitlines()]
    return [Path(it["path"]).read_bytes() for it in records if it["kind"] == "ptx"]


def theirs(program: str, binary: Path, folder: Path) -> list | None:
    command = [program, "-all", "-xptx", "all", str(binary)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        print(f"note: {binary.name}: cuobjdump does not read it: {run.stderr.strip().splitlines()[-1][:60]}")
        return None
    return [it.read_bytes() for it in folder.glob("*.ptx")]


def main() -> int:
    analyzer, cuobjdump, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    passed = failed = texts = 0
    for wheel in WHEELS:
        found = 0
        packed = fetch(wheel, folder)
        extracted: Counter = Counter()
        with zipfile.ZipFile(packed) as archive:
            for name in archive.namelist():
                content = archive.read(name)
                if MAGIC not in content:
                    continue
                with tempfile.TemporaryDirectory() as work:
                    binary, a, b = (Path(work) / it for it in (Path(name).name, "a", "b"))
                    binary.write_bytes(content)
                    a.mkdir()
                    b.mkdir()
                    mine, other = ours(analyzer, binary, a), theirs(cuobjdump, binary, b)
                found += len(mine)
                extracted.update(mine)
                if other is None:
                    continue
                if Counter(mine) == Counter(other):
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED: {wheel}: {name}: {len(mine)} texts, cuobjdump has {len(other)}")
        with tempfile.TemporaryDirectory() as work:
            whole = Counter(ours(analyzer, packed, Path(work)))
        if whole != extracted:
            failed += 1
            print(f"FAILED: {wheel}: {whole.total()} texts without unpacking it")
        print(f"{wheel}: {found} texts", flush=True)
        texts += found
        if found == 0:
            failed += 1
            print(f"FAILED: {wheel}: no text")
    print(f"{texts} texts; binaries: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
