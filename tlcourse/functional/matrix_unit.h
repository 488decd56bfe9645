/* Products of float16 and bfloat16 tiles on a processor's matrix unit, where it has one.
 *
 * The unit multiplies bfloat16 and adds in float. A float16 is the sum of two bfloat16, its high
 * and its low part, exactly; so four products of parts give each product of two float16 exactly. */
#if defined(__AMX_BF16__) && defined(__AVX512BW__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#define MATRIX_UNIT 1
#define EDGE 32 /* rows and columns of a piece: 2 x 2 tiles of the unit */

INLINE int padded(int extent) { return (extent + EDGE - 1) / EDGE * EDGE; }

/* Whether the system lets this process use the unit; asked once. */
static int unit_allowed(void) {
  static int known = 0;
  if (known == 0)
    known = syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18 /* tile data */) ? 2 : 1;
  return known == 1;
}
INLINE void unit_begins(void) {
  struct {
    uint8_t palette, start, rest[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  } shape = {.palette = 1};
  for (int i = 0; i < 8; i++) {
    shape.bytes[i] = 64;
    shape.rows[i] = 16;
  }
  _tile_loadconfig(&shape);
}

/* Sixteen numbers as floats; those behind `count` are 0. */
INLINE __mmask16 first(int count) { return count >= 16 ? 0xFFFF : count <= 0 ? 0 : (1 << count) - 1; }
INLINE __m512 wide_f16(const f16 *from, int count) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(count), from));
}
INLINE __m512 wide_bf16(const bf16 *from, int count) {
  __m256i bits = _mm256_maskz_loadu_epi16(first(count), from);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
/* What a bfloat16 of its high half leaves of a float: NaN where the float is not finite. */
INLINE __m512 low_part(__m512 x) {
  __m512i high = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32((int)0xFFFF0000));
  return _mm512_sub_ps(x, _mm512_castsi512_ps(high));
}
/* The high halves of thirty-two neighbours. */
INLINE __m512i packed(__m512 left, __m512 right) {
  uint16_t odd[32];
  for (int i = 0; i < 32; i++)
    odd[i] = 2 * i + 1;
  return _mm512_permutex2var_epi16(_mm512_castps_si512(left), _mm512_loadu_si512(odd),
                                   _mm512_castps_si512(right));
}
/* The high halves of two rows side by side, number by number, as the unit wants its right factor. */
INLINE __m512i paired(__m512 even, __m512 odd) {
  return _mm512_mask_mov_epi16(_mm512_srli_epi32(_mm512_castps_si512(even), 16), 0xAAAAAAAA,
                               _mm512_castps_si512(odd));
}

/* C [M, N] (+)= A B of parts: `a` [m, k] and `b` [k / 2, n] in pairs, all padded to EDGE; the low
 * parts lie behind the high ones, and `parts` says how many there are. */
static void unit_product(int M, int N, int parts, const uint16_t *a, const uint32_t *b, int m, int n,
                         int k, float *c, int64_t ldc, int fresh) {
  float edge[EDGE * EDGE] __attribute__((aligned(64)));
  unit_begins();
  for (int j = 0; j < n; j += EDGE)
    for (int i = 0; i < m; i += EDGE) {
      int rows = least(EDGE, M - i), columns = least(EDGE, N - j);
      int is_whole = rows == EDGE && columns == EDGE;
      float *to = is_whole ? c + i * ldc + j : edge;
      int64_t step = (is_whole ? ldc : EDGE) * sizeof(float);
      if (fresh) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
      } else {
        for (int r = 0; r < (is_whole ? 0 : rows); r++)
          memcpy(edge + r * EDGE, c + (i + r) * ldc + j, columns * sizeof(float));
        _tile_loadd(0, to, step);
        _tile_loadd(1, to + 16, step);
        _tile_loadd(2, (char *)to + 16 * step, step);
        _tile_loadd(3, (char *)(to + 16) + 16 * step, step);
      }
      for (int p = 0; p < parts; p++)
        for (int l = 0; l < k; l += EDGE) {
          const uint16_t *left = a + (size_t)p * m * k + (size_t)i * k + l;
          _tile_loadd(4, left, k * 2);
          _tile_loadd(5, left + 16 * k, k * 2);
          for (int q = 0; q < parts; q++) {
            const uint32_t *right = b + (size_t)q * (k / 2) * n + (size_t)(l / 2) * n + j;
            _tile_loadd(6, right, n * 4);
            _tile_loadd(7, right + 16, n * 4);
            _tile_dpbf16ps(0, 4, 6);
            _tile_dpbf16ps(1, 4, 7);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
          }
        }
      _tile_stored(0, to, step);
      _tile_stored(1, to + 16, step);
      _tile_stored(2, (char *)to + 16 * step, step);
      _tile_stored(3, (char *)(to + 16) + 16 * step, step);
      for (int r = 0; r < (is_whole ? 0 : rows); r++)
        memcpy(c + (i + r) * ldc + j, edge + r * EDGE, columns * sizeof(float));
    }
  _tile_release();
}

