/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact/oracle_selftest.h"

#include <string.h>

bool oracle_inside(const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < pass->plane[plane].width && y < pass->plane[plane].height;
}

uint32_t oracle_word(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y)
{
    const enum sample_type type = pass->info->plane[plane];
    uint16_t half;
    uint32_t word;
    if (!oracle_inside(pass, plane, x, y))
        return 0;
    /* Of a size that the compiler knows: otherwise the test takes a third longer. */
    const char *at = (const char *)b->plane[plane].data + y * b->plane[plane].stride + x * sample_size(type);
    if (type == SAMPLE_U8)
        return (uint8_t)*at;
    if (type == SAMPLE_U16) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    memcpy(&word, at, sizeof word);
    return word;
}

int64_t oracle_get(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y)
{
    const uint32_t v = oracle_word(b, pass, plane, x, y);
    return pass->info->plane[plane] == SAMPLE_I32 && v >> 31 ? (int64_t)v - ((int64_t)1 << 32) : (int64_t)v;
}

float oracle_float(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y)
{
    const uint32_t v = oracle_word(b, pass, plane, x, y);
    float f;
    memcpy(&f, &v, sizeof f);
    return pass->info->plane[plane] == SAMPLE_F32 ? f : (float)oracle_get(b, pass, plane, x, y);
}

void oracle_put(struct buffers *b, unsigned plane, int64_t x, int64_t y, uint32_t word)
{
    if (x < b->plane[plane].width && y < b->plane[plane].height)
        memcpy((char *)b->plane[plane].data + y * b->plane[plane].stride + x * 4, &word, sizeof word);
}

uint32_t oracle_bits(float v)
{
    uint32_t w;
    memcpy(&w, &v, sizeof w);
    return w;
}

#define GET(plane, x, y) oracle_get(b, pass, plane, x, y)
#define EACH_ITEM(x, y) \
    for (int64_t y = 0; y < pass->grid_h; y++) \
        for (int64_t x = 0; x < pass->grid_w; x++)

/* ---- borders: a walk from inside, one step at a time ------------------------------------------------------------- */

enum rule { R_REFLECT101, R_SYMMETRIC, R_REPLICATE, R_MIXED, R_REFLECT_ONCE };

/* Where the walk stands after `steps` steps that leave 0..n-1 at one end: a ball that bounces. At an end it turns
 * around, with a rest there when the border sample counts twice. */
static int64_t bounce(int64_t at, int64_t steps, int64_t n, int direction, bool rest)
{
    if (n == 1)
        return 0;
    for (int64_t i = 0; i < steps; i++) {
        const bool low = at == 0 && direction < 0, high = at == n - 1 && direction > 0;
        if (low || high)
            direction = -direction;
        if ((low || high) && rest)
            continue;
        at += direction;
    }
    return at;
}

static int64_t border(enum rule rule, int64_t i, int64_t n)
{
    if (rule == R_REPLICATE)
        return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    if (rule == R_MIXED) { /* a mirror at cell 0, one behind cell n - 1, each passed once; what is still outside is 0 */
        const int64_t above = i < 0 ? 0 - i : i, inside = above < n ? above : n - 1 - (above - n);
        return inside < 0 ? 0 : inside;
    }
    if (rule == R_REFLECT_ONCE) /* the ball stops when it comes to 0 from the other end */
        i = i < 2 - 2 * n ? 2 - 2 * n : i > 2 * n - 2 ? 2 * n - 2 : i;
    const bool rest = rule == R_SYMMETRIC;
    if (i < 0)
        return bounce(0, -i, n, -1, rest);
    return i > n - 1 ? bounce(n - 1, i - (n - 1), n, 1, rest) : i;
}

static uint32_t at_border(const struct buffers *b, const struct trial_pass *pass, enum rule rx, enum rule ry, int64_t x,
                          int64_t y)
{
    return oracle_word(b, pass, 0, border(rx, x, pass->plane[0].width), border(ry, y, pass->plane[0].height));
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static void load(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y)
        oracle_put(b, 1, x, y, oracle_word(b, pass, 0, x + pass->param[0].i, y + pass->param[1].i));
}

