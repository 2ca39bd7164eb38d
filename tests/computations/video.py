"""Video instructions, by chapter 9.7.19 of the manual."""

from integers import ORDERS, clamp, value

SECOND = {"add": lambda x, y: x + y, "min": min, "max": max}


def parsed(operand):
    """Name, selector and whether it is negated."""
    name, _, selector = operand.lstrip("-").partition(".")
    return name, selector, operand.startswith("-")


def part_type(t, selector):
    """The type of the part that a selector of one part names."""
    return t[0] + {"": "32", "b": "8", "h": "16"}[selector[:1]]


def part(bits, selector, t):
    at = int(selector[1]) * (8 if selector[0] == "b" else 16) if selector else 0
    return value(bits >> at, part_type(t, selector))


def result(words, operands, read):
    if words[0][-1] in "24":
        return simd(words, operands, read)
    (d, to, _), (a, from_a, minus_a), (b, from_b, minus_b) = map(parsed, operands[:3])
    types = [it for it in words[1:] if it in ("u32", "s32")]
    if words[0] == "vset":
        types = ["u32"] + types
    x, y = part(read(a), from_a, types[1]), part(read(b), from_b, types[2])
    third = parsed(operands[3]) if len(operands) > 3 else None
    if words[0] == "vmad":
        return vmad(words, types, x, y, minus_a, minus_b, read(third[0]), third[2])
    t = scalar(words, x, y)
    if "sat" in words:
        t = clamp(t, part_type(types[0], to))
    if third is None:
        return t & 0xFFFFFFFF
    c = read(third[0])
    for word in words[2:]:
        if word in SECOND:
            # The intermediate result is not truncated before.
            return SECOND[word](t, value(c, types[0])) & 0xFFFFFFFF
    width = 8 if to[0] == "b" else 16
    at = int(to[1]) * width
    hole = (1 << width) - 1 << at
    return c & ~hole | t << at & hole


def scalar(words, x, y):
    op = words[0]
    if op in ("vshl", "vshr"):
        n = y & 31 if "wrap" in words else min(y, 32)
        return x << n if op == "vshl" else x >> n
    if op == "vset":
        return int(ORDERS[words[3]](x, y))
    return {"vadd": x + y, "vsub": x - y, "vabsdiff": abs(x - y), "vmin": min(x, y), "vmax": max(x, y)}[op]


def vmad(words, types, x, y, minus_a, minus_b, c, minus_c):
    product = -x * y if minus_a != minus_b else x * y
    signed = "s32" in types[1:] or minus_a != minus_b or minus_c
    c = value(c, "s32" if signed else "u32")
    total = product + (-c if minus_c else c) + ("po" in words)
    shift = 7 if "shr7" in words else 15 if "shr15" in words else 0
    total >>= shift
    return (clamp(total, "s32" if signed else "u32") if "sat" in words else total) & 0xFFFFFFFF


def simd(words, operands, read):
    count = int(words[0][-1])
    width = 32 // count
    (_, mask, _), (a, from_a, _), (b, from_b, _), (c, _, _) = map(parsed, operands)
    types = [it for it in words[1:] if it in ("u32", "s32")]
    op = words[0][:-1]
    if op == "vset":
        types = ["u32"] + types
    pool = read(b) << 32 | read(a)
    small = [it[0] + str(width) for it in types]

    def pick(selector, first, t):
        # The selector has the element of the highest part first.
        digits = [int(it) for it in reversed(selector[1:])] or list(range(first, first + count))
        return [value(pool >> width * digit, t) for digit in digits]

    rows = zip(pick(from_a, 0, small[1]), pick(from_b, count, small[2]))
    results = [vector(op, words, x, y) for x, y in rows]
    if "sat" in words:
        results = [clamp(it, small[0]) for it in results]
    chosen = [int(it) for it in mask[1:]] or list(range(count))
    c = read(c)
    if "add" in words:
        return c + sum(results[i] for i in chosen) & 0xFFFFFFFF
    for i in chosen:
        hole = (1 << width) - 1 << width * i
        c = c & ~hole | results[i] << width * i & hole
    return c


def vector(op, words, x, y):
    if op == "vavrg":
        # Rounded away from zero in the middle.
        total = x + y
        return total + 1 >> 1 if total >= 0 else total >> 1
    if op == "vset":
        return int(ORDERS[words[3]](x, y))
    return {"vadd": x + y, "vsub": x - y, "vabsdiff": abs(x - y), "vmin": min(x, y), "vmax": max(x, y)}[op]
