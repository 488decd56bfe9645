/* What generated C calls: conversions, functions of numbers, and the product of tiles.
 *
 * Tiles are stored in their own dtype; float16 and bfloat16 are computed in float and rounded
 * once. Loops are written so that the compiler makes vector code of them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

typedef _Float16 f16;
typedef struct {
  uint16_t bits;
} bf16;

INLINE float bits_to_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
INLINE uint32_t float_to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

INLINE float ld_f16(f16 x) { return (float)x; }
INLINE f16 st_f16(float x) { return (f16)x; }
INLINE float ld_bf16(bf16 x) { return bits_to_float((uint32_t)x.bits << 16); }
INLINE bf16 st_bf16(float x) {
  uint32_t bits = float_to_bits(x);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  bf16 out = {(uint16_t)(x != x ? 0x7FC0 : rounded)};
  return out;
}

/* Rows of numbers from one dtype to another, whole vectors at a time where the machine can. */
#define ROW(name, from_type, to_type, convert) \
  INLINE void row_##name(const from_type *from, to_type *to, int64_t count) { \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) to[i] = convert(from[i]); \
  }
#ifdef __F16C__
INLINE void row_f16_f32(const f16 *from, float *to, int64_t count) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16)
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
#endif
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
  for (; i < count; i++)
    to[i] = ld_f16(from[i]);
}
INLINE void row_f32_f16(const float *from, f16 *to, int64_t count) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16)
    _mm256_storeu_si256((__m256i *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#endif
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
  for (; i < count; i++)
    to[i] = st_f16(from[i]);
}
#else
ROW(f16_f32, f16, float, ld_f16)
ROW(f32_f16, float, f16, st_f16)
#endif
ROW(bf16_f32, bf16, float, ld_bf16)
ROW(f32_bf16, float, bf16, st_bf16)
ROW(f32_f32, float, float, )

/* Whether an output holds inf or NaN: their exponent is all ones. Of a large output the stretches
 * are looked at that tlcourse/nonfinite.py looks at. */
#define ODD(name, type, exponent) \
  INLINE int odd_##name(const void *output, int64_t count) { \
    const type *x = output; \
    int stretches = count > 1 << 18 ? 64 : 1, odd = 0; \
    int64_t step = count / stretches, length = stretches > 1 ? 500 : count; \
    for (int64_t start = 0; start < stretches * step; start += step) \
      for (int64_t i = start; i < start + length; i++) \
        odd |= (x[i] & exponent) == exponent; \
    return odd; \
  }
ODD(f16, uint16_t, 0x7C00)
ODD(bf16, uint16_t, 0x7F80)
ODD(f32, uint32_t, 0x7F800000)

/* Asks for memory that is read soon, at most a page. */
INLINE void fetch(const void *from, int64_t bytes) {
  for (int64_t i = 0; i < bytes && i < 4096; i += 64)
    __builtin_prefetch((const char *)from + i);
}

/* e ** x: x = n ln 2 + r, a polynomial for e ** r, n into the exponent. What is smaller than all
 * normal numbers becomes 0. */
INLINE float exp_f32(float x) {
  float held = x > 89.0f ? 89.0f : x;
  held = held < -87.5f ? -87.5f : held;
  float shifted = held * 1.44269504f + 12582912.0f;
  float n = shifted - 12582912.0f;
  float r = held - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  /* The low bits of `shifted` are n; one power of two less lets the last product overflow. */
  int32_t exponent = (int32_t)float_to_bits(shifted) - 0x4B400000 + 126;
  return p * bits_to_float((uint32_t)exponent << 23) * 2.0f;
}

INLINE int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0) & ((a < 0) != (b < 0)));
}
INLINE int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }
INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* A vector register of floats, and how many rows and registers a piece of a product has. */
#ifdef __AVX512F__
#define LANES 16
#define ROWS 14
#else
#define LANES 8
#define ROWS 6
#endif
#define WIDE (2 * LANES)
/* A step for each power of two below LANES, largest first, as a constant. */
#if LANES == 16
#define HALVES(step) step(8) step(4) step(2) step(1)
#else
#define HALVES(step) step(4) step(2) step(1)
#endif
typedef float vec __attribute__((vector_size(LANES * 4)));
typedef float loose __attribute__((vector_size(LANES * 4), aligned(4)));
typedef int32_t places __attribute__((vector_size(LANES * 4)));

/* The lanes of a vector, moved round by some places. */
INLINE vec moved(vec x, int by) {
  places at;
  for (int i = 0; i < LANES; i++)
    at[i] = (i + by) % LANES;
  return __builtin_shuffle(x, at);
}

/* One number of a row of floats: several partial results at a time. NaN wins. */
INLINE float sum_f32(const float *x, int64_t count) {
  vec part[4] = {{0}};
  int64_t i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES)
    for (int j = 0; j < 4; j++)
      part[j] += *(const loose *)(x + i + j * LANES);
  vec both = (part[0] + part[1]) + (part[2] + part[3]);
