"""Statements whose results are judged, and operands for them.

A form is a statement with registers named `$a`, what it reads and what it writes. A kind says which values a register
gets and how wide it is: a type word, `pred`, `count` (32 bits, mostly a small number), or `flag`.
"""

import itertools
import random
from dataclasses import dataclass, field

import exact

INT16, INT32, INT64 = ("u16", "s16"), ("u32", "s32"), ("u64", "s64")
INTS = INT16 + INT32 + INT64
BITS3 = ("b16", "b32", "b64")
PACKS = ("u16x2", "s16x2", "u8x4", "s8x4")
ROUND = ("rn", "rz", "rm", "rp")
EQUALITY, ORDER, UNSIGNED_ORDER = ("eq", "ne"), ("lt", "le", "gt", "ge"), ("lo", "ls", "hi", "hs")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
SMALL = ("e5m2x4", "e4m3x4", "e3m2x4", "e2m3x4", "e2m1x4", "ue8m0x4")


def bits(kind):
    """Width of a kind in bits, as the register has it."""
    if kind in ("pred", "flag"):
        return 1
    if kind in ("count", "tf32", "ue8m0x4", "e2m1p4x4", "lane", "clamp", "mask", "b32few"):
        return 32
    if kind == "b64few":
        return 64
    element, count = exact.split(kind)
    width = exact.width(element) * count
    return {4: 8, 6: 8, 24: 32, 12: 16}.get(width, width)


def register(kind):
    """Class of the register of a kind."""
    return "pred" if bits(kind) == 1 else f"b{bits(kind)}"


@dataclass
class Form:
    text: str
    ins: list = field(default_factory=list)
    outs: list = field(default_factory=list)
    # The bound on the error of an approximation: ("ulp", n), ("relative", e), ("absolute", e), ("gross", 0).
    within: tuple = None
    # Whether lanes read what others hold.
    warp: bool = False
    # Whether only integers and bits are read and written.
    note: str = ""


FORMS = []


def text(statement, ins, outs, **more):
    """A form by its text: kinds are words as `a:s32 b:s32`."""
    pairs = [[tuple(word.split(":")) for word in words.split()] for words in (ins, outs)]
    FORMS.append(Form(statement, *pairs, **more))


def put(head, out, *kinds, tail="", **more):
    """A form with a destination `$d` and sources `$a $b $c $e`."""
    names = "abcef"[: len(kinds)]
    operands = ", ".join(["$d"] + [f"${name}" for name in names])
    ins = " ".join(f"{name}:{kind}" for name, kind in zip(names, kinds))
    text(f"{head} {operands}{tail};", ins, f"d:{out}", **more)


def dots(*words):
    """Words of a head, without those that are empty."""
    return ".".join(word for word in words if word)


def integers():
    for t in INTS:
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            put(f"{op}.{t}", t, t, t)
        for mode in ("lo", "hi"):
            put(f"mad.{mode}.{t}", t, t, t, t)
            carried(f"madc.{mode}.{t}", t, t, t, t)
        put(f"sad.{t}", t, t, t, t)
        for op in ("addc", "subc"):
            carried(f"{op}.{t}", t, t, t)
        if t[0] == "s":
            put(f"abs.{t}", t, t)
            put(f"neg.{t}", t, t)
        if t in INT16 + INT32:
            wide = t[0] + str(2 * int(t[1:]))
            put(f"mul.wide.{t}", wide, t, t)
            put(f"mad.wide.{t}", wide, t, t, wide)
        if t in INT32 + INT64:
            put(f"bfind.{t}", "u32", t)
            put(f"bfind.shiftamt.{t}", "u32", t)
            put(f"bfe.{t}", t, t, "count", "count")
            chain(t)
    for t in INT64:
        for mode in ("lo", "hi"):
            put(f"clmad.{mode}.{t}", t, t, t, t)
    for t in INT32:
        for mode in ("lo", "hi"):
            put(f"mul24.{mode}.{t}", t, t, t)
            put(f"mad24.{mode}.{t}", t, t, t, t)
        for mode in ("clamp", "wrap"):
            put(f"szext.{mode}.{t}", t, t, "count")
        for u in INT32:
            put(f"dp4a.{t}.{u}", "s32", t, u, "s32")
            for mode in ("lo", "hi"):
                put(f"dp2a.{mode}.{t}.{u}", "s32", t, u, "s32")
    for t in PACKS:
        for op in ("add", "min", "max") + (("sub",) if "x4" in t else ()):
            put(f"{op}.{t}", t, t, t)
        put(f"add.sat.{t}", t, t, t)
        if t[0] == "s":
            for op in ("min", "max"):
                put(f"{op}.relu.{t}", t, t, t)
        if "x4" in t:
            put(f"sub.sat.{t}", t, t, t)
    put("neg.s8x4", "s8x4", "s8x4")
    for op in ("min", "max"):
        put(f"{op}.relu.s32", "s32", "s32", "s32")
    for op in ("add.sat.u32", "add.sat.s32", "sub.sat.s32"):
        put(op, op[-3:], op[-3:], op[-3:])
    for op in ("addc.sat.s32", "subc.sat.s32"):
        carried(op, "s32", "s32", "s32")
    for op in ("mad.hi.sat.s32", "mad24.hi.sat.s32"):
        put(op, "s32", "s32", "s32", "s32")
    carried("madc.hi.sat.s32", "s32", "s32", "s32", "s32")
    for b in ("b32", "b64"):
        for op in ("popc", "clz"):
            put(f"{op}.{b}", "u32", b)
        put(f"brev.{b}", b, b)
        text(f"bfi.{b} $d, $a, $b, $c, $e;", f"a:{b} b:{b} c:count e:count", f"d:{b}")
    text("fns.b32 $d, $a, $b, $c;", "a:b32 b:count c:count", "d:b32")
    for mode in ("clamp", "wrap"):
        put(f"bmsk.{mode}.b32", "b32", "count", "count")


