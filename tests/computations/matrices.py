"""Products and transpositions of matrices by the manual: its formulas of fragments, exact numbers, one rounding.

usage: matrices.py [--seed N] OUTPUT
"""

import argparse
import itertools
import random
import re

import cases
import exact

LANES = 32


class Form:
    """A statement with its registers, as `cases` writes it."""

    within, between = None, ()

    def __init__(self, text, ins, outs):
        self.text, self.ins, self.outs = text, ins, outs


class Matrix:
    """The elements of an operand by lane and index: `place` gives part, row and column."""

    def __init__(self, kind, registers, place, width=None, shift=0):
        self.kind, self.registers, self.place, self.shift = kind, registers, place, shift
        self.size = 64 if kind == "f64" else 32
        self.width = width or exact.width(kind)
        self.count = self.size // self.width

    def pack(self, code):
        """The registers of all lanes; `code` gives the bits of an element."""
        words = [[0] * LANES for _ in range(self.registers)]
        for lane in range(LANES):
            for index in range(self.registers * self.count):
                at = index % self.count * self.width + self.shift
                words[index // self.count][lane] |= code(*self.place(lane, index)) << at
        return words


def bits_of(kind, packed):
    """Width of an element of a factor in its register."""
    return 4 if kind == "e2m1" and packed else max(8, exact.width(kind)) if kind in exact.FORMATS else exact.width(kind)


def factor_a(kind, m, k, packed=False):
    width = bits_of(kind, packed)
    e = max(1, 32 // width)

    def place(lane, i):
        group, thread = lane >> 2, lane % 4
        if m == 8:
            return 0, group, thread * e + i
        return 0, group + 8 * (i // e % 2), thread * e + i % e + 4 * e * (i // (2 * e))

    shift = 2 if kind == "e2m1" and not packed else 0
    return Matrix(kind, m * k // LANES // e, place, width, shift)


def factor_b(kind, k, n, packed=False):
    width = bits_of(kind, packed)
    e = max(1, 32 // width)

    def place(lane, i):
        return 0, lane % 4 * e + i % e + 4 * e * (i // e), lane >> 2

    shift = 2 if kind == "e2m1" and not packed else 0
    return Matrix(kind, k * n // LANES // e, place, width, shift)


def sum_of(kind, m, n):
    def place(lane, i):
        return 0, (lane >> 2) + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)

    return Matrix(kind, m * n // LANES // (2 if kind == "f16" else 1), place)


def quarters(a_row, b_row, d, c):
    """The four products of m8n8k4."""

    def part(lane):
        return lane // 4 % 4

    def upper(lane):
        return 0 if lane < 16 else 4

    def a(lane, i):
        row, column = (lane % 4 + upper(lane), i) if a_row else (i % 4 + upper(lane), lane % 4)
        return part(lane), row, column

    def b(lane, i):
        row, column = (lane % 4, i + upper(lane)) if b_row else (i, lane % 4 + upper(lane))
        return part(lane), row, column

    def half(lane, i):
        return part(lane), lane % 4 + upper(lane), i

    def single(lane, i):
        return part(lane), (lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1)

    def of(kind):
        return Matrix(kind, 4, half) if kind == "f16" else Matrix(kind, 8, single)

    return Matrix("f16", 2, a), Matrix("f16", 2, b), of(c), of(d)


class Draw:
    """Random elements."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def bits(self, count):
        return self.random.getrandbits(count)

    def code(self, kind, wild):
        """The code of an element. Floats are near 1, so that binary64 holds their sums; wild ones of few bits are any numbers."""
        form = exact.FORMATS.get(kind)
        if form is None:
            return self.bits(exact.width(kind))
        while True:
            code = self.bits(form.width)
            if kind == "tf32":
                # What the format lacks is ignored.
                code = self.bits(32)
            # Those of eight exponent bits would leave no digit of the others.
            if (not wild or form.exponent > 5) and form.exponent > 3:
                exponent = form.bias + self.random.randint(-4, 3)
                low = form.fraction + form.shift
                code = code & ~((1 << form.exponent) - 1 << low) | exponent << low
            if exact.decode(code, kind).kind == "number":
                return code


def value(code, kind):
    if kind in exact.FORMATS:
        return exact.decode(code, kind)
    bits = exact.width(kind)
    code -= (code >> bits - 1) << bits if kind[0] == "s" else 0
    return exact.number(code)


def clamp(total, saturates):
    low, high = -(1 << 31), (1 << 31) - 1
    return (max(low, min(high, total)) if saturates else total) & 0xFFFFFFFF


def lanes(values):
    return ",".join(f"{it:x}" for it in values)


def names(letter, matrix):
    return [f"{letter}{it}" for it in range(matrix.registers)]


def braces(all_names):
    return "{" + ",".join(f"${it}" for it in all_names) + "}"


def make(head, matrices, shape, draw, *, wild=False, special=False, sparse=None, scale=None, mode="rn", lonely=False):
    """A form and a case of it."""
    a, b, c, d = matrices
    m, n, k = shape
    words = head.split(".")
    elements = {}

    def element(letter, matrix):
        def code(*at):
            key = letter, *at
            if key not in elements:
                elements[key] = draw.code(matrix.kind, wild and letter != "c")
            return elements[key]

        return code

    of_a, of_b, of_c = element("a", a), element("b", b), element("c", c)
    parts = sorted({matrices[3].place(lane, 0)[0] for lane in range(LANES)})
    kept = sparse["kept"] if sparse else (1, 1)
    stored = k * kept[0] // kept[1]
    if special:
        infinity = exact.encode(exact.Number("infinity"), a.kind) if a.kind in ("f16", "bf16", "tf32", "e5m2") else None
        if infinity is not None:
            elements["a", 0, 1, 2] = infinity
            elements["b", 0, 1, 3] = infinity
            elements["a", 0, 3, 0] = exact.CANONICAL[a.kind]
        elements["c", 0, 5, 5] = exact.encode(exact.NOT_A_NUMBER, c.kind)
        elements["c", 0, 6, 6] = exact.encode(exact.number(0, True), c.kind)
        elements["c", 0, 4, 2] = exact.largest(c.kind)
    if lonely:
        # One product in each sum, so that no order of steps matters.
        for row, column in itertools.product(range(m), range(k)):
            if column != row % k:
                elements["a", 0, row, column] = 0
    ins, columns = [], []

    def add(name, kind, values):
        ins.append((name, kind))
        columns.append(lanes(values))

    for letter, matrix, code in (("a", a, of_a), ("b", b, of_b), ("c", c, of_c)):
        for name, words_of in zip(names(letter, matrix), matrix.pack(code)):
            add(name, f"b{matrix.size}", words_of)
    operands = [braces(names("d", d)), braces(names("a", a)), braces(names("b", b)), braces(names("c", c))]

    # Where each stored element of a is.
    position = {}
    if sparse:
        word = [draw.bits(32) for _ in range(LANES)]
        there, all_of = kept
        selector = draw.random.randrange(sparse["selectors"])
        for row, chunk in itertools.product(range(m), range(k // all_of)):
            if there == 1:
                chosen = draw.random.randrange(2)
                nibble, at = (0b0100, 0b1110)[chosen], [chosen]
            else:
                first, second = sorted(draw.random.sample(range(4), 2))
                nibble = first | second << 2
                at = [first, second] if there == 2 else [2 * first, 2 * first + 1, 2 * second, 2 * second + 1]
            for index, it in enumerate(at):
                position[row, chunk * there + index] = chunk * all_of + it
            group, second_row = row % 8, row // 8
            if sparse["halves"]:
                # Four chunks of a row in each half of a register, the lower for the first row.
                in_four = selector * (k // all_of // 4) + chunk // 4
                shift = 16 * second_row + 4 * (chunk % 4)
            else:
                # Eight chunks of one row; neighbouring lanes have the two rows.
                in_four = (2 * selector if k // all_of == 8 else 0) + second_row + 2 * (chunk // 8)
                shift = 4 * (chunk % 8)
            lane = 4 * group + in_four
            word[lane] = word[lane] & ~(15 << shift) & 0xFFFFFFFF | nibble << shift
        add("e", "b32", word)
        operands += ["$e", str(selector)]
    else:
        position = {(row, it): it for row in range(m) for it in range(k)}

    factors = {}
    if scale:
        kind, blocks = scale
        for side, count in (("a", 2), ("b", 4)):
            byte = draw.random.randrange(4) if blocks == 1 else draw.random.choice((0, 2)) if blocks == 2 else 0
            thread = draw.random.randrange(count)
            word = [sum((draw.random.randint(123, 131) if kind == "ue8m0" else draw.bits(7) % 127) << 8 * it for it in range(4)) for _ in range(LANES)]
            for at, block in itertools.product(range(16 if side == "a" else 8), range(blocks)):
                # Of a two lanes of a group have the rows, of b one has the column.
                lane = 4 * (at % 8) + 2 * thread + at // 8 if side == "a" else 4 * at + thread
                code = word[lane] >> 8 * (byte + block) & 0xFF
                factors[side, at, block] = exact.decode(code, "ue8m0" if kind == "ue8m0" else "e4m3")
            add(f"s{side}", "b32", word)
            operands += [f"$s{side}", f"{{{byte}, {thread}}}"]

    def product(part, row, column, it):
        at = position[row, it]
        x, y = value(of_a(part, row, it), a.kind), value(of_b(part, at, column), b.kind)
        if "xor" in words:
            return exact.number(x.value != y.value)
        result = exact.multiply(x, y)
        if scale:
            block = at * scale[1] // k
            result = exact.multiply(exact.multiply(result, factors["a", row, block]), factors["b", column, block])
        return result

    results = {}
    for part, row, column in itertools.product(parts, range(m), range(n)):
        total = value(of_c(part, row, column), c.kind)
        for it in range(stored):
            total = exact.add(total, product(part, row, column, it))
        if d.kind == "s32":
            results[part, row, column] = clamp(int(total.signed), "satfinite" in words)
        else:
            results[part, row, column] = exact.encode(total, d.kind, mode)
    outs = [(name, f"b{d.size}") for name in names("d", d)]
    columns += [lanes(it) for it in d.pack(lambda *at: results[at])]
    return Form(f"{head} {', '.join(operands)};", ins, outs), [["ffffffff", *columns]]


def shape_of(word):
    return tuple(int(it) for it in re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word).groups())


def dense(draw):
    """`mma` of whole matrices."""
    for shape, d, a, b, c, tail in DENSE:
        m, n, k = shape_of(shape)
        packed = "mxf4" in tail[0]
        matrices = factor_a(a, m, k, packed), factor_b(b, k, n, packed), sum_of(c, m, n), sum_of(d, m, n)
        before, after = tail
        for kinds in ({}, {"wild": True, "special": True}) if d[0] == "f" and d != "f64" else ({},):
            head = f"mma.sync.aligned.{shape}.row.col{before}.{d}.{a}.{b}.{c}{after}"
            scale = None
            if "block_scale" in before:
                count = re.search(r"scale_vec::(\d)X", before)
                scale = after.strip("."), int(count[1]) if count else 2 if "mxf4" in before else 1
                # Numbers and factors are few, so that binary64 holds the sums.
                kinds.pop("special", None)
            yield make(head, matrices, (m, n, k), draw, scale=scale, **kinds)
    for rounding in ("", ".rn", ".rz", ".rm", ".rp"):
        for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
            m, n, k = shape_of(shape)
            matrices = factor_a("f64", m, k), factor_b("f64", k, n), sum_of("f64", m, n), sum_of("f64", m, n)
            head = f"mma.sync.aligned.{shape}.row.col{rounding}.f64.f64.f64.f64"
            yield make(head, matrices, (m, n, k), draw, mode=rounding[1:] or "rn", lonely=True)
    for a_row, b_row, (d, c) in itertools.product((True, False), (True, False), (("f16", "f16"), ("f32", "f16"), ("f32", "f32"))):
        orders = f"{'row' if a_row else 'col'}.{'row' if b_row else 'col'}"
        head = f"mma.sync.aligned.m8n8k4.{orders}.{d}.f16.f16.{c}"
        yield make(head, quarters(a_row, b_row, d, c), (8, 8, 4), draw)


def sparse(draw):
    """`mma` with a matrix of which half is left out."""
    for shape, d, a, b, c, kept, selectors, tail in SPARSE:
        m, n, k = shape_of(shape)
        before, after = tail
        packed = "mxf4" in before
        matrices = factor_a(a, m, k // 2, packed), factor_b(b, k, n, packed), sum_of(c, m, n), sum_of(d, m, n)
        about = {"kept": kept, "selectors": selectors, "halves": exact.width(a) > 8}
        scale = None
        if "block_scale" in before:
            count = re.search(r"scale_vec::(\d)X", before)
            scale = after.strip("."), int(count[1]) if count else 2 if "mxf4" in before else 1
        words = ["sp::ordered_metadata"] if before or d == "f16" and exact.width(a) == 8 else ["sp", "sp::ordered_metadata"]
        for word in words:
            head = f"mma.{word}.sync.aligned.{shape}.row.col{before}.{d}.{a}.{b}.{c}{after}"
            yield make(head, matrices, (m, n, k), draw, sparse=about, scale=scale)


def transposed(draw):
    word = [draw.bits(32) for _ in range(LANES)]
    result = [0] * LANES
    for row, column in itertools.product(range(8), range(8)):
        code = word[4 * row + column // 2] >> 16 * (column % 2) & 0xFFFF
        result[4 * column + row // 2] |= code << 16 * (row % 2)
    form = Form("movmatrix.sync.aligned.m8n8.trans.b16 $d, $a;", [("a", "b32")], [("d", "b32")])
    yield form, [["ffffffff", lanes(word), lanes(result)]]


NONE = "", ""
F8 = "e4m3", "e5m2"
F6 = "e3m2", "e2m3", "e2m1"
DENSE = [
    *((shape, d, "f16", "f16", d, NONE) for shape in ("m16n8k8", "m16n8k16") for d in ("f16", "f32")),
    *((shape, "f32", "bf16", "bf16", "f32", NONE) for shape in ("m16n8k8", "m16n8k16")),
    *((shape, "f32", "tf32", "tf32", "f32", NONE) for shape in ("m16n8k4", "m16n8k8")),
    *((shape, d, a, b, d, NONE) for shape in ("m16n8k16", "m16n8k32") for d in ("f16", "f32") for a in F8 for b in F8),
    *(("m16n8k32", d, a, b, d, (".kind::f8f6f4", "")) for d, (a, b) in zip(("f32", "f16") * 5, (("e3m2", "e2m3"), ("e2m1", "e2m1"), ("e2m3", "e2m1"), ("e2m1", "e4m3"), ("e5m2", "e3m2"), ("e3m2", "e3m2")))),
    *((shape, "s32", a, b, "s32", (full, "")) for shape in ("m8n8k16", "m16n8k16", "m16n8k32") for a in ("s8", "u8") for b in ("s8", "u8") for full in ("", ".satfinite")),
    *((shape, "s32", a, b, "s32", (full, "")) for shape in ("m8n8k32", "m16n8k32", "m16n8k64") for a in ("s4", "u4") for b in ("s4", "u4") for full in ("", ".satfinite")),
    *((shape, "s32", "b1", "b1", "s32", ("", f".{op}.popc")) for shape in ("m8n8k128", "m16n8k128", "m16n8k256") for op in ("xor", "and")),
    ("m16n8k64", "f32", "e2m1", "e2m1", "f32", (".kind::mxf4.block_scale", ".ue8m0")),
    ("m16n8k64", "f32", "e2m1", "e2m1", "f32", (".kind::mxf4.block_scale.scale_vec::2X", ".ue8m0")),
    ("m16n8k64", "f32", "e2m1", "e2m1", "f32", (".kind::mxf4nvf4.block_scale.scale_vec::2X", ".ue8m0")),
    ("m16n8k64", "f32", "e2m1", "e2m1", "f32", (".kind::mxf4nvf4.block_scale.scale_vec::4X", ".ue4m3")),
    ("m16n8k64", "f32", "e2m1", "e2m1", "f32", (".kind::mxf4nvf4.block_scale.scale_vec::4X", ".ue8m0")),
    *(("m16n8k32", "f32", a, b, "f32", (f".kind::mxf8f6f4.block_scale{size}", ".ue8m0")) for size, a, b in (("", "e4m3", "e5m2"), (".scale_vec::1X", "e3m2", "e2m3"), ("", "e2m1", "e2m1"), ("", "e5m2", "e2m1"))),
]
SPARSE = [
    *(("m16n8k16", d, "f16", "f16", d, (2, 4), 4, NONE) for d in ("f16", "f32")),
    *(("m16n8k32", d, "f16", "f16", d, (2, 4), 2, NONE) for d in ("f16", "f32")),
    ("m16n8k16", "f32", "bf16", "bf16", "f32", (2, 4), 4, NONE),
    ("m16n8k32", "f32", "bf16", "bf16", "f32", (2, 4), 2, NONE),
    ("m16n8k8", "f32", "tf32", "tf32", "f32", (1, 2), 4, NONE),
    ("m16n8k16", "f32", "tf32", "tf32", "f32", (1, 2), 2, NONE),
    *(("m16n8k32", "s32", a, b, "s32", (2, 4), 2, (full, "")) for a, b in (("s8", "u8"), ("u8", "s8")) for full in ("", ".satfinite")),
    *(("m16n8k64", "s32", a, b, "s32", (2, 4), 1, (full, "")) for a, b in (("s8", "s8"), ("u8", "u8")) for full in ("", ".satfinite")),
    *(("m16n8k64", "s32", a, b, "s32", (4, 8), 2, (full, "")) for a, b in (("s4", "u4"), ("u4", "s4")) for full in ("", ".satfinite")),
    *(("m16n8k128", "s32", a, b, "s32", (4, 8), 1, (full, "")) for a, b in (("s4", "s4"), ("u4", "u4")) for full in ("", ".satfinite")),
    *(("m16n8k64", "f32", a, b, "f32", (2, 4), 1, NONE) for a, b in (("e4m3", "e5m2"), ("e5m2", "e4m3"))),
    *(("m16n8k64", d, a, b, d, (2, 4), 1, (".kind::f8f6f4", "")) for d, a, b in (("f32", "e3m2", "e2m3"), ("f16", "e2m1", "e2m1"), ("f16", "e2m3", "e3m2"), ("f16", "e4m3", "e5m2"))),
    *(("m16n8k128", "f32", "e2m1", "e2m1", "f32", (4, 8), 1, (f".kind::{kind}.block_scale{size}", f".{factor}")) for kind, size, factor in (("mxf4", "", "ue8m0"), ("mxf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::4X", "ue4m3"))),
    *(("m16n8k64", "f32", a, b, "f32", (2, 4), 1, (f".kind::mxf8f6f4.block_scale{size}", ".ue8m0")) for size, a, b in (("", "e4m3", "e5m2"), (".scale_vec::1X", "e3m2", "e2m3"), ("", "e2m1", "e4m3"), ("", "e5m2", "e2m1"))),
]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("output")
    options = parser.parse_args()
    draw = Draw(options.seed)
    judged = [*dense(draw), *sparse(draw), *transposed(draw)]
    cases.write(options.output, f"matrices by the manual, seed {options.seed}", judged)


if __name__ == "__main__":
    main()
