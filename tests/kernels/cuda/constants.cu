__constant__ float weights[5] = {0.5f, -1.25f, 3.0f, 0.125f, 2.0f};
__constant__ unsigned short crc_table[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
extern "C" __global__ void constants(const unsigned char *x, float *out, unsigned short *crc, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[i] = weights[x[i] % 5] * x[i];
    unsigned short value = 0xffff;
    for (int k = 0; k <= i; k++) {
        value = value << 4 ^ crc_table[(value >> 12 ^ x[k] >> 4) & 15];
        value = value << 4 ^ crc_table[(value >> 12 ^ x[k]) & 15];
    }
    crc[i] = value;
}
