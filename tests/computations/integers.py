"""Integers, bits, comparisons and moves, by chapters 9.7.1, 9.7.2 and 9.7.6 to 9.7.9 of the manual."""

import exact
import reals


class Open(Exception):
    """The manual leaves the result open."""


def type_of(words):
    """The last word that is a type."""
    return next(it for it in reversed(words) if it == "pred" or it[0] in "busfe" and any(c.isdigit() for c in it))


def size(t):
    return exact.width(exact.split(t)[0])


def value(bits, t):
    """The number that bits are in an integer type."""
    width = size(t)
    bits &= (1 << width) - 1
    return bits - (1 << width) if t[0] == "s" and bits >> width - 1 else bits


def limits(t):
    width = size(t)
    return (-(1 << width - 1), (1 << width - 1) - 1) if t[0] == "s" else (0, (1 << width) - 1)


def clamp(x, t):
    low, high = limits(t)
    return low if x < low else high if x > high else x


def mask(x, t):
    return x & (1 << size(t)) - 1


def each(t, function, *operands):
    """A function on each element of a pack."""
    element, count = exact.split(t)
    width, out = size(element), 0
    for i in range(count):
        parts = [value(it >> width * i, element) for it in operands]
        out |= mask(function(*parts), element) << width * i
    return out


def is_integer(words):
    return not any(exact.is_float(it) for it in words[1:])


def additive(words, a, b, run=None):
    if not is_integer(words):
        return None
    t = type_of(words)
    minus = words[0].startswith("sub")
    if words[0] in ("add", "sub") and "cc" not in words:
        plain = (lambda x, y: x - y) if minus else (lambda x, y: x + y)
        return each(t, (lambda x, y: clamp(plain(x, y), exact.split(t)[0])) if "sat" in words else plain, a, b)
    # With a carry: subtraction adds the complement, and its flag says that nothing was borrowed.
    carry = run.carry if words[0] in ("addc", "subc") else int(minus)
    x, y = mask(a, t), mask(~b if minus else b, t)
    total = x + y + carry
    if "cc" in words:
        run.carry = total >> size(t)
    if "sat" in words:
        return clamp(value(a, t) + (-value(b, t) - 1 if minus else value(b, t)) + carry, t)
    return mask(total, t)


def product(words, a, b, c=0, run=None):
    if not is_integer(words):
        return None
    t = type_of(words)
    whole = value(a, t) * value(b, t)
    if "wide" in words:
        return mask(whole + c, t[0] + str(2 * size(t)))
    part = whole >> size(t) if "hi" in words else whole
    if "cc" in words or words[0] == "madc":
        total = mask(part, t) + mask(c, t) + (run.carry if words[0] == "madc" else 0)
        if "cc" in words:
            run.carry = total >> size(t)
        if "sat" in words:
            return clamp(part + value(c, t) + run.carry, t)
        return mask(total, t)
    total = part + value(c, t)
    return clamp(total, t) if "sat" in words else mask(total, t)


def carryless(words, a, b, c, run=None):
    whole = 0
    for i in range(64):
        if a >> i & 1:
            whole ^= b << i
    return (whole >> 64 if "hi" in words else whole & (1 << 64) - 1) ^ c


def product24(words, a, b, c=0, run=None):
    t = type_of(words)
    narrow = lambda it: value(it << 8, t) >> 8
    whole = narrow(a) * narrow(b)
    total = (whole >> 16 if "hi" in words else whole) + value(c, t)
    return clamp(total, t) if "sat" in words else mask(total, t)


def difference(words, a, b, c, run=None):
    t = type_of(words)
    return mask(c + abs(value(a, t) - value(b, t)), t)


def division(words, a, b, run=None):
    if not is_integer(words):
        return None
    t = type_of(words)
    x, y = value(a, t), value(b, t)
    if y == 0:
        raise Open
    whole = abs(x) // abs(y)
    whole = -whole if (x < 0) != (y < 0) else whole
    return mask(whole if words[0] == "div" else x - whole * y, t)


def sign(words, a, run=None):
    if not is_integer(words):
        return None
    return each(type_of(words), abs if words[0] == "abs" else lambda x: -x, a)


