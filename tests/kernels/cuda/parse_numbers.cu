// Decimal numbers of varying length, each ended by a blank: loops that diverge.
extern "C" __global__ void parse_numbers(const char *text, const int *starts, long long *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    const char *at = text + starts[i];
    bool negative = *at == '-';
    if (negative) at++;
    long long value = 0;
    while (*at != ' ') value = value * 10 + (*at++ - '0');
    out[i] = negative ? -value : value;
}