def carried(head, out, *kinds):
    """A form that reads the carry flag, after an addition that sets it."""
    names = "abc"[: len(kinds)]
    operands = ", ".join(["$d"] + [f"${name}" for name in names])
    ins = " ".join(f"{name}:{kind}" for name, kind in zip(names, kinds))
    text(f"add.cc.u32 $p, $e, $f; {head} {operands};", f"{ins} e:u32 f:u32", f"d:{out} p:u32")


def chain(t):
    """Carries: an instruction sets the flag, others read it and may set it again."""
    four, out = f"a:{t} b:{t} c:{t} e:{t}", f"d:{t} p:{t}"
    for op in ("add", "sub"):
        text(f"{op}.cc.{t} $d, $a, $b; {op}c.{t} $p, $c, $e;", four, out)
        text(f"{op}.cc.{t} $d, $a, $b; {op}c.cc.{t} $p, $c, $e; addc.{t} $q, $a, $c;", four, f"{out} q:{t}")
    for mode in ("lo", "hi"):
        text(f"mad.{mode}.cc.{t} $d, $a, $b, $c; addc.{t} $p, $c, $e;", four, out)
        text(f"add.cc.{t} $d, $a, $b; madc.{mode}.{t} $p, $a, $c, $e;", four, out)
        last = f"madc.{mode}.cc.{t} $p, $a, $c, $e; addc.{t} $q, $b, $c;"
        text(f"sub.cc.{t} $d, $a, $b; {last}", four, f"{out} q:{t}")


def comparisons(t):
    """The comparisons that a type has."""
    if t[0] == "b" and t[1] != "f":
        return EQUALITY
    if t[0] == "s":
        return EQUALITY + ORDER
    if t[0] == "u":
        return EQUALITY + ORDER + UNSIGNED_ORDER
    return EQUALITY + ORDER + UNORDERED


