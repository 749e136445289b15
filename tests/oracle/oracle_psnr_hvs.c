/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* Sensitivity to frequency (i, j), from the diagonal on; the tables are symmetric. */
static const float sensitivity[ORACLE_PLANES][8][8] = {
    { { 1.6193873005f, 2.2901594831f, 2.08509755623f, 1.48366094411f, 1.00227514334f, 0.678296995242f, 0.466224900598f,
        0.3265091542f },
      { 1.94321815382f, 2.04793073064f, 1.68731108984f, 1.2305666963f, 0.868920337363f, 0.61280991668f,
        0.436405793551f },
      { 1.34329019223f, 1.09205635862f, 0.875748795257f, 0.670882927016f, 0.501731932449f, 0.372504254596f },
      { 0.772819797575f, 0.605636379554f, 0.48309405692f, 0.380429446972f, 0.295774038565f },
      { 0.448996256676f, 0.352889268808f, 0.283006984131f, 0.226951348204f },
      { 0.27032073436f, 0.215017739696f, 0.17408067321f },
      { 0.168869545842f, 0.136153931001f },
      { 0.109083846276f } },
    { { 1.91113096927f, 2.46074210438f, 1.18284184739f, 1.14982565193f, 1.05017074788f, 0.898018824055f, 0.74725392039f,
        0.615105596242f },
      { 1.58529308355f, 1.21363250036f, 1.38190029285f, 1.33100189972f, 1.17428548929f, 0.996404342439f,
        0.830890433625f },
      { 0.978712413627f, 1.02624506078f, 1.03145147362f, 0.960060382087f, 0.849823426169f, 0.731221236837f },
      { 0.861317501629f, 0.801821139099f, 0.751437590932f, 0.685398513368f, 0.608694761374f },
      { 0.676555426187f, 0.605503172737f, 0.55002013668f, 0.495804539034f },
      { 0.514674450957f, 0.454353482512f, 0.407050308965f },
      { 0.389234902883f, 0.342353999733f },
      { 0.295530605237f } },
    { { 2.03871978502f, 2.62502345193f, 1.26180942886f, 1.11019789803f, 1.01397751469f, 0.867069376285f,
        0.721500455585f, 0.593906509971f },
      { 1.69112867013f, 1.17180569821f, 1.3342742857f, 1.28513006198f, 1.13381474809f, 0.962064122248f,
        0.802254508198f },
      { 0.944981930573f, 0.990876405848f, 0.995903384143f, 0.926972725286f, 0.820534991409f, 0.706020324706f },
      { 0.831632933426f, 0.77418706195f, 0.725539939514f, 0.661776842059f, 0.587716619023f },
      { 0.653238524286f, 0.584635025748f, 0.531064164893f, 0.478717061273f },
      { 0.496936637883f, 0.438694579826f, 0.393021669543f },
      { 0.375820256136f, 0.330555063063f },
      { 0.285345396658f } },
};

static double sensitivity_of(uint32_t plane, int i, int j)
{
    return (double)(i <= j ? sensitivity[plane][i][j - i] : sensitivity[plane][j][i - j]);
}

/* The weight in the mask is a float, too. */
static double weight_of(uint32_t plane, int i, int j)
{
    return (double)(float)pow(sensitivity_of(plane, i, j) * 0.3885746225901003, 2);
}

/* A lifting step: t[to] += sign * round(t[from] * factor / 2^bits), halves up. */
struct step {
    int to, from, sign, factor, bits;
};

static void lift(long t[8], const struct step *step, int count)
{
    for (; count > 0; count--, step++)
        t[step->to] += step->sign * (long)floor((double)t[step->from] * step->factor / (1 << step->bits) + 0.5);
}