static void borders(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        uint32_t h = 0;
        for (int ry = 0; ry < 4; ry++)
            for (int rx = 0; rx < 4; rx++)
                h = h * 31 +
                    at_border(b, pass, (enum rule)rx, (enum rule)ry, x + pass->param[0].i, y + pass->param[1].i);
        h = h * 31 + at_border(b, pass, R_REFLECT_ONCE, R_REFLECT_ONCE, x + pass->param[0].i, y + pass->param[1].i);
        if (pass->info->plane[0] == SAMPLE_U8) {
            uint32_t four = 0;
            for (int i = 0; i < 4; i++)
                four |= at_border(b, pass, R_REPLICATE, R_REPLICATE, (x & ~(int64_t)3) + i, y) << 8 * i;
            h = h * 31 + four;
        }
        oracle_put(b, 1, x, y, h);
    }
}

static void steps(struct buffers *b, const struct trial_pass *pass)
{
    static const struct { enum rule rx, ry; int64_t nx, ny; } fold[] = {
        {R_SYMMETRIC, R_SYMMETRIC, 1, 1}, {R_SYMMETRIC, R_REFLECT101, 2, 1}, {R_REPLICATE, R_MIXED, 1, 2},
        {R_MIXED, R_SYMMETRIC, 2, 3}, {R_REFLECT101, R_REPLICATE, 7, 2}, {R_REFLECT_ONCE, R_REFLECT_ONCE, 2, 3},
    };
    EACH_ITEM(x, y) {
        uint32_t h = 0;
        for (unsigned i = 0; i < sizeof fold / sizeof fold[0]; i++)
            h = h * 31 + at_border(b, pass, fold[i].rx, fold[i].ry, fold[i].nx * x + pass->param[0].i,
                                   fold[i].ny * y + pass->param[1].i);
        oracle_put(b, 1, x, y, h);
    }
}

static void stage(struct buffers *b, const struct trial_pass *pass, bool zero, enum rule rule)
{
    const int64_t w = pass->plane[0].width, h = pass->plane[0].height;
    EACH_ITEM(x, y) {
        int64_t s = 0;
        for (int64_t j = -5; j <= 5; j++)
            for (int64_t i = -5; i <= 5; i++) {
                const int64_t p = zero ? GET(0, x + i, y + j) : GET(0, border(rule, x + i, w), border(rule, y + j, h));
                const int64_t row = j == 0 ? i + 6 : 0, column = i == 0 ? 3 * (j + 5) + 2 : 0;
                const int64_t corner = i == -5 && j == -5 ? 7 : i == 5 && j == -5 ? 13 : i == 5 && j == 5 ? 11 : 0;
                s += p * (row + column + corner);
            }
        oracle_put(b, 1, x, y, (uint32_t)s);
    }
}

static void stage_zero(struct buffers *b, const struct trial_pass *pass) { stage(b, pass, true, R_REFLECT101); }
static void stage_reflect(struct buffers *b, const struct trial_pass *pass) { stage(b, pass, false, R_REFLECT101); }
static void stage_symmetric(struct buffers *b, const struct trial_pass *pass) { stage(b, pass, false, R_SYMMETRIC); }
static void stage_replicate(struct buffers *b, const struct trial_pass *pass) { stage(b, pass, false, R_REPLICATE); }
static void stage_mixed(struct buffers *b, const struct trial_pass *pass) { stage(b, pass, false, R_MIXED); }

/* The double quotient of integers below 2^24 rounds to the float that the exact quotient rounds to: two roundings to 53
 * and 24 bits agree since 53 >= 2 * 24 + 2. */
static void renormalise(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        int64_t sum = 0, inside = 0;
        for (int64_t j = y - 2; j <= y + 2; j++)
            for (int64_t i = x - 2; i <= x + 2; i++) {
                sum += GET(0, i, j);
                inside += oracle_inside(pass, 0, i, j);
            }
        oracle_put(b, 1, x, y, oracle_bits((float)((double)sum / (double)inside)));
    }
}

/* The constants as constants.txt has them, the order of the float operations as the kernel's text has it. */
static float five(const float v[5])
{
    return 0.3751f * v[2] + 0.2499f * (v[1] + v[3]) + 0.0626f * (v[0] + v[4]);
}

