"""Floats of all formats as exact numbers, and their rounding: section 5.2 and 9.7 of the manual, IEEE 754."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A binary format; `special` says which codes are not numbers: "ieee", "nan" (one magnitude) or "none"."""

    width: int
    exponent: int
    fraction: int
    special: str = "ieee"
    signed: bool = True
    # Bits above and below the number.
    fixed: bool = False

    @property
    def bias(self):
        return (1 << self.exponent - 1) - 1

    @property
    def shift(self):
        """Unused low bits."""
        return self.width - self.signed - self.exponent - self.fraction if self.width > 8 else 0


FORMATS = {
    "f64": Format(64, 11, 52),
    "f32": Format(32, 8, 23),
    "tf32": Format(32, 8, 10),
    "f16": Format(16, 5, 10),
    "bf16": Format(16, 8, 7),
    "e4m3": Format(8, 4, 3, "nan"),
    "e5m2": Format(8, 5, 2),
    "e2m3": Format(6, 2, 3, "none"),
    "e3m2": Format(6, 3, 2, "none"),
    "e2m1": Format(4, 2, 1, "none"),
    "ue8m0": Format(8, 8, 0, "nan", signed=False),
    "ue5m3": Format(8, 5, 3, "nan", signed=False),
    "s2f6": Format(8, 0, 6, "none", fixed=True),
}
CANONICAL = {"f32": 0x7FFFFFFF, "tf32": 0x7FFFFFFF, "f16": 0x7FFF, "bf16": 0x7FFF, "e4m3": 0x7F, "e5m2": 0x7F, "ue8m0": 0xFF, "ue5m3": 0xFF, "f64": 0x7FF8000000000000}

NAN, INFINITY = "nan", "infinity"


def split(kind):
    """The element of a kind, and how many of them it has."""
    found = re.fullmatch(r"(.*?\d)(?:p4)?x(\d+)", kind)
    return (found[1], int(found[2])) if found else (kind, 1)


def is_float(kind):
    return split(kind)[0] in FORMATS


def width(element):
    """Width of an element in bits."""
    if element in FORMATS:
        return FORMATS[element].width
    if element in ("pred", "flag"):
        return 1
    return 32 if element == "count" else int(re.match(r"[busf]+(\d+)", element)[1])


@dataclass(frozen=True)
class Number:
    """A number, an infinity or a NaN; the sign counts for zeros, too."""

    kind: str
    negative: bool = False
    value: Fraction = Fraction(0)

    def __bool__(self):
        return self.kind == "number" and self.value != 0

    @property
    def is_nan(self):
        return self.kind == NAN

    @property
    def is_zero(self):
        return self.kind == "number" and self.value == 0

    @property
    def signed(self):
        return -self.value if self.negative else self.value

    def __neg__(self):
        return Number(self.kind, not self.negative, self.value)


NOT_A_NUMBER = Number(NAN)
ZERO = Number("number")


def number(value, negative=False):
    """A number by its value; `negative` is the sign of a zero."""
    value = Fraction(value)
    return Number("number", value < 0 or value == 0 and negative, abs(value))


def decode(bits, name):
    form = FORMATS[name]
    if form.fixed:
        return number(Fraction(bits - (bits >> 7 << 8), 64))
    bits >>= form.shift
    negative = form.signed and bool(bits >> form.exponent + form.fraction & 1)
    exponent = bits >> form.fraction & (1 << form.exponent) - 1
    low = bits & (1 << form.fraction) - 1
    top = (1 << form.exponent) - 1
    if form.special == "ieee" and exponent == top:
        return Number(NAN if low else INFINITY, negative)
    if form.special == "nan" and exponent == top and low == (1 << form.fraction) - 1:
        return Number(NAN, negative)
    if name == "ue8m0":
        return number(Fraction(2) ** (exponent - 127))
    significand = low if exponent == 0 else low | 1 << form.fraction
    power = max(exponent, 1) - form.bias - form.fraction
    return Number("number", negative, significand * Fraction(2) ** power)


def largest(name):
    """The code of the largest number of a format, without a sign."""
    form = FORMATS[name]
    if form.special == "ieee":
        return ((1 << form.exponent) - 1 << form.fraction) - 1 << form.shift
    all_ones = (1 << form.exponent + form.fraction) - 1
    return all_ones - 1 if form.special == "nan" else all_ones


def floor_log2(value):
    power = value.numerator.bit_length() - value.denominator.bit_length()
    return power if Fraction(2) ** power <= value else power - 1


