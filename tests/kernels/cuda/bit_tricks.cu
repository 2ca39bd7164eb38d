extern "C" __global__ void bit_tricks(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    out[10 * i + 0] = __popc(x), out[10 * i + 1] = __clz(x), out[10 * i + 2] = __brev(x), out[10 * i + 3] = __ffs(x);
    out[10 * i + 4] = __byte_perm(x, y, 0x5140), out[10 * i + 5] = __funnelshift_l(x, y, y), out[10 * i + 6] = __funnelshift_rc(x, y, x);
    out[10 * i + 7] = (x & y) | (~x & (y ^ 0x5a5a5a5a)), out[10 * i + 8] = x >> 5 & 0x1f, out[10 * i + 9] = __sad((int)x, (int)y, 3u);
}