/* The integer DCT of eight points. C's division of integers rounds towards 0, as the definition does. */
static void transform(long x[8])
{
    static const struct step first[] = {
        { 0, 4, -1, 13573 + ORACLE_SABOTAGE, 15 }, { 4, 0, 1, 11585, 14 }, { 0, 4, -1, 13573, 15 },
        { 6, 2, -1, 21895, 15 }, { 2, 6, 1, 15137, 14 }, { 6, 2, -1, 21895, 15 },
        { 3, 5, 1, 19195, 15 }, { 5, 3, 1, 11585, 14 }, { 3, 5, -1, 7489, 13 },
    };
    static const struct step last[] = {
        { 7, 1, 1, 3227, 15 }, { 1, 7, -1, 6393, 15 }, { 7, 1, 1, 3227, 15 },
        { 5, 3, 1, 2485, 13 }, { 3, 5, -1, 18205, 15 }, { 5, 3, 1, 2485, 13 },
    };
    const long a = x[0] - x[7], b = x[1] + x[6], d = x[2] - x[5], e = x[3] + x[4];
    const long low = x[0] - a / 2 + e / 2, middle = b / 2 - (x[2] - d / 2);
    long t[8] = { low, a, middle, d, middle - b, x[6] - b / 2, low - e, e / 2 - x[4] };
    lift(t, first, sizeof first / sizeof *first);
    t[7] = t[5] / 2 - t[7];
    t[5] -= t[7];
    t[3] = a / 2 - t[3];
    t[1] -= t[3];
    lift(t, last, sizeof last / sizeof *last);
    for (int i = 0; i < 8; i++)
        x[i] = t[i];
}

static void transform_block(long block[8][8])
{
    for (int j = 0; j < 8; j++) {
        long column[8];
        for (int i = 0; i < 8; i++)
            column[i] = block[i][j];
        transform(column);
        for (int i = 0; i < 8; i++)
            block[i][j] = column[i];
    }
    for (int i = 0; i < 8; i++)
        transform(block[i]);
}

/* The variance of a square part of a block, times the number of its samples. */
static double spread(long block[8][8], int top, int left, int size)
{
    const int n = size * size;
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++)
        mean += (double)block[top + i / size][left + i % size] / n;
    for (int i = 0; i < n; i++)
        sum += pow((double)block[top + i / size][left + i % size] - mean, 2);
    return sum / (n - 1) * n;
}

/* How much the texture of a block hides; `block` becomes its transform. */
static double masking(long block[8][8], uint32_t plane)
{
    const double whole = spread(block, 0, 0, 8);
    const double quarters = spread(block, 0, 0, 4) + spread(block, 0, 4, 4) + spread(block, 4, 0, 4)
                            + spread(block, 4, 4, 4);
    transform_block(block);
    double energy = 0;
    for (int k = 1; k < 64; k++)
        energy += pow((double)block[k / 8][k % 8], 2) * weight_of(plane, k / 8, k % 8);
    return whole > 0 ? sqrt(energy * quarters / whole) / 32 : 0;
}

static void block_of(const struct oracle_picture *p, uint32_t plane, size_t x, size_t y, long block[8][8])
{
    for (size_t k = 0; k < 64; k++)
        block[k / 8][k % 8] = p->sample[plane][(y + k / 8) * p->width[plane] + x + k % 8];
}

static double block_error(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t plane, size_t x,
                          size_t y)
{
    long r[8][8], d[8][8];
    block_of(ref, plane, x, y, r);
    block_of(dis, plane, x, y, d);
    const double mask = fmax(masking(r, plane), masking(d, plane));
    double sum = 0;
    for (int k = 0; k < 64; k++) {
        const int i = k / 8, j = k % 8;
        const double error = fabs((double)(r[i][j] - d[i][j]));
        const double seen = k == 0 ? error : fmax(0, error - mask / weight_of(plane, i, j));
        sum += pow(seen * sensitivity_of(plane, i, j), 2);
    }
    return sum;
}

/* ---- in libvmaf's own floats ---- */

