extern "C" __global__ void mandelbrot(unsigned char *out, int width, int height) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= width || r >= height) return;
    float x = 0, y = 0, a = __fadd_rn(-2.0f, __fmul_rn((float)c, 0.125f)), b = __fadd_rn(-1.0f, __fmul_rn((float)r, 0.125f));
    int count = 0;
    while (count < 40 && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) <= 4.0f) {
        float t = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), a);
        y = __fadd_rn(__fmul_rn(2.0f * x, y), b), x = t, count++;
    }
    out[r * width + c] = count;
}
