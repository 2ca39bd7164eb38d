// A dense switch, which becomes a table of branches.
extern "C" __global__ void dispatch(const int *codes, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = i;
    for (int step = 0; step < 4; step++) {
        switch (codes[(i + step) % n]) {
            case 0: x = x * 3 + 1; break;
            case 1: x ^= x << 5; break;
            case 2: x = __popc(x) + 77; break;
            case 3: x -= 1000; break;
            case 4: x = x >> 1; break;
            case 5: x = ~x; break;
            case 6: x = x * x; break;
            case 7: x = x % 1001; break;
            case 8: x = x & 0xffff; break;
            default: x += 5;
        }
    }
    out[i] = x;
}