/* Operations and their order are libvmaf's. What is exact in float (sums, means) may be computed in any way. */
static float texture_of(long block[8][8])
{
    float means[4] = { 0 }, spread[4] = { 0 }, mean = 0, whole = 0;
    for (int k = 0; k < 64; k++) {
        means[k / 8 / 4 + k % 8 / 4 * 2] += (float)block[k / 8][k % 8] / 16;
        mean += (float)block[k / 8][k % 8] / 64;
    }
    for (int k = 0; k < 64; k++) {
        const int quadrant = k / 8 / 4 + k % 8 / 4 * 2;
        const float v = (float)block[k / 8][k % 8], from_mean = v - mean, from_quadrant = v - means[quadrant];
        whole += from_mean * from_mean;
        spread[quadrant] += from_quadrant * from_quadrant;
    }
    for (int q = 0; q < 4; q++)
        spread[q] *= 1.0f / 15 * 16;
    whole *= 1.0f / 63 * 64;
    return whole > 0 ? (spread[0] + spread[1] + spread[2] + spread[3]) / whole : whole;
}

static float masking_in_float(long block[8][8], uint32_t plane)
{
    const float texture = texture_of(block);
    transform_block(block);
    float energy = 0;
    for (int k = 1; k < 64; k++)
        energy += (float)(block[k / 8][k % 8] * block[k / 8][k % 8]) * (float)weight_of(plane, k / 8, k % 8);
    return sqrtf(energy * texture) / 32;
}

/* Adds the block's errors to a sum. */
static void add_errors_in_float(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t plane,
                                size_t x, size_t y, float *sum)
{
    long r[8][8], d[8][8];
    block_of(ref, plane, x, y, r);
    block_of(dis, plane, x, y, d);
    const float mask = fmaxf(masking_in_float(r, plane), masking_in_float(d, plane));
    for (int k = 0; k < 64; k++) {
        const int i = k / 8, j = k % 8;
        const float error = (float)labs(r[i][j] - d[i][j]), hidden = mask / (float)weight_of(plane, i, j);
        const float seen = (k == 0 ? error : error < hidden ? 0 : error - hidden) * (float)sensitivity_of(plane, i, j);
        *sum += seen * seen;
    }
}

bool oracle_psnr_hvs_in_float(const struct oracle_picture *ref, const struct oracle_picture *dis,
                              double of_libvmaf[ORACLE_PLANES], double of_blocks[ORACLE_PLANES])
{
    const int peak = (int)(1u << ref->depth) - 1;
    for (uint32_t k = 0; k < ORACLE_PLANES; k++) {
        size_t blocks = 0;
        float one_sum = 0;
        double sum = 0;
        if (ref->depth > 12 || k >= ref->planes)
            return false;
        for (size_t y = 0; y + 8 <= ref->height[k]; y += 7)
            for (size_t x = 0; x + 8 <= ref->width[k]; x += 7, blocks++) {
                float block = 0;
                add_errors_in_float(ref, dis, k, x, y, &one_sum);
                add_errors_in_float(ref, dis, k, x, y, &block);
                sum += (double)block;
            }
        if (blocks == 0)
            return false;
        one_sum /= (float)(blocks * 64);
        one_sum /= (float)(peak * peak);
        of_libvmaf[k] = -10 * log10((double)one_sum);
        of_blocks[k] = -10 * log10(sum / (double)(blocks * 64) / ((double)peak * peak));
    }
    return true;
}

/* ---- in double ---- */

bool oracle_psnr_hvs(const struct oracle_picture *ref, const struct oracle_picture *dis,
                     double score[ORACLE_PLANES + 1])
{
    double error[ORACLE_PLANES] = { 0 };
    for (uint32_t k = 0; k < ref->planes; k++) {
        size_t blocks = 0;
        for (size_t y = 0; y + 8 <= ref->height[k]; y += 7)
            for (size_t x = 0; x + 8 <= ref->width[k]; x += 7, blocks++)
                error[k] += block_error(ref, dis, k, x, y);
        if (blocks == 0)
            return false;
        error[k] /= (double)blocks * 64 * pow((double)((1u << ref->depth) - 1), 2);
        score[k] = -10 * log10(error[k]);
    }
    score[ORACLE_PLANES] = -10 * log10(0.8 * error[0] + 0.1 * (error[1] + error[2]));
    return true;
}
