"""Prints what plain `diff` and `ptx-analyzer diff` say of pairs of builds of the same source.

usage: builds.py PTX-ANALYZER NVRTC-12 NVRTC-13

The last two are folders with the package of NVRTC.
"""

import ctypes
import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = r"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void reduce(const float* x, float* sum, int n) {
    __shared__ float part[256];
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
extern "C" __global__ void softmax(const float* x, float* y, int width) {
    const float* row = x + blockIdx.x * width;
    float most = row[0], sum = 0.0f;
    for (int i = 1; i < width; i++) most = fmaxf(most, row[i]);
    for (int i = 0; i < width; i++) sum += expf(row[i] - most);
    for (int i = threadIdx.x; i < width; i += blockDim.x) y[blockIdx.x * width + i] = expf(row[i] - most) / sum;
}
extern "C" __global__ void stencil(const float* x, float* y, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= width - 1 || j >= height - 1) return;
    float s = 0.0f;
    for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++) s += x[(j + dj) * width + i + di];
    y[j * width + i] = s / 9.0f;
}
extern "C" __global__ void pick(const int* kind, const double* x, double* y) {
    int i = threadIdx.x;
    switch (kind[i]) {
    case 0: y[i] = sqrt(x[i]); break;
    case 1: y[i] = x[i] * 2.0; break;
    case 2: y[i] = 1.0 / x[i]; break;
    default: y[i] = -x[i];
    }
}
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float s = 0.0f;
    for (int k = 0; k < n; k += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) s += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = s;
}
"""


class Compiler:
    def __init__(self, folder: str) -> None:
        libraries = [it for it in Path(folder).rglob("libnvrtc.so.*") if "builtins" not in it.name]
        for builtins in Path(folder).rglob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(libraries[0]))

    def compile(self, source: str, options: list) -> str:
        nvrtc, program, size = self.library, ctypes.c_void_p(), ctypes.c_size_t()
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None)
        words = (ctypes.c_char_p * len(options))(*(it.encode() for it in options))
        if nvrtc.nvrtcCompileProgram(program, len(options), words) != 0:
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            raise SystemExit(log.value.decode())
        nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetPTX(program, text)
        return text.value.decode()


def changed(old: str, new: str) -> str:
    assert old in SOURCE, old
    return SOURCE.replace(old, new, 1)


def reversed_functions() -> str:
    head, *functions = SOURCE.split('extern "C"')
    return head + "".join('extern "C"' + it for it in reversed(functions))


def main() -> int:
    analyzer, old, new = sys.argv[1], Compiler(sys.argv[2]), Compiler(sys.argv[3])
    at = lambda target, *more: [f"--gpu-architecture={target}", *more]
    base = (new, SOURCE, at("compute_80"))
    pairs = [
        ("NVRTC 12.9 / 13.5", (old, SOURCE, at("compute_80")), base),
        ("NVRTC 12.9 / 13.5, compute_90", (old, SOURCE, at("compute_90")), (new, SOURCE, at("compute_90"))),
        ("compute_80 / compute_90", base, (new, SOURCE, at("compute_90"))),
        ("compute_80 / compute_100", base, (new, SOURCE, at("compute_100"))),
        ("without / with line numbers", base, (new, SOURCE, at("compute_80", "--generate-line-info"))),
        ("without / with fast math", base, (new, SOURCE, at("compute_80", "--use_fast_math"))),
        ("with / without fma", base, (new, SOURCE, at("compute_80", "--fmad=false"))),
        ("other order of functions", base, (new, reversed_functions(), at("compute_80"))),
        ("a constant", base, (new, changed("s / 9.0f", "s / 8.5f"), at("compute_80"))),
        ("a case of a switch", base, (new, changed("x[i] * 2.0", "x[i] + 2.0"), at("compute_80"))),
        ("a statement more", base, (new, changed("    if (threadIdx.x == 0) atomicAdd", "    part[0] *= 0.5f;\n    if (threadIdx.x == 0) atomicAdd"), at("compute_80"))),
        ("a parameter more", base, (new, changed("float* c, int n)", "float* c, int n, float scale)").replace("= s;\n}\n", "= s * scale;\n}\n"), at("compute_80"))),
    ]
    print(f"{'pair':32} {'plain diff':>13}  {'ours':>11}  moved  rewired  functions changed")
    with tempfile.TemporaryDirectory() as folder:
        for name, *sides in pairs:
            texts = [compiler.compile(source, options) for compiler, source, options in sides]
            paths = [Path(folder) / it for it in ("old.ptx", "new.ptx")]
            for path, text in zip(paths, texts):
                path.write_text(text)
            lines = list(difflib.unified_diff(*(it.splitlines() for it in texts), n=0, lineterm=""))[2:]
            plain = [sum(it.startswith(sign) for it in lines) for sign in "+-"]
            run = subprocess.run([analyzer, "diff", "--format", "json", *map(str, paths)], capture_output=True, text=True)
            if run.returncode > 1:
                raise SystemExit(run.stderr)
            records = [json.loads(it) for it in run.stdout.splitlines()]
            functions = [it for it in records if "function" in it]
            differ = [it for it in functions if it["change"] not in ("same", "renamed")]
            total = lambda key: sum(it[key] for it in differ)
            ours = f"+{total('instructions_added')} -{total('instructions_removed')}"
            rewired = sum(len(it["rewired"]) for it in differ)
            plain = f"+{plain[0]} -{plain[1]}"
            row = f"{name:32} {plain:>13}  {ours:>11}  {total('instructions_moved'):>5}  {rewired:>7}"
            print(f"{row}  {len(differ)} of {len(functions)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