def logic():
    for t in BITS3 + INTS + ("f32", "f64"):
        for cmp in comparisons(t):
            put(f"setp.{cmp}.{t}", "pred", t, t)
        text(f"setp.{comparisons(t)[0]}.{t} $d|$p, $a, $b;", f"a:{t} b:{t}", "d:pred p:pred")
        text(f"setp.ne.xor.{t} $d|$p, $a, $b, !$c;", f"a:{t} b:{t} c:pred", "d:pred p:pred")
        put(f"selp.{t}", t, t, t, "pred")
        for c in ("s32", "f32"):
            put(f"slct.{t}.{c}", t, t, t, c)
        put(f"slct.ftz.{t}.f32", t, t, t, "f32")
        for d in ("u32", "s32", "f32"):
            for cmp in comparisons(t) if d == "u32" else comparisons(t)[-2:]:
                put(f"set.{cmp}.{d}.{t}", d, t, t)
    for op in ("and", "or", "xor"):
        text(f"setp.lt.{op}.s32 $d|$p, $a, $b, $c;", "a:s32 b:s32 c:pred", "d:pred p:pred")
        text(f"setp.gtu.{op}.f32 $d|$p, $a, $b, $c;", "a:f32 b:f32 c:pred", "d:pred p:pred")
        for d in ("u32", "s32", "f32"):
            put(f"set.ge.{op}.{d}.u32", d, "u32", "u32", "pred")
        for t in BITS3:
            put(f"{op}.{t}", t, t, t)
        put(f"{op}.pred", "pred", "pred", "pred")
        text(f"{op}.pred $d, !$a, $b;", "a:pred b:pred", "d:pred")
        for d in ("f16", "u16", "s16", "u32", "s32"):
            put(f"set.lt.{op}.{d}.f16", d, "f16", "f16", "pred")
        for d in ("bf16", "u16", "s16", "u32", "s32"):
            put(f"set.lt.{op}.{d}.bf16", d, "bf16", "bf16", "pred")
        for s in ("f16", "bf16"):
            put(f"setp.ge.{op}.{s}", "pred", s, s, "pred")
            text(f"setp.ge.{op}.{s}x2 $d|$p, $a, $b, $c;", f"a:{s}x2 b:{s}x2 c:pred", "d:pred p:pred")
            for d in ("u32", "s32", f"{s}x2"):
                put(f"set.neu.{op}.{d}.{s}x2", d, s + "x2", s + "x2", "pred")
    put("setp.lt.ftz.f32", "pred", "f32", "f32")
    for d in ("u32", "s32", "f32"):
        put(f"set.gt.ftz.{d}.f32", d, "f32", "f32")
    for cmp in EQUALITY + ORDER + UNORDERED:
        for s in ("f16", "bf16"):
            put(f"setp.{cmp}.{s}", "pred", s, s)
            text(f"setp.{cmp}.{s}x2 $d|$p, $a, $b;", f"a:{s}x2 b:{s}x2", "d:pred p:pred")
            for d in ("u16", "s16", "u32", "s32", s):
                put(f"set.{cmp}.{d}.{s}", d, s, s)
            for d in ("u32", "s32", f"{s}x2"):
                put(f"set.{cmp}.{d}.{s}x2", d, s + "x2", s + "x2")
    put("setp.lt.ftz.f16", "pred", "f16", "f16")
    text("setp.lt.ftz.f16x2 $d|$p, $a, $b;", "a:f16x2 b:f16x2", "d:pred p:pred")
    for d in ("f16", "u16", "s16", "u32", "s32"):
        put(f"set.gt.ftz.{d}.f16", d, "f16", "f16")
    for d in ("u32", "s32", "f16x2"):
        put(f"set.gt.ftz.{d}.f16x2", d, "f16x2", "f16x2")
    put("set.gt.ftz.f16.f32", "f16", "f32", "f32")
    for d in ("f16", "bf16"):
        for t in BITS3 + INTS + ("f16", "f32", "f64"):
            for cmp in comparisons(t):
                put(f"set.{cmp}.{d}.{t}", d, t, t)
    for t in PACKS:
        for cmp in comparisons(t):
            put(f"set.{cmp}.{t}", t, t, t)
    put("not.pred", "pred", "pred")
    for t in BITS3:
        put(f"not.{t}", t, t)
        put(f"cnot.{t}", t, t)
        put(f"shl.{t}", t, t, "count")
    for t in BITS3 + INTS:
        put(f"shr.{t}", t, t, "count")
    for table in (0x00, 0x1B, 0x96, 0xE8, 0xCA, 0xFE, 0x80, 0x2D):
        put("lop3.b32", "b32", "b32", "b32", "b32", tail=f", {table:#x}")
    for op in ("or", "and"):
        text(
            f"lop3.{op}.b32 $d|$p, $a, $b, $c, 0x1a, $e;",
            "a:b32 b:b32 c:b32 e:pred",
            "d:b32 p:pred",
        )
    for direction, mode in itertools.product("lr", ("clamp", "wrap")):
        put(f"shf.{direction}.{mode}.b32", "b32", "b32", "b32", "count")
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        put(dots("prmt.b32", mode), "b32", "b32", "b32", "b32")


