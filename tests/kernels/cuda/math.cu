// Functions of the library: sine, exponential, logarithm and power in f32 within its documented bounds.
extern "C" __global__ void math(const float *x, float *out, double *wide, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[6 * i + 0] = sinf(x[i]), out[6 * i + 1] = expf(x[i]), out[6 * i + 2] = logf(fabsf(x[i]) + 0.1f);
    out[6 * i + 3] = powf(fabsf(x[i]) + 0.5f, 1.5f), out[6 * i + 4] = rsqrtf(fabsf(x[i]) + 1), out[6 * i + 5] = tanhf(x[i]);
    wide[2 * i] = exp((double)x[i]), wide[2 * i + 1] = cos((double)x[i]);
}
