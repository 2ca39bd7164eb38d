#include <cstdio>
extern "C" __global__ void print(int *out) {
    if (threadIdx.x < 2) out[threadIdx.x] = printf("thread %d of %u: %5.2f %s %llx %c%%\n", threadIdx.x, blockDim.x, threadIdx.x + 0.125, "text", 0x123456789abcULL, 'z');
}