def to_integer(value, mode, negative=False):
    """The integer next to a magnitude, by a rounding mode."""
    low = value.numerator // value.denominator
    rest = value - low
    if mode == "rz" or rest == 0:
        return low
    if mode in ("rm", "rp"):
        return low + (negative == (mode == "rm"))
    if mode == "rna":
        return low + (rest >= Fraction(1, 2))
    return low + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and low % 2)


def encode(x, name, mode="rn", finite=False, random=None):
    """The code of the nearest number of a format; with `random`, (bits, count), of one of the two next to it."""
    form = FORMATS[name]
    sign = (x.negative << form.width - 1) if form.signed else 0
    if x.is_nan:
        if name in CANONICAL:
            return CANONICAL[name]
        return largest(name) if not form.fixed else 0x7F
    if form.fixed:
        whole = to_integer(x.value * 64, mode, x.negative) if x.kind == "number" else 1 << 20
        return max(-128, min(127, -whole if x.negative else whole)) & 0xFF
    if x.kind == INFINITY:
        if finite or form.special != "ieee":
            return sign | largest(name) if finite or form.special == "none" else CANONICAL[name]
        return sign | (1 << form.exponent) - 1 << form.fraction + form.shift
    if x.value == 0:
        return sign
    if name == "ue8m0":
        return scale_code(x.value, mode, finite)
    lowest = 1 - form.bias
    power = max(floor_log2(x.value), lowest) - form.fraction
    steps = x.value / Fraction(2) ** power
    if random is None:
        count = to_integer(steps, mode, x.negative)
    else:
        low, (bits, number_of) = to_integer(steps, "rz"), random
        part = to_integer((steps - low) * (1 << number_of), "rz")
        count = low + (part + bits >> number_of)
    # The exponent goes up by one where the significand is full.
    code = count if power == lowest - form.fraction else count + (power - lowest + form.fraction << form.fraction)
    code <<= form.shift
    if code > largest(name):
        inward = mode == "rz" or mode in ("rm", "rp") and x.negative != (mode == "rm")
        if finite or form.special == "none" or inward:
            code = largest(name)
        elif form.special == "ieee":
            code = (1 << form.exponent) - 1 << form.fraction + form.shift
        else:
            return CANONICAL[name]
    return sign | code


def scale_code(value, mode, finite):
    """The code of a power of two."""
    power = floor_log2(value)
    if Fraction(2) ** power != value and mode == "rp":
        power += 1
    code = power + 127
    if code > 254:
        return 254 if finite else 255
    return max(code, 0)


def flush(x, name):
    """A subnormal becomes a zero."""
    form = FORMATS[name]
    return Number("number", x.negative) if x and x.value < Fraction(2) ** (1 - form.bias) else x


def add(x, y, mode="rn"):
    if x.is_nan or y.is_nan:
        return NOT_A_NUMBER
    if INFINITY in (x.kind, y.kind):
        if x.kind == y.kind and x.negative != y.negative:
            return NOT_A_NUMBER
        return x if x.kind == INFINITY else y
    total = x.signed + y.signed
    both = x.is_zero and y.is_zero and x.negative == y.negative
    return number(total, x.negative if both else mode == "rm")


def multiply(x, y):
    negative = x.negative != y.negative
    if x.is_nan or y.is_nan:
        return NOT_A_NUMBER
    if INFINITY in (x.kind, y.kind):
        return NOT_A_NUMBER if x.is_zero or y.is_zero else Number(INFINITY, negative)
    return Number("number", negative, x.value * y.value)


def divide(x, y):
    negative = x.negative != y.negative
    if x.is_nan or y.is_nan or x.kind == y.kind == INFINITY or x.is_zero and y.is_zero:
        return NOT_A_NUMBER
    if x.kind == INFINITY or y.is_zero:
        return Number(INFINITY, negative)
    if y.kind == INFINITY:
        return Number("number", negative)
    return Number("number", negative, x.value / y.value)


def root(x):
    """The square root; where it is irrational a number just above 400 bits of it."""
    if x.is_nan or x.negative and not x.is_zero:
        return NOT_A_NUMBER
    if x.kind == INFINITY or x.is_zero:
        return x
    power = 800 - floor_log2(x.value) // 2 * 2
    scaled = x.value * Fraction(2) ** power
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    value = Fraction(whole)
    if value * value != scaled:
        value += Fraction(1, 3)
    return Number("number", False, value / Fraction(2) ** (power // 2))