def extreme(words, a, b, c=None, run=None):
    if not is_integer(words):
        return None
    choose = min if words[0] == "min" else max
    return each(type_of(words), (lambda x, y: max(choose(x, y), 0)) if "relu" in words else choose, a, b)


def counted(words, a, run=None):
    t = type_of(words)
    return bin(a).count("1") if words[0] == "popc" else size(t) - a.bit_length()


def found(words, a, run=None):
    t = type_of(words)
    x = value(a, t)
    top = (~x if x < 0 else x).bit_length() - 1
    if top < 0:
        return 0xFFFFFFFF
    return size(t) - 1 - top if "shiftamt" in words else top


def reversed_bits(words, a, run=None):
    return int(f"{a:0{size(type_of(words))}b}"[::-1], 2)


def extracted(words, a, b, c, run=None):
    if b > 255 or c > 255:
        raise Open
    t = type_of(words)
    top = size(t) - 1
    if t[0] == "u" or c == 0:
        fill = 0
    else:
        fill = a >> min(b + c - 1, top) & 1
    out = 0
    for i in range(top + 1):
        out |= (a >> b + i & 1 if i < c and b + i <= top else fill) << i
    return out


def inserted(words, a, b, c, d, run=None):
    if c > 255 or d > 255:
        raise Open
    t, out = type_of(words), b
    for i in range(d):
        if c + i < size(t):
            out = out & ~(1 << c + i) | (a >> i & 1) << c + i
    return out


def nth_set(words, bits, base, offset, run=None):
    if base > 31:
        raise Open
    offset = value(offset, "s32")
    if offset == 0:
        return base if bits >> base & 1 else 0xFFFFFFFF
    left, at = abs(offset), base
    while 0 <= at < 32:
        left -= bits >> at & 1
        if left == 0:
            return at
        at += 1 if offset > 0 else -1
    return 0xFFFFFFFF


def extended(words, a, b, run=None):
    t = type_of(words)
    n = b & 31 if "wrap" in words else min(b, 32)
    low = a & (1 << n) - 1
    if t == "s32" and n and low >> n - 1:
        low |= -1 << n
    return mask(low, t)


def ones(words, a, b, run=None):
    a, b = (a & 31, b & 31) if "wrap" in words else (min(a, 32), min(b, 32))
    return mask((1 << b) - 1 << a, "b32")


def dot(words, a, b, c, run=None):
    at, bt = words[-2:]
    byte = lambda x, i, t: value(x >> 8 * i, t[0] + "8")
    if words[0] == "dp4a":
        return c + sum(byte(a, i, at) * byte(b, i, bt) for i in range(4))
    first = 2 if "hi" in words else 0
    return c + sum(value(a >> 16 * i, at[0] + "16") * byte(b, i + first, bt) for i in range(2))


ORDERS = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "lo": lambda x, y: x < y,
    "ls": lambda x, y: x <= y,
    "hi": lambda x, y: x > y,
    "hs": lambda x, y: x >= y,
}
LOGIC = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}


def compared(cmp, t, a, b, flush):
    """Whether a comparison holds between two elements."""
    if not exact.is_float(t):
        return ORDERS[cmp](value(a, t), value(b, t))
    x, y = reals.read(a, t, flush), reals.read(b, t, flush)
    unordered = x.is_nan or y.is_nan
    if cmp in ("num", "nan"):
        return unordered == (cmp == "nan")
    if unordered:
        return cmp.endswith("u") and cmp != "u"
    order = ORDERS[cmp.removesuffix("u")]
    infinite = lambda it: (-1 if it.negative else 1) if it.kind == exact.INFINITY else 0
    return order((infinite(x), 0 if infinite(x) else x.signed), (infinite(y), 0 if infinite(y) else y.signed))


def comparison(words, a, b, c=None, run=None):
    """`set` and `setp`."""
    t = type_of(words)
    element, count = exact.split(t)
    width = size(element)
    logic = next((it for it in words[2:4] if it in LOGIC), None)
    join = lambda truth: LOGIC[logic](int(truth), c) if logic else int(truth)
    part = lambda x, i: x >> width * i & (1 << width) - 1
    truths = [compared(words[1], element, part(a, i), part(b, i), "ftz" in words) for i in range(count)]
    if words[0] == "setp":
        return (join(truths[0]), join(truths[1] if count == 2 else not truths[0]))
    d = next(it for it in words[2:] if it[0] in "busf" and any(x.isdigit() for x in it))
    of, number = exact.split(d)
    if exact.is_float(of):
        yes = exact.encode(exact.number(1), of)
    else:
        # Of two halves each sets half of the destination.
        of = f"u{size(of) // count}" if count > number else of
        yes = (1 << size(of)) - 1
    return sum((yes if join(truth) else 0) << size(of) * i for i, truth in enumerate(truths))


