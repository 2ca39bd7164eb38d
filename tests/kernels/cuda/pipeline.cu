// Two stages of asynchronous copies to shared memory.
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline(const float4 *x, float *out, int tiles) {
    __shared__ float4 stage[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], &x[t], 16);
    __pipeline_commit();
    float sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) __pipeline_memcpy_async(&stage[(tile + 1) % 2][t], &x[(tile + 1) * 64 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 own = stage[tile % 2][63 - t];
        sum += own.x + own.y * own.z - own.w;
        __syncthreads();
    }
    out[t] = sum;
}
