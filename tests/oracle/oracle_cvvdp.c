/* SPDX-License-Identifier: BSD-2-Clause */
/* ColorVideoVDP, step by step: Mantiuk and others, "ColorVideoVDP: A visual difference predictor for image, video and
 * display distortions", SIGGRAPH 2024, with the numbers of the reference program. */
#include "oracle_cvvdp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, STEPS = 32, MOST_BANDS = 16, MOST_TAPS = 31 };
static const double pi = 3.14159265358979323846, eps = 1e-5;

static const int32_t csf[CHANNELS * STEPS * STEPS] = {
#include "metrics/cvvdp_csf.inc"
};

/* The power by which small values are kept off 0. */
static double power(double x, double p)
{
    return pow(x + eps, p) - pow(eps, p);
}

/* ---- pyramid ----------------------------------------------------------------------------------------------------- */

static size_t clamp(ptrdiff_t i, size_t n)
{
    return i < 0 ? 0 : (size_t)i >= n ? n - 1 : (size_t)i;
}

/* Every second value of a row of n, `step` apart, behind the filter. `odd`: how the program takes the high end. */
static void reduce_row(const double *from, size_t n, size_t step, bool odd, double *to, size_t to_step)
{
    static const double tap[5] = {0.05, 0.25, 0.4, 0.25, 0.05};
    const size_t half = (n + 1) / 2;
    for (size_t i = 0; i < half; i++) {
        double sum = 0;
        for (int k = -2; k <= 2; k++) {
            const ptrdiff_t at = (ptrdiff_t)(2 * i) + k;
            if (at < (ptrdiff_t)n)
                sum += tap[k + 2] * from[(size_t)(at < 0 ? -1 - at : at) * step];
        }
        if (i + 1 == half)
            sum += odd ? 0.25 * from[(n - 1) * step] + 0.05 * from[(n - 2) * step] : 0.05 * from[(n - 1) * step];
        to[i * to_step] = sum;
    }
}

static struct oracle_image reduce(const struct oracle_image *from)
{
    const size_t w = from->width, h = from->height, half_w = (w + 1) / 2, half_h = (h + 1) / 2;
    struct oracle_image down, to;
    oracle_image_new(&down, w, half_h);
    oracle_image_new(&to, half_w, half_h);
    for (size_t x = 0; x < w; x++)
        reduce_row(from->value + x, h, w, h % 2, down.value + x, w);
    for (size_t y = 0; y < half_h; y++)
        reduce_row(down.value + y * w, w, 1, h % 2, to.value + y * half_w, 1);
    oracle_image_free(&down);
    return to;
}

static double wide(const double *from, size_t n, size_t step, size_t at)
{
    const ptrdiff_t i = (ptrdiff_t)(at / 2);
    if (at % 2)
        return 0.5 * from[clamp(i, n) * step] + 0.5 * from[clamp(i + 1, n) * step];
    return 0.1 * from[clamp(i - 1, n) * step] + 0.8 * from[clamp(i, n) * step] + 0.1 * from[clamp(i + 1, n) * step];
}

static struct oracle_image expand(const struct oracle_image *from, size_t w, size_t h)
{
    struct oracle_image down, to;
    oracle_image_new(&down, from->width, h);
    oracle_image_new(&to, w, h);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < from->width; x++)
            down.value[y * from->width + x] = wide(from->value + x, from->height, from->width, y);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            to.value[y * w + x] = wide(down.value + y * from->width, from->width, 1, x);
    oracle_image_free(&down);
    return to;
}

/* ---- sensitivity and masking ------------------------------------------------------------------------------------- */

static double sensitivity(int channel, double frequency, double light)
{
    const double l = fmin(fmax(log10(light / 0.005) * 31 / log10(10000 / 0.005), 0), 31),
                 f = log10(frequency / 0.1) * 31 / log10(640);
    const int row = l < 30 ? (int)l : 30, column = f < 30 ? (int)f : 30;
    double at[2];
    for (int k = 0; k < 2; k++) {
        const int32_t *s = &csf[(channel * STEPS + row + k) * STEPS + column];
        at[k] = (s[0] + (f - column) * (s[1] - s[0])) / 1e7;
    }
    return pow(10, at[0] + (l - row) * (at[1] - at[0]) - 0.2797423303127289 / 20);
}

