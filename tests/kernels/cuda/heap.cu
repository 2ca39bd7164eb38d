extern "C" __global__ void heap(int *out) {
    int count = threadIdx.x % 5 + 1;
    int *own = (int *)malloc(count * sizeof(int));
    for (int i = 0; i < count; i++) own[i] = i * i + threadIdx.x;
    int sum = 0;
    for (int i = 0; i < count; i++) sum += own[i];
    free(own);
    out[threadIdx.x] = sum;
}
