// Division, remainder and products of all widths.
extern "C" __global__ void integers(const int *a, const int *b, int *out32, long long *out64, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned ux = x, uy = y;
    long long lx = (long long)x * 1000003 + y, ly = (long long)y * 65537 + 12345;
    out32[8 * i + 0] = x / y;
    out32[8 * i + 1] = x % y;
    out32[8 * i + 2] = ux / uy;
    out32[8 * i + 3] = ux % uy;
    out32[8 * i + 4] = __mulhi(x, y);
    out32[8 * i + 5] = __umulhi(ux, uy);
    out32[8 * i + 6] = (short)x / (short)(y | 1);
    out32[8 * i + 7] = (unsigned char)x * (signed char)y;
    out64[6 * i + 0] = lx / ly;
    out64[6 * i + 1] = lx % ly;
    out64[6 * i + 2] = (unsigned long long)lx / (unsigned long long)ly;
    out64[6 * i + 3] = __mul64hi(lx, ly);
    out64[6 * i + 4] = __umul64hi(lx, ly);
    out64[6 * i + 5] = lx * ly + (lx >> 7) - ((unsigned long long)ly << 3);
}
