"""Floats, by chapters 9.7.3 to 9.7.6 of the manual: exact, and rounded once."""

import math
from fractions import Fraction

import exact

MODES = ("rn", "rz", "rm", "rp")


def step(t):
    """How far the elements of a pack are from each other, in bits."""
    element, _ = exact.split(t)
    return 8 if exact.width(element) == 6 or "p4" in t else exact.width(element)


def element(x, t, i):
    name, _ = exact.split(t)
    return x >> step(t) * i & (1 << exact.width(name)) - 1


def read(bits, t, flush=False):
    x = exact.decode(bits & (1 << exact.width(t)) - 1, t)
    return exact.flush(x, t) if flush else x


def types(words):
    """The types of a head: that of the result and those of the sources."""
    return [it for it in words[1:] if exact.is_float(it)]


def finished(x, t, words, mode):
    """The code of a result, after what the modifiers do with it."""
    if "sat" in words:
        if x.is_nan or x.negative:
            return 0
        if x.kind == exact.INFINITY or x.value > 1:
            x = exact.number(1)
    code = exact.encode(x, t, mode, finite="satfinite" in words)
    if "ftz" in words:
        code = exact.encode(exact.flush(exact.decode(code, t), t), t)
    if "relu" in words and exact.decode(code, t).negative and not exact.decode(code, t).is_nan:
        return 0
    return code


def calculation(words, *operands, run=None):
    """The rounded operations: each element of packs on its own."""
    of = types(words)
    if not of:
        return None
    op, d = words[0], of[0]
    mode = next((it for it in words if it in MODES), "rn")
    sources = kinds(op, of, len(operands))
    name, count = exact.split(d)
    out = 0
    for i in range(count):
        codes = [element(it, t, i) for it, t in zip(operands, sources)]
        numbers = [read(it, exact.split(t)[0], "ftz" in words) for it, t in zip(codes, sources)]
        if "oob" in words and any(it.is_nan for it in numbers[:2]):
            # The manual does not say which NaN tensor copies write out of bounds.
            return (None,)
        out |= finished(calculated(op, numbers, mode), name, words, mode) << step(d) * i
    return out


def kinds(op, of, count):
    """The types of the sources."""
    if len(of) == 1:
        return of * count
    if op in ("add", "sub"):
        # The narrow one is first; the other is as the result, unless it has a word of its own.
        return [of[1], of[2] if len(of) > 2 else of[0]]
    if op == "mul":
        return of[1:]
    return [of[1], of[2], of[3]] if len(of) == 4 else [of[1], of[2], of[0]] if len(of) == 3 else [of[1], of[1], of[0]]


def calculated(op, numbers, mode):
    a, b, c = (numbers + [None, None])[:3]
    if op in ("add", "sub"):
        return exact.add(a, -b if op == "sub" else b, mode)
    if op == "mul":
        return exact.multiply(a, b)
    if op in ("fma", "mad"):
        return exact.add(exact.multiply(a, b), c, mode)
    if op == "div":
        return exact.divide(a, b)
    return exact.divide(exact.number(1), a) if op == "rcp" else exact.root(a)


def approximation(words, a, b=None, run=None):
    """The nearest number to a function; nothing where the manual does not bound the error."""
    t, op = types(words)[0], words[0]
    name, count = exact.split(t)
    out = 0
    for i in range(count):
        x = read(element(a, t, i), name, "ftz" in words)
        result = approximated(op, x, read(b, name, "ftz" in words) if b is not None else None, words)
        if result is None:
            return None if count == 1 else (None,)
        # What overflows is near the largest number, too.
        out |= finished(result, name, [it for it in words if it != "ftz" or count == 1], "rn") << step(t) * i
    return out


def inexact(value, negative=False):
    if math.isnan(value):
        return exact.NOT_A_NUMBER
    if math.isinf(value):
        return exact.Number(exact.INFINITY, value < 0)
    return exact.number(Fraction(value), math.copysign(1, value) < 0)


