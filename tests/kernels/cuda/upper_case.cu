// Bytes of a text of any length, one thread for each word; spaces are counted by a vote.
extern "C" __global__ void upper_case(char *text, int n, unsigned *spaces) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char c = i < n ? text[i] : 0;
    if (c >= 'a' && c <= 'z') text[i] = c - 'a' + 'A';
    unsigned votes = __ballot_sync(~0u, c == ' ');
    if (threadIdx.x % 32 == 0) atomicAdd(spaces, __popc(votes));
}
