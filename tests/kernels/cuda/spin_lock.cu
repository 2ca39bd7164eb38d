__device__ int lock = 0;
extern "C" __global__ void spin_lock(int *counter, int *order) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        int mine = *counter;
        *counter = mine + 1;
        order[blockIdx.x] = mine >= 0;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
