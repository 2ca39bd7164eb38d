extern "C" __global__ void softmax(const float *x, float *out, int columns) {
    __shared__ float values[8];
    const float *row = x + blockIdx.x * columns;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float most = -INFINITY;
    for (int i = t; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
    for (int step = 16; step; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (lane == 0) values[warp] = most;
    __syncthreads();
    for (int i = 0; i < blockDim.x / 32; i++) most = fmaxf(most, values[i]);
    __syncthreads();
    float sum = 0;
    for (int i = t; i < columns; i += blockDim.x) sum += __expf(row[i] - most);
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) values[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < blockDim.x / 32; i++) sum += values[i];
    for (int i = t; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = __fdividef(__expf(row[i] - most), sum);
}