static struct oracle_image blur(const struct oracle_image *from)
{
    const size_t w = from->width, h = from->height;
    struct oracle_image across, to;
    double tap[13], sum = 0;
    for (int i = 0; i < 13; i++)
        sum += tap[i] = exp(-(i - 6) * (i - 6) / 18.0);
    if (ORACLE_SABOTAGE)
        tap[0] *= 30;
    oracle_image_new(&across, w, h);
    oracle_image_new(&to, w, h);
    for (int turn = 0; turn < 2; turn++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++) {
                double v = 0;
                for (int i = -6; i <= 6; i++) {
                    const ptrdiff_t n = (ptrdiff_t)(turn ? h : w), p = (ptrdiff_t)(turn ? y : x) + i,
                                    at = p < 0 ? -p : p >= n ? 2 * n - 2 - p : p;
                    v += tap[i + 6] / sum * (turn ? across.value[(size_t)at * w + x] : from->value[y * w + (size_t)at]);
                }
                (turn ? to : across).value[y * w + x] = v;
            }
    oracle_image_free(&across);
    return to;
}

static const double masker_power[CHANNELS] = {1.302622675895691, 2.8885908126831055, 3.6807713508605957,
                                              3.588787317276001};
/* By masker, then by what is masked. */
static const double across_channels[CHANNELS][CHANNELS] = {
    {-0.18950104713439941, -5.962151050567627, -4.31834602355957, -1.9321587085723877},
    {2.5655593872070312, 0.34406712651252747, -2.719646453857422, -0.4970424771308899},
    {3.8118371963500977, -1.0051705837249756, -0.5193376541137695, -0.5653647780418396},
    {-7.054771423339844, -5.527150630950928, -3.5106418132781982, -2.08804988861084}};

/* The pooled differences of a band: contrasts of both sides, times sensitivity and gain. */
static void pool_band(struct oracle_image t[CHANNELS], struct oracle_image r[CHANNELS], int channels, double *q)
{
    const size_t w = t[0].width, h = t[0].height, n = w * h;
    const double most = pow(10, 2.5642454624176025);
    struct oracle_image mask[CHANNELS];
    for (int c = 0; c < channels; c++) {
        struct oracle_image less;
        oracle_image_new(&less, w, h);
        for (size_t i = 0; i < n; i++)
            less.value[i] = fmin(fabs(t[c].value[i]), fabs(r[c].value[i]));
        mask[c] = w > 6 && h > 6 ? blur(&less) : less;
        if (w > 6 && h > 6)
            oracle_image_free(&less);
        q[c] = 0;
    }
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < channels; c++) {
            double masks = 0;
            for (int k = 0; k < channels; k++)
                masks += pow(2, across_channels[k][c]) *
                         power(mask[k].value[i] * pow(10, -0.7954971194267273), masker_power[k]);
            const double u = power(fabs(t[c].value[i] - r[c].value[i]), 2.264355182647705) / (1 + masks);
            q[c] += power(most * u / (most + u), 2);
        }
    for (int c = 0; c < channels; c++) {
        q[c] = power(q[c] / (double)n, 0.5);
        oracle_image_free(&mask[c]);
    }
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int frequencies(double ppd, size_t w, size_t h, double rho[MOST_BANDS])
{
    int last = 0;
    const int most = (int)floor(log2((double)(w < h ? w : h))) - 1;
    for (int i = 0; i < MOST_BANDS; i++)
        rho[i] = i ? 0.3228 * ppd / 2 / pow(2, i - 1) : ppd / 2;
    while (last < MOST_BANDS - 2 && rho[last] > 0.2)
        last++;
    const int fine = last + 1 < most ? last + 1 : most > 0 ? most : 0;
    rho[fine] = 0.1;
    return fine + 1;
}

