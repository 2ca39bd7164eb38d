"""Fails when the PTX that Triton makes of a kernel computes something else, races, or reads what is not there.

No GPU is needed: Triton compiles for the targets that are named here, and the program runs what it made.
"""

import pytest

import ptx_analyzer

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
np = pytest.importorskip("numpy")

ROWS, COLUMNS, BLOCK = 3, 100, 128


@triton.jit
def softmax(out, data, columns, block: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, block)
    inside = offsets < columns
    values = tl.load(data + row * columns + offsets, mask=inside, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, values / tl.sum(values, axis=0), mask=inside)


def compiled(capability: int):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(
        fn=softmax,
        signature={"out": "*fp32", "data": "*fp32", "columns": "i32", "block": "constexpr"},
        constexprs={"block": BLOCK},
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32))


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("schedule", ["lowest", "reverse", "random:1"])
def test_softmax(capability: int, schedule: str) -> None:
    data = np.random.default_rng(0).standard_normal((ROWS, COLUMNS), dtype=np.float32)
    out = np.zeros_like(data)
    want = np.exp(data - data.max(axis=1, keepdims=True))
    want /= want.sum(axis=1, keepdims=True)

    kernel = ptx_analyzer.triton(compiled(capability))
    # The numbers of `ex2.approx` are those of one device among several.
    run = kernel.run(grid=ROWS, args=[out, data, COLUMNS], expect={0: want}, rtol=1e-5, schedule=schedule)
    assert run.passed, run
