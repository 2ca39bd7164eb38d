"""What lanes compute together, by chapters 9.7.9.6 and 9.7.14.9 to 9.7.14.15 of the manual."""

import exact
import reals
from integers import value

LANES = range(32)


def case(form, operands):
    """A case of a form: the mask of active lanes, operands and results with a value for each lane."""
    some = operands.random
    head, _, rest = form.text.rstrip(";").partition(" ")
    words = head.split(".")
    active = some.choice((0xFFFFFFFF, 0xFFFFFFFF, some.getrandbits(32) | 1, 1 << some.randrange(32)))
    few = [some.getrandbits(64) for _ in range(3)]
    same = some.random() < 0.4
    values = {}
    for name, kind in form.ins:
        if kind == "mask":
            values[name] = [active] * 32
        elif kind == "lane":
            far = some.random() < 0.3
            values[name] = [some.getrandbits(32) if far else some.randrange(33)] * 32 if same else [some.randrange(40) for _ in LANES]
        elif kind == "clamp":
            segment = some.choice((0, 0x10, 0x18, 0x1C, 0x1E, some.getrandbits(5)))
            values[name] = [segment << 8 | some.choice((0x1F, 0, some.getrandbits(5)))] * 32
        elif kind.endswith("few"):
            values[name] = [few[0 if same else some.randrange(3)] & (1 << int(kind[1:3])) - 1 for _ in LANES]
        elif kind == "pred":
            chance = some.choice((0, 0.5, 1))
            values[name] = [int(some.random() < chance) for _ in LANES]
        else:
            values[name] = [operands.value(kind) for _ in LANES]
    minus = "!" in rest
    if minus:
        values["a"] = [1 - it for it in values["a"]]
    outs = OPCODES[words[0]](words, values, active)
    if minus:
        values["a"] = [1 - it for it in values["a"]]
    row = [f"{active:x}"] + [",".join(f"{it:x}" for it in values[name]) for name, _ in form.ins]
    for results in outs:
        here = ["-" if not active >> i & 1 else "?" if it is None else f"{it:x}" for i, it in zip(LANES, results)]
        row.append(",".join(here))
    return row


def members(active):
    return [i for i in LANES if active >> i & 1]


def shuffled(words, values, active):
    a, b, c = values["a"], values["b"], values["c"]
    results, inside, mode = [], [], words[1 + ("sync" in words)]
    for lane in LANES:
        top, segment, by = c[lane] & 31, c[lane] >> 8 & 31, b[lane] & 31
        first = lane & segment
        last = first | top & ~segment & 31
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": first | by & ~segment & 31}[mode]
        good = source >= last if mode == "up" else source <= last
        source = source if good else lane
        known = bool(active >> source & 1)
        results.append(a[source] if known else None)
        inside.append(int(good) if known else None)
    return results, inside


def voted(words, values, active):
    here, mode = [values["a"][i] for i in members(active)], words[1 + ("sync" in words)]
    if mode == "ballot":
        return [[sum(1 << i for i in members(active) if values["a"][i])] * 32]
    return [[int({"all": all(here), "any": any(here), "uni": len(set(here)) == 1}[mode])] * 32]


def matched(words, values, active):
    a = values["a"]
    if words[1] == "any":
        return [[sum(1 << j for j in members(active) if a[j] == a[i]) for i in LANES]]
    equal = len({a[i] for i in members(active)}) == 1
    return [[active if equal else 0] * 32, [int(equal)] * 32]


def reduced(words, values, active):
    t = words[-1]
    here = [values["a"][i] for i in members(active)]
    if t == "f32":
        if "abs" in words:
            here = [it & 0x7FFFFFFF for it in here]
        out = here[0]
        head = [words[2]] + [it for it in words if it == "NaN"]
        for it in here[1:]:
            out = reals.lesser(head, t, out, it)
        out = exact.CANONICAL[t] if reals.read(out, t).is_nan else out
        return [[out] * 32]
    out = value(here[0], t)
    functions = {"add": lambda x, y: x + y, "min": min, "max": max, "and": int.__and__, "or": int.__or__, "xor": int.__xor__}
    for it in here[1:]:
        out = functions[words[2]](out, value(it, t))
    return [[out & 0xFFFFFFFF] * 32]


def elected(words, values, active):
    leader = members(active)[0]
    return [[leader] * 32, [int(i == leader) for i in LANES]]


def here(words, values, active):
    return [[active] * 32]


OPCODES = {"shfl": shuffled, "vote": voted, "match": matched, "redux": reduced, "elect": elected, "activemask": here}