/* The coarsest level, whose light is its mean. */
static void pool_base(struct oracle_image t[CHANNELS], struct oracle_image r[CHANNELS], int channels, double *q)
{
    const size_t n = t[0].width * t[0].height;
    double light[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        light[0] += fmax(t[0].value[i], 0.01) / (double)n;
        light[1] += fmax(r[0].value[i], 0.01) / (double)n;
    }
    for (int c = 0; c < channels; c++) {
        q[c] = 0;
        for (size_t i = 0; i < n; i++)
            q[c] += power(fabs(fmin(t[c].value[i] / light[0], 1000) - fmin(r[c].value[i] / light[1], 1000)) *
                              sensitivity(c, 0.1, light[1]), 2);
        q[c] = power(q[c] / (double)n, 0.5);
    }
}

/* Contrast of the channels of a level over the light behind them; `light`: that of the reference, or NULL. */
static void contrast(struct oracle_image level[CHANNELS], struct oracle_image below[CHANNELS], int channels,
                     struct oracle_image *light)
{
    struct oracle_image back[CHANNELS];
    const size_t n = level[0].width * level[0].height;
    for (int c = 0; c < channels; c++)
        back[c] = expand(&below[c], level[0].width, level[0].height);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < channels; c++)
            level[c].value[i] = fmin((level[c].value[i] - back[c].value[i]) / fmax(back[0].value[i], 0.01), 1000);
    for (size_t i = 0; light && i < n; i++)
        light->value[i] = fmax(back[0].value[i], 0.01);
    for (int c = 0; c < channels; c++)
        oracle_image_free(&back[c]);
}

/* T of a frame. The channels of both sides are freed. */
static double frame_of(struct oracle_image t[CHANNELS], struct oracle_image r[CHANNELS], int channels, double ppd)
{
    static const double gain[CHANNELS] = {1, 1.45, 1, 1}, weight[CHANNELS] = {1, 1, 1, 0.8081134557723999},
                        base[CHANNELS] = {0.0036334486212581396, 1.6627724170684814, 4.11874532699585,
                                          25.25969886779785};
    double rho[MOST_BANDS], q[CHANNELS], bands[CHANNELS] = {0}, sum = 0;
    const int count = frequencies(ppd, t[0].width, t[0].height, rho);
    for (int b = 0; b < count; b++) {
        struct oracle_image below_t[CHANNELS], below_r[CHANNELS], light;
        const size_t n = t[0].width * t[0].height;
        if (b + 1 == count)
            pool_base(t, r, channels, q);
        for (int c = 0; b + 1 < count && c < channels; c++) {
            below_t[c] = reduce(&t[c]);
            below_r[c] = reduce(&r[c]);
        }
        if (b + 1 < count) {
            oracle_image_new(&light, t[0].width, t[0].height);
            contrast(t, below_t, channels, NULL);
            contrast(r, below_r, channels, &light);
            for (int c = 0; c < channels; c++)
                for (size_t i = 0; i < n; i++) {
                    const double s = sensitivity(c, rho[b], light.value[i]) * gain[c] * (b ? 2 : 1);
                    t[c].value[i] *= s;
                    r[c].value[i] *= s;
                }
            pool_band(t, r, channels, q);
            oracle_image_free(&light);
        }
        for (int c = 0; c < channels; c++) {
            bands[c] += power(q[c] * weight[c] * (b + 1 == count ? base[c] : 1), 4);
            oracle_image_free(&t[c]);
            oracle_image_free(&r[c]);
            if (b + 1 < count) {
                t[c] = below_t[c];
                r[c] = below_r[c];
            }
        }
    }
    for (int c = 0; c < channels; c++)
        sum += power(power(bands[c], 0.25), 4);
    return power(sum, 0.25);
}

static double jod(double q)
{
    const double slope = 0.0439569391310215, exponent = 0.9302042722702026;
    return q > 0.1 ? 10 - slope * pow(q, exponent) : 10 - slope * pow(0.1, exponent - 1) * q;
}