static void decimate(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t w = pass->plane[0].width, h = pass->plane[0].height;
    EACH_ITEM(x, y) {
        float rows[5];
        for (int j = 0; j < 5; j++) {
            float row[5];
            for (int i = 0; i < 5; i++)
                row[i] = oracle_float(b, pass, 0, border(R_SYMMETRIC, 2 * x + i - 2, w),
                                      border(R_REFLECT101, 2 * y + j - 2, h));
            rows[j] = five(row);
        }
        const float low = five(rows);
        oracle_put(b, 1, x, y, oracle_bits(low));
        oracle_put(b, 2, x, y, oracle_bits(oracle_float(b, pass, 0, 2 * x, 2 * y) - low));
    }
}

static void chroma(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y)
        oracle_put(b, 2, x, y, (uint32_t)(GET(0, x, y) * 65537 + GET(1, x / 2, y / 2)));
}

/* An item's sample on one axis: half the position when it is subsampled, and an offset for each parity. */
static int64_t phase(bool half, int64_t at, int even, int odd)
{
    return half ? at / 2 + (at % 2 ? odd : even) : at;
}

static void phases(struct buffers *b, const struct trial_pass *pass)
{
    static const int offset[][4] = {{0, 0, 0, 0}, {-1, 1, 0, 0}, {0, 0, -1, 1}, {-2, 0, 1, 3}, {3, 3, -3, 2}};
    const bool half_x = pass->param[0].i != 0, half_y = pass->param[1].i != 0;
    EACH_ITEM(x, y) {
        uint32_t h = 0;
        for (unsigned i = 0; i < sizeof offset / sizeof offset[0]; i++)
            h = h * 31 + at_border(b, pass, R_REPLICATE, R_REPLICATE, phase(half_x, x, offset[i][0], offset[i][1]),
                                   phase(half_y, y, offset[i][2], offset[i][3]));
        oracle_put(b, 1, x, y, h);
    }
}

/* Two 16-bit numbers in 32 bits. */
static uint32_t dot_of(uint32_t a, uint32_t b)
{
    const int64_t low = (int64_t)(int16_t)(a & 0xffff) * (int16_t)(b & 0xffff);
    return (uint32_t)(low + (int64_t)(int16_t)(a >> 16) * (int16_t)(b >> 16));
}

static uint32_t products_of(uint32_t a, uint32_t b, int shift)
{
    const uint64_t low = (uint64_t)(a & 0xffff) * (b & 0xffff), high = (uint64_t)(a >> 16) * (b >> 16);
    return (uint32_t)((low >> shift & 0xffff) | (high >> shift & 0xffff) << 16);
}

static uint32_t sizes_of(uint32_t a)
{
    const int low = (int16_t)a, high = (int16_t)(a >> 16);
    return (uint32_t)(low < 0 ? -low : low) | (uint32_t)(high < 0 ? -high : high) << 16;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a : b, high = a >> 16 < b >> 16 ? a : b;
    return (low & 0xffff) | (high & 0xffff0000);
}

static void pairs(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t ox = pass->param[0].i, oy = pass->param[1].i;
    EACH_ITEM(x, y) {
        uint32_t v[2] = {0, 0}, below[2] = {0, 0}, plain = 0;
        for (int i = 0; i < 2; i++) {
            for (int row = 1; row <= 2; row++)
                below[row - 1] |= at_border(b, pass, R_REFLECT_ONCE, R_SYMMETRIC, 2 * x + ox + i, 2 * y + oy + row)
                                  << 16 * i;
            v[0] |= at_border(b, pass, R_REFLECT_ONCE, R_SYMMETRIC, 2 * x + ox + i, 2 * y + oy) << 16 * i;
            v[1] |= at_border(b, pass, R_REPLICATE, R_MIXED, 2 * x - ox + i, y - oy) << 16 * i;
            plain |= (uint32_t)GET(0, 2 * x + ox + i, y + oy) << 16 * i;
        }
        v[1] *= 40503u;
        uint32_t h = dot_of(v[0] ^ 0x80008000u, v[1]);
        h = h * 31u + products_of(v[0], v[1], 0);
        h = h * 31u + products_of(v[1], v[0] ^ 0xffffu, 16);
        h = h * 31u + sizes_of(v[1]);
        h = h * 31u + least_of(v[0] * 3u, v[1]);
        h = h * 31u + (((v[1] & 0x7fff) * (v[1] >> 17) + 16384) >> 15);
        h += dot_of(v[1], 0x7fff8000u) + dot_of(below[0], v[0]);
        h = (h * 31u + below[0]) * 31u + below[1];
        h = h * 31u + (((plain * 3u - v[1]) & 0xffff) | (((plain * 3u >> 16) - (v[1] >> 16)) << 16));
        oracle_put(b, 1, x, y, h);
    }
}

