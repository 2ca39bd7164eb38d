"""Conversions, by chapters 9.7.9.22 and 9.7.9.23 of the manual."""

from fractions import Fraction

import exact
import integers
import reals

TO_INTEGER = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def converted(words, *operands, run=None):
    if words[1] == "pack":
        return packed(words, *operands)
    source, result = words[-1], words[-2]
    if not exact.is_float(source):
        x = integers.value(operands[0], source)
        if not exact.is_float(result):
            return integers.clamp(x, result) if "sat" in words else integers.value(x, result)
        return reals.finished(exact.number(x), result, words, mode(words))
    if not exact.is_float(result):
        x = reals.read(operands[0], source, "ftz" in words)
        return to_integer(x, source, result, words)
    integral = next((it for it in words if it in TO_INTEGER), None)
    if integral or source == result:
        return to_integral(operands[0], source, integral, words)
    return to_float(words, source, result, *operands)


def mode(words):
    return next((it for it in words if it in reals.MODES or it == "rna"), "rn")


def to_integer(x, source, result, words):
    if x.is_nan:
        small = source != "f64" and integers.size(result) != 64
        return 0 if small else integers.value(1 << integers.size(result) - 1, result)
    low, high = integers.limits(result)
    if x.kind == exact.INFINITY:
        return low if x.negative else high
    rounding = TO_INTEGER[next(it for it in words if it in TO_INTEGER)]
    size = exact.to_integer(x.value, rounding, x.negative)
    return integers.clamp(-size if x.negative else size, result)


def to_integral(bits, t, rounding, words):
    x = reals.read(bits, t, "ftz" in words)
    if rounding and x.kind == "number":
        x = exact.Number("number", x.negative, Fraction(exact.to_integer(x.value, TO_INTEGER[rounding], x.negative)))
    if x.is_nan and "sat" not in words:
        # Which NaN it is depends on the type; that of f64 is open.
        return exact.CANONICAL[t]
    return reals.finished(x, t, words, "rn")


def to_float(words, source, result, *operands):
    """Between float types; what there is to convert may be in several operands, the highest first."""
    sources, results = exact.split(source)[0], exact.split(result)
    name, count = results
    scales = [exact.number(1)] * count
    operands = list(operands)
    one = any(it.startswith("scaled::n1") for it in words)
    if any(it.startswith("scaled") for it in words):
        scale = operands.pop()
        scales = [exact.decode(scale >> (0 if one else 8 * i) & 0xFF, "ue8m0") for i in range(count)]
    random = None
    if "rs" in words:
        random = operands.pop()
    if isinstance(operands[0], list):
        operands = operands[0]
    if exact.split(source)[1] > 1:
        codes = [reals.element(operands[0], source, i) for i in range(count)]
    else:
        codes = list(reversed(operands))
    ftz = "ftz" in words
    out = 0
    for i, (code, scale) in enumerate(zip(codes, scales)):
        x = reals.read(code, sources, one or ftz and sources == "f32")
        exact_x = reals.read(code, sources)
        # Whether the sign is dropped, and a subnormal bf16 flushed, the manual does not say.
        if name == "ue5m3" and exact_x.negative or one and sources != "f32" and x.value != exact_x.value:
            return (None,)
        # From a narrow type the scale multiplies, to one it divides.
        x = exact.multiply(x, scale) if name == "bf16" else exact.divide(x, scale)
        out |= rounded(x, name, words, random_bits(random, name, count, i)) << reals.step(result) * i
    return out


def random_bits(random, name, count, i):
    """The random bits of an element and their number."""
    if random is None:
        return None
    if name == "f16":
        return random >> 16 * i & 0x1FFF, 13
    if name == "bf16":
        return random >> 16 * i & 0xFFFF, 16
    if name == "e2m1":
        # Elements 3 and 2 have the upper bytes of both halves, 1 and 0 the lower ones.
        return random >> (0, 16, 8, 24)[i] & 0xFF, 8
    return random >> (16 if i >= 2 else 0) & 0xFFFF, 16


def rounded(x, name, words, random):
    finite = "satfinite" in words
    if "sat" in words:
        return reals.finished(x, name, ["sat", "ftz"] if "ftz" in words and name == "f32" else ["sat"], mode(words))
    code = exact.encode(x, name, mode(words), finite, random)
    if "ftz" in words and name == "f32":
        code = exact.encode(exact.flush(exact.decode(code, name), name), name)
    result = exact.decode(code, name)
    if "relu" in words and result.negative and not result.is_nan:
        return 0
    if "pzo" in words and result.is_zero:
        return 0
    return code


def packed(words, a, b, c=0):
    t = words[3]
    narrow = lambda it: integers.mask(integers.clamp(integers.value(it, "s32"), t), t)
    return narrow(a) << integers.size(t) | narrow(b) | c << 2 * integers.size(t)


OPCODES = {"cvt": converted}
