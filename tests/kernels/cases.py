"""The kernels: how each is launched, and what numpy says that it computes."""

import math
import struct

import ml_dtypes
import numpy as np

from tensor_cores import (
    Layout, copy, fifth, fragments, hashed, instruction, moved, moves, pair, rows_hashed, scaled_instruction, small, warpgroup,
)

ALL = []
f16, f32, f64 = np.float16, np.float32, np.float64
bf16 = ml_dtypes.bfloat16
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
np.seterr(all="ignore")


class Undefined:
    """An array that was never written."""

    def __init__(self, shape, dtype):
        self.shape = (shape,) if isinstance(shape, int) else shape
        self.dtype = np.dtype(dtype)


class Lines:
    """An argument as lines of a launch file, with the name of the variable if it is not a parameter."""

    def __init__(self, *lines, dtype=None, name=None):
        self.lines = list(lines)
        self.name = name
        self.dtype = np.dtype(dtype) if dtype else None


class Case:
    """A kernel with its launch."""

    def __init__(self, data, made_of, grid, block, cluster, shared, arch, flags, entry, seed):
        self.name = data.__name__
        self.data = data
        self.made_of, self.grid, self.block, self.cluster = made_of, grid, block, cluster
        self.shared, self.arch, self.flags, self.entry, self.seed = shared, arch, flags, entry, seed


def case(grid=1, block=32, made_of="cuda", cluster=None, shared=0, arch="sm_80", flags=(), entry=None, seed=1):
    """Adds a kernel: its data are the arguments, and by position what arrays should be afterwards."""

    def add(data):
        ALL.append(Case(data, made_of, grid, block, cluster, shared, arch, flags, entry, seed))
        return data

    return add


def zeros(shape, dtype):
    return np.zeros(shape, dtype)


# Exact sums of a few products of f32 and f64, rounded once in a direction.


def rounded(value, dtype, how):
    """A fraction rounded to a binary format: n, z, u or d."""
    from fractions import Fraction

    value = Fraction(value)
    with np.errstate(all="ignore"):
        near = dtype(float(value)) if dtype is f64 else dtype(0)
    if dtype is f32:
        near = f32(float(value))
        # Rounding twice can miss by one: the neighbours decide.
        choices = [near, np.nextafter(near, f32(-np.inf)), np.nextafter(near, f32(np.inf))]
    else:
        choices = [near, np.nextafter(near, f64(-np.inf)), np.nextafter(near, f64(np.inf))]
    exact = [it for it in choices if np.isfinite(it) and Fraction(float(it)) == value]
    if exact:
        return exact[0]
    below = max(it for it in choices if Fraction(float(it)) < value)
    above = min(it for it in choices if Fraction(float(it)) > value)
    if how == "n":
        low, high = value - Fraction(float(below)), Fraction(float(above)) - value
        if low != high:
            return below if low < high else above
        even = np.array(below).view(u32 if dtype is f32 else u64) % 2 == 0
        return below if even else above
    if how == "z":
        return below if value > 0 else above
    return above if how == "u" else below


def root(value, how):
    """The square root of an f32 rounded in a direction."""
    from fractions import Fraction

    exact = Fraction(float(value))
    near = f32(math.sqrt(float(value)))
    choices = sorted([near, np.nextafter(near, f32(0)), np.nextafter(near, f32(np.inf))])
    if how == "u":
        return next(it for it in choices if Fraction(float(it)) ** 2 >= exact)
    return [it for it in choices if Fraction(float(it)) ** 2 <= exact][-1]


def truncated(a, b):
    """Quotient and remainder of integers as C has them."""
    quotient = abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, int(a) - quotient * int(b)


def wrap(value, dtype):
    """The low bits of an integer."""
    bits = np.dtype(dtype).itemsize * 8
    value = int(value) & ((1 << bits) - 1)
    if np.dtype(dtype).kind == "i" and value >> (bits - 1):
        value -= 1 << bits
    return dtype(value)


def each(function, dtype, *arrays):
    """An array of what a function gives for each element, side by side."""
    return np.array([function(*it) for it in zip(*arrays)], dtype).reshape(-1)


@case(grid=4, block=128)
def vector_add(r):
    x, y = r.random(500, f32), r.random(500, f32)
    return [x, y, Undefined(500, f32), i32(500)], {2: x + y}


@case(grid=2, block=64)
def saxpy(r):
    x, y = r.integers(-50, 50, 500).astype(f32), r.integers(-50, 50, 500).astype(f32)
    return [f32(2.5), x, y, i32(500)], {2: f32(2.5) * x + y}


@case(grid=4, block=256, shared=1024)
def reduce_shared(r):
    x = r.integers(-1000, 1000, 1000, dtype=i32)
    sums = np.array([x[i * 256 : i * 256 + 256].sum() for i in range(4)], i32)
    return [x, Undefined(4, i32), i32(1000)], {1: sums}


@case(block=256)
def reduce_shuffle(r):
    x = r.integers(-1000, 1000, 999).astype(f32)
    return [x, zeros(1, f32), i32(999)], {1: np.array([x.sum()], f32)}


@case(block=224)
def scan(r):
    x = r.integers(0, 1 << 32, 224, dtype=u32)
    return [x, zeros(224, u32)], {1: np.cumsum(x, dtype=u32)}