static void matrices(struct buffers *b, const struct trial_pass *pass)
{
    static const uint32_t of_row[] = {1, 2, 3, 5};
    EACH_ITEM(x, y) {
        uint32_t sum = 0;
        for (int64_t k = 0; k < 32; k++)
            sum += at_border(b, pass, R_REPLICATE, R_REPLICATE, x - x % 16 - 8 + k, y) *
                   (uint32_t)((37 * (x % 16) + 11 * k + 5) % 256);
        oracle_put(b, 1, x, y, sum * of_row[y % 4]);
    }
}

static void layers(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t h = pass->grid_h, half = (pass->grid_w + 1) / 2;
    EACH_ITEM(x, y) {
        const int64_t p = GET(0, x < half ? 2 * x : 2 * (x - half), y - y % 2);
        oracle_put(b, 1, x, y + 3 * h, (uint32_t)(y % 2 ? (x < half ? 3 : 5) * p : x < half ? p : -p));
        oracle_put(b, 1, x, y, (uint32_t)GET(0, x, y));
        oracle_put(b, 1, x, y + h, (uint32_t)-GET(0, x, y));
        oracle_put(b, 1, x, y + 2 * h, (uint32_t)(GET(0, x, y) - GET(0, x + 1, y) + y));
    }
}

static void stacked(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t w = pass->plane[0].width, h = pass->grid_h;
    EACH_ITEM(x, y) {
        const uint32_t first = y >= 2 ? (uint32_t)GET(0, x - 1, y - 2) : 0,
                       last = y + 1 < h ? (uint32_t)GET(0, x, y + 1 + 2 * h) : 0;
        const uint32_t near = oracle_word(b, pass, 0, border(R_REPLICATE, 2 * x + 1, w),
                                          h + border(R_SYMMETRIC, y + 2, h));
        const uint32_t far = oracle_word(b, pass, 0, border(R_SYMMETRIC, x - 3, w), border(R_REPLICATE, y - 1, h));
        oracle_put(b, 1, x, y, first - 3 * near);
        oracle_put(b, 1, x, y + h, last + 5 * far);
    }
}

static void halves(struct buffers *b, const struct trial_pass *pass)
{
    static const int offset[2][4] = {{-1, 1, -1, 1}, {1, 1, 2, -1}};
    const int64_t w = pass->plane[0].width, h = pass->plane[0].height / 2;
    EACH_ITEM(x, y)
        for (int k = 0; k < 2; k++)
            oracle_put(b, 1, x, y + k * (int64_t)pass->grid_h,
                       oracle_word(b, pass, 0, border(R_REPLICATE, phase(true, x, offset[k][0], offset[k][1]), w),
                                   k * h + border(R_REPLICATE, phase(true, y, offset[k][2], offset[k][3]), h)));
}

static void groups(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t last = pass->plane[0].width - 1;
    EACH_ITEM(x, y) {
        const int64_t first = x - x % 8, fifth = first + 5 < last ? first + 5 : last;
        oracle_put(b, 1, x, y, oracle_bits(oracle_float(b, pass, 0, first, y)) * 3 +
                               oracle_bits(oracle_float(b, pass, 0, fifth, y)) * 5 + pass->param[0].u);
    }
}

static void blocks(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        uint32_t h = 0;
        for (int64_t j = 7 * y; j < 7 * y + 8; j++)
            for (int64_t i = 7 * x; i < 7 * x + 8; i++)
                h = h * 33 + at_border(b, pass, R_REPLICATE, R_REPLICATE, i, j);
        oracle_put(b, 1, x, y, h);
    }
}

static void planes(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const int64_t p = GET(0, x, y);
        oracle_put(b, 1, x, y, (uint32_t)(p + 1));
        oracle_put(b, 2, x, y, (uint32_t)-p);
        oracle_put(b, 3, x, y, oracle_bits((float)p / 2));
    }
}

