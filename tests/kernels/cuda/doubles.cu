extern "C" __global__ void doubles(const double *a, const double *b, double *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[8 * i + 0] = a[i] + b[i];
    out[8 * i + 1] = a[i] * b[i];
    out[8 * i + 2] = a[i] / b[i];
    out[8 * i + 3] = sqrt(fabs(a[i]));
    out[8 * i + 4] = fmin(a[i], b[i]);
    out[8 * i + 5] = floor(a[i]) + rint(b[i]) + trunc(a[i]) - ceil(b[i]);
    out[8 * i + 6] = copysign(a[i], b[i]);
    out[8 * i + 7] = (double)(float)a[i] + (double)(long long)b[i];
}