#define ADD(by) both += moved(both, by);
  HALVES(ADD)
  float all = both[0];
  for (; i < count; i++)
    all += x[i];
  return all;
}
#define BETTER(best, other, is_better) \
  { \
    places better = other is_better best; \
    best = (vec)((better & (places)other) | (~better & (places)best)); \
  }
#define EXTREME(name, start, is_better) \
  INLINE float name(const float *x, int64_t count) { \
    vec part[4]; \
    places odd[4] = {{0}}; \
    int64_t i = 0; \
    for (int j = 0; j < 4; j++) \
      part[j] = (vec){0} + (start); \
    for (; i + 4 * LANES <= count; i += 4 * LANES) \
      for (int j = 0; j < 4; j++) { \
        vec next = *(const loose *)(x + i + j * LANES); \
        odd[j] |= next != next; \
        BETTER(part[j], next, is_better) \
      } \
    vec best = part[0], mark = (vec)(odd[0] | odd[1] | odd[2] | odd[3]); \
    _Pragma("GCC unroll 4") for (int j = 1; j < 4; j++) BETTER(best, part[j], is_better) \
    HALVES(name##_step) \
    float all = best[0]; \
    int wrong = ((places)mark)[0]; \
    for (; i < count; i++) { \
      all = x[i] is_better all ? x[i] : all; \
      wrong |= x[i] != x[i]; \
    } \
    return wrong ? NAN : all; \
  }
#define FOLD(by, is_better) \
  { \
    vec other = moved(best, by); \
    BETTER(best, other, is_better) \
    mark = (vec)((places)mark | (places)moved(mark, by)); \
  }
#define max_f32_step(by) FOLD(by, >)
#define min_f32_step(by) FOLD(by, <)
EXTREME(max_f32, -INFINITY, >)
EXTREME(min_f32, INFINITY, <)

/* C [rows, WIDE] += A [rows, K] * panel [K, WIDE]. `rows` is a constant wherever it is called. */
INLINE void piece(int rows, int K, const float *a, int lda, const float *panel, float *c, int ldc,
                  int fresh, int columns) {
  vec sum[ROWS][2];
  for (int i = 0; i < rows; i++) {
    sum[i][0] = sum[i][1] = (vec){0};
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + LANES, 1);
  }
  for (int k = 0; k < K; k++) {
    vec left = *(const vec *)(panel + k * WIDE), right = *(const vec *)(panel + k * WIDE + LANES);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      float one = a[i * lda + k];
      sum[i][0] += one * left;
      sum[i][1] += one * right;
    }
  }
  if (columns == WIDE) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      loose *out = (loose *)(c + i * ldc);
      loose *more = (loose *)(c + i * ldc + LANES);
      *out = fresh ? sum[i][0] : *out + sum[i][0];
      *more = fresh ? sum[i][1] : *more + sum[i][1];
    }
    return;
  }
  for (int i = 0; i < rows; i++) {
    float row[WIDE];
    memcpy(row, &sum[i], sizeof(row));
    for (int j = 0; j < columns; j++)
      c[i * ldc + j] = (fresh ? 0 : c[i * ldc + j]) + row[j];
  }
}

#define PIECE(n) \
  case n: \
    piece(n, K, from, lda, panel, to, ldc, fresh, columns); \
    break;

/* C [M, N] (+)= A [M, K] * B, where B lies in panels of WIDE columns. */
INLINE void product(int M, int N, int K, const float *a, int lda, const float *panels, float *c,
                    int ldc, int fresh) {
  int strips = (M + ROWS - 1) / ROWS;
  for (int j = 0; j < N; j += WIDE) {
    const float *panel = panels + (size_t)j * K;
    int columns = N % WIDE == 0 || N - j >= WIDE ? WIDE : N - j;
    for (int strip = 0; strip < strips; strip++) {
      int start = (int)((int64_t)M * strip / strips), end = (int)((int64_t)M * (strip + 1) / strips);
      const float *from = a + (size_t)start * lda;
      float *to = c + (size_t)start * ldc + j;
      switch (end - start) {
        PIECE(1)
        PIECE(2)
        PIECE(3)
        PIECE(4)
        PIECE(5)
        PIECE(6)
#if ROWS > 6
        PIECE(7)
        PIECE(8)
        PIECE(9)
        PIECE(10)
        PIECE(11)
        PIECE(12)
        PIECE(13)
        PIECE(14)
#endif
      }
    }
  }
}

