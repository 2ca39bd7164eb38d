// An array that threads index by data lives in local memory: an insertion sort of 12 numbers for each thread.
extern "C" __global__ void local_array(const int *x, int *out, int n) {
    int own[12], count = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 12; k++) {
        int value = x[12 * i + k], at = count++;
        while (at > 0 && own[at - 1] > value) own[at] = own[at - 1], at--;
        own[at] = value;
    }
    for (int k = 0; k < 12; k++) out[12 * i + k] = own[k];
}
