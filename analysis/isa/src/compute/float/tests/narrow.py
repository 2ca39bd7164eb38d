#!/usr/bin/env python3
"""Records in narrow.txt beside it what ml_dtypes says of the narrow formats.

`FORMAT decode BITS…`: the value of each code as binary32. `FORMAT encode CODE:BITS…`: rounding to nearest is monotone, so
the runs of magnitudes of binary32 with the same result tell it of all of them; BITS is the least magnitude of each run.
The second line of a format is about negative numbers.

Needs numpy and ml_dtypes.
"""
import pathlib

import ml_dtypes
import numpy as np

FORMATS = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "ue8m0": ml_dtypes.float8_e8m0fnu,
}
SIZES = {"e2m3": 6, "e3m2": 6, "e2m1": 4}
INFINITY = 0x7F800000


def main():
    lines = [f"# Made by narrow.py with ml_dtypes {ml_dtypes.__version__}."]
    for name, dtype in FORMATS.items():
        codes = np.arange(1 << SIZES.get(name, 8), dtype=np.uint8)
        with np.errstate(all="ignore"):
            values = codes.view(dtype).astype(np.float32)
        words = ["nan" if np.isnan(x) else f"{x.view(np.uint32):x}" for x in values]
        lines.append(f"{name} decode {' '.join(words)}")
        for sign in [0] if name == "ue8m0" else [0, 1 << 31]:
            runs = [f"{code:x}:{first:x}" for code, first in steps(dtype, sign)]
            lines.append(f"{name} encode {' '.join(runs)}")
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


def steps(dtype, sign):
    """The runs of results over the magnitudes of binary32 up to infinity: code and least magnitude."""

    def encode(magnitudes):
        bits = (np.asarray(magnitudes, np.uint64) | sign).astype(np.uint32)
        with np.errstate(all="ignore"):
            return bits.view(np.float32).astype(dtype).view(np.uint8).astype(int)

    # Results do not fall, but for the codes of overflow at the end.
    samples = np.unique(np.linspace(0, INFINITY, 1 << 20).astype(np.uint64))
    results = encode(samples)
    runs = [(int(results[0]), 0)]
    for index in np.flatnonzero(results[1:] != results[:-1]):
        low, high = int(samples[index]), int(samples[index + 1])
        while (code := int(encode([low])[0])) != int(encode([high])[0]):
            # The first magnitude after `low` with another result.
            a, b = low, high
            while b - a > 1:
                middle = (a + b) // 2
                a, b = (middle, b) if int(encode([middle])[0]) == code else (a, middle)
            runs.append((int(encode([b])[0]), b))
            low = b
    return runs


if __name__ == "__main__":
    main()
