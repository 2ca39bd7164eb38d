// Directed roundings: f32 sums and products of f64 rounded twice differ from these.
extern "C" __global__ void directed(const float *a, const float *b, const float *c, float *out, double *wide, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    out[16 * i + 0] = __fadd_rn(x, y), out[16 * i + 1] = __fadd_rz(x, y), out[16 * i + 2] = __fadd_ru(x, y), out[16 * i + 3] = __fadd_rd(x, y);
    out[16 * i + 4] = __fmul_rn(x, y), out[16 * i + 5] = __fmul_rz(x, y), out[16 * i + 6] = __fmul_ru(x, y), out[16 * i + 7] = __fmul_rd(x, y);
    out[16 * i + 8] = __fmaf_rn(x, y, z), out[16 * i + 9] = __fmaf_rz(x, y, z), out[16 * i + 10] = __fmaf_ru(x, y, z), out[16 * i + 11] = __fmaf_rd(x, y, z);
    out[16 * i + 12] = __fdiv_rn(x, y), out[16 * i + 13] = __fdiv_rd(x, y), out[16 * i + 14] = __fsqrt_ru(fabsf(x)), out[16 * i + 15] = __frcp_rz(y);
    wide[4 * i + 0] = __dadd_rd(x, 1e-20), wide[4 * i + 1] = __dmul_ru(1.0 / 3, y), wide[4 * i + 2] = __fma_rz((double)x, (double)y, 1e-30), wide[4 * i + 3] = __ddiv_rn(x, y);
}