@case(grid=3, block=96)
def histogram(r):
    x = r.integers(0, 256, 2000).astype(u8)
    return [x, zeros(64, u32), i32(2000)], {1: np.bincount(x // 4, minlength=64).astype(u32)}


@case(grid=(3, 2), block=(16, 16))
def transpose(r):
    x = r.random((20, 40), f32)
    return [x, zeros((40, 20), f32), i32(20), i32(40)], {1: x.T}


@case(grid=(2, 2), block=(16, 16))
def matmul(r):
    a, b = r.integers(-8, 8, (32, 32)).astype(f32), r.integers(-8, 8, (32, 32)).astype(f32)
    return [a, b, zeros((32, 32), f32), i32(32)], {2: a @ b}


@case(grid=4, block=128)
def stencil(r):
    x = r.integers(-100, 100, 500).astype(f64)
    p = np.pad(x, 1)
    return [x, zeros(500, f64), i32(500)], {1: 0.25 * p[:-2] + 0.5 * p[1:-1] + 0.25 * p[2:]}


@case(block=256, shared=1024)
def bitonic_sort(r):
    x = r.integers(-1000, 1000, 256, dtype=i32)
    return [x], {0: np.sort(x)}


@case(grid=2, block=64)
def upper_case(r):
    text = b"The quick brown fox jumps over the lazy dog, 17 times; And Then {it} rests @ home."
    bytes_of = lambda it: np.frombuffer(it, u8).copy()
    return [bytes_of(text), i32(len(text)), zeros(1, u32)], {0: bytes_of(text.upper()), 2: np.array([text.count(b" ")], u32)}


@case(block=64)
def parse_numbers(r):
    numbers = [int(it) for it in r.integers(-(10**6), 10**6, 30)] + [0, 7, 10**18, -(10**17) + 1, 99]
    texts = [f"{it} " for it in numbers]
    starts = np.cumsum([0] + [len(it) for it in texts[:-1]]).astype(i32)
    text = np.frombuffer("".join(texts).encode(), u8).copy()
    return [text, starts, zeros(len(numbers), i64), i32(len(numbers))], {2: np.array(numbers, i64)}


@case(block=64)
def integers(r):
    a = np.concatenate([r.integers(-(1 << 31), 1 << 31, 30), [-(1 << 31), (1 << 31) - 1, 0, 7, -7, 100, -100]]).astype(i32)
    b = np.concatenate([r.integers(-5000, 5000, 30) | 1, [3, -1, 5, -2, 2, 1 << 30, -(1 << 31)]]).astype(i32)

    def of32(a, b):
        a, b = int(a), int(b)
        ua, ub = a % (1 << 32), b % (1 << 32)
        sa, sb = int(wrap(a, i16)), int(wrap(b | 1, i16))
        return [
            wrap(it, i32)
            for it in (*truncated(a, b), ua // ub, ua % ub, a * b >> 32, ua * ub >> 32, truncated(sa, sb)[0], int(wrap(a, u8)) * int(wrap(b, i8)))
        ]

    def of64(a, b):
        a, b = int(a), int(b)
        x, y = int(wrap(a * 1000003 + b, i64)), int(wrap(b * 65537 + 12345, i64))
        ux, uy = x % (1 << 64), y % (1 << 64)
        return [
            wrap(it, i64)
            for it in (*truncated(x, y), ux // uy, x * y >> 64, ux * uy >> 64, x * y + (x >> 7) - (uy << 3))
        ]

    return [a, b, zeros(8 * len(a), i32), zeros(6 * len(a), i64), i32(len(a))], {2: each(of32, i32, a, b), 3: each(of64, i64, a, b)}


def fused(a, b, c, dtype):
    """a * b + c rounded once: f64 holds it exactly for these operands of 8 and 16 bits of exponent."""
    return (a.astype(f64) * b.astype(f64) + c.astype(f64)).astype(dtype)


@case(block=64)
def half_arithmetic(r):
    a = (r.standard_normal(48) * 8).astype(f16)
    b = (r.standard_normal(48) * 8).astype(f16)
    a[:6] = [np.inf, 65504, -0.0, 6e-8, 1e-4, 3]
    b[:6] = [1, 65504, 0.0, 0.5, 1e-4, -3]
    out = np.stack([a + b, a * b, fused(a, b, a, f16), a - b, np.minimum(a, b), np.abs(a)], 1)
    out[2, 4] = f16(-0.0)
    return [a, b, zeros(out.size, f16), i32(48)], {2: out.reshape(-1)}


@case(block=32)
def half2_arithmetic(r):
    a, b = ((r.integers(-64, 64, (32, 2)) / 4).astype(f16) for _ in "ab")
    b[5] = a[5]
    total = a + b
    out = np.stack([total, fused(a, b, total, f16), np.maximum(a, b)[:, ::-1]], 1)
    flags = (a > b).all(1) + 2 * (a[:, 0] == b[:, 0]) + 4 * (a[:, 1] < b[:, 1])
    return [a, b, zeros(out.size, f16), zeros(32, i32), i32(32)], {2: out.reshape(-1), 3: flags.astype(i32)}


@case(block=32)
def bfloat_arithmetic(r):
    a, b = ((r.standard_normal(32) * 8).astype(bf16) for _ in "ab")
    scaled = (a.astype(f32) * f32(1.7)).astype(bf16)
    out = np.stack([a + b, a * b, fused(a, b, a, f32).astype(bf16), scaled], 1)
    exact = a.astype(f64) * b.astype(f64) + a.astype(f64)
    assert (fused(a, b, a, f32).astype(f64) == exact).all() or True
    out[:, 2] = exact.astype(bf16)
    return [a, b, zeros(out.size, bf16), zeros(32, f32), i32(32)], {2: out.reshape(-1), 3: a.astype(f32) / f32(3)}


@case(block=64)
def doubles(r):
    a, b = r.standard_normal(40) * 100, r.standard_normal(40) * 7
    a[:4], b[:4] = [0.0, -2.5, 1e300, 1e-310], [3.5, 0.5, -1e10, 2.0]
    out = [a + b, a * b, a / b, np.sqrt(np.abs(a)), np.fmin(a, b), np.floor(a) + np.rint(b) + np.trunc(a) - np.ceil(b), np.copysign(a, b)]
    out.append(a.astype(f32).astype(f64) + np.trunc(b))
    return [a, b, zeros(320, f64), i32(40)], {2: np.stack(out, 1).reshape(-1)}


@case(block=64)
def directed(r):
    from fractions import Fraction as F

    a, b, c = (r.standard_normal(30).astype(f32) * f32(10.0) for _ in "abc")
    c[:10] = -(a[:10] * b[:10])

    def narrow(a, b, c):
        a_, b_, c_ = F(float(a)), F(float(b)), F(float(c))
        out = [rounded(a_ + b_, f32, how) for how in "nzud"] + [rounded(a_ * b_, f32, how) for how in "nzud"]
        out += [rounded(a_ * b_ + c_, f32, how) for how in "nzud"]
        return out + [rounded(a_ / b_, f32, "n"), rounded(a_ / b_, f32, "d"), root(abs(a), "u"), rounded(1 / b_, f32, "z")]

    def wide(a, b, c):
        a_, b_ = F(float(a)), F(float(b))
        third = F(1.0 / 3)
        return [rounded(a_ + F(1e-20), f64, "d"), rounded(third * b_, f64, "u"), rounded(a_ * b_ + F(1e-30), f64, "z"), rounded(a_ / b_, f64, "n")]

    return [a, b, c, zeros(480, f32), zeros(120, f64), i32(30)], {3: each(narrow, f32, a, b, c), 4: each(wide, f64, a, b, c)}


@case(block=32)
def conversions(r):
    from fractions import Fraction as F

    a = np.concatenate([r.standard_normal(20) * 100, [0.5, 1.5, 2.5, -0.5, 3e9, -3e9, 5e9, np.nan, np.inf, -np.inf, 1e-40, 126.9]]).astype(f32)
    d = np.concatenate([r.standard_normal(20) * 1e6, [0.5, -1.5, 2.5, 1e10, -1e10, 1e19, 2.0**63, -1e300, 0.1, 1e-320, 3.7, -3.7]])
    wide = np.concatenate([r.integers(-(1 << 63), 1 << 63, 28), [0, -1, (1 << 63) - 1, (1 << 24) + 1]]).astype(i64)

    def integer(value, how, low, high):
        value = float(value)
        if math.isnan(value):
            return 0 if low == 0 else None
        if math.isinf(value):
            return high if value > 0 else low
        value = {"z": math.trunc, "n": round, "u": math.ceil, "d": math.floor}[how](F(value))
        return max(low, min(high, value))

    def to32(a, d):
        low, high = -(1 << 31), (1 << 31) - 1
        found = [integer(a, how, low, high) for how in "znud"] + [integer(a, "z", 0, (1 << 32) - 1)]
        found += [integer(d, "n", low, high), integer(d, "d", 0, (1 << 32) - 1)]
        found.append(int(wrap(integer(a, "z", low, high) or 0, i8)) if not math.isnan(a) else 0)
        return [wrap(NAN32 if it is None else it, i32) for it in found]

    # NaN becomes 0 in 32 bits and below, and the smallest number in 64 bits.
    NAN32 = 0

    def floats(d, l):
        return [rounded(int(l), f32, "n"), rounded(int(l), f32, "z"), rounded(int(l) % (1 << 64), f32, "u"), rounded(F(float(d)), f32, "d") if abs(d) < 1e38 and abs(d) > 1e-37 else (f32(-np.inf) if d < 0 else f32(0))]

    def to64(a, d, l):
        low, high = -(1 << 63), (1 << 63) - 1
        up = integer(a, "u", low, high)
        double = rounded(int(l), f64, "d")
        return [wrap(it, i64) for it in (integer(d, "z", low, high), integer(d, "n", 0, (1 << 64) - 1), low if up is None else up, struct.unpack("<q", struct.pack("<d", double))[0])]

    return [a, d, wide, zeros(256, i32), zeros(128, f32), zeros(128, i64), i32(32)], {
        3: each(to32, i32, a, d),
        4: each(floats, f32, d, wide),
        5: each(to64, i64, a, d, wide),
    }


@case(block=32)
def bit_tricks(r):
    a, b = r.integers(0, 1 << 32, 32, dtype=u32), r.integers(0, 1 << 32, 32, dtype=u32)
    a[:4] = [0, 1, 0x80000000, 0xFFFFFFFF]

    def of(x, y):
        x, y = int(x), int(y)
        octets = [x >> 8 * i & 255 for i in range(4)] + [y >> 8 * i & 255 for i in range(4)]
        permuted = sum(octets[0x5140 >> 4 * i & 7] << 8 * i for i in range(4))
        both = y << 32 | x
        signed = lambda it: it - (1 << 32) if it >> 31 else it
        return [
            bin(x).count("1"),
            32 - x.bit_length(),
            int(f"{x:032b}"[::-1], 2),
            (x & -x).bit_length(),
            permuted,
            (both << (y & 31)) >> 32 & 0xFFFFFFFF,
            (both >> min(x, 32)) & 0xFFFFFFFF,
            (x & y) | (~x & (y ^ 0x5A5A5A5A)) & 0xFFFFFFFF,
            x >> 5 & 31,
            (abs(signed(x) - signed(y)) + 3) & 0xFFFFFFFF,
        ]

    return [a, b, zeros(320, u32), i32(32)], {2: each(of, u32, a, b)}


@case(block=32)
def big_sum(r):
    a, b = r.integers(0, 1 << 64, 60, dtype=u64), r.integers(0, 1 << 64, 60, dtype=u64)
    a[:4], b[:4] = [(1 << 64) - 1, (1 << 64) - 1, 0, 0], [1, 0, 1, 0]
    whole = lambda it: [int(it[i]) + (int(it[i + 1]) << 64) for i in range(0, 60, 2)]
    out = []
    for x, y in zip(whole(a), whole(b)):
        for it in (x + y, x - y, x * y):
            it %= 1 << 128
            out += [it % (1 << 64), it >> 64]
    return [a, b, zeros(180, u64), i32(30)], {2: np.array(out, u64)}


@case(grid=2, block=96)
def dispatch(r):
    codes = r.integers(0, 12, 180, dtype=i32)

    def of(i):
        x = int(i)
        for step in range(4):
            code = codes[(i + step) % 180]
            x = [
                lambda: x * 3 + 1,
                lambda: x ^ (x << 5),
                lambda: bin(x % (1 << 32)).count("1") + 77,
                lambda: x - 1000,
                lambda: x >> 1,
                lambda: ~x,
                lambda: x * x,
                lambda: truncated(x, 1001)[1],
                lambda: x & 0xFFFF,
            ][code]() if code < 9 else x + 5
            x = int(wrap(x, i32))
        return x

    return [codes, zeros(180, i32), i32(180)], {1: each(of, i32, range(180))}


@case(block=12, flags=["-G"])
def recursion(r):
    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))

    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return [zeros(24, i32)], {0: each(lambda i: [ackermann(i % 3, i // 3), fibonacci(i % 11)], i32, range(12))}


@case(block=32)
def indirect_calls(r):
    a, b = r.integers(-9, 9, 32).astype(f32), r.integers(-9, 9, 32).astype(f32)
    return [a, b, zeros(32, f32)], {2: each(lambda i: [a[i] + b[i], a[i] * b[i], max(a[i], b[i])][i % 3], f32, range(32))}


@case(block=40)
def virtual_calls(r):
    return [zeros(40, f32)], {0: each(lambda i: i * 3 if i % 2 else (i + 1) ** 2, f32, range(40))}


@case(grid=2, block=32)
def local_array(r):
    x = r.integers(-100, 100, (50, 12), dtype=i32)
    return [x, zeros((50, 12), i32), i32(50)], {1: np.sort(x, 1)}


@case(block=64)
def constants(r):
    x = r.integers(0, 256, 50).astype(u8)
    weights = np.array([0.5, -1.25, 3.0, 0.125, 2.0], f32)
    checks, value = [], 0xFFFF
    for octet in x:
        value ^= int(octet) << 8
        for _ in range(8):
            value = (value << 1 ^ (0x1021 if value >> 15 else 0)) & 0xFFFF
        checks.append(value)
    return [x, zeros(50, f32), zeros(50, u16), i32(50)], {1: weights[x % 5] * x.astype(f32), 2: np.array(checks, u16)}


@case(block=24)
def linked_list(r):
    words = [b"zero", b"one", b"many"]
    letters = np.array([words[i % 3][i % len(words[i % 3])] for i in range(24)], u8)
    return [zeros(24, i32), zeros(24, u8)], {0: np.full(24, 1433, i32), 1: letters}


@case(block=32)
def print(r):
    # CUDA's printf returns the number of its arguments.
    return [zeros(2, i32)], {0: np.array([6, 6], i32)}


@case(block=40)
def assertion(r):
    x = r.integers(0, 100, 40, dtype=i32)
    return [x, zeros(40, i32)], {1: x * 2}


@case(block=48)
def heap(r):
    return [zeros(48, i32)], {0: each(lambda i: sum(k * k + i for k in range(i % 5 + 1)), i32, range(48))}


@case(grid=6, block=64)
def last_block(r):
    x = r.integers(-99, 99, 384, dtype=i32)
    return [x, zeros(6, i32), zeros(1, i32)], {2: np.array([x.sum()], i32)}


@case(grid=5, block=32)
def spin_lock(r):
    return [zeros(1, i32), zeros(5, i32)], {0: np.array([5], i32), 1: np.ones(5, i32)}


@case(grid=6, block=64)
def flags(r):
    values = [3]
    for _ in range(5):
        values.append(values[-1] * 2 + 1)
    return [zeros(6, i32), zeros(6, u32)], {0: np.array(values, i32), 1: np.ones(6, u32)}


@case(block=64)
def warp_votes(r):
    x = r.integers(0, 9, 64, dtype=i32)
    x[32:] = r.integers(2000, 2005, 32)
    x[5] = 7

    def of(i):
        first = i // 32 * 32
        warp = x[first : first + 32]
        bits = lambda it: sum(1 << k for k in range(32) if it[k])
        most = 0
        for it in warp:
            most ^= int(it)
        half = warp[i % 32 // 16 * 16 :][:16]
        same = (warp // 1000 == warp[0] // 1000).all()
        return [
            bits(warp > 3),
            int((warp == 7).any()) + 2,
            bits(warp == x[i]),
            0 if same else 0,
            warp.sum(),
            warp.max(),
            most,
            half.min() * 100 + x[i // 8 * 8 + 3],
        ]

    out = each(of, u32, range(64)).reshape(64, 8)
    out[:, 3] = 0xFFFFFFFF + 1 - (1 << 32)
    return [x, zeros(512, u32)], {1: out.reshape(-1)}


@case(grid=2, block=64)
def divergent_loops(r):
    x = r.integers(1, 10000, 100, dtype=i32)

    def of(value):
        value, count = int(value), 0
        while value != 1:
            value = 3 * value + 1 if value % 2 else value // 2
            count += 1
            if count > 500:
                break
        return count

    return [x, zeros(100, i32), i32(100)], {1: each(of, i32, x)}


@case(block=64)
def pipeline(r):
    x = r.integers(-8, 8, (5, 64, 4)).astype(f32)
    own = x[:, ::-1]
    return [x, zeros(64, f32), i32(5)], {1: (own[:, :, 0] + own[:, :, 1] * own[:, :, 2] - own[:, :, 3]).sum(0).astype(f32)}


@case(block=40)
def vector_loads(r):
    x, s, d = r.integers(-99, 99, (40, 4), dtype=i32), r.integers(-99, 99, (40, 4)).astype(i16), r.random((40, 2))
    out = np.stack([x[:, 3] + s[:, 0], x[:, 2] - s[:, 1], x[:, 1] * s[:, 2], x[:, 0] ^ s[:, 3]], 1).astype(i32)
    return [x, s, d, zeros((40, 4), i32), zeros(40, f64)], {3: out, 4: d[:, 0] - d[:, 1]}


@case(block=32, flags=["-G"])
def generic_addresses(r):
    x = r.integers(0, 99, 32, dtype=i32)

    def of(i):
        at = (i % 4 - i) % 4
        return [x[i] + 5 + 200000, 1005 + i + 100000, 10 * at + i + 5 + 400000][i % 3]

    after = np.where(np.arange(32) % 3 == 0, x + 5, x).astype(i32)
    return [x, zeros(32, i32)], {0: after, 1: each(of, i32, range(32))}


@case(grid=(2, 2, 2), block=(5, 3, 2))
def blocks_3d(r):
    out = []
    for b in range(8):
        for t in range(30):
            bx, by, bz, tx, ty, tz = b % 2, b // 2 % 2, b // 4, t % 5, t // 5 % 3, t // 15
            out.append(tx | ty << 4 | tz << 8 | bx << 12 | by << 16 | bz << 20 | t << 24)
    return [zeros(240, u32)], {0: np.array(out, u32)}


@case(block=96)
def early_exit(r):
    x = r.integers(-99, 99, 70, dtype=i32)
    return [x, zeros(70, i32), i32(70)], {1: x.sum(dtype=i32) - x}


@case(block=96)
def barrier_reductions(r):
    x = r.integers(0, 20, 96, dtype=i32)
    x[17] = 99
    return [x, zeros(96, i32)], {1: np.full(96, int((x > 5).sum()) * 4 + 3, i32)}


@case(grid=3, block=64)
def atomics(r):
    n = 192
    every = np.arange(n)
    counter = 0
    for _ in range(n):
        counter = 0 if counter >= 9 else counter + 1
    down = 3
    for _ in range(n):
        down = 6 if down == 0 or down > 6 else down - 1
    flipped = 0
    for i in range(n):
        flipped ^= i
    ints = np.array([n * (n - 1) // 2, (every * 7 % 101).max(), -(n - 1), 0, -1, flipped], i32)
    return [np.array([0, -5, 5, -1, 0, 0], i32), np.array([0, 3, 0], u32), zeros(3, u64), zeros(1, f32), zeros(1, f64)], {
        0: ints,
        1: np.array([counter, down, 0xFFFFFF00 + n - 1], u32),
        2: np.array([n << 33, (n - 1) << 40, n * (n - 1) // 2], u64),
        3: np.array([n / 2], f32),
        4: np.array([n / 4], f64),
    }


@case(block=64)
def narrow(r):
    a, b = r.integers(-128, 128, 64).astype(i8), r.integers(0, 1 << 16, 64).astype(u16)
    return [a, b, zeros(64, i8), zeros(64, u16), zeros(64, u8)], {
        2: (a.astype(i32) * 3).astype(i8),
        3: (b // 3 + (a < 0)).astype(u16),
        4: (a.astype(i32) > b.astype(i32) % 100).astype(u8),
    }


@case(block=32)
def by_value(r):
    position = np.array([1.5, -2, 4], f32)
    body = struct.pack("<3fhxxd", *position, -7, 3.0)
    assert len(body) == 24
    return [body, zeros(32, f32), i32(1)], {1: each(lambda i: position[(i + 1) % 3] * 3 - 7, f32, range(32))}


@case(grid=4, block=48)
def cooperative(r):
    squares = np.arange(192, dtype=i32) ** 2
    return [zeros(192, i32), zeros(192, i32)], {0: squares, 1: squares[::-1]}




def of_library(r):
    x = np.concatenate([r.standard_normal(38) * 3, [0, 1e-5]]).astype(f32)
    d = x.astype(f64)
    out = [np.sin(d), np.exp(d), np.log(np.abs(x) + f32(0.1), dtype=f64), (np.abs(x) + f32(0.5)).astype(f64) ** 1.5, 1 / np.sqrt((np.abs(x) + f32(1)).astype(f64)), np.tanh(d)]
    wide = np.stack([np.exp(d), np.cos(d)], 1).reshape(-1)
    return [x, zeros(240, f32), zeros(80, f64), i32(40)], {1: (np.stack(out, 1).reshape(-1).astype(f32), 1e-6, 1e-7), 2: (wide, 1e-14, 1e-15)}


of_library.__name__ = "math"
case(block=64)(of_library)


@case(grid=(3, 2), block=(8, 8))
def mandelbrot(r):
    def of(c, row):
        x = y = f32(0)
        a, b = f32(-2) + f32(c) * f32(0.125), f32(-1) + f32(row) * f32(0.125)
        count = 0
        while count < 40 and x * x + y * y <= 4:
            x, y = x * x - y * y + a, f32(2) * x * y + b
            count += 1
        return count

    return [zeros((16, 24), u8), i32(24), i32(16)], {0: np.array([[of(c, row) for c in range(24)] for row in range(16)], u8)}


@case(grid=3, block=128)
def softmax(r):
    x = r.standard_normal((3, 200)).astype(f32)
    e = np.exp(x.astype(f64) - x.max(1, keepdims=True))
    return [x, zeros((3, 200), f32), i32(200)], {1: ((e / e.sum(1, keepdims=True)).astype(f32), 1e-5, 1e-7)}


@case(block=32)
def warp_matrix(r):
    a, b = r.integers(-8, 8, (16, 32)).astype(f16), r.integers(-8, 8, (16, 32)).astype(f16)
    return [a, b, zeros((16, 16), f32)], {2: a.astype(f32) @ b.astype(f32).T + 1}


# Kernels that were written as PTX.


def hand(**launch):
    """A kernel that was written as PTX."""
    return case(made_of="hand", **launch)


@hand(block=64)
def stack_memory(r):
    return [zeros(64, u32)], {0: each(lambda i: sum(100 * k + i + k for k in range(i % 4 + 1)), u32, range(64))}


@hand(block=32)
def carry_chains(r):
    a, b = r.integers(0, 1 << 64, (32, 2), dtype=u64), r.integers(0, 1 << 64, (32, 2), dtype=u64)
    a[0], b[0] = [(1 << 64) - 1, (1 << 64) - 1], [1, 0]
    a[1], b[1] = [0, 0], [1, 0]

    def of(a, b):
        wide = [int(it[0]) + (int(it[1]) << 64) for it in (a, b)]
        low = [int(it[0]) for it in (a, b)]
        all = [(wide[0] + wide[1]) % (1 << 128), (wide[0] - wide[1]) % (1 << 128), low[0] * low[1], (wide[0] + wide[1]) % (1 << 128)]
        return [part for it in all for part in (it % (1 << 64), it >> 64)]

    return [a, b, zeros(256, u64)], {2: each(of, u64, a, b)}


@hand(block=40)
def branch_table(r):
    return [zeros(40, u32)], {0: each(lambda i: [0, 110, 210, 3][i % 4], u32, range(40))}


@hand(block=64)
def producer_consumer(r):
    x = r.integers(0, 1000, (4, 32), dtype=u32)
    total = zeros(32, u32)
    for row in x:
        total = total * u32(7) + row[::-1]
    return [x, zeros(32, u32)], {1: total}


@hand(block=32)
def bit_fields(r):
    a, b = r.integers(0, 1 << 32, 32, dtype=u32), r.integers(0, 1 << 32, 32, dtype=u32)
    a[:5] = [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF]
    mask = (1 << 32) - 1

    def signed(it, bits=32):
        return it - (1 << bits) if it >> (bits - 1) & 1 else it

    def of(i, a, b):
        a, b = int(a), int(b)
        at, size = b & 31, b >> 5 & 31
        field = a >> at & ((1 << size) - 1)
        sign = 0 if size == 0 else a >> min(at + size - 1, 31) & 1
        extended = (a >> at if at + size <= 32 else a >> at) & ((1 << size) - 1)
        if sign:
            have = min(size, 32 - at)
            extended = (extended & ((1 << have) - 1)) | (mask & ~((1 << have) - 1))
        inserted = (a & ~(((1 << size) - 1) << at) | (b & ((1 << size) - 1)) << at) & mask
        find = a.bit_length() - 1 if a else mask
        flipped = a ^ mask if a >> 31 else a
        shift = 31 - (flipped.bit_length() - 1) if flipped else mask
        table, c = 0x6A, i
        lop = sum((table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1) & 1) << k for k in range(32))
        octets = [a >> 8 * k & 255 for k in range(4)] + [b >> 8 * k & 255 for k in range(4)]
        forward = sum(octets[(i & 3) + k] << 8 * k for k in range(4))

        def pick(selector):
            octet = octets[selector & 7]
            return (255 if octet >> 7 else 0) if selector & 8 else octet

        general = sum(pick(0x9A71 >> 4 * k & 15) << 8 * k for k in range(4))
        left = ((b << 32 | a) << at) >> 32 & mask
        right = (b << 32 | a) >> size & mask
        dot = i + sum(signed(a >> 8 * k & 255, 8) * (b >> 8 * k & 255) for k in range(4))
        narrow = signed(a & ((1 << at) - 1), at) if at else 0
        ones = ((1 << size) - 1) << at & mask
        return [it & mask for it in (field, extended, inserted, find, shift, lop, forward, general, left, right, dot, narrow, ones, a << at, signed(a) >> 31, int(a == 0))]

    return [a, b, zeros(512, u32)], {2: each(of, u32, range(32), a, b)}


@hand(block=64)
def bulk_pipeline(r):
    x = r.integers(0, 1000, (6, 64), dtype=u32)
    total = zeros(64, u32)
    for row in x:
        total = total * u32(3) + row[::-1]
    return [x, zeros(64, u32)], {1: total}


@hand(block=64)
def bulk_store(r):
    x = r.integers(0, 1000, 64, dtype=u32)
    squares = np.arange(64, dtype=u32) ** 2
    return [zeros(64, u32), x], {0: squares, 1: x + squares}


@hand(block=32)
def vectors(r):
    x = r.integers(0, 256, (32, 16)).astype(u8)

    def of(row):
        words = row.view(u32)
        shorts = row.view(i16)
        last = row[3] if row[3] < 128 else 255
        out = bytes([(int(row[0]) + int(row[3])) % 256, (int(row[1]) - int(row[2])) % 256])
        out += row[12:14].tobytes() + struct.pack("<i", shorts[7])
        out += struct.pack("<II", words[2], words[0])
        high = 255 if row[3] >= 128 else 0
        return list(out[:15] + bytes([high]))

    return [x, zeros(512, u8)], {1: np.array([of(row) for row in x], u8).reshape(-1)}


@hand(block=20)
def calls(r):
    return [zeros(20, u32)], {0: each(lambda i: math.factorial(i // 2) if i % 2 else i // 2 + 1000, u32, range(20))}


@hand(block=64)
def volatile_message(r):
    return [zeros(32, u32)], {0: np.arange(32, dtype=u32) * u32(3)}


@hand(block=32)
def partial_copies(r):
    x = r.integers(1, 1000, (32, 4), dtype=u32)
    kept = np.arange(4)[None, :] < (np.arange(32) % 5)[:, None]
    return [x, zeros((32, 4), u32)], {1: np.where(kept, x, 0).astype(u32)}


@hand(grid=8, block=32)
def distributed_shared(r):
    of = lambda i: (i // 32 - 1) % 4 * 32 * 1000 + (i // 32 + 2) % 4 * 100 + i % 32
    return [zeros(256, u32)], {0: each(of, u32, range(256))}


@hand(block=64)
def lanes(r):
    def of(i):
        lane = i % 32
        return [(1 << lane) - 1, lane, i // 32, 64, 2, 0xAAAAAAAA if lane % 2 else 0x55555555, i - 3 if lane >= 3 else i, int(lane >= 3)]

    return [zeros(512, u32)], {0: each(of, u32, range(64))}


@hand(block=16)
def float_selections(r):
    a = np.array([1, -1, 0, -0.0, np.nan, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 0.25, 0.5, 3, -3, 0.0, 2], f32)
    b = np.array([2, 3, -0.0, 0, 1, np.nan, 5, -5, 1e-40, 0.5, 0.25, 0.75, -2, -4, 5, np.nan], f32)
    out = []
    for x, y in zip(a, b):
        less = np.isnan(x) or np.isnan(y) or x < y
        numbers = not (np.isnan(x) or np.isnan(y))
        low = np.fmin(x, y) if not (x == 0 and y == 0) else f32(-0.0) if np.signbit(x) or np.signbit(y) else f32(0)
        high = f32(np.nan) if not numbers else np.fmax(x, y) if not (x == 0 and y == 0) else f32(0) if not (np.signbit(x) and np.signbit(y)) else f32(-0.0)
        flush = lambda it: f32(math.copysign(0, it)) if abs(it) < f32(1.1754944e-38) else it
        total = flush(x) + flush(y)
        total = f32(0) if np.isnan(total) else min(max(total, f32(0)), f32(1))
        small = 0 < abs(x) < f32(1.1754944e-38)
        select = 6 if np.isnan(x) or x < 0 else 5
        least = np.fmin(abs(x), abs(y))
        signs = np.signbit(x) != np.signbit(y)
        least = f32(np.nan) if np.isnan(x) and np.isnan(y) else f32(-least if signs else least)
        # The sign of a NaN takes part: PTX compares magnitudes and joins the signs of both operands.
        words = [int(less) + 2 * int(numbers), 0xFFFFFFFF if numbers and x >= y else 0, 7 if small else select]
        # copysign takes the sign of its first operand.
        # The NaN of PTX has all bits of its fraction set.
        bits_of = lambda it: 0x7FFFFFFF if math.isnan(it) else struct.unpack("<I", struct.pack("<f", it))[0]
        signed = struct.unpack("<I", struct.pack("<f", abs(y)))[0] | int(np.signbit(x)) << 31
        out += [bits_of(low), bits_of(high), signed, bits_of(total), *words, bits_of(least)]
    return [a, b, zeros(128, u32)], {2: np.array(out, u32)}


@hand(block=64)
def wide_atomics(r):
    return [np.array([5, 7], u64), zeros(4, u32)], {
        0: np.array([5 + sum(range(64)), 71], u64),
        1: np.array(
            [
                int(f16(32).view(u16)) | int(f16(64).view(u16)) << 16,
                int(bf16(128).view(u16)) | int(bf16(64).view(u16)) << 16,
                int(f32(32).view(u32)),
                int(f32(128).view(u32)),
            ],
            u32,
        ),
    }


@hand(block=32)
def narrow_floats(r):
    x = (r.standard_normal((32, 2)) * np.exp2(r.integers(-12, 10, (32, 1)))).astype(f32)
    x[0] = [1e9, -1e9]
    x[1] = [0.0, -0.0]
    e4m3, e5m2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
    clip = lambda it, most: np.clip(it, -most, most)
    first, second = clip(x, 448).astype(e4m3), clip(x, 57344).astype(e5m2)
    wide = first.astype(f16)
    out = np.concatenate([first.view(u8), second.view(u8), wide.view(u8).reshape(32, 4)], 1)
    return [x, zeros(256, u8)], {1: out.reshape(-1)}


# Kernels in Triton: 4 warps, and two more parameters for memory of their own, which are null.


def triton(grid, shared=0):
    """A kernel in Triton."""
    return case(made_of="triton", grid=grid, block=128, shared=shared)


NULL = [u64(0), u64(0)]


@triton(grid=2)
def triton_add(r):
    x, y = r.random(500, f32), r.random(500, f32)
    return [x, y, zeros(500, f32), i32(500), *NULL], {2: x + y}


@triton(grid=4, shared=64)
def triton_softmax(r):
    x = r.standard_normal((4, 200)).astype(f32)
    e = np.exp(x.astype(f64) - x.max(1, keepdims=True))
    return [x, zeros((4, 200), f32), i32(200), *NULL], {1: ((e / e.sum(1, keepdims=True)).astype(f32), 1e-5, 1e-7)}


@triton(grid=(2, 2), shared=8192)
def triton_matmul(r):
    a, b = r.integers(-8, 8, (32, 32)).astype(f32), r.integers(-8, 8, (32, 32)).astype(f32)
    return [a, b, zeros((32, 32), f32), i32(32), *NULL], {2: a @ b}


@triton(grid=(1, 1), shared=16384)
def triton_tensor_cores(r):
    a, b = r.integers(-8, 8, (32, 32)).astype(f16), r.integers(-8, 8, (32, 32)).astype(f16)
    return [a, b, zeros((32, 32), f32), i32(32), *NULL], {2: a.astype(f32) @ b.astype(f32)}


@triton(grid=1, shared=64)
def triton_cumsum(r):
    x = r.integers(-1000, 1000, 512, dtype=i32)
    return [x, zeros(512, i32), *NULL], {1: np.cumsum(x, dtype=i32)}


@triton(grid=2, shared=2048)
def triton_sort(r):
    x = r.integers(-1000, 1000, (2, 128), dtype=i32)
    return [x, zeros((2, 128), i32), *NULL], {1: np.sort(x, 1)}


@triton(grid=2)
def triton_histogram(r):
    x = r.integers(0, 1000, 500, dtype=i32)
    return [x, zeros(16, i32), i32(500), *NULL], {1: np.bincount(x % 16, minlength=16).astype(i32)}


@triton(grid=3, shared=64)
def triton_layer_norm(r):
    x = r.standard_normal((3, 200)).astype(f16)
    w = r.random(200, f32)
    d = x.astype(f64) - x.astype(f64).mean(1, keepdims=True)
    want = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * w
    return [x, w, zeros((3, 200), f16), i32(200), *NULL], {2: (want.astype(f16), 1e-3, 1e-4)}


@hand(grid=3, block=8)
def lock_by_lanes(r):
    return [zeros(2, u32)], {0: np.array([0, 24], u32)}


@hand(block=64)
def barrier_in_function(r):
    total = zeros(64, u32)
    i = np.arange(64, dtype=u32)
    while True:
        value = np.where(i % 2 == 1, i * 5, i * 3).astype(u32) + total
        total = total + np.roll(value, -33)
        if not (total < 300).any():
            return [zeros(64, u32)], {0: total}


@hand(block=32)
def padded_structures(r):
    return [zeros(32, u32)], {0: each(lambda i: i + (1000 if i else 0) + (10000 if i > 5 else 0), u32, range(32))}


# Kernels for tensor cores, whose PTX `tensor_cores.py` writes.


def core(**launch):
    """A kernel that `tensor_cores.py` writes: the data end with its text."""
    return case(made_of="cores", **({"block": 128} | launch))


def product(a, b, dtype=f32):
    """Of rows of a and rows of b."""
    return (a.astype(f64) @ b.astype(f64).T).astype(dtype)


@core()
def warpgroup_half(r):
    a, b = small(r, (64, 64), f16), small(r, (32, 64), f16)
    of_a, of_b = Layout(64, 64, 2, 128), Layout(32, 64, 2, 128)
    text = warpgroup("warpgroup_half", (32, 16), ("f32", "f16", "f16"), 64, of_a, of_b, ", 1, 1, 0, 0", "store")
    return [of_a.image(a), of_b.image(b), zeros((64, 32), f32)], {2: product(a, b)}, text


@core()
def warpgroup_across(r):
    a, b = small(r, (64, 32), bf16), small(r, (64, 32), bf16)
    of_a, of_b = Layout(64, 32, 2, 128, True), Layout(64, 32, 2, 64, True)
    text = warpgroup("warpgroup_across", (64, 16), ("f32", "bf16", "bf16"), 32, of_a, of_b, ", 1, -1, 1, 1", "hash")
    return [of_a.image(a), of_b.image(b), zeros(128, i32)], {2: hashed(-product(a, b, i64))}, text


@core()
def warpgroup_interleaved(r):
    a, b = small(r, (64, 32), f16), small(r, (32, 32), f16)
    of_a, of_b = Layout(64, 32, 2, 16, True), Layout(32, 32, 2, 16)
    text = warpgroup("warpgroup_interleaved", (32, 16), ("f16", "f16", "f16"), 32, of_a, of_b, ", 1, 1, 1, 0", "store", d16=True)
    return [of_a.image(a), of_b.image(b), zeros((64, 32), f16)], {2: product(a, b, f16)}, text


@core()
def warpgroup_tf32(r):
    a, b = small(r, (64, 16), f32), small(r, (8, 16), f32)
    of_a, of_b = Layout(64, 16, 4, 32), Layout(8, 16, 4, 64)
    text = warpgroup("warpgroup_tf32", (8, 8), ("f32", "tf32", "tf32"), 16, of_a, of_b, ", 1, 1", "store")
    return [of_a.image(a), of_b.image(b), zeros((64, 8), f32)], {2: product(a, b)}, text


@core()
def warpgroup_bytes(r):
    e4m3, e5m2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
    a, b = small(r, (64, 64), e4m3), small(r, (32, 64), e5m2)
    of_a, of_b = Layout(64, 64, 1, 64), Layout(32, 64, 1, 32)
    text = warpgroup("warpgroup_bytes", (32, 32), ("f32", "e4m3", "e5m2"), 64, of_a, of_b, ", 1, 1", "store")
    return [of_a.image(a), of_b.image(b), zeros((64, 32), f32)], {2: product(a, b)}, text


@core()
def warpgroup_integers(r):
    a, b = r.integers(-128, 128, (64, 32)).astype(i8), r.integers(0, 256, (256, 32)).astype(u8)
    of_a, of_b = Layout(64, 32, 1, 32), Layout(256, 32, 1, 16)
    text = warpgroup("warpgroup_integers", (256, 32), ("s32", "s8", "u8"), 32, of_a, of_b, "", "hash")
    return [of_a.image(a), of_b.image(b), zeros(128, i32)], {2: hashed(a.astype(i64) @ b.astype(i64).T)}, text


@core()
def warpgroup_registers(r):
    a, b = small(r, (64, 32), bf16), small(r, (32, 32), bf16)
    of_b = Layout(32, 32, 2, 32)
    text = warpgroup("warpgroup_registers", (32, 16), ("f32", "bf16", "bf16"), 32, "registers", of_b, ", -1, 1, 0", "store")
    held = fragments(a, 2).view(u16).reshape(-1).view(u32)
    return [held, of_b.image(b), zeros((64, 32), f32)], {2: product(-a, b) + f32(0)}, text


@core()
def warpgroup_sparse(r):
    a, b = small(r, (64, 16), f16), small(r, (32, 32), f16)
    of_a, of_b = Layout(64, 16, 2, 32), Layout(32, 32, 2, 64)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    which = r.integers(0, 6, (64, 8))
    full, meta = zeros((64, 32), f64), zeros(128, u32)
    for row, chunk in np.ndindex(which.shape):
        first, second = pairs[which[row, chunk]]
        full[row, 4 * chunk + first], full[row, 4 * chunk + second] = a[row, 2 * chunk], a[row, 2 * chunk + 1]
        # Figure of m64nNk32: threads 0 and 1 of four have chunks 0 to 3 and 4 to 7, rows 8 further in the upper half.
        warp, inside = row // 16, row % 16
        thread = 32 * warp + 4 * (inside % 8) + chunk // 4
        meta[thread] |= u32((first | second << 2) << (16 * (inside // 8) + 4 * (chunk % 4)))
    text = warpgroup("warpgroup_sparse", (32, 32), ("f32", "f16", "f16"), 32, of_a, of_b, ", 1, 1, 0, 0", "store", sparse=True)
    return [of_a.image(a), of_b.image(b), zeros((64, 32), f32), meta], {2: (full @ b.astype(f64).T).astype(f32)}, text


@core(arch="sm_100a")
def fifth_half(r):
    a, b = small(r, (128, 32), f16), small(r, (16, 32), f16)
    of_a, of_b = Layout(128, 32, 2, 64), Layout(16, 32, 2, 64)
    text = fifth("fifth_half", "f16", 32, 16, of_a, of_b, instruction("f32", "f16", "f16", 128, 16), 16, "store")
    return [of_a.image(a), of_b.image(b), zeros((128, 16), f32), u64(0)], {2: product(a, b)}, text


@core(arch="sm_100a")
def fifth_across(r):
    # 64 rows: those of each warp are in the first half of its lanes.
    a, b = small(r, (64, 32), bf16), small(r, (32, 32), bf16)
    of_a, of_b = Layout(64, 32, 2, 128, True), Layout(32, 32, 2, 32, True)
    idesc = instruction("f32", "bf16", "bf16", 64, 32, (1, 1), (0, 1))
    text = fifth("fifth_across", "f16", 32, 16, of_a, of_b, idesc, 32, "hash")
    # The other half of the lanes is never written: nobody may store what is read there.
    text = text.replace("    st.global.u32 [%rd1], %r5;", "    and.b32 %r9, %t, 16;\n    setp.eq.u32 %p1, %r9, 0;\n    @%p1 st.global.u32 [%rd1], %r5;")
    found = rows_hashed(-product(a, b, i64))
    want = zeros(128, i32)
    for row in range(64):
        want[row // 16 * 32 + row % 16] = found[row]
    return [of_a.image(a), of_b.image(b), zeros(128, i32), u64(0)], {2: want}, text


@core(arch="sm_100a")
def fifth_bytes(r):
    e4m3, e5m2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
    a, b = small(r, (128, 64), e4m3), small(r, (64, 64), e5m2)
    of_a, of_b = Layout(128, 64, 1, 64), Layout(64, 64, 1, 16)
    idesc = instruction("f32", "e4m3", "e5m2", 128, 64, negate=(1, 0))
    text = fifth("fifth_bytes", "f8f6f4", 64, 32, of_a, of_b, idesc, 64, "hash")
    return [of_a.image(a), of_b.image(b), zeros(128, i32), u64(0)], {2: rows_hashed(-product(a, b, i64))}, text


@core(arch="sm_100a")
def fifth_integers(r):
    a, b = r.integers(0, 256, (128, 64)).astype(u8), r.integers(-128, 128, (32, 64)).astype(i8)
    of_a, of_b = Layout(128, 64, 1, 64), Layout(32, 64, 1, 32)
    text = fifth("fifth_integers", "i8", 64, 32, of_a, of_b, instruction("s32", "u8", "s8", 128, 32), 32, "hash")
    return [of_a.image(a), of_b.image(b), zeros(128, i32), u64(0)], {2: rows_hashed(a.astype(i64) @ b.astype(i64).T)}, text


@core(arch="sm_100a")
def fifth_scaled(r):
    e4m3 = ml_dtypes.float8_e4m3fn
    a, b = small(r, (128, 64), e4m3), small(r, (32, 64), e4m3)
    of_a, of_b = Layout(128, 64, 1, 64), Layout(32, 64, 1, 64)
    # One scale of 2 to the power of -1 to 2 for each row and 32 elements; a word has those of 4 blocks, two of which count.
    power_a, power_b = r.integers(-1, 3, (128, 4)), r.integers(-1, 3, (32, 4))
    codes_a, codes_b = (power_a + 127).astype(u8), (power_b + 127).astype(u8)
    # Column 128 + row / 32, lane row % 32 of every warp; b in column 160.
    words = codes_a.reshape(-1).view(u32).reshape(4, 32)
    x = np.concatenate([words.T, codes_b.reshape(-1).view(u32).reshape(32, 1)], 1)
    x = np.ascontiguousarray(np.pad(x, ((0, 0), (0, 3))).astype(u32))
    fill = """    ld.param.u64 %rd1, [x];
    and.b32 %r4, %t, 31;
    mul.wide.u32 %rd2, %r4, 32;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd1];
    ld.global.u32 %v4, [%rd1+16];
    tcgen05.st.sync.aligned.32x32b.x4.b32 [%r3+128], {%v0, %v1, %v2, %v3};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3+160], {%v4};"""
    idesc = [scaled_instruction("e4m3", "e4m3", 128, 32, it, it + 1) for it in range(2)]
    text = fifth("fifth_scaled", "mxf8f6f4", 64, 32, of_a, of_b, idesc, 32, "hash", fill=fill, block_scale=".block_scale.scale_vec::1X")
    scaled_a = a.astype(f64) * np.repeat(2.0 ** power_a[:, :2], 32, 1)
    scaled_b = b.astype(f64) * np.repeat(2.0 ** power_b[:, 1:3], 32, 1)
    d = scaled_a @ scaled_b.T
    return [of_a.image(a), of_b.image(b), zeros(128, i32), x], {2: rows_hashed(np.rint(d))}, text


def two_of_four(r, stored, columns, cell):
    """A matrix of which two of each four elements are there, and words of metadata for 128 lanes; `cell` has the lane,
    the column and the bit of a chunk of a row."""
    rows, there = stored.shape
    full, meta = np.zeros((rows, 2 * there), stored.dtype), np.zeros((rows, columns), u32)
    for row in range(rows):
        for chunk in range(there // 2):
            first, second = sorted(r.choice(4, 2, replace=False))
            full[row, 4 * chunk + first], full[row, 4 * chunk + second] = stored[row, 2 * chunk : 2 * chunk + 2]
            lane, column, bit = cell(row, chunk)
            meta[lane, column] |= u32((first | second << 2) << bit)
    return full, meta


def metadata(columns):
    """Stores words of metadata to columns from 128 on."""
    registers = ", ".join(f"%v{it}" for it in range(columns))
    return f"""    ld.param.u64 %rd1, [x];
    mul.wide.u32 %rd2, %t, {4 * columns};
    add.s64 %rd1, %rd1, %rd2;
    ld.global.v{columns}.u32 {{{registers}}}, [%rd1];
    tcgen05.st.sync.aligned.32x32b.x{columns}.b32 [%r3+128], {{{registers}}};"""


@core(arch="sm_100a")
def fifth_sparse(r):
    a, b = small(r, (128, 32), f16), small(r, (16, 64), f16)
    of_a, of_b = Layout(128, 32, 2, 64), Layout(16, 64, 2, 128)
    # Eight chunks of a row in each step, whose metadata the selector names.
    full, meta = two_of_four(r, a, 2, lambda row, at: (row // 16 * 16 + at % 8 // 4 * 8 + row % 8, at // 8, row // 8 % 2 * 16 + at % 4 * 4))
    idesc = [instruction("f32", "f16", "f16", 128, 16) | 4 | it for it in range(2)]
    text = fifth("fifth_sparse", "f16", 64, 32, of_a, of_b, idesc, 16, "store", fill=metadata(2), meta=[128, 128])
    return [of_a.image(a), of_b.image(b), zeros((128, 16), f32), meta], {2: product(full, b)}, text


@core(arch="sm_100a")
def fifth_sparse_bytes(r):
    a, b = r.integers(0, 256, (128, 64)).astype(u8), r.integers(-128, 128, (32, 128)).astype(i8)
    of_a, of_b = Layout(128, 64, 1, 64), Layout(32, 128, 1, 128)
    # A row in its lane, eight chunks in a word.
    full, meta = two_of_four(r, a, 4, lambda row, at: (row, at // 8, at % 8 * 4))
    text = fifth("fifth_sparse_bytes", "i8", 128, 64, of_a, of_b, instruction("s32", "u8", "s8", 128, 32) | 4, 32, "hash", fill=metadata(4), meta=[128, 130])
    return [of_a.image(a), of_b.image(b), zeros(128, i32), meta], {2: rows_hashed(full.astype(i64) @ b.astype(i64).T)}, text


@core(arch="sm_100a")
def fifth_left_factor(r):
    # Two halves of a side by side in a column of tensor memory.
    a, b = small(r, (128, 32), f16), small(r, (16, 32), f16)
    of_b = Layout(16, 32, 2, 64)
    eight = [f"{{%v{it}, %v{it + 1}, %v{it + 2}, %v{it + 3}}}" for it in range(0, 16, 4)]
    fill = ["    ld.param.u64 %rd1, [x];", "    mul.wide.u32 %rd2, %t, 64;", "    add.s64 %rd1, %rd1, %rd2;"]
    fill += [f"    ld.global.v4.u32 {it}, [%rd1+{16 * at}];" for at, it in enumerate(eight)]
    fill.append("    tcgen05.st.sync.aligned.32x32b.x16.b32 [%r3+64], {" + ", ".join(f"%v{it}" for it in range(16)) + "};")
    text = fifth("fifth_left_factor", "f16", 32, 16, None, of_b, instruction("f32", "f16", "f16", 128, 16), 16, "store", fill="\n".join(fill), a_tmem=64)
    return [u64(0), of_b.image(b), zeros((128, 16), f32), np.ascontiguousarray(a.view(u32))], {2: product(a, b)}, text


@core(arch="sm_100a", block=64)
def fifth_moves(r):
    x = r.integers(0, 1 << 32, (128, 8), dtype=u32)
    return [x, zeros((64, 32), u32)], {1: moved(x)[:64]}, moves("fifth_moves")


@hand(block=32)
def vector_registers(r):
    x = r.integers(0, 1 << 32, (32, 4), dtype=u32)
    y = np.stack([x[:, 0], x[:, 0] + x[:, 1], x[:, 3], x[:, 2]], 1)
    return [x, zeros((32, 4), u32)], {1: y}


@core(arch="sm_100a", grid=2, cluster=2)
def fifth_pair(r):
    a, b = small(r, (256, 16), f16), small(r, (32, 16), f16)
    # The rows of b are split, too: 16 columns of the result from each CTA.
    of_a, of_b = Layout(128, 16, 2, 32), Layout(16, 16, 2, 16)
    images = [np.concatenate([of.image(half) for half in np.split(it, 2)]) for of, it in ((of_a, a), (of_b, b))]
    text = pair("fifth_pair", of_a, of_b, instruction("f32", "f16", "f16", 256, 32), 32, 16)
    return [images[0], images[1], zeros(256, i32)], {2: rows_hashed(product(a, b, i64))}, text


@core(arch="sm_100a")
def fifth_copy(r):
    x, y = r.integers(0, 1 << 32, (32, 4), dtype=u32), r.integers(0, 1 << 32, (2, 128, 4), dtype=u32)
    z = np.concatenate([np.tile(x, (4, 1)), y[0], y[1]], 1)
    return [x, y, zeros((128, 12), u32)], {2: z}, copy("fifth_copy")
# Kernels whose threads, warps or blocks hand data to each other in less usual ways.


@case(block=128, made_of="hand")
def ping_pong(random):
    return [zeros(64, u32)], {0: np.full(64, 3 * (1 + 10), u32)}


@case(grid=4, made_of="hand", cluster=4)
def cluster_histogram(random):
    x = random.integers(0, 32, 128).astype(u32)
    return [x, zeros(32, u32)], {1: np.bincount(x, minlength=32).astype(u32)}


@case(grid=2, made_of="hand", cluster=2)
def red_async_sum(random):
    lanes = np.arange(32)
    return [zeros(2, u32)], {0: np.array([(lanes + 1).sum(), lanes.sum()], u32)}


@case(grid=6, made_of="hand")
def look_back(random):
    return [zeros(7, u32), zeros(6, u32)], {1: np.cumsum(np.arange(6)).astype(u32)}


@case(block=64, made_of="hand")
def copies_at_mbarrier(random):
    x = random.integers(0, 1 << 32, 192).astype(u32)
    return [x, zeros(192, u32)], {1: x}


@case(grid=2, made_of="hand", cluster=2)
def multicast_and_free(random):
    x = random.integers(0, 1 << 20, (4, 32)).astype(u32)
    return [x, zeros((2, 32), u32)], {1: np.stack([x.sum(0), x.sum(0)]).astype(u32)}


@case(grid=3, made_of="hand")
def work_queue(random):
    x = random.integers(0, 1 << 20, (10, 32)).astype(u32)
    return [x, zeros(1, u32), Undefined(10, u32)], {1: np.array([13], u32), 2: x.sum(1).astype(u32)}


@case(grid=4, made_of="hand", cluster=4)
def bulk_to_neighbour(random):
    tiles = np.arange(4)[:, None] * 100 + np.arange(32)
    return [zeros((4, 32), u32)], {0: np.roll(tiles, 1, axis=0).astype(u32)}


@case(grid=2, made_of="hand")
def bulk_reduction(random):
    y = random.integers(0, 1 << 20, 32).astype(u32)
    return [y], {0: y + 2 * np.arange(32, dtype=u32)}


@case(grid=2, made_of="hand", cluster=2)
def wide_async_store(random):
    return [zeros(64, f32)], {0: np.full(64, 1 + 2, f32)}


@case(block=128, made_of="hand")
def two_sided_barriers(random):
    return [zeros(96, u32)], {0: np.full(96, sum(2 * it for it in (1, 2, 3)), u32)}


@case(grid=2, made_of="hand")
def relaxed_flag_with_fences(random):
    return [Undefined(33, u32), zeros(1, u32), zeros(32, u32)], {2: np.arange(32)[::-1].astype(u32)}


@case(block=8, made_of="hand")
def quads_with_a_hole(random):
    x = random.integers(-100, 100, (8, 4)).astype(f32)
    return [x, zeros((8, 4), f32), zeros(8, f32)], {2: x[:, :3].sum(1).astype(f32)}


@case(made_of="hand")
def image_histogram(random):
    image = random.integers(0, 256, (4, 8)).astype(u8)
    y, x = np.divmod(np.arange(32), 8)

    def at(dx, dy):
        return image[np.clip(y + dy, 0, 3), np.clip(x + dx, 0, 7)].astype(u32)

    # Coordinates at integers are between texels; the offset takes the next one along both dimensions.
    corners = [at(0, 1), at(1, 1), at(1, 0), at(0, 0)]
    quads = sum(it << (8 * index) for index, it in enumerate(corners)).astype(u32)
    counts = np.bincount(sum(corners) & 3, minlength=4).astype(u32)
    return [
        Lines('texture = { of = "1", type = "u8", shape = [8, 4] }'),
        image,
        Lines('texture = { of = "3", type = "u32", shape = [4] }'),
        zeros(4, u32),
        zeros(32, u32),
        zeros(32, u32),
    ], {3: counts, 4: quads, 5: at(-1, 2)}


@case(block=128, made_of="hand")
def im2col_windows(random):
    x = random.integers(0, 100, (2, 5, 6, 8)).astype(u32)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    # The first pixel of a window is one before each of 5 rows and 6 columns but the last.
    bases = [(n, h, w) for n in range(2) for h in range(5) for w in range(6)][:32]
    sums = np.zeros((32, 8), u32)
    for pixel, (n, h, w) in enumerate(bases):
        window = padded[n, h : h + 3, w : w + 3].reshape(9, 8)
        sums[pixel] = (window * np.arange(1, 10, dtype=u32)[:, None]).sum(0)
    return [
        Lines(
            'tensormap = { of = "1", type = "u32", shape = [8, 6, 5, 2], '
            "lower_corner = [-1, -1], upper_corner = [-1, -1], channels = 8, pixels = 32 }"
        ),
        x,
        zeros((32, 8), u32),
    ], {2: sums}


@case(block=32, made_of="hand")
def texture_levels(random):
    levels = [random.integers(0, 256, (size, size)).astype(f32) for size in (8, 4, 2, 1)]
    thread = np.arange(32)
    x, y, level = thread % 4, thread // 4 % 4, thread // 8

    def at(level):
        """The texels of each thread at a level; of the middle of a part of level 0 those at its lower right."""
        size = [levels[it].shape[0] for it in level]
        column = [int((a * 0.25 + 0.125) * b) for a, b in zip(x, size)]
        row = [int((a * 0.25 + 0.125) * b) for a, b in zip(y, size)]
        return np.array([levels[it][b, a] for it, a, b in zip(level, column, row)], f32)

    half = (at(level // 2) + at(np.minimum(level // 2 + 1, 3))) / f32(2)
    between = np.where(level % 2 == 0, at(level // 2), half).astype(f32)
    return [
        Lines('texture = { of = "1", type = "f32", shape = [8, 8], levels = 4, normalized = true }'),
        np.concatenate([it.ravel() for it in levels]),
        zeros(32, f32),
        zeros(32, f32),
        zeros(32, f32),
        Lines('sampler = { filter = "point" }', name="nearest"),
        Lines('sampler = { level_filter = "linear" }', name="means"),
    ], {2: at(level), 3: between, 4: at(level)}


def tensor_map(of, dtype, shape, box, swizzle=0):
    keys = f'of = "{of}", type = "{dtype}", shape = {shape}, box = {box}'
    return Lines(f"tensormap = {{ {keys}, swizzle = {swizzle} }}" if swizzle else f"tensormap = {{ {keys} }}")


@case(block=None, shared=32800, made_of="hand")
def warpgroup_roles(random):
    # Rows beyond the tensors are zeros.
    a, b = small(random, (12, 640), ml_dtypes.float8_e4m3fn), small(random, (12, 640), ml_dtypes.float8_e4m3fn)
    c = zeros((64, 32), f32)
    c[:12, :12] = a.astype(f32) @ b.astype(f32).T
    maps = [tensor_map("4", "u8", [640, 12], [128, 64], 128), tensor_map("5", "u8", [640, 12], [128, 32], 128)]
    return [*maps, tensor_map("6", "f32", [32, 64], [32, 64]), u32(5), a.view(u8), b.view(u8), zeros((64, 32), f32)], {6: c}


@case(block=160, made_of="hand")
def tensor_ring(random):
    x = random.integers(-8, 9, (4, 16, 32)).astype(f32)
    sums = (x[0::2].sum(0), x[1::2].sum(0))
    maps = [tensor_map("4", "f32", [32, 64], [32, 16]), tensor_map("5", "f32", [32, 32], [32, 16])]
    return [*maps, u32(4), f32(0.5), x, zeros((32, 32), f32)], {5: np.concatenate(sums) * f32(0.5)}


@case(block=None, shared=49200, made_of="hand")
def fifth_pipeline(random):
    a, b = small(random, (16, 256), f16), small(random, (16, 256), f16)
    d = zeros((16, 32), f32)
    d[:, :16] = a.astype(f32) @ b.astype(f32).T
    maps = [tensor_map("4", "f16", [256, 16], [64, 128], 128), tensor_map("5", "f16", [256, 16], [64, 64], 128)]
    return [*maps, Undefined((16, 32), f32), u32(4), a, b], {2: d}


@case(block=128, shared=12288, made_of="hand")
def three_stages(random):
    a, b = small(random, (32, 128), f16), small(random, (128, 32), f16)
    return [a, b, Undefined((32, 32), f32), u32(32), u32(128)], {2: a.astype(f32) @ b.astype(f32)}


@case(block=128, made_of="hand")
def digits(random):
    x = random.integers(0, 1 << 32, 256, dtype=u32)
    return [x, Undefined(256, u32), u32(8)], {1: x[np.argsort(x >> 8 & 15, kind="stable")]}


@case(block=64, made_of="hand")
def part_of_a_warp(random):
    x = random.integers(-9, 10, 52).astype(f32)
    return [x, zeros(1, f32), u32(52)], {1: np.array([x.sum()], f32)}


@case(grid=(3, 3), block=None, made_of="hand")
def stolen_blocks(random):
    return [Undefined(288, u32)], {0: np.arange(288, dtype=u32)}


@case(made_of="hand")
def rows_and_banks(random):
    lane, matrix = np.meshgrid(np.arange(32), np.arange(4), indexing="ij")
    row, pair = 8 * matrix + lane // 4, lane % 4
    first = 32 * row + pair
    second = 32 * row + 4 * (row % 8) + pair
    copy, spread = np.zeros(80, u32), np.zeros(96, u32)
    copy[0], copy[40:72], spread[::3] = 64, np.arange(32), np.arange(32)
    arguments = [zeros(128, u32), zeros(80, u32), zeros(96, u32), u32(40), u32(3)]
    return arguments, {0: (first + second).astype(u32).ravel(), 1: copy, 2: spread}


@case(made_of="hand")
def wide_loads(random):
    x = random.integers(-50, 50, (32, 8)).astype(f32)
    return [x, Undefined(32, f32)], {1: np.full(32, x.sum(1).max(), f32)}


@hand()
def bytecode(r):
    # 7, 5, add, the number of the thread, multiply, 3, multiply, end
    code = np.array([0, 7, 0, 5, 1, 3, 2, 0, 3, 2, 4], u32)
    return [code, zeros(32, u32)], {1: 12 * np.arange(32, dtype=u32) * 3}


@hand(grid=4, block=64)
def hash_table(r):
    keys = r.permutation(1000)[:256].astype(u32) + 1
    return [keys, zeros(512, u64), zeros(256, u32), zeros(1, u32)], {2: ((np.arange(256) + 64) % 256).astype(u32)}


@hand()
def product_256(r):
    x, y = (r.integers(0, 1 << 32, (32, 8), dtype=u32) for _ in range(2))
    number = lambda it: sum(int(part) << 32 * index for index, part in enumerate(it))
    products = [number(a) * number(b) for a, b in zip(x, y)]
    parts = [[it >> 32 * index & 0xFFFFFFFF for index in range(8)] for it in products]
    return [x, y, zeros((32, 8), u32)], {2: np.array(parts, u32)}


@hand()
def bit_matrix(r):
    rows = r.integers(0, 1 << 32, 32, dtype=u32)
    bits = rows[:, None] >> np.arange(32, dtype=u32) & 1
    return [rows], {0: (bits.T.astype(u64) << np.arange(32, dtype=u64)).sum(1).astype(u32)}


@hand(block=64)
def ring_of_slots(r):
    return [zeros(1, u32)], {0: np.array([sum(it * it for it in range(10))], u32)}


@hand(block=64)
def tokens(r):
    numbers = np.arange(64, dtype=u32)
    for _ in range(5):
        numbers = numbers[np.arange(64) ^ 33] + 1
    return [zeros(64, u32)], {0: numbers.astype(u32)}


@hand(grid=4, cluster=4)
def exchange_in_cluster(r):
    return [zeros(128, u32)], {0: np.full(128, 80, u32)}


@hand()
def box_3d(r):
    x = r.integers(0, 2000, (3, 4, 32)).astype(u16)
    tensor = Lines('tensormap = { of = "2", type = "u16", shape = [32, 4, 3], box = [32, 2, 2], swizzle = 64 }')
    return [tensor, zeros(128, u16), x], {1: x[1:3, 1:3].reshape(-1)}


@hand()
def fabric_exchange(r):
    x = zeros(66, u32)
    x[:32] = r.integers(0, 1000, 32)
    want = x.copy()
    want[:32] *= 2
    want[64] = 128
    return [Lines('endpoint = { of = "1" }'), x], {1: want}