/* Taps by channel; the window's middle is at `half`. */
static int taps_of(double fps, double tap[CHANNELS][MOST_TAPS])
{
    static const double beta[3] = {1.3314, 1.1196, 0.947901}, spread[3] = {5.79336, 14.1255, 6.63661};
    const int half = (int)ceil(0.125 * fps), n = 2 * half + 1;
    for (int c = 0; c < CHANNELS; c++)
        for (int u = 0; u < n; u++) {
            tap[c][u] = 0;
            for (int j = 0; j <= half; j++) {
                const double hertz = j * (fps / 2) / half, far = pow(hertz, 0.1898) - pow(5, 0.1898);
                const double kept = c < 3 ? exp(-pow(hertz, beta[c]) / spread[c]) : exp(-far * far / 0.12314);
                tap[c][u] += (j ? 2 : 1) * kept * cos(2 * pi * j * (u - half) / n) / n;
            }
        }
    return n;
}

/* The frame of the sequence that stands for number i. */
static int stands_for(int i, int frames, bool symmetric)
{
    while (symmetric && frames > 1 && (i < 0 || i >= frames))
        i = i < 0 ? -i : 2 * frames - 2 - i;
    return i < 0 ? 0 : i;
}

/* DKL of light, channel c. */
static double dkl(const struct oracle_image light[3], size_t i, int c, const struct oracle_cvvdp_display *d)
{
    static const double xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750},
                                     {0.0193339, 0.1191920, 0.9503041}},
                        lms[3][3] = {{0.187596268556126, 0.585168649077728, -0.026384263306304},
                                     {-0.133397430663221, 0.405505777260049, 0.034502127690364},
                                     {0.000244379021663, -0.000542995890619, 0.019406849066323}},
                        of[3][3] = {{1, 1, 0}, {1, -2.311130179947035, 0}, {-1, -1, 50.977571328718781}};
    double rgb[3], x[3], l[3];
    for (int k = 0; k < 3; k++)
        rgb[k] = (d->peak - d->black) * fmin(fmax(light[k].value[i], 0), 1) + d->black + d->reflected;
    for (int k = 0; k < 3; k++)
        x[k] = xyz[k][0] * rgb[0] + xyz[k][1] * rgb[1] + xyz[k][2] * rgb[2];
    for (int k = 0; k < 3; k++)
        l[k] = lms[k][0] * x[0] + lms[k][1] * x[1] + lms[k][2] * x[2];
    return of[c][0] * l[0] + of[c][1] * l[1] + of[c][2] * l[2];
}

/* The channels of frame n of a side. */
static void channels_of(struct oracle_image (*side)[3], int frames, int n, double fps, bool symmetric,
                        const struct oracle_cvvdp_display *d, struct oracle_image to[CHANNELS])
{
    const size_t w = side[0][0].width, h = side[0][0].height;
    double tap[CHANNELS][MOST_TAPS];
    const int taps = frames > 1 ? taps_of(fps, tap) : 1;
    for (int c = 0; c < (frames > 1 ? CHANNELS : 3); c++) {
        oracle_image_new(&to[c], w, h);
        for (int u = 0; u < taps; u++) {
            const int from = stands_for(n - taps + 1 + u, frames, symmetric);
            for (size_t i = 0; i < w * h; i++)
                to[c].value[i] += (frames > 1 ? tap[c][u] : 1) * dkl(side[from], i, c % 3, d);
        }
    }
}

double oracle_cvvdp(struct oracle_image (*ref)[3], struct oracle_image (*dis)[3], int frames, double fps,
                    bool symmetric, const struct oracle_cvvdp_display *display)
{
    double sum = 0;
    for (int n = 0; n < frames; n++) {
        struct oracle_image t[CHANNELS], r[CHANNELS];
        channels_of(dis, frames, n, fps, symmetric, display, t);
        channels_of(ref, frames, n, fps, symmetric, display, r);
        const double of = frame_of(t, r, frames > 1 ? CHANNELS : 3, display->ppd);
        if (frames == 1)
            return jod(0.577918291091919 * of);
        sum += power(of, 2);
    }
    return jod(power(sum / frames, 0.5));
}
