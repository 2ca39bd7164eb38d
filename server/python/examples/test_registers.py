"""Fails when a kernel of Triton needs more registers than it did when the baseline was written.

``PTX_BASELINE=write pytest test_registers.py`` writes the baseline, ``registers.json`` beside this file.
No GPU is needed: Triton compiles for the targets that are named here.
"""

import json
import os
from pathlib import Path

import pytest

import ptx_analyzer

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")

BASELINE = Path(os.environ.get("PTX_BASELINE_FILE", Path(__file__).with_name("registers.json")))
#: The growth that is allowed, in registers.
GROWTH = 0
#: How much each thread does; more work in flight needs more registers.
BLOCK = int(os.environ.get("BLOCK", "1024"))


@triton.jit
def softmax(out, data, columns, block: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, block)
    inside = offsets < columns
    values = tl.load(data + row * columns + offsets, mask=inside, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, values / tl.sum(values, axis=0), mask=inside)


def ptx(capability: int) -> str:
    """What Triton makes of the kernel."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(
        fn=softmax,
        signature={"out": "*fp32", "data": "*fp32", "columns": "i32", "block": "constexpr"},
        constexprs={"block": BLOCK},
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"]


@pytest.mark.parametrize("capability", [80, 90])
def test_registers_do_not_grow(capability: int) -> None:
    text = ptx(capability)
    errors = [it for it in ptx_analyzer.check(text) if it.severity == "error"]
    assert not errors, "\n".join(map(str, errors))

    now = {f"{it.entry} on {it.target}": it.estimate for it in ptx_analyzer.registers(text)}
    assert now, "the module has an entry"
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    if os.environ.get("PTX_BASELINE") == "write":
        BASELINE.write_text(json.dumps({**known, **now}, indent=2, sort_keys=True) + "\n")
        return
    for name, estimate in now.items():
        assert name in known, f"{name} is not in the baseline"
        assert estimate <= known[name] + GROWTH, f"{name}: about {estimate} registers, {known[name]} before"
