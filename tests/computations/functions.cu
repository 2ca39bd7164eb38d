// Functions that nvcc makes PTX of and the compiler of the host a library; they compute the same.
// A function has no branches, so that its PTX is straight.

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define FUNCTION(name, result, parameters, ...) \
    extern "C" __global__ void name(result *out, parameters) { *out = (result)(__VA_ARGS__); }
#define FMA32 __fmaf_rn
#define FMA64 __fma_rn
#define POPCOUNT(x) (uint32_t) __popc(x)
#define POPCOUNT64(x) (uint32_t) __popcll(x)
#define LEADING(x) (uint32_t) __clz((x) | 1)
#define MULHI64 __umul64hi
#define BITS32 __float_as_uint
#define BITS64(x) (uint64_t) __double_as_longlong(x)
#define FLOAT32 __uint_as_float
#define FLOOR32 floorf
#define REVERSED __brev
#else
#define FUNCTION(name, result, parameters, ...) \
    extern "C" void name(result *out, parameters) { *out = (result)(__VA_ARGS__); }
#define FMA32 __builtin_fmaf
#define FMA64 __builtin_fma
#define POPCOUNT(x) (uint32_t) __builtin_popcount(x)
#define POPCOUNT64(x) (uint32_t) __builtin_popcountll(x)
#define LEADING(x) (uint32_t) __builtin_clz((x) | 1)
#define MULHI64(x, y) (uint64_t)(((unsigned __int128)(x) * (y)) >> 64)
#define FLOOR32 __builtin_floorf
template <class To, class From> static To same_bits(From x) { To y; memcpy(&y, &x, sizeof y); return y; }
#define BITS32 same_bits<uint32_t>
#define BITS64 same_bits<uint64_t>
#define FLOAT32 same_bits<float>
static uint32_t REVERSED(uint32_t x) { uint32_t y = 0; for (int i = 0; i < 32; i++) y = y << 1 | (x >> i & 1); return y; }
#endif

#define U2 uint32_t a, uint32_t b
#define U3 uint32_t a, uint32_t b, uint32_t c
#define S2 int32_t a, int32_t b
#define U64 uint64_t a, uint64_t b
#define S64 int64_t a, int64_t b
#define F2 float a, float b
#define F3 float a, float b, float c
#define D2 double a, double b
#define D3 double a, double b, double c
#define COMMA ,

FUNCTION(hash, uint32_t, U2, (a * 2654435761u ^ b >> 15) + (a << 7))
FUNCTION(rotate, uint32_t, U2, a << (b & 31) | a >> (-b & 31))
FUNCTION(quotient, int32_t, S2, (a >> 1) / (b | 1))
FUNCTION(remainder_unsigned, uint32_t, U2, a % (b | 1))
FUNCTION(high_product, uint64_t, U64, MULHI64(a, b))
FUNCTION(wide_product, int64_t, S2, (int64_t)a * b + b)
FUNCTION(count_ones, uint32_t, U64, POPCOUNT64(a ^ b) + POPCOUNT((uint32_t)b))
FUNCTION(leading_zeros, uint32_t, U2, LEADING(a & b) + LEADING(a))
FUNCTION(reversed, uint32_t, U2, REVERSED(a) ^ b)
FUNCTION(smallest, int32_t, S2, (a < b ? a : b) ^ (a > b ? a : b))
FUNCTION(smallest_long, int64_t, S64, a < b ? b - a : a - b)
FUNCTION(unsigned_order, uint32_t, U3, a < b ? c : b >= c ? a : b)
FUNCTION(bytes, int32_t, S2, (int8_t)(a ^ b) * (int16_t)(a + b) + (uint8_t)(a >> 8))
FUNCTION(shifts_long, uint64_t, U64, (a << ((a ^ b) & 63)) ^ (uint64_t)((int64_t)a >> ((a + b) >> 6 & 63)))
FUNCTION(sum32, float, F3, a + b - c)
FUNCTION(product32, float, F3, a * b + c)
FUNCTION(fused32, float, F3, FMA32(a, b, c))
FUNCTION(quotient32, float, F2, a / b)
FUNCTION(root32, float, F2, sqrtf(a) + b)
FUNCTION(order32, uint32_t, F2, (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != b))
FUNCTION(smallest32, float, F2, a < b ? a : b)
FUNCTION(floor32, float, F2, FLOOR32(a) * b)
FUNCTION(bits32, uint32_t, F2, BITS32(a) + BITS32(FLOAT32(BITS32(b) & 0x3fffffff)))
FUNCTION(sum64, double, D3, a + b - c)
FUNCTION(product64, double, D3, a * b + c)
FUNCTION(fused64, double, D3, FMA64(a, b, c))
FUNCTION(quotient64, double, D2, a / b)
FUNCTION(root64, double, D2, sqrt(a) * b)
FUNCTION(narrowed, float, D2, (float)a + (float)b)
FUNCTION(widened, double, F2, (double)a * (double)b)
FUNCTION(from_signed, float, S2, (float)a - (float)b)
FUNCTION(from_unsigned_long, double, U64, (double)a * (double)(float)b)
FUNCTION(bits64, uint64_t, D2, BITS64(a) ^ BITS64(b) >> 3)