def floats():
    put_float = lambda head, t, n, **more: put(head, t, *[t] * n, **more)
    for op in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        for t in ("f32", "f64"):
            put(f"testp.{op}.{t}", "pred", t)
    for t in ("f32", "f64"):
        put_float(f"copysign.{t}", t, 2)
    for op, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3)):
        for r in ROUND:
            put_float(f"{op}.{r}.f64", "f64", n)
            for ftz, sat in itertools.product(("", "ftz"), ("", "sat")):
                put_float(dots(op, r, ftz, sat, "f32"), "f32", n)
            if op != "mad":
                for ftz in ("", "ftz"):
                    put_float(dots(op, r, ftz, "f32x2"), "f32x2", n)
        if op in ("add", "sub", "mul"):
            put_float(f"{op}.f64", "f64", n)
            put_float(f"{op}.f32", "f32", n)
            put_float(f"{op}.f32x2", "f32x2", n)
    for op, n in (("div", 2), ("rcp", 1), ("sqrt", 1)):
        for r in ROUND:
            for ftz in ("", "ftz"):
                put_float(dots(op, r, ftz, "f32"), "f32", n)
            put_float(f"{op}.{r}.f64", "f64", n)
    bounds = {
        "div": ("ulp", 2),
        "rcp": ("ulp", 1),
        "sqrt": ("relative", 2**-23),
        "rsqrt": ("relative", 2**-22.9),
        "sin": ("absolute", 2**-20.5),
        "cos": ("absolute", 2**-20.5),
        "lg2": ("absolute", 2**-22),
        "ex2": ("ulp", 2),
    }
    for op, bound in bounds.items():
        for ftz in ("", "ftz"):
            put_float(dots(op, "approx", ftz, "f32"), "f32", 2 if op == "div" else 1, within=bound)
    put_float("div.full.f32", "f32", 2, within=("ulp", 2))
    put_float("div.full.ftz.f32", "f32", 2, within=("ulp", 2))
    put_float("tanh.approx.f32", "f32", 1, within=("relative", 2**-11))
    put_float("rsqrt.approx.f64", "f64", 1, within=("relative", 2**-22.9))
    put_float("rsqrt.approx.ftz.f64", "f64", 1, within=("gross", 0))
    put_float("rcp.approx.ftz.f64", "f64", 1, within=("gross", 0))
    for op in ("abs", "neg"):
        for t in ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"):
            put_float(f"{op}.{t}", t, 1)
            if t in ("f32", "f16", "f16x2"):
                put_float(f"{op}.ftz.{t}", t, 1)
    for op in ("min", "max"):
        put_float(f"{op}.f64", "f64", 2)
        for t in ("f32", "f16", "f16x2", "bf16", "bf16x2"):
            for ftz, nan, xor in itertools.product(("", "ftz"), ("", "NaN"), ("", "xorsign.abs")):
                if not (ftz and t[0] == "b"):
                    put_float(dots(op, ftz, nan, xor, t), t, 2)
        for ftz, nan, absolute in itertools.product(("", "ftz"), ("", "NaN"), ("", "abs")):
            put_float(dots(op, ftz, nan, absolute, "f32"), "f32", 3)
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        half = t[0] == "f"
        for op in ("add", "sub", "mul"):
            for r, ftz, sat in itertools.product(("", "rn"), ("", "ftz"), ("", "sat")):
                if half or not (ftz or sat):
                    put_float(dots(op, r, ftz, sat, t), t, 2)
        for ftz, last in itertools.product(("", "ftz") if half else ("",), ("", "sat", "relu")):
            if half or last != "sat":
                put_float(dots("fma.rn", ftz, last, t), t, 3)
        for last in ("", "relu", "sat"):
            if half or last != "sat":
                put_float(dots("fma.rn.oob", last, t), t, 3)
        if not half:
            for r, oob, relu in itertools.product(("rz", "rm", "rp"), ("", "oob"), ("", "relu")):
                put_float(dots("fma", r, oob, relu, t), t, 3)
        bound = ("absolute", 2**-10.987 if half else 2**-8)
        put_float(f"tanh.approx.{t}", t, 1, within=bound)
        put_float(dots("ex2.approx", "" if half else "ftz", t), t, 1, within=("relative", 2**-9.9 if half else 2**-7))
    for t in ("f16", "bf16"):
        for r, sat in itertools.product(("",) + ROUND, ("", "sat")):
            for op in ("add", "sub"):
                put(dots(op, r, sat, "f32", t), "f32", t, "f32")
            if r:
                put(dots("fma", r, sat, "f32", t), "f32", t, t, "f32")
        for r in ROUND:
            for op in ("add", "sub"):
                put(f"{op}.{r}.f32x2.{t}x2.f32x2", "f32x2", t + "x2", "f32x2")
            put(f"fma.{r}.f32x2.{t}x2.f32x2.f32x2", "f32x2", t + "x2", "f32x2", "f32x2")
        for op in ("add", "sub", "mul"):
            put(dots(op, "rz", "ftz" if t == "f16" else "", t + "x2", "f32x2", "f32x2"), t + "x2", "f32x2", "f32x2")
        other = "bf16" if t == "f16" else "f16"
        put(f"mul.{t}x2.{t}x2.{other}x2", t + "x2", t + "x2", other + "x2")
    for d, sat in itertools.product(("e5m2x4", "e4m3x4"), ("", "satfinite")):
        for s in SMALL:
            for op in ("add", "sub"):
                put(dots(op, "rn" if sat else "", sat, d, s), d, s, d)
            put(dots("mul", "rn", sat, d, s, "e4m3x4"), d, s, "e4m3x4")
            put(dots("mul", sat, d, "e5m2x4", s), d, "e5m2x4", s)
            put(dots("fma", "rn", sat, d, s, "e2m1x4"), d, s, "e2m1x4", d)
            put(dots("fma", sat, d, "e3m2x4", s), d, "e3m2x4", s, d)