static void positions(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t w = pass->plane[0].width, h = pass->plane[0].height;
    EACH_ITEM(x, y) {
        oracle_put(b, 1, x, y, (uint32_t)(y << 16 | x));
        oracle_put(b, 2, x, y, (uint32_t)(10 * w + 16 * h + (y + 1 < h)));
    }
    b->totals[0] = w;
}

static void table(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const int64_t p = GET(0, x, y);
        oracle_put(b, 2, x, y, (uint32_t)(GET(1, p % 256, 0) + p / 256));
    }
}

static void params(struct buffers *b, const struct trial_pass *pass)
{
    const int n = pass->param[9].i;
    EACH_ITEM(x, y) {
        uint32_t h = (uint32_t)GET(0, x, y);
        float v = oracle_float(b, pass, 0, x, y);
        for (int i = 0; i < n; i++)
            h = h * 31 + pass->param[i].u;
        for (int i = 0; i <= n; i++)
            v = v * pass->param[4 + n - i].f + pass->param[4 + i].f;
        oracle_put(b, 1, x, y, h);
        oracle_put(b, 2, x, y, oracle_bits(v));
    }
}

static uint32_t weighted(const struct buffers *b, const struct trial_pass *pass, int turns, int64_t x, int64_t y)
{
    if (!turns)
        return at_border(b, pass, R_SYMMETRIC, R_SYMMETRIC, x, y);
    return 3 * weighted(b, pass, turns - 1, x - 1, y - 1) + 5 * weighted(b, pass, turns - 1, x + 1, y)
         + 7 * weighted(b, pass, turns - 1, x, y + 1) + weighted(b, pass, turns - 1, x, y);
}

static void barriers(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y)
        oracle_put(b, 1, x, y, weighted(b, pass, 3, x, y));
}

static void tile_add(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        uint32_t sum = 7;
        for (int64_t at = 0; at < pass->plane[0].width; at++)
            if (GET(0, at, y) % 64 == x)
                sum += (uint32_t)GET(0, at, y) + 3;
        oracle_put(b, 1, x, y, sum);
    }
}

/* How often each code below 256 occurs in the window around a sample. */
static void tally(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t radius = pass->param[0].i;
    EACH_ITEM(x, y) {
        const int64_t p = GET(0, x, y);
        uint32_t count[256] = {0}, mixed = 0;
        oracle_put(b, 1, x, y, 0);
        if (p > 255 || p % 2 == p / 2 % 2)
            continue;
        for (int64_t v = y - radius; v <= y + radius; v++)
            for (int64_t u = x - radius; u <= x + radius; u++)
                if (oracle_inside(pass, 0, u, v) && GET(0, u, v) < 256)
                    count[GET(0, u, v)]++;
        for (int64_t i = 0; i < 12; i++) {
            const int64_t code = i < 9 ? p - 4 + i : p + 11 + i;
            mixed = mixed * 31 + (code >= 0 && code < 256 ? count[code] : 0);
        }
        oracle_put(b, 1, x, y, mixed);
    }
}

/* ---- recursions -------------------------------------------------------------------------------------------------- */

static void serial_rows(struct buffers *b, const struct trial_pass *pass)
{
    for (int64_t y = 0; y < pass->plane[0].height; y++) {
        uint32_t state = 0;
        for (int64_t x = 0; x < pass->plane[0].width; x++) {
            state = state * 13 / 16 + (uint32_t)GET(0, x, y);
            oracle_put(b, 1, x, y, state);
        }
    }
}

