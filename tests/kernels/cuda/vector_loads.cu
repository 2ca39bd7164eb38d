extern "C" __global__ void vector_loads(const int4 *x, const short4 *s, const double2 *d, int4 *out, double *sums) {
    int i = threadIdx.x;
    int4 a = x[i];
    short4 b = s[i];
    out[i] = make_int4(a.w + b.x, a.z - b.y, a.y * b.z, a.x ^ b.w);
    double2 c = d[i];
    sums[i] = c.x - c.y;
}
