// One pointer to shared, global or local memory.
extern "C" __global__ void generic_addresses(int *x, int *out) {
    __shared__ int shared[32];
    int local[4];
    int i = threadIdx.x;
    for (int k = 0; k < 4; k++) local[(k + i) % 4] = 10 * k + i;
    shared[i] = 1000 + i;
    __syncwarp();
    int *at = i % 3 == 0 ? &x[i] : i % 3 == 1 ? &shared[i] : &local[i % 4];
    *at += 5;
    out[i] = *at + (__isShared(at) ? 100000 : 0) + (__isGlobal(at) ? 200000 : 0) + (__isLocal(at) ? 400000 : 0);
}
