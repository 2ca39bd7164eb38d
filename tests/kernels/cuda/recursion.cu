__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int *out) {
    out[2 * threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
    out[2 * threadIdx.x + 1] = fibonacci(threadIdx.x % 11);
}
