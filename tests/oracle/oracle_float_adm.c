/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * float_adm in double, band by band over whole planes. The one-degree flag is a hard switch, so it is
 * part of the definition in float: a second wavelet pyramid in float decides it. The restored part is
 * clamp(t / o, 0, 1) o, by division.
 */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

enum { A, H, V, D, BANDS };

static const double low_tap[4] = { 0.482962913144690 + ORACLE_SABOTAGE * 1e-5, 0.836516303737469, 0.224143868041857,
    -0.129409522550921 };
static const double high_tap[4] = { -0.129409522550921, -0.224143868041857, 0.836516303737469, -0.482962913144690 };

/* Thresholds of Watson et al. 1997 at 56.55 pixels a degree, as floats: bands h and v, band d. */
static const float default_factor[ORACLE_ADM_SCALES][2] = {{0.0173815377f, 0.005890687f},
                                                           {0.0319848284f, 0.0142990677f},
                                                           {0.0433726609f, 0.0243969075f},
                                                           {0.0456734113f, 0.0313127376f}};

struct bands {
    struct oracle_image value[BANDS]; /* in double */
    struct oracle_image exact[BANDS]; /* the same in float */
};

static size_t border(ptrdiff_t i, size_t n)
{
    if (i < 0)
        i = -i;
    return (size_t)(i < (ptrdiff_t)n ? i : 2 * (ptrdiff_t)n - 1 - i);
}

static double filter(const double tap[4], const double s[4], bool in_float)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum = in_float ? (double)((float)sum + (float)tap[k] * (float)s[k]) : sum + (double)(float)tap[k] * s[k];
    return sum;
}

/* Columns first, then rows. */
static void wavelet(const struct oracle_image *in, bool in_float, struct oracle_image out[BANDS])
{
    static const double *const vertical[BANDS] = { low_tap, high_tap, low_tap, high_tap };
    static const double *const horizontal[BANDS] = { low_tap, low_tap, high_tap, high_tap };
    const size_t w = (in->width + 1) / 2, h = (in->height + 1) / 2;
    for (int b = 0; b < BANDS; b++) {
        oracle_image_new(&out[b], w, h);
        for (size_t y = 0; y < h; y++) {
            for (size_t x = 0; x < w; x++) {
                double row[4], column[4];
                for (int i = 0; i < 4; i++) {
                    const size_t at = border((ptrdiff_t)(2 * x) - 1 + i, in->width);
                    for (int k = 0; k < 4; k++)
                        column[k] = in->value[border((ptrdiff_t)(2 * y) - 1 + k, in->height) * in->width + at];
                    row[i] = filter(vertical[b], column, in_float);
                }
                out[b].value[y * w + x] = filter(horizontal[b], row, in_float);
            }
        }
    }
}

static void bands_free(struct bands *b, int from)
{
    for (int i = from; i < BANDS; i++) {
        oracle_image_free(&b->value[i]);
        oracle_image_free(&b->exact[i]);
    }
}

/* Do the orientations of the two gradients differ by at most one degree? Times 2^19, so that no square
 * is too small for a float. */
static bool same_angle(const struct bands *r, const struct bands *d, size_t i)
{
    const float lift = 0x1p19f, cos_2 = 0.99969542f;
    const float oh = (float)r->exact[H].value[i] * lift, ov = (float)r->exact[V].value[i] * lift;
    const float th = (float)d->exact[H].value[i] * lift, tv = (float)d->exact[V].value[i] * lift;
    const float ot = oh * th + ov * tv, oo = oh * oh + ov * ov, tt = th * th + tv * tv;
    return ot >= 0 && ot * ot >= (cos_2 * oo) * tt;
}

static double restored(double o, double t, bool same, double gain)
{
    const double r = o == 0 ? 0 : fmin(fmax(t / o, 0), 1) * o;
    if (same && r > 0)
        return fmin(r * gain, t);
    if (same && r < 0)
        return fmax(r * gain, t);
    return r;
}

/* What masks at (x, y): a thirtieth of the eight neighbours, a fifteenth of the centre, over the three bands. */
static double threshold(const struct oracle_image band[3], size_t x, size_t y)
{
    double sum = 0;
    for (int b = 0; b < 3; b++) {
        for (ptrdiff_t dy = -1; dy <= 1; dy++) {
            for (ptrdiff_t dx = -1; dx <= 1; dx++) {
                const size_t at = border((ptrdiff_t)y + dy, band[b].height) * band[b].width +
                                  border((ptrdiff_t)x + dx, band[b].width);
                sum += fabs(band[b].value[at]) * (double)(dx || dy ? 0.0333333351f : 0.0666666701f);
            }
        }
    }
    return sum;
}

