"""Kernels in Triton, compiled without a GPU."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def row_softmax(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + r * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def dot(a, b, c, N, M: tl.constexpr, K: tl.constexpr):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * M + tl.arange(0, M)
    k = tl.arange(0, K)
    sums = tl.zeros((M, M), tl.float32)
    for at in range(0, N, K):
        x = tl.load(a + m[:, None] * N + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + n[None, :])
        sums = tl.dot(x, y, sums, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], sums)


@triton.jit
def running_sum(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


@triton.jit
def sorted_rows(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def bins(x, out, n, B: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + v % C, 1, mask=i < n)


@triton.jit
def layer_norm(x, w, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    d = tl.where(i < n, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, 0) / n + 1e-5)
    tl.store(out + r * n + i, (d * scale * tl.load(w + i, mask=i < n)).to(tl.float16), mask=i < n)


#: The function, the types of its parameters, its constants and options.
ALL = {
    "triton_add": (add, "*fp32 *fp32 *fp32 i32", {"B": 256}, {}),
    "triton_softmax": (row_softmax, "*fp32 *fp32 i32", {"B": 256}, {}),
    "triton_matmul": (dot, "*fp32 *fp32 *fp32 i32", {"M": 16, "K": 16}, {"num_stages": 2}),
    "triton_tensor_cores": (dot, "*fp16 *fp16 *fp32 i32", {"M": 32, "K": 32}, {"num_stages": 3}),
    "triton_cumsum": (running_sum, "*i32 *i32", {"B": 512}, {}),
    "triton_sort": (sorted_rows, "*i32 *i32", {"B": 128}, {}),
    "triton_histogram": (bins, "*i32 *i32 i32", {"B": 256, "C": 16}, {}),
    "triton_layer_norm": (layer_norm, "*fp16 *fp32 *fp16 i32", {"B": 256}, {}),
}


def compile_to(name, path):
    """Writes the PTX of a kernel; returns its bytes of dynamic shared memory."""
    function, types, constants, options = ALL[name]
    types = types.split() + ["constexpr"] * len(constants)
    source = ASTSource(fn=function, signature=dict(zip(function.arg_names, types)), constexprs=constants)
    made = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4, **options})
    lines = made.asm["ptx"].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(".version"))
    # The debug information names files of whoever compiles.
    kept = [it.rstrip() for it in lines[first:] if not it.lstrip().startswith((".loc\t", ".file\t"))]
    text = "\n".join(kept)
    text = text.split("\t.section")[0].rstrip() + "\n"
    path.write_text(text.replace(", debug", ""))
    return made.metadata.shared
