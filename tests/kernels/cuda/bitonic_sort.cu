extern "C" __global__ void bitonic_sort(int *x) {
    extern __shared__ int keys[];
    unsigned i = threadIdx.x;
    keys[i] = x[i];
    __syncthreads();
    for (unsigned size = 2; size <= blockDim.x; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            unsigned other = i ^ step;
            if (other > i) {
                int low = keys[i], high = keys[other];
                if ((low > high) == ((i & size) == 0)) keys[i] = high, keys[other] = low;
            }
            __syncthreads();
        }
    x[i] = keys[i];
}
