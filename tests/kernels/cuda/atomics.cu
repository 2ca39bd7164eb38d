extern "C" __global__ void atomics(int *ints, unsigned *uints, unsigned long long *longs, float *floats, double *doubles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], i), atomicMax(&ints[1], i * 7 % 101), atomicMin(&ints[2], -i), atomicAnd(&ints[3], ~(1 << i % 32)), atomicOr(&ints[4], 1 << i % 32), atomicXor(&ints[5], i);
    atomicInc(&uints[0], 9), atomicDec(&uints[1], 6), atomicMax(&uints[2], 0xffffff00u + i);
    atomicAdd(&longs[0], 1ull << 33), atomicMax(&longs[1], (unsigned long long)i << 40);
    atomicAdd(&floats[0], 0.5f), atomicAdd(&doubles[0], 0.25);
    unsigned long long old = longs[2], assumed;
    do assumed = old, old = atomicCAS(&longs[2], assumed, assumed + i);
    while (old != assumed);
}
