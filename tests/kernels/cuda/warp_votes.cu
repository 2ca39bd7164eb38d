extern "C" __global__ void warp_votes(const int *x, unsigned *out) {
    int i = threadIdx.x, value = x[i];
    out[8 * i + 0] = __ballot_sync(~0u, value > 3);
    out[8 * i + 1] = __any_sync(~0u, value == 7) + 2 * __all_sync(~0u, value >= 0);
    out[8 * i + 2] = __match_any_sync(~0u, value);
    int same;
    out[8 * i + 3] = __match_all_sync(~0u, value / 1000, &same) + same;
    out[8 * i + 4] = __reduce_add_sync(~0u, value);
    out[8 * i + 5] = __reduce_max_sync(~0u, value);
    out[8 * i + 6] = __reduce_xor_sync(~0u, (unsigned)value);
    unsigned half = i % 32 < 16 ? 0xffffu : 0xffff0000u;
    out[8 * i + 7] = __reduce_min_sync(half, value) * 100 + __shfl_sync(half, value, 3, 8);
}
