"""Results by the manual, with exact integers and fractions: a second opinion that shares nothing with the evaluator.

usage: reference.py [--seed N] [--count N] [--only PREFIX] [--skip FILE] OUTPUT

Forms in the files of cases that --skip names get fewer cases.
"""

import argparse
import re

import cases
import conversions
import forms
import integers
import reals
import video
import warp


class Run:
    """Registers and the carry flag, while statements run one after another."""

    def __init__(self, values):
        self.registers, self.carry = dict(values), 0

    def statement(self, text):
        head, _, rest = text.strip().partition(" ")
        operands = [it.strip() for it in re.split(r",(?![^{]*\})", rest)]
        words = head.split(".")
        if words[0] in ("stacksave", "stackrestore", "alloca"):
            return self.stack(words, operands)
        if words[0].startswith("v") and words[0] != "vote":
            return self.write(operands[0], [video.result(words, operands, self.read)])
        # How many parts a value is taken apart into.
        self.parts = operands[0].count("$") if operands[0].startswith("{") else 1
        sources = [self.source(it) for it in operands[1:]]
        for module in (conversions, integers, reals):
            compute = module.OPCODES.get(words[0])
            results = compute(words, *sources, run=self) if compute else None
            if results is not None:
                return self.write(operands[0], results if isinstance(results, tuple) else (results,))
        raise NotImplementedError(text)

    def stack(self, words, operands):
        """The stack grows down, and is aligned to 8 bytes at least."""
        name = operands[0].lstrip("$")
        if words[0] == "stacksave":
            self.registers[name] = self.registers["stack"]
        elif words[0] == "stackrestore":
            self.registers["stack"] = self.registers[name]
        else:
            align = max(8, int(operands[2]) if len(operands) > 2 else 8)
            top = self.registers["stack"] - self.source(operands[1]) & (1 << 64) - 1
            self.registers[name] = self.registers["stack"] = top - top % align

    def read(self, name):
        return self.registers[name.lstrip("$")]

    def source(self, operand):
        """The bits of a source; of braces those of each element."""
        if operand.startswith("{"):
            return [self.read(it.strip()) for it in operand.strip("{}").split(",")]
        if operand.startswith("!"):
            return 1 - self.read(operand[1:])
        return int(operand, 0) if operand[0].isdigit() else self.read(operand)

    def write(self, destination, results):
        names = re.findall(r"\$(\w+)", destination)
        for name, value in zip(names, results):
            self.registers[name] = value


def results(form, values):
    """The digits of each result of a case."""
    run = Run(values)
    try:
        for statement in form.text.split(";"):
            if statement.strip():
                run.statement(statement)
    except integers.Open:
        return ["?"] * len(form.outs)
    out = []
    for name, kind in form.outs:
        value = run.registers[name]
        digits = max(1, forms.bits(kind) // 4)
        out.append("x" * digits if value is None else f"{value & (1 << forms.bits(kind)) - 1:x}")
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--fewer", type=int, default=4)
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("output")
    options = parser.parse_args()
    known = {text for path in options.skip for text in cases.texts(path)}
    operands = forms.Operands(options.seed)
    judged = []
    for form in forms.everything():
        if not form.text.startswith(options.only):
            continue
        count = options.fewer if form.text in known else options.count
        if form.warp:
            judged.append((form, [warp.case(form, operands) for _ in range(count)]))
            continue
        rows = []
        for _ in range(count):
            values = operands.values(form)
            rows.append([f"{values[name]:x}" for name, _ in form.ins] + results(form, values))
        judged.append((form, rows))
    cases.write(options.output, f"by the manual, seed {options.seed}", judged)


if __name__ == "__main__":
    main()
