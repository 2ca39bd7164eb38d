// Each block waits for the one before it: a chain through global memory with release and acquire.
#include <cuda/atomic>
__device__ int unused;
extern "C" __global__ void flags(int *values, unsigned *ready) {
    __shared__ int before;
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(ready[blockIdx.x - 1]);
            while (flag.load(cuda::memory_order_acquire) == 0) {}
            before = values[blockIdx.x - 1];
        } else before = 1;
    }
    __syncthreads();
    int own = before * 2 + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        values[blockIdx.x] = own;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(ready[blockIdx.x]).store(1, cuda::memory_order_release);
    }
}
