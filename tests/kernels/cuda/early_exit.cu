// Threads that end do not take part in the barriers of the others.
extern "C" __global__ void early_exit(const int *x, int *out, int n) {
    __shared__ int sum;
    int i = threadIdx.x;
    if (i >= n) return;
    if (i == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[i]);
    __syncthreads();
    out[i] = sum - x[i];
}