def approximated(op, x, y, words):
    if op == "div":
        far = y.kind == "number" and y.value > Fraction(2) ** 126
        if "approx" in words and far:
            return exact.multiply(x, exact.Number("number", y.negative))
        return exact.divide(x, y)
    if op == "rcp":
        return exact.divide(exact.number(1), x)
    if op == "sqrt":
        return exact.root(x)
    if op == "rsqrt":
        return exact.Number(exact.INFINITY, x.negative) if x.is_zero else exact.divide(exact.number(1), exact.root(x))
    if x.is_nan:
        return x
    infinite = x.kind == exact.INFINITY
    if op == "tanh":
        return inexact(math.copysign(1, -1 if x.negative else 1) if infinite else math.tanh(float(x.signed)) if x else -0.0 if x.negative else 0.0)
    if op == "ex2":
        if infinite:
            return exact.ZERO if x.negative else x
        if x.value > 2000:
            return exact.ZERO if x.negative else exact.Number(exact.INFINITY)
        whole = math.floor(x.signed)
        return exact.number(Fraction(2.0 ** float(x.signed - whole)) * Fraction(2) ** whole)
    if op == "lg2":
        if x.is_zero:
            return exact.Number(exact.INFINITY, True)
        if x.negative:
            return exact.NOT_A_NUMBER
        return x if infinite else inexact(math.log2(x.value) if x.value != 1 else 0.0)
    if infinite:
        return exact.NOT_A_NUMBER
    if x.value > Fraction(628, 100):
        return None
    function = math.sin if op == "sin" else math.cos
    return inexact(function(float(x.signed)) if x or op == "cos" else -0.0 if x.negative else 0.0)


def rounded(words, *operands, run=None):
    if not types(words):
        return None
    if "approx" in words or "full" in words:
        result = approximation(words, *operands)
        return (None,) if result is None else result
    return calculation(words, *operands)


def sign(words, a, run=None):
    """`abs` and `neg` change the sign bit only, that of a NaN, too."""
    t = types(words)[0]
    name, count = exact.split(t)
    top, out = 1 << exact.width(name) - 1, 0
    for i in range(count):
        code = element(a, t, i)
        if "ftz" in words and read(code, name) and not exact.flush(read(code, name), name):
            code &= top
        out |= (code & ~top if words[0] == "abs" else code ^ top) << step(t) * i
    return out


def copied_sign(words, a, b, run=None):
    top = 1 << exact.width(words[-1]) - 1
    return a & top | b & ~top


def tested(words, a, run=None):
    x, t = read(a, words[-1]), words[-1]
    subnormal = bool(x) and not exact.flush(x, t)
    return int(
        {
            "finite": x.kind == "number",
            "infinite": x.kind == exact.INFINITY,
            "number": not x.is_nan,
            "notanumber": x.is_nan,
            "normal": x.kind == "number" and not subnormal,
            "subnormal": subnormal,
        }[words[1]]
    )


def extreme(words, *operands, run=None):
    t = types(words)[0]
    name, count = exact.split(t)
    top, out = 1 << exact.width(name) - 1, 0
    for i in range(count):
        codes = [element(it, t, i) for it in operands]
        signs = codes[0] ^ codes[-1]
        if "ftz" in words:
            codes = [it & top if read(it, name) and not exact.flush(read(it, name), name) else it for it in codes]
        if "abs" in words:
            codes = [it & ~top for it in codes]
        result = codes[0]
        for code in codes[1:]:
            result = lesser(words, name, result, code)
        if read(result, name).is_nan:
            result = exact.CANONICAL[name]
        elif "xorsign" in words:
            result = result & ~top | signs & top
        out |= result << step(t) * i
    return out


def lesser(words, name, a, b):
    """The smaller or the larger code of two."""
    x, y = read(a, name), read(b, name)
    if x.is_nan or y.is_nan:
        if "NaN" in words or x.is_nan and y.is_nan:
            return exact.CANONICAL[name]
        return b if x.is_nan else a
    infinite = lambda it: (-1 if it.negative else 1) if it.kind == exact.INFINITY else 0
    key = lambda it: (infinite(it), it.signed, not it.negative)
    return a if (key(x) < key(y)) == (words[0] == "min") else b


OPCODES = {
    **dict.fromkeys(("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"), rounded),
    **dict.fromkeys(("rsqrt", "sin", "cos", "lg2", "ex2", "tanh"), rounded),
    **dict.fromkeys(("abs", "neg"), sign),
    **dict.fromkeys(("min", "max"), extreme),
    "copysign": copied_sign,
    "testp": tested,
}