static double band_norm(double sum, double area, double noise_weight, double p)
{
    return pow(sum, 1 / p) + pow(area * noise_weight, 1 / p);
}

struct scale_sums {
    double num, den, aim;
};

static struct scale_sums score_scale(const struct bands *r, const struct bands *d, int scale,
                                     const struct oracle_adm_options *options)
{
    const size_t w = r->value[H].width, h = r->value[H].height;
    const size_t left = (size_t)((double)w * 0.1 - 0.5), top = (size_t)((double)h * 0.1 - 0.5);
    struct oracle_image kept[3], added[3];
    double sum[3][3] = { { 0 } };
    for (int b = 0; b < 3; b++) {
        const double factor = (double)default_factor[scale][b == 2];
        oracle_image_new(&kept[b], w, h);
        oracle_image_new(&added[b], w, h);
        for (size_t i = 0; i < w * h; i++) {
            const double o = r->value[H + b].value[i], t = d->value[H + b].value[i];
            const double part = restored(o, t, same_angle(r, d, i), options->gain);
            kept[b].value[i] = part * factor;
            added[b].value[i] = (t - part) * factor;
        }
    }
    for (size_t y = top; y < h - top; y++) {
        for (size_t x = left; x < w - left; x++) {
            const double mask_added = options->bypass_cm ? 0 : threshold(added, x, y);
            const double mask_kept = options->bypass_cm ? 0 : threshold(kept, x, y);
            for (int b = 0; b < 3; b++) {
                const size_t i = y * w + x;
                sum[0][b] += pow(fabs(r->value[H + b].value[i] * (double)default_factor[scale][b == 2]), options->p);
                sum[1][b] += pow(fmax(fabs(kept[b].value[i]) - mask_added, 0), options->p);
                sum[2][b] += pow(fmax(fabs(added[b].value[i]) - mask_kept, 0), options->p);
            }
        }
    }
    const double area = (double)((w - 2 * left) * (h - 2 * top));
    struct scale_sums s = { 0, 0, 0 };
    for (int b = 0; b < 3; b++) {
        s.den += band_norm(sum[0][b], area, options->noise_weight, options->p);
        s.num += band_norm(sum[1][b], area, options->noise_weight, options->p);
        s.aim += band_norm(sum[2][b], area, 0, options->p);
        oracle_image_free(&kept[b]);
        oracle_image_free(&added[b]);
    }
    return s;
}

static void step(struct oracle_image *value, struct oracle_image *exact, bool float_wavelet, struct bands *b)
{
    wavelet(value, float_wavelet, b->value);
    wavelet(exact, true, b->exact);
    oracle_image_free(value);
    oracle_image_free(exact);
    *value = b->value[A];
    *exact = b->exact[A];
}

static void centred(struct oracle_image *image, const struct oracle_picture *picture)
{
    oracle_luma(image, picture);
    for (size_t i = 0; i < image->width * image->height; i++)
        image->value[i] -= 128;
}

bool oracle_float_adm(const struct oracle_picture *ref, const struct oracle_picture *dis,
                      const struct oracle_adm_options *options, struct oracle_adm *out)
{
    if (ref->width[0] < 17 || ref->height[0] < 17)
        return false;
    struct oracle_image value[2], exact[2];
    centred(&value[0], ref);
    centred(&exact[0], ref);
    centred(&value[1], dis);
    centred(&exact[1], dis);
    double num = 0, den = 0, aim = 0;
    for (int scale = 0; scale < ORACLE_ADM_SCALES; scale++) {
        struct bands r, d;
        step(&value[0], &exact[0], options->float_wavelet, &r);
        step(&value[1], &exact[1], options->float_wavelet, &d);
        const struct scale_sums s = score_scale(&r, &d, scale, options);
        num += s.num;
        den += s.den;
        aim += s.aim;
        out->scale[scale] = s.num / s.den;
        bands_free(&r, H);
        bands_free(&d, H);
    }
    for (int i = 0; i < 2; i++) {
        oracle_image_free(&value[i]);
        oracle_image_free(&exact[i]);
    }
    out->adm2 = num / den;
    out->aim = fmin(aim / den, 1);
    out->adm3 = 0.5 * out->adm2 + 0.5 * (1 - out->aim);
    return true;
}
