extern "C" __global__ void conversions(const float *a, const double *d, const long long *l, int *out, float *floats, long long *wide, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[8 * i + 0] = __float2int_rz(a[i]), out[8 * i + 1] = __float2int_rn(a[i]), out[8 * i + 2] = __float2int_ru(a[i]), out[8 * i + 3] = __float2int_rd(a[i]);
    out[8 * i + 4] = __float2uint_rz(a[i]), out[8 * i + 5] = __double2int_rn(d[i]), out[8 * i + 6] = __double2uint_rd(d[i]), out[8 * i + 7] = (signed char)(int)a[i];
    floats[4 * i + 0] = __ll2float_rn(l[i]), floats[4 * i + 1] = __ll2float_rz(l[i]), floats[4 * i + 2] = __ull2float_ru(l[i]), floats[4 * i + 3] = __double2float_rd(d[i]);
    wide[4 * i + 0] = __double2ll_rz(d[i]), wide[4 * i + 1] = __double2ull_rn(d[i]), wide[4 * i + 2] = __float2ll_ru(a[i]);
    wide[4 * i + 3] = __double_as_longlong(__ll2double_rd(l[i]));
}
