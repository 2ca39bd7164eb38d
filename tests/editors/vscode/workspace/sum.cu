// out = scale(0) + scale(1) + ... + scale(n - 1); sum.ptx is what a compiler makes of it.
extern __device__ int scale(int value);

extern "C" __global__ void __launch_bounds__(256) sum(int *out, unsigned n) {
    int total = 0;
    for (unsigned i = 0; i < n; ++i)
        total += scale(i);
    *out = total;
}
