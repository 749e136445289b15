/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

#include <math.h>

/* M_PI is POSIX's. */
static const double pi = 3.14159265358979323846;

static double light(double c)
{
    return c > 10.0 / 255 ? pow((c + 0.055) / 1.055, 2.4) : c / 12.92;
}

static double lab_f(double x)
{
    return x > 216.0 / 24389 ? cbrt(x) : (24389.0 / 27 * x + 16) / 116;
}

struct oracle_lab oracle_lab_of_rgb(double r, double g, double b)
{
    r = light(r);
    g = light(g);
    b = light(b);
    const double x = lab_f((0.4124564390896921 * r + 0.357576077643909 * g + 0.18043748326639894 * b) / 0.95047),
                 y = lab_f(0.21267285140562248 * r + 0.715152155287818 * g + 0.07217499330655958 * b),
                 z = lab_f((0.019333895582329317 * r + 0.119192025881303 * g + 0.9503040785363677 * b) / 1.08883);
    return (struct oracle_lab){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

struct oracle_lab oracle_lab_of_yuv(uint32_t depth, uint32_t luma, uint32_t cb, uint32_t cr)
{
    const double s = (double)(1u << (depth - 8)), y = (luma - 16 * s) / (219 * s), u = (cb - 128 * s) / (224 * s),
                 v = (cr - 128 * s) / (224 * s);
    return oracle_lab_of_rgb(y + 1.28033 * v, y - 0.21482 * u - 0.38059 * v, y + 2.12798 * u);
}

static double saturation(double c)
{
    return sqrt(pow(c, 7) / (pow(c, 7) + pow(25, 7)));
}

static double hue(double a, double b)
{
    const double h = a == 0 && b == 0 ? 0 : atan2(b, a);
    return h < 0 ? h + 2 * pi : h;
}

double oracle_ciede(struct oracle_lab one, struct oracle_lab two)
{
    const double c1 = hypot(one.a, one.b), c2 = hypot(two.a, two.b), g = 1 + (1 - saturation((c1 + c2) / 2)) / 2;
    const double a1 = one.a * g, a2 = two.a * g, p1 = hypot(a1, one.b), p2 = hypot(a2, two.b), mean = (p1 + p2) / 2;
    const double h1 = hue(a1, one.b), h2 = hue(a2, two.b), apart = fabs(h1 - h2);
    const double dh = c1 == 0 || c2 == 0 ? 0 : apart <= pi ? h2 - h1 : h2 <= h1 ? h2 - h1 + 2 * pi : h2 - h1 - 2 * pi;
    const double hm = apart > pi ? (h1 + h2 + 2 * pi) / 2 : (h1 + h2) / 2, from = (hm * 180 / pi - 275) / 25;
    const double second = ORACLE_SABOTAGE ? 0.2401 : 0.24;
    const double t = 1 - 0.17 * cos(hm - pi / 6) + second * cos(2 * hm) + 0.32 * cos(3 * hm + pi / 30)
                     - 0.20 * cos(4 * hm - 7 * pi / 20);
    const double away = (one.l + two.l) / 2 - 50, sl = 1 + 0.015 * away * away / sqrt(20 + away * away);
    const double rt = -2 * saturation(mean) * sin(pi / 3 * exp(-from * from));
    const double l = (two.l - one.l) / (0.65 * sl), c = (p2 - p1) / (1 + 0.045 * mean),
                 h = 2 * sqrt(p1 * p2) * sin(dh / 2) / (4 * (1 + 0.015 * mean * t));
    return sqrt(l * l + c * c + h * h + rt * c * h);
}

double oracle_ciede2000(const struct oracle_picture *ref, const struct oracle_picture *dis)
{
    const uint32_t w = ref->width[0], h = ref->height[0], cw = ref->width[1], sx = cw < w, sy = ref->height[1] < h;
    double sum = 0;
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            const size_t i = (size_t)y * w + x, c = (size_t)(y >> sy) * cw + (x >> sx);
            const struct oracle_lab one = oracle_lab_of_yuv(ref->depth, ref->sample[0][i], ref->sample[1][c],
                                                            ref->sample[2][c]);
            const struct oracle_lab two = oracle_lab_of_yuv(dis->depth, dis->sample[0][i], dis->sample[1][c],
                                                            dis->sample[2][c]);
            sum += oracle_ciede(one, two);
        }
    }
    return 45 - 20 * log10(sum / ((double)w * h));
}