def conversions():
    small, large = ("u8", "s8"), INTS
    for d, s in itertools.product(small + large, repeat=2):
        wide = lambda t: t[0] + "16" if t[1:] == "8" else t
        put(f"cvt.{d}.{s}", wide(d), wide(s))
        unsigned = d[0] == "u" and s[0] == "s"
        if unsigned or int(d[1:]) < int(s[1:]) or d[0] == "s" and s[0] == "u" and int(d[1:]) <= int(s[1:]):
            put(f"cvt.sat.{d}.{s}", wide(d), wide(s))
    for d, s in itertools.product(small + large, ("f16", "f32", "f64", "bf16")):
        # With bf16 registers have exactly the width.
        wide = d[0] + "16" if d in small and s != "bf16" else d
        for r in ("rni", "rzi", "rmi", "rpi"):
            put(f"cvt.{r}.{d}.{s}", wide, s)
            if s != "bf16" and r == "rzi":
                put(f"cvt.{r}.sat.{d}.{s}", wide, s)
            if s == "f32" and r in ("rni", "rpi"):
                put(f"cvt.{r}.ftz.{d}.{s}", wide, s)
    for s in ("f16", "f32", "f64", "bf16"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            put(f"cvt.{r}.{s}.{s}", s, s)
            if s != "bf16":
                put(f"cvt.{r}.sat.{s}.{s}", s, s)
        if s != "bf16":
            put(f"cvt.sat.{s}.{s}", s, s)
    put("cvt.rmi.ftz.f32.f32", "f32", "f32")
    put("cvt.ftz.f32.f32", "f32", "f32")
    for r, d, s in itertools.product(ROUND, ("f16", "f32", "f64", "bf16"), small + large):
        wide = s[0] + "16" if s in small and d != "bf16" else s
        put(f"cvt.{r}.{d}.{s}", d, wide)
        if d != "bf16" and r in ("rn", "rp"):
            put(f"cvt.{r}.sat.{d}.{s}", d, wide)
    for r in ROUND:
        for ftz, sat in itertools.product(("", "ftz"), ("", "sat")):
            put(dots("cvt", r, ftz, sat, "f16.f32"), "f16", "f32")
            put(dots("cvt", r, ftz, sat, "f32.f64"), "f32", "f64")
        put(f"cvt.{r}.f16.f64", "f16", "f64")
        put(f"cvt.{r}.bf16.f64", "bf16", "f64")
        put(f"cvt.{r}.bf16.f16", "bf16", "f16")
        put(f"cvt.{r}.bf16.f32", "bf16", "f32")
        put(f"cvt.{r}.f16.bf16", "f16", "bf16")
        put(f"cvt.{r}.f64.bf16", "f64", "bf16")
    put("cvt.rn.ftz.bf16.f32", "bf16", "f32")
    for ftz, sat in itertools.product(("", "ftz"), ("", "sat")):
        put(dots("cvt", ftz, sat, "f32.f16"), "f32", "f16")
        put(dots("cvt", ftz, sat, "f64.f32"), "f64", "f32")
    put("cvt.sat.f64.f16", "f64", "f16")
    put("cvt.f64.f16", "f64", "f16")
    put("cvt.f32.bf16", "f32", "bf16")
    put("cvt.ftz.f32.bf16", "f32", "bf16")
    flags = lambda *names: itertools.product(*[("", name) for name in names])
    for r, (relu, finite, zero) in itertools.product(("rn", "rz"), flags("relu", "satfinite", "pzo")):
        if zero and not (relu and finite) and (relu or finite):
            continue
        for t in ("f16", "bf16"):
            put(dots("cvt", r, relu, finite, zero, t, "f32"), t, "f32")
            put(dots("cvt", r, relu, finite, zero, t + "x2", "f32"), t + "x2", "f32", "f32")
        put(dots("cvt", r, finite, relu, zero, "tf32.f32"), "tf32", "f32")
    put("cvt.rna.tf32.f32", "tf32", "f32")
    put("cvt.rna.satfinite.tf32.f32", "tf32", "f32")
    for t, (relu, finite) in itertools.product(("f16", "bf16"), flags("relu", "satfinite")):
        put(dots("cvt.rs", relu, finite, t + "x2", "f32"), t + "x2", "f32", "f32", "b32")
    packs = ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2")
    for t in packs:
        for r, (relu, zero, scaled) in itertools.product(("rn", "rz"), flags("relu", "pzo", "scaled::n1::ue8m0")):
            scale = ["ue8m0"] if scaled else []
            put(dots("cvt", r, "satfinite", relu, zero, scaled, t, "f32"), t, "f32", "f32", *scale)
            for s in ("f16x2", "bf16x2"):
                put(dots("cvt", r, "satfinite", relu, zero, scaled, t, s), t, s, *scale)
        for relu in ("", "relu"):
            put(dots("cvt.rn", relu, "f16x2", t), "f16x2", t)
        for relu, finite, scaled in flags("relu", "satfinite", "scaled::n2::ue8m0"):
            put(dots("cvt.rn", relu, finite, scaled, "bf16x2", t), "bf16x2", t, *["ue8m0x2"] * bool(scaled))
    for t in ("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"):
        for relu in ("", "relu"):
            head = dots("cvt.rs", relu, "satfinite", t, "f32")
            text(f"{head} $d, {{$a, $b, $c, $e}}, $f;", "a:f32 b:f32 c:f32 e:f32 f:b32", f"d:{t}")
    for r, finite in itertools.product(("rz", "rp"), ("", "satfinite")):
        put(dots("cvt", r, finite, "ue8m0x2.f32"), "ue8m0x2", "f32", "f32")
        put(dots("cvt", r, finite, "ue8m0x2.bf16x2"), "ue8m0x2", "bf16x2")
    put("cvt.rn.bf16x2.ue8m0x2", "bf16x2", "ue8m0x2")
    for r, (relu, scaled) in itertools.product(("rn", "rz"), flags("relu", "scaled::n2::ue8m0")):
        scale = ["ue8m0x2"] if scaled else []
        put(dots("cvt", r, "satfinite", relu, scaled, "s2f6x2.f32"), "s2f6x2", "f32", "f32", *scale)
        put(dots("cvt", r, "satfinite", relu, scaled, "s2f6x2.bf16x2"), "s2f6x2", "bf16x2", *scale)
    for finite, relu, scaled in flags("satfinite", "relu", "scaled::n2::ue8m0"):
        scale = ["ue8m0x2"] if scaled else []
        put(dots("cvt.rn", finite, relu, scaled, "bf16x2.s2f6x2"), "bf16x2", "s2f6x2", *scale)
    for r, (finite, scaled) in itertools.product(("rn", "rz", "rp"), flags("satfinite", "scaled::n1::ue8m0")):
        if r == "rp" and scaled:
            continue
        scale = ["ue8m0"] if scaled else []
        put(dots("cvt", r, finite, scaled, "ue5m3x2.f32"), "ue5m3x2", "f32", "f32", *scale)
        for s in ("f16x2", "bf16x2"):
            put(dots("cvt", r, finite, scaled, "ue5m3x2", s), "ue5m3x2", s, *scale)
    put("cvt.rn.f16x2.ue5m3x2", "f16x2", "ue5m3x2")
    for finite, scaled in flags("satfinite", "scaled::n2::ue8m0"):
        scale = ["ue8m0x2"] if scaled else []
        put(dots("cvt.rn", finite, scaled, "bf16x2.ue5m3x2"), "bf16x2", "ue5m3x2", *scale)
    for t in ("u16", "s16"):
        put(f"cvt.pack.sat.{t}.s32", "b32", "s32", "s32")
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        put(f"cvt.pack.sat.{t}.s32.b32", "b32", "s32", "s32", "b32")


def moves():
    for t in BITS3 + INTS + ("f32", "f64", "pred", "b128"):
        put(f"mov.{t}", t, t)
    text("mov.pred $d, !$a;", "a:pred", "d:pred")
    packs = {"b16": ("b8",), "b32": ("b8", "b16"), "b64": ("b16", "b32"), "b128": ("b32", "b64")}
    for whole, parts in packs.items():
        for part in parts:
            names = "abce"[: int(whole[1:]) // int(part[1:])]
            list_in = ", ".join("$" + name for name in names)
            text(f"mov.{whole} $d, {{{list_in}}};", " ".join(f"{name}:{part}" for name in names), f"d:{whole}")
            names = "dpqr"[: len(names)]
            list_out = ", ".join("$" + name for name in names)
            text(f"mov.{whole} {{{list_out}}}, $a;", f"a:{whole}", " ".join(f"{name}:{part}" for name in names))
    for t in INTS + BITS3 + ("f32", "f64"):
        for n in (2, 4):
            if n * bits(t) <= 128:
                sources = ", ".join("$" + name for name in "abce"[:n])
                results = ", ".join("$" + name for name in "dpqr"[:n])
                text(
                    f"mov.v{n}.{t} {{{results}}}, {{{sources}}};",
                    " ".join(f"{name}:{t}" for name in "abce"[:n]),
                    " ".join(f"{name}:{t}" for name in "dpqr"[:n]),
                )


def video():
    pair = list(itertools.product(INT32, repeat=2))
    some = random.Random(4)
    part = lambda n=1: ["." + some.choice(("b0", "b1", "b2", "b3", "h0", "h1")) if some.random() < 0.6 else "" for _ in range(n)]
    scalar = [(op, d, a, b, "") for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax") for d, (a, b) in itertools.product(INT32, pair)]
    scalar += [(op, d, a, "u32", mode) for op in ("vshl", "vshr") for d in INT32 for a in INT32 for mode in ("clamp", "wrap")]
    for (op, d, a, b, mode), sat in itertools.product(scalar, ("", "sat")):
        ins = f"a:{a} b:{'count' if mode else b} c:{d}"
        head = dots(op, d, a, b, sat, mode)
        x, y = part(2)
        text(f"{head} $d, $a{x}, $b{y};", ins[: ins.rindex(" c")], f"d:{d}")
        for op2 in ("add", "min", "max"):
            x, y = part(2)
            text(f"{head}.{op2} $d, $a{x}, $b{y}, $c;", ins, f"d:{d}")
        x, y = part(2)
        selector = some.choice(("b0", "b1", "b2", "b3", "h0", "h1"))
        text(f"{head} $d.{selector}, $a{x}, $b{y}, $c;", ins, f"d:{d}")
    signs = (("", "", "", ""), ("", "", "", ".po"), ("-", "-", "", ".po"), ("-", "-", "", ""), ("-", "", "", ""), ("", "-", "", ""), ("", "", "-", ""), ("-", "-", "-", ""))
    for d, (a, b), (na, nb, nc, po), sat, scale in itertools.product(INT32, pair, signs, ("", ".sat"), ("", ".shr7", ".shr15")):
        if some.random() < 0.5 and (na or nb or nc):
            continue
        x, y = part(2)
        text(f"vmad.{d}.{a}.{b}{po}{sat}{scale} $d, {na}$a{x}, {nb}$b{y}, {nc}$c;", f"a:{a} b:{b} c:{d}", f"d:{d}")
    for (a, b), cmp in itertools.product(pair, EQUALITY + ORDER):
        x, y = part(2)
        text(f"vset.{a}.{b}.{cmp} $d, $a{x}, $b{y};", f"a:{a} b:{b}", "d:u32")
        x, y = part(2)
        text(f"vset.{a}.{b}.{cmp}.{some.choice(('add', 'min', 'max'))} $d, $a{x}, $b{y}, $c;", f"a:{a} b:{b} c:u32", "d:u32")
        x, y = part(2)
        selector = some.choice(("b0", "b1", "b2", "b3", "h0", "h1"))
        text(f"vset.{a}.{b}.{cmp} $d.{selector}, $a{x}, $b{y}, $c;", f"a:{a} b:{b} c:u32", "d:u32")
        for n, add in itertools.product((2, 4), ("", ".add")):
            d, x, y = masks(some, n)
            text(f"vset{n}.{a}.{b}.{cmp}{add} $d{d}, $a{x}, $b{y}, $c;", f"a:{a} b:{b} c:u32", "d:u32")
    for op in ("add", "min", "max"):
        text(f"vset.u32.s32.lt.{op} $d, $a.b1, $b, $c;", "a:u32 b:s32 c:u32", "d:u32")
    for op, n, d, (a, b) in itertools.product(("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"), (2, 4), INT32, pair):
        for last in ("", ".sat", ".add"):
            for plain in (True, False):
                m, x, y = ("", "", "") if plain else masks(some, n)
                text(f"{op}{n}.{d}.{a}.{b}{last} $d{m}, $a{x}, $b{y}, $c;", f"a:{a} b:{b} c:{d}", f"d:{d}")


def masks(some, n):
    """A mask of the destination and the selectors of two sources, of SIMD video."""
    mask = [digit for digit in reversed(range(n)) if some.random() < 0.6] or [0]
    letter = "h" if n == 2 else "b"
    select = lambda: "." + letter + "".join(str(some.randrange(2 * n)) for _ in range(n)) if some.random() < 0.7 else ""
    return "." + letter + "".join(map(str, mask)), select(), select()


def warps():
    for mode in ("up", "down", "bfly", "idx"):
        text(f"shfl.sync.{mode}.b32 $d|$p, $a, $b, $c, $e;", "a:b32 b:lane c:clamp e:mask", "d:b32 p:pred", warp=True)
        text(f"shfl.{mode}.b32 $d|$p, $a, $b, $c;", "a:b32 b:lane c:clamp", "d:b32 p:pred", warp=True)
    for mode in ("all", "any", "uni"):
        text(f"vote.{mode}.pred $d, $a;", "a:pred", "d:pred", warp=True)
        text(f"vote.sync.{mode}.pred $d, $a, $b;", "a:pred b:mask", "d:pred", warp=True)
    text("vote.sync.ballot.b32 $d, $a, $b;", "a:pred b:mask", "d:b32", warp=True)
    text("vote.ballot.b32 $d, $a;", "a:pred", "d:b32", warp=True)
    text("vote.sync.any.pred $d, !$a, $b;", "a:pred b:mask", "d:pred", warp=True)
    for t in ("b32", "b64"):
        text(f"match.any.sync.{t} $d, $a, $b;", f"a:{t}few b:mask", "d:b32", warp=True)
        text(f"match.all.sync.{t} $d|$p, $a, $b;", f"a:{t}few b:mask", "d:b32 p:pred", warp=True)
    for op, t in itertools.product(("add", "min", "max"), INT32):
        text(f"redux.sync.{op}.{t} $d, $a, $b;", f"a:{t} b:mask", f"d:{t}", warp=True)
    for op in ("and", "or", "xor"):
        text(f"redux.sync.{op}.b32 $d, $a, $b;", "a:b32 b:mask", "d:b32", warp=True)
    for op, absolute, nan in itertools.product(("min", "max"), ("", "abs"), ("", "NaN")):
        text(f"{dots('redux.sync', op, absolute, nan, 'f32')} $d, $a, $b;", "a:f32 b:mask", "d:f32", warp=True)
    text("elect.sync $d|$p, $a;", "a:mask", "d:b32 p:pred", warp=True)
    text("activemask.b32 $d;", "", "d:b32", warp=True)


def stack():
    """The stack pointer is a register named `stack`."""
    for t in ("u32", "u64"):
        text(f"stacksave.{t} $d;", f"stack:{t}", f"d:{t}")
        text(f"stackrestore.{t} $a;", f"a:{t}", f"stack:{t}")
    text("alloca.u32 $d, $a;", "a:u32 stack:u32", "d:u32")
    text("alloca.u64 $d, $a;", "a:u64 stack:u64", "d:u64 stack:u64")
    for align in (1, 16, 4096):
        text(f"alloca.u64 $d, $a, {align};", "a:u64 stack:u64", "d:u64 stack:u64")


def everything():
    """All forms, in the order of the tables."""
    FORMS.clear()
    for family in (integers, logic, floats, conversions, moves, video, warps, stack):
        family()
    seen = {}
    for form in FORMS:
        seen.setdefault(form.text, form)
    return list(seen.values())


class Operands:
    """Operands with a fixed seed, more of them where rules change than elsewhere."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def values(self, form):
        """A value for each operand that is read, by name."""
        values = {}
        for name, kind in form.ins:
            before = [values[other] for other, of in form.ins if other in values and of == kind]
            values[name] = self.value(kind, before)
        return values

    def value(self, kind, before=()):
        some = self.random
        if kind in ("pred", "flag"):
            return some.randrange(2)
        if kind == "count":
            chance = some.random()
            if chance < 0.7:
                return some.randrange(41)
            return some.choice((31, 32, 33, 63, 64, 65, 127, 255, 256, 1 << 31, (1 << 32) - 1)) if chance < 0.9 else some.getrandbits(32)
        if before and some.random() < 0.2:
            near = some.choice(before) + some.choice((0, 0, 1, -1))
            flip = 1 << bits(kind) - 1 if exact.is_float(kind) and some.random() < 0.5 else 0
            return (near ^ flip) & (1 << bits(kind)) - 1
        element, count = exact.split(kind)
        value = 0
        for i in range(count):
            one = self.float(element) if exact.is_float(kind) else self.integer(exact.width(element))
            value |= one << self.step(kind) * i
        return value

    @staticmethod
    def step(kind):
        """How far the elements of a pack are from each other, in bits."""
        element, count = exact.split(kind)
        if kind in ("e2m3x2", "e3m2x2", "e2m3x4", "e3m2x4", "e2m1p4x4"):
            return 8
        return exact.width(element)

    def integer(self, width):
        some = self.random
        chance = some.random()
        if chance < 0.2:
            top = 1 << width - 1
            return some.choice((0, 1, 2, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2))
        if chance < 0.35:
            return 1 << some.randrange(width)
        if chance < 0.45:
            return some.getrandbits(some.randrange(1, width + 1))
        return some.getrandbits(width)

    def float(self, name):
        some = self.random
        form = exact.FORMATS[name]
        sign = some.randrange(2) << form.width - 1 if form.signed else 0
        if form.fixed or form.width <= 8:
            return some.getrandbits(form.width)
        fraction, top = form.fraction, (1 << form.exponent) - 1
        shift = form.width - form.signed - form.exponent - fraction
        chance = some.random()
        if chance < 0.2:
            odd = (0, 1, 2, (1 << fraction) - 1, 1 << fraction, (1 << fraction) + 1)
            edge = odd + ((top << fraction) - 1, top << fraction, top << fraction | 1, top << fraction | 1 << fraction - 1)
            return sign | some.choice(edge) << shift
        if chance < 0.3:
            return sign | (some.getrandbits(form.exponent + fraction)) << shift
        if chance < 0.4:
            return sign | some.getrandbits(fraction) << shift
        exponent = top // 2 + some.randrange(-12, 13) if form.exponent > 5 else some.randrange(top)
        low = some.getrandbits(fraction)
        if some.random() < 0.4:
            low &= ~((1 << some.randrange(fraction + 1)) - 1)
        return sign | (exponent << fraction | low) << shift
