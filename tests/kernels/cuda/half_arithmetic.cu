#include <cuda_fp16.h>
extern "C" __global__ void half_arithmetic(const __half *a, const __half *b, __half *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[6 * i + 0] = __hadd(a[i], b[i]);
    out[6 * i + 1] = __hmul(a[i], b[i]);
    out[6 * i + 2] = __hfma(a[i], b[i], a[i]);
    out[6 * i + 3] = __hsub(a[i], b[i]);
    out[6 * i + 4] = __hmin(a[i], b[i]);
    out[6 * i + 5] = __habs(__hneg(a[i]));
}
