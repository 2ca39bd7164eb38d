#include <cuda_bf16.h>
extern "C" __global__ void bfloat_arithmetic(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *out, float *wide, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[4 * i + 0] = __hadd(a[i], b[i]);
    out[4 * i + 1] = __hmul(a[i], b[i]);
    out[4 * i + 2] = __hfma(a[i], b[i], a[i]);
    out[4 * i + 3] = __float2bfloat16_rn(__bfloat162float(a[i]) * 1.7f);
    wide[i] = __bfloat162float(a[i]) / 3.0f;
}
