extern "C" __global__ void barrier_reductions(const int *x, int *out) {
    int value = x[threadIdx.x];
    int count = __syncthreads_count(value > 5), any = __syncthreads_or(value == 99), all = __syncthreads_and(value >= 0);
    out[threadIdx.x] = count * 4 + (any != 0) * 2 + (all != 0);
}
