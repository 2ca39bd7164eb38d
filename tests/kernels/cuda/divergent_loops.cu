extern "C" __global__ void divergent_loops(const int *x, int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long value = x[i];
    int count = 0;
    while (value != 1) {
        if (value % 2) value = 3 * value + 1;
        else value /= 2;
        if (++count > 500) break;
    }
    steps[i] = count;
}