INLINE void turn_rows(vec *rows) { HALVES(EXCHANGE) }

/* The parts of both factors, and their product; 0 where a number is not finite, with C as it was.
 * Infinity times a part of 0 would be NaN. */
#define UNIT(name, type, parts) \
  INLINE __m512 strided_##name(const type *from, int64_t step, int count) { \
    float row[16] = {0}; \
    for (int i = 0; i < least(count, 16); i++) \
      row[i] = ld_##name(from[i * step]); \
    return _mm512_loadu_ps(row); \
  } \
  INLINE __m512 some_##name(const type *from, int64_t step, int count) { \
    return step == 1 ? wide_##name(from, count) : strided_##name(from, step, count); \
  } \
  INLINE int unit_##name(int M, int N, int K, const type *a, int64_t a_row, int64_t a_column, \
                         const type *b, int64_t b_row, int64_t b_column, float *c, int64_t ldc, \
                         int fresh, char *work) { \
    int m = padded(M), n = padded(N), k = padded(K); \
    uint16_t *left = (uint16_t *)work; \
    uint32_t *right = (uint32_t *)(work + (size_t)2 * parts * m * k); \
    __m512 odd = _mm512_setzero_ps(); \
    for (int p = 0; p < parts; p++) \
      memset(left + ((size_t)p * m + M) * k, 0, (size_t)2 * (m - M) * k); \
    for (int i = 0; i < M; i++) \
      for (int l = 0; l < k; l += EDGE) { \
        const type *from = a + i * a_row + l * a_column; \
        __m512 x = some_##name(from, a_column, K - l); \
        __m512 y = some_##name(from + 16 * a_column, a_column, K - l - 16); \
        __m512 u = low_part(x), v = low_part(y); \
        odd = _mm512_add_ps(odd, _mm512_add_ps(u, v)); \
        _mm512_storeu_si512(left + i * k + l, packed(x, y)); \
        if (parts == 2) \
          _mm512_storeu_si512(left + m * k + i * k + l, packed(u, v)); \
      } \
    if (b_row == 1 && b_column != 1) { \
      vec high[16], low[16]; \
      for (int j = 0; j < n; j += 16) \
        for (int l = 0; l < k; l += EDGE) { \
          for (int i = 0; i < 16; i++) { \
            int here = j + i < N; \
            const type *from = b + (here ? (j + i) * b_column + l : 0); \
            __m512 x = wide_##name(from, here ? K - l : 0); \
            __m512 y = wide_##name(from + 16, here ? K - l - 16 : 0); \
            __m512 u = low_part(x), v = low_part(y); \
            odd = _mm512_add_ps(odd, _mm512_add_ps(u, v)); \
            high[i] = (vec)packed(x, y); \
            if (parts == 2) \
              low[i] = (vec)packed(u, v); \
          } \
          turn_rows(high); \
          if (parts == 2) \
            turn_rows(low); \
          for (int i = 0; i < 16; i++) { \
            uint32_t *to = right + (l / 2 + i) * n + j; \
            _mm512_storeu_si512(to, (__m512i)high[i]); \
            if (parts == 2) \
              _mm512_storeu_si512(to + (k / 2) * n, (__m512i)low[i]); \
          } \
        } \
    } else \
      for (int l = 0; l < k; l += 2) \
        for (int j = 0; j < n; j += 16) { \
          const type *from = b + l * b_row + j * b_column; \
          __m512 x = some_##name(from, b_column, l < K ? N - j : 0); \
          __m512 y = some_##name(from + b_row, b_column, l + 1 < K ? N - j : 0); \
          __m512 u = low_part(x), v = low_part(y); \
          odd = _mm512_add_ps(odd, _mm512_add_ps(u, v)); \
          uint32_t *to = right + (l / 2) * n + j; \
          _mm512_storeu_si512(to, paired(x, y)); \
          if (parts == 2) \
            _mm512_storeu_si512(to + (k / 2) * n, paired(u, v)); \
        } \
    if (_mm512_cmp_ps_mask(odd, odd, _CMP_UNORD_Q)) \
      return 0; \
    unit_product(M, N, parts, left, right, m, n, k, c, ldc, fresh); \
    return 1; \
  }
UNIT(f16, f16, 2)
UNIT(bf16, bf16, 1)
#endif