/* LANES rows of LANES floats turned over: pairs of ever closer rows exchange halves. */
INLINE void exchange(vec *rows, int half) {
  places low, high;
  for (int i = 0; i < LANES; i++) {
    low[i] = i & half ? i - half + LANES : i;
    high[i] = i & half ? i + LANES : i + half;
  }
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    if (i & half)
      continue;
    vec first = rows[i], second = rows[i + half];
    rows[i] = __builtin_shuffle(first, second, low);
    rows[i + half] = __builtin_shuffle(first, second, high);
  }
}
INLINE void turn(const float *from, int stride, float *to, int to_stride) {
  vec rows[LANES];
  for (int i = 0; i < LANES; i++)
    rows[i] = *(const loose *)(from + i * stride);
#define EXCHANGE(half) exchange(rows, half);
  HALVES(EXCHANGE)
  for (int i = 0; i < LANES; i++)
    *(loose *)(to + i * to_stride) = rows[i];
}

/* Tiles of a dtype as floats; strides count elements, `work` holds WIDE rows of K. */
#define AS_FLOATS(name, type, load) \
  INLINE void floats_##name(int rows, int columns, const type *from, int64_t row, int64_t column, \
                            float *to) { \
    for (int i = 0; i < rows; i++) { \
      if (column == 1) { \
        row_##name##_f32(from + i * row, to + i * columns, columns); \
        continue; \
      } \
      for (int j = 0; j < columns; j++) \
        to[i * columns + j] = load(from[i * row + j * column]); \
    } \
  } \
  /* B [K, N] in panels of WIDE columns; what the last one has too much is 0. */ \
  INLINE void panels_##name(int K, int N, const type *from, int64_t row, int64_t column, float *to, \
                            float *work) { \
    for (int j = 0; j < N; j += WIDE) { \
      int columns = N - j < WIDE ? N - j : WIDE; \
      float *panel = to + (size_t)j * K; \
      if (column == 1 && columns == WIDE) { \
        for (int k = 0; k < K; k++) \
          row_##name##_f32(from + k * row + j, panel + k * WIDE, WIDE); \
      } else if (row == 1 && columns == WIDE && K % LANES == 0) { \
        for (int i = 0; i < WIDE; i++) \
          row_##name##_f32(from + (j + i) * column, work + i * K, K); \
        for (int k = 0; k < K; k += LANES) \
          for (int i = 0; i < WIDE; i += LANES) \
            turn(work + i * K + k, K, panel + k * WIDE + i, WIDE); \
      } else { \
        for (int k = 0; k < K; k++) \
          for (int i = 0; i < WIDE; i++) \
            panel[k * WIDE + i] = i < columns ? load(from[k * row + (j + i) * column]) : 0.0f; \
      } \
    } \
  }
AS_FLOATS(f16, f16, ld_f16)
AS_FLOATS(bf16, bf16, ld_bf16)
AS_FLOATS(f32, float, )

#include "matrix_unit.h"

/* C [M, N] (+)= A * B, on the matrix unit or with vectors; `work` has room for either. */
#ifdef MATRIX_UNIT
#define ON_UNIT(name) \
  if (M >= 8 && N >= 8 && K >= 8 && unit_allowed() && \
      unit_##name(M, N, K, a, a_row, a_column, b, b_row, b_column, c, ldc, fresh, work)) \
    return;
#else
#define ON_UNIT(name)
#endif
#define PRODUCT(name, type) \
  INLINE void product_##name(int M, int N, int K, const type *a, int64_t a_row, int64_t a_column, \
                             const type *b, int64_t b_row, int64_t b_column, float *c, \
                             int64_t ldc, int fresh, char *work) { \
    ON_UNIT(name) \
    float *panels = (float *)work, *turned = panels + (size_t)K * ((N + WIDE - 1) / WIDE * WIDE); \
    float *left = turned + K * WIDE; \
    floats_##name(M, K, a, a_row, a_column, left); \
    panels_##name(K, N, b, b_row, b_column, panels, turned); \
    product(M, N, K, left, K, panels, c, ldc, fresh); \
  }
PRODUCT(f16, f16)
PRODUCT(bf16, bf16)

/* C [M, N] (+)= A * B of int8, exact in int32. */
INLINE void product_int8(int M, int N, int K, const int8_t *a, int64_t a_row, int64_t a_column,
                         const int8_t *b, int64_t b_row, int64_t b_column, int32_t *c, int64_t ldc,
                         int fresh, int16_t *work) {
  for (int k = 0; k < K; k++)
    for (int j = 0; j < N; j++)
      work[k * N + j] = b[k * b_row + j * b_column];
  for (int i = 0; i < M; i++) {
    int32_t *out = c + i * ldc;
    if (fresh)
      memset(out, 0, sizeof(int32_t) * N);
    for (int k = 0; k < K; k++) {
      int32_t one = a[i * a_row + k * a_column];
#pragma GCC ivdep
      for (int j = 0; j < N; j++)
        out[j] += one * work[k * N + j];
    }
  }
}
