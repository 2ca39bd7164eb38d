// Bytes and shorts next to each other, written by different threads.
extern "C" __global__ void narrow(const signed char *a, const unsigned short *b, signed char *bytes, unsigned short *shorts, bool *flags) {
    int i = threadIdx.x;
    bytes[i] = a[i] * 3;
    shorts[i] = b[i] / 3 + (a[i] < 0 ? 1 : 0);
    flags[i] = a[i] > b[i] % 100;
}
