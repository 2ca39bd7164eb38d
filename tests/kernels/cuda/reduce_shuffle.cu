extern "C" __global__ void reduce_shuffle(const float *x, float *sum, int n) {
    __shared__ float warps[32];
    float own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
    for (int step = 16; step; step /= 2) own += __shfl_xor_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        for (int step = 16; step; step /= 2) own += __shfl_down_sync(~0u, own, step);
        if (threadIdx.x == 0) *sum = own;
    }
}
