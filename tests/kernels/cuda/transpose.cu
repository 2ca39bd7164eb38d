extern "C" __global__ void transpose(const float *x, float *y, int rows, int columns) {
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    if (r < columns && c < rows) y[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
