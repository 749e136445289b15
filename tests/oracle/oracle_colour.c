/* SPDX-License-Identifier: BSD-2-Clause */
/* From samples to linear light, step by step as the standards say: ITU-R BT.601, BT.709, BT.1886,
 * BT.2020, BT.2100, IEC 61966-2-1. */
#include <math.h>

#include "oracle.h"

/* A plane at full size. Chroma sample i of an axis that is halved lies at luma position 2i + site. */
struct axis {
    size_t near, far;
    double weight; /* of the near one */
};

static struct axis axis_at(size_t at, size_t luma, size_t chroma, enum oracle_site site)
{
    struct axis a = { at, at, 1 };
    if (luma == chroma)
        return a;
    a.near = a.far = at / 2;
    if (site == ORACLE_NEAREST)
        return a;
    static const double offset[] = { [ORACLE_FIRST] = 0, [ORACLE_BETWEEN] = 0.5, [ORACLE_SECOND] = 1 };
    const double position = ((double)at - offset[site]) / 2;
    const double low = floor(position);
    const size_t last = chroma - 1;
    const size_t first = low < 0 ? 0 : (size_t)low, next = low + 1 < 0 ? 0 : (size_t)(low + 1);
    a.near = first < last ? first : last;
    a.far = next < last ? next : last;
    a.weight = 1 - (position - low);
    return a;
}

static double chroma_at(const struct oracle_picture *p, uint32_t k, size_t x, size_t y, const struct oracle_colour *c)
{
    const size_t width = p->width[k];
    const struct axis ax = axis_at(x, p->width[0], p->width[k], c->site_x),
                      ay = axis_at(y, p->height[0], p->height[k], c->site_y);
    const uint16_t *s = p->sample[k];
    const double above = ax.weight * s[ay.near * width + ax.near] + (1 - ax.weight) * s[ay.near * width + ax.far];
    const double below = ax.weight * s[ay.far * width + ax.near] + (1 - ax.weight) * s[ay.far * width + ax.far];
    return ay.weight * above + (1 - ay.weight) * below;
}

static double unit(double v)
{
    return fmin(fmax(v, 0), 1);
}

/* Of a code value in 0..1: light in 0..1, of the scene for HLG, else of the display. */
double oracle_transfer(double v, const struct oracle_colour *c)
{
    switch (c->transfer) {
    case ORACLE_LINEAR:
        return v;
    case ORACLE_SRGB:
        return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    case ORACLE_POWER:
        return pow(v, c->gamma);
    case ORACLE_PQ: {
        const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128, c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32,
                     c3 = 2392.0 / 4096 * 32;
        const double t = pow(v, 1 / m2);
        return pow(fmax(t - c1, 0) / (c2 - c3 * t), 1 / m1);
    }
    case ORACLE_HLG: {
        const double a = 0.17883277, b = 1 - 4 * a, d = 0.5 - a * log(4 * a);
        return v <= 0.5 ? v * v / 3 : (exp((v - d) / a) + b) / 12;
    }
    }
    return v;
}

/* The colour of one pixel in linear light of the transfer's own scale. */
static void pixel(double rgb[3], const struct oracle_picture *p, size_t x, size_t y, const struct oracle_colour *c)
{
    const double step = (double)(1u << (p->depth - 8)), peak = (double)((1u << p->depth) - 1);
    const double black = c->full ? 0 : 16 * step, white = c->full ? peak : 219 * step,
                 span = c->full ? peak : 224 * step;
    const double grey = ((double)p->sample[0][y * p->width[0] + x] - black) / white;
    if (p->planes == 1 || c->rgb) {
        for (uint32_t k = 0; k < 3; k++)
            rgb[k] = ((double)p->sample[p->planes == 1 ? 0 : k][y * p->width[0] + x] - black) / white;
    } else {
        const double cb = (chroma_at(p, 1, x, y, c) - 128 * step) / span,
                     cr = (chroma_at(p, 2, x, y, c) - 128 * step) / span;
        rgb[0] = grey + 2 * (1 - c->kr) * cr;
        rgb[2] = grey + 2 * (1 - c->kb) * cb;
        rgb[1] = (grey - c->kr * rgb[0] - c->kb * rgb[2]) / (1 - c->kr - c->kb);
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = oracle_transfer(unit(rgb[k]), c);
}

/* On the scale where 1 is white: the display's light for PQ and HLG. */
static void display(double rgb[3], const struct oracle_colour *c)
{
    if (c->transfer == ORACLE_PQ) {
        for (int k = 0; k < 3; k++)
            rgb[k] = fmin(10000 * rgb[k], c->peak) / c->white;
    } else if (c->transfer == ORACLE_HLG) {
        const double light = 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];
        const double gamma = 1.2 + 0.42 * log10(c->peak / 1000);
        const double gain = light > 0 ? c->peak / c->white * pow(light, gamma - 1) : 0;
        for (int k = 0; k < 3; k++)
            rgb[k] *= gain;
    }
}

/* X, Y, Z of each primary at full strength, so that together they make the white; a matrix by columns. */
static void to_xyz(const double xy[4][2], double m[3][3])
{
    double column[4][3], scale[3];
    for (int i = 0; i < 4; i++) {
        column[i][0] = xy[i][0] / xy[i][1];
        column[i][1] = 1;
        column[i][2] = (1 - xy[i][0] - xy[i][1]) / xy[i][1];
    }
    double whole = 0;
    for (int i = 0; i < 3; i++) { /* Cramer's rule */
        const double *a = column[(i + 1) % 3], *b = column[(i + 2) % 3], *w = column[3], *own = column[i];
        const double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
        whole = own[0] * cross[0] + own[1] * cross[1] + own[2] * cross[2];
        scale[i] = (w[0] * cross[0] + w[1] * cross[1] + w[2] * cross[2]) / whole;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m[k][i] = column[i][k] * scale[i];
}

/* To the primaries of sRGB: the colour v of the linear system sRGB v = given rgb. */
static void to_srgb(double rgb[3], const double xy[4][2])
{
    static const double srgb[4][2] = { { 0.64, 0.33 }, { 0.30, 0.60 }, { 0.15, 0.06 }, { 0.3127, 0.3290 } };
    double from[3][3], to[3][3], xyz[3], v[3];
    to_xyz(xy, from);
    to_xyz(srgb, to);
    for (int k = 0; k < 3; k++)
        xyz[k] = from[k][0] * rgb[0] + from[k][1] * rgb[1] + from[k][2] * rgb[2];
    const double whole = to[0][0] * (to[1][1] * to[2][2] - to[1][2] * to[2][1]) -
                         to[0][1] * (to[1][0] * to[2][2] - to[1][2] * to[2][0]) +
                         to[0][2] * (to[1][0] * to[2][1] - to[1][1] * to[2][0]);
    for (int i = 0; i < 3; i++) {
        double m[3][3];
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                m[k][j] = j == i ? xyz[k] : to[k][j];
        v[i] = (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) / whole;
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = v[k];
}

void oracle_linear(struct oracle_image out[3], const struct oracle_picture *p, const struct oracle_colour *c)
{
    for (int k = 0; k < 3; k++)
        oracle_image_new(&out[k], p->width[0], p->height[0]);
    for (size_t y = 0; y < p->height[0]; y++)
        for (size_t x = 0; x < p->width[0]; x++) {
            double rgb[3];
            pixel(rgb, p, x, y, c);
            display(rgb, c);
            if (c->primaries)
                to_srgb(rgb, c->primaries);
            for (int k = 0; k < 3; k++)
                out[k].value[y * p->width[0] + x] = rgb[k];
        }
}