def selected(words, a, b, c, run=None):
    return a if c else b


def chosen(words, a, b, c, run=None):
    if words[-1] == "s32":
        return a if value(c, "s32") >= 0 else b
    x = reals.read(c, "f32", "ftz" in words)
    return b if x.is_nan or x.negative and not x.is_zero else a


def bitwise(words, a, b=0, run=None):
    if words[0] == "not":
        return 1 - a if words[1] == "pred" else mask(~a, words[1])
    return LOGIC[words[0]](a, b)


def looked_up(words, a, b, c, table, q=0, run=None):
    out = 0
    for i in range(32):
        row = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)
        out |= (table >> row & 1) << i
    return (out, LOGIC[words[1]](int(out != 0), q)) if words[1] in LOGIC else out


def funnel(words, a, b, c, run=None):
    n = c & 31 if "wrap" in words else min(c, 32)
    both = b << 32 | a
    return mask(both << n >> 32 if words[1] == "l" else both >> n, "b32")


def shift(words, a, b, run=None):
    t = words[1]
    x, n = value(a, t), min(b, size(t))
    return mask(x << n if words[0] == "shl" else x >> n, t)


def permuted(words, a, b, c, run=None):
    pool = [(b << 32 | a) >> 8 * i & 0xFF for i in range(8)]
    k = c & 3
    mode = words[2] if len(words) > 2 else ""
    if not mode:
        out = []
        for i in range(4):
            digit = c >> 4 * i & 15
            byte = pool[digit & 7]
            out.append((0xFF if byte & 0x80 else 0) if digit & 8 else byte)
    else:
        order = {
            "f4e": [k, k + 1, k + 2, k + 3],
            "b4e": [k, k + 7 & 7, k + 6 & 7, k + 5 & 7],
            "rc8": [k] * 4,
            "ecl": [max(i, k) for i in range(4)],
            "ecr": [min(i, k) for i in range(4)],
            "rc16": [0, 1, 0, 1] if k % 2 == 0 else [2, 3, 2, 3],
        }[mode]
        out = [pool[i] for i in order]
    return sum(byte << 8 * i for i, byte in enumerate(out))


def moved(words, a, run=None):
    """`mov`: of braces to a whole, of a whole to braces, or of like to like."""
    t = words[-1]
    if words[1][0] == "v":
        return tuple(a)
    if isinstance(a, list):
        width = size(t) // len(a)
        return sum(it << width * i for i, it in enumerate(a))
    if run.parts == 1:
        return a
    width = size(t) // run.parts
    return tuple(a >> width * i & (1 << width) - 1 for i in range(run.parts))


OPCODES = {
    **dict.fromkeys(("add", "sub", "addc", "subc"), additive),
    **dict.fromkeys(("mul", "mad", "madc"), product),
    **dict.fromkeys(("mul24", "mad24"), product24),
    **dict.fromkeys(("div", "rem"), division),
    **dict.fromkeys(("abs", "neg"), sign),
    **dict.fromkeys(("min", "max"), extreme),
    **dict.fromkeys(("popc", "clz"), counted),
    **dict.fromkeys(("dp4a", "dp2a"), dot),
    **dict.fromkeys(("set", "setp"), comparison),
    **dict.fromkeys(("and", "or", "xor", "not"), bitwise),
    **dict.fromkeys(("shl", "shr"), shift),
    "clmad": carryless,
    "sad": difference,
    "bfind": found,
    "brev": reversed_bits,
    "bfe": extracted,
    "bfi": inserted,
    "fns": nth_set,
    "szext": extended,
    "bmsk": ones,
    "selp": selected,
    "slct": chosen,
    "cnot": lambda words, a, run=None: int(a == 0),
    "lop3": looked_up,
    "shf": funnel,
    "prmt": permuted,
    "mov": moved,
}
