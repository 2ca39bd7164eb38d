// An inclusive scan of a block: within warps by shuffles, then over the warps.
extern "C" __global__ void scan(const unsigned *x, unsigned *out) {
    __shared__ unsigned totals[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = x[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(~0u, value, step);
        if (lane >= step) value += other;
    }
    if (lane == 31) totals[warp] = value;
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
        for (int step = 1; step < 32; step *= 2) {
            unsigned other = __shfl_up_sync(~0u, total, step);
            if (lane >= step) total += other;
        }
        totals[lane] = total;
    }
    __syncthreads();
    out[threadIdx.x] = value + (warp ? totals[warp - 1] : 0);
}