static void serial_columns(struct buffers *b, const struct trial_pass *pass)
{
    for (int64_t x = 0; x < pass->plane[0].width; x++) {
        uint32_t state = 0;
        for (int64_t y = 0; y < pass->plane[0].height; y++)
            state = state * 11 / 16 + (uint32_t)GET(0, x, y);
        for (int64_t y = pass->plane[0].height - 1; y >= 0; y--) {
            state = state * 7 / 8 ^ (uint32_t)GET(0, x, y);
            oracle_put(b, 1, x, y, state);
        }
        b->totals[0] += state % 65536;
    }
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

static void strips(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t h = pass->plane[0].height;
    EACH_ITEM(x, y) {
        const int64_t d = GET(0, x, border(R_REFLECT101, y - 1, h)) - 2 * GET(0, x, y)
                        + GET(0, x, border(R_REFLECT101, y + 1, h));
        oracle_put(b, 1, x, y, (uint32_t)d);
        b->totals[0] += d;
    }
}

static void runs(struct buffers *b, const struct trial_pass *pass)
{
    const int64_t w = pass->plane[0].width;
    EACH_ITEM(x, y)
        oracle_put(b, 1, x, y, (uint32_t)(GET(0, border(R_REFLECT101, x - 1, w), y) - 2 * GET(0, x, y)
                                          + GET(0, border(R_REFLECT101, x + 1, w), y)));
}

/* v is a multiple of 2^-22 and at most 2: as an integer with 61 bits of fraction it is exact, and a
 * limb is some of its bits. */
static void sum_f32(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const bool floats = pass->info->sample == SAMPLE_F32;
        const double v = floats ? (double)oracle_float(b, pass, 0, x, y) : (double)GET(0, x, y) / 32768;
        const int64_t whole = (int64_t)(v * 0x1p61), size = whole < 0 ? -whole : whole, sign = whole < 0 ? -1 : 1;
        /* limbs of 19 fraction bits, 20 and 20, and the 2 bits that are left of the fourth */
        b->totals[0] += sign * (size >> 42);
        b->totals[1] += sign * (size >> 22 & 0xfffff);
        b->totals[2] += sign * (size >> 2 & 0xfffff);
        b->totals[3] += sign * ((size & 3) << 18);
        b->totals[4] += v > 1;
        b->totals[5] += (x % 2 ? -sign : sign) * (size >> 42);
    }
}

static void row_sums(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        b->totals[2 * y] += GET(0, x, y);
        b->totals[2 * y + 1] += GET(0, x, y) - GET(0, x + 2, y);
    }
}

static void words(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        const uint32_t p = (uint32_t)GET(0, x, y), next = (uint32_t)GET(0, x + 1, y);
        b->totals[0] += p;
        b->totals[1 + y * pass->grid_w + x] = (int64_t)((uint64_t)~p << 32 | (p + (next << 16)));
    }
}

static void extrema(struct buffers *b, const struct trial_pass *pass)
{
    int64_t most = -1, least = (int64_t)1 << 33;
    EACH_ITEM(x, y) {
        const int64_t v = GET(0, x, y);
        const uint32_t at = (uint32_t)(y * pass->grid_w + x);
        if (v > most) {
            most = v;
            b->extrema[0] = (uint32_t)v;
            b->extrema[1] = at;
        }
        if (v < least) {
            least = v;
            b->extrema[2] = UINT32_MAX - (uint32_t)v;
            b->extrema[3] = at;
        }
    }
}

static void histogram(struct buffers *b, const struct trial_pass *pass)
{
    EACH_ITEM(x, y) {
        b->totals[0] += GET(0, x, y);
        b->totals[1 + GET(0, x, y) / (1 << (pass->bits - 8))]++;
    }
}

const struct oracle oracle_samples[] = {
    {"t_load", load}, {"t_border", borders}, {"t_steps", steps}, {"t_stage_reflect", stage_reflect},
    {"t_stage_symmetric", stage_symmetric}, {"t_stage_replicate", stage_replicate}, {"t_stage_mixed", stage_mixed},
    {"t_stage_zero", stage_zero}, {"t_renormalise", renormalise}, {"t_decimate", decimate}, {"t_chroma", chroma},
    {"t_phases", phases}, {"t_pairs", pairs}, {"t_matrices", matrices},
    {"t_layers", layers}, {"t_stacked", stacked}, {"t_halves", halves},
    {"t_groups", groups},
    {"t_blocks", blocks},
    {"t_blocks_staged", blocks}, {"t_planes", planes}, {"t_positions", positions}, {"t_table", table},
    {"t_params", params}, {"t_barriers", barriers}, {"t_tile_add", tile_add}, {"t_tally", tally},
    {"t_serial_rows", serial_rows},
    {"t_serial_columns", serial_columns}, {"t_strips", strips}, {"t_runs", runs}, {"t_sum_f32", sum_f32},
    {"t_row_sums", row_sums}, {"t_words", words}, {"t_extrema", extrema}, {"t_histogram", histogram}, {NULL, NULL},
};
