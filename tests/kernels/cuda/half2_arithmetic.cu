#include <cuda_fp16.h>
extern "C" __global__ void half2_arithmetic(const __half2 *a, const __half2 *b, __half2 *out, int *flags, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    __half2 sum = __hadd2(a[i], b[i]);
    out[3 * i] = sum;
    out[3 * i + 1] = __hfma2(a[i], b[i], sum);
    out[3 * i + 2] = __lowhigh2highlow(__hmax2(a[i], b[i]));
    flags[i] = __hbgt2(a[i], b[i]) + 2 * __heq(__low2half(a[i]), __low2half(b[i])) + 4 * __hlt(__high2half(a[i]), __high2half(b[i]));
}
