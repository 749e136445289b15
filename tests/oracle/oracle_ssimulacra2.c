/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SSIMULACRA 2.1 in double, with the recursive Gaussian of its definition: Charalampidis, "Recursive implementation of
 * the Gaussian filter using truncated cosine functions", IEEE Transactions on Signal Processing 64(14), 2016, of sigma
 * 1.5 and three cosines.
 */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

enum { SCALES = 6, CHANNELS = 3, COSINES = 3, SMALLEST = 8 };

/* channel, scale, norm (1, 4), then (SSIM, artefact, detail): libjxl's tools/ssimulacra2.cc, in
 * the order of its own table. */
static const double weight[CHANNELS * SCALES * 6] = {
    0.0, 0.0007376606707406586, 0.0, 0.0, 0.0007793481682867309, 0.0, 0.0, 0.0004371155730107379, 0.0,
    1.1041726426657346, 0.00066284834129271, 0.00015231632783718752, 0.0, 0.0016406437456599754, 0.0,
    1.8422455520539298, 11.441172603757666, 0.0, 0.0007989109436015163, 0.000176816438078653, 0.0, 1.8787594979546387,
    10.94906990605142, 0.0, 0.0007289346991508072, 0.9677937080626833, 0.0, 0.00014003424285435884, 0.9981766977854967,
    0.00031949755934435053, 0.0004550992113792063, 0.0, 0.0, 0.0013648766163243398, 0.0, 0.0, 0.0, 0.0, 0.0,
    7.466890328078848, 0.0, 17.445833984131262, 0.0006235601634041466, 0.0, 0.0, 6.683678146179332,
    0.00037724407979611296, 1.027889937768264, 225.20515300849274, 0.0, 0.0, 19.213238186143016, 0.0011401524586618361,
    0.001237755635509985, 176.39317598450694, 0.0, 0.0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0.0, 0.0, 0.0, 34.77906344483772, 44.835625328877896, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0008680556573291698,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0005313191874358747, 0.0, 0.00016533814161379112, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0004179171803251336, 0.0017290828234722833, 0.0, 0.0020827005846636437, 0.0, 0.0, 8.826982764996862,
    23.19243343998926, 0.0, 95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493,
    171.2667255897307, 0.9807858872435379, 0.0, 0.0, 0.0, 0.0005130064588990679, 0.0, 0.00010854057858411537,
};

/* ---- the recursive Gaussian ---- */

struct gaussian {
    int reach;                     /* N of the paper */
    double n2[COSINES], d1[COSINES]; /* of the recursions, one per cosine */
};

static double det(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static struct gaussian gaussian_new(double sigma)
{
    struct gaussian g = { .reach = (int)(3.2795 * sigma + 0.2546 + 0.5) };
    const double n = g.reach, pi = 3.14159265358979323846;
    double omega[COSINES], p[COSINES], r[COSINES], rho[COSINES];
    for (int k = 0; k < COSINES; k++) {
        const double sign = k == 1 ? -1 : 1;
        omega[k] = (2 * k + 1) * pi / (2 * n);
        p[k] = sign / tan(omega[k] / 2);
        r[k] = sign * p[k] * p[k] / sin(omega[k]);
        rho[k] = exp(-0.5 * sigma * sigma * omega[k] * omega[k]) / n;
    }
    const double d13 = p[0] * r[1] - r[0] * p[1], d35 = p[1] * r[2] - r[1] * p[2], d51 = p[2] * r[0] - r[2] * p[0];
    const double zeta15 = d35 / d13, zeta35 = d51 / d13;
    const double right[3] = { 1, n * n - sigma * sigma, zeta15 * rho[0] + zeta35 * rho[1] + rho[2] };
    double left[3][3];
    for (int k = 0; k < COSINES; k++) {
        left[0][k] = p[k];
        left[1][k] = r[k];
        left[2][k] = k == 0 ? zeta15 : k == 1 ? zeta35 : 1;
    }
    for (int k = 0; k < COSINES; k++) {
        double replaced[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                replaced[i][j] = j == k ? right[i] : left[i][j];
        const double beta = det(replaced) / det(left);
        g.n2[k] = -beta * cos(omega[k] * (n + 1));
        g.d1[k] = -2 * cos(omega[k]) * (1 + ORACLE_SABOTAGE * 1e-4);
    }
    return g;
}

/* Along a row or a column: `n` values, `step` apart; zero outside. */
static void blur_line(const struct gaussian *g, const double *in, double *out, size_t n, size_t step)
{
    double before[COSINES] = { 0 }, last[COSINES] = { 0 };
    for (ptrdiff_t i = 1 - g->reach; i < (ptrdiff_t)n; i++) {
        const ptrdiff_t left = i - g->reach - 1, right = i + g->reach - 1;
        const double sum = (left >= 0 ? in[(size_t)left * step] : 0) +
                           (right < (ptrdiff_t)n ? in[(size_t)right * step] : 0);
        double value = 0;
        for (int k = 0; k < COSINES; k++) {
            const double v = g->n2[k] * sum - g->d1[k] * last[k] - before[k];
            before[k] = last[k];
            last[k] = v;
            value += v;
        }
        if (i >= 0)
            out[(size_t)i * step] = value;
    }
}

/* The blur of a product of two images, or of one image when `b` is NULL. */
static void blur(const struct gaussian *g, const struct oracle_image *a, const struct oracle_image *b,
                 struct oracle_image *out)
{
    const size_t w = a->width, h = a->height;
    struct oracle_image rows;
    oracle_image_new(&rows, w, h);
    oracle_image_new(out, w, h);
    for (size_t i = 0; i < w * h; i++)
        out->value[i] = b ? a->value[i] * b->value[i] : a->value[i];
    for (size_t y = 0; y < h; y++)
        blur_line(g, out->value + y * w, rows.value + y * w, w, 1);
    for (size_t x = 0; x < w; x++)
        blur_line(g, rows.value + x, out->value + x, h, w);
    oracle_image_free(&rows);
}

/* ---- colour and scales ---- */

static void halve(struct oracle_image *image)
{
    const size_t w = image->width, h = image->height;
    struct oracle_image half;
    oracle_image_new(&half, (w + 1) / 2, (h + 1) / 2);
    for (size_t y = 0; y < half.height; y++)
        for (size_t x = 0; x < half.width; x++) {
            double sum = 0;
            for (size_t i = 0; i < 4; i++) {
                const size_t column = 2 * x + i % 2, row = 2 * y + i / 2;
                sum += image->value[(row < h ? row : h - 1) * w + (column < w ? column : w - 1)];
            }
            half.value[y * half.width + x] = sum / 4;
        }
    oracle_image_free(image);
    *image = half;
}

static void xyb(const struct oracle_image linear[3], struct oracle_image out[CHANNELS])
{
    static const double mix[3][3] = { { 0.30, 1 - 0.30 - 0.078, 0.078 }, { 0.23, 1 - 0.23 - 0.078, 0.078 },
        { 0.24342268924547819, 0.20476744424496821, 1 - 0.24342268924547819 - 0.20476744424496821 } };
    const double bias = 0.0037930732552754493;
    for (int k = 0; k < CHANNELS; k++)
        oracle_image_new(&out[k], linear[0].width, linear[0].height);
    for (size_t i = 0; i < linear[0].width * linear[0].height; i++) {
        double lms[3];
        for (int k = 0; k < 3; k++) {
            const double v = mix[k][0] * linear[0].value[i] + mix[k][1] * linear[1].value[i] +
                             mix[k][2] * linear[2].value[i];
            lms[k] = cbrt(fmax(v + bias, 0)) - cbrt(bias);
        }
        const double x = (lms[0] - lms[1]) / 2, y = (lms[0] + lms[1]) / 2;
        out[0].value[i] = 14 * x + 0.42;
        out[1].value[i] = y + 0.01;
        out[2].value[i] = lms[2] - y + 0.55;
    }
}

/* ---- maps ---- */

static void add(double term[6], int t, double v)
{
    term[t] += v;
    term[3 + t] += v * v * v * v;
}

/* SSIM, artefact, detail as means and as 4-norms, of one channel at one scale. */
static void maps(const struct gaussian *g, const struct oracle_image *a, const struct oracle_image *b, double term[6])
{
    struct oracle_image m1, m2, aa, bb, ab;
    const size_t n = a->width * a->height;
    blur(g, a, NULL, &m1);
    blur(g, b, NULL, &m2);
    blur(g, a, a, &aa);
    blur(g, b, b, &bb);
    blur(g, a, b, &ab);
    for (int t = 0; t < 6; t++)
        term[t] = 0;
    for (size_t i = 0; i < n; i++) {
        const double mu1 = m1.value[i], mu2 = m2.value[i], c2 = 0.0009;
        const double numerator = (1 - (mu1 - mu2) * (mu1 - mu2)) * (2 * (ab.value[i] - mu1 * mu2) + c2);
        const double denominator = (aa.value[i] - mu1 * mu1) + (bb.value[i] - mu2 * mu2) + c2;
        const double edge = (1 + fabs(b->value[i] - mu2)) / (1 + fabs(a->value[i] - mu1)) - 1;
        add(term, 0, fmax(1 - numerator / denominator, 0));
        add(term, 1, fmax(edge, 0));
        add(term, 2, fmax(-edge, 0));
    }
    for (int t = 0; t < 3; t++) {
        term[t] /= (double)n;
        term[3 + t] = pow(term[3 + t] / (double)n, 0.25);
    }
    oracle_image_free(&m1);
    oracle_image_free(&m2);
    oracle_image_free(&aa);
    oracle_image_free(&bb);
    oracle_image_free(&ab);
}

double oracle_ssimulacra2(struct oracle_image ref[3], struct oracle_image dis[3])
{
    const struct gaussian g = gaussian_new(1.5);
    double term[CHANNELS][SCALES][6] = { { { 0 } } };
    int scales = 0;
    /* The size is tested before a picture is halved. */
    while (scales < SCALES && ref[0].width >= SMALLEST && ref[0].height >= SMALLEST) {
        struct oracle_image a[CHANNELS], b[CHANNELS];
        for (int k = 0; scales && k < 3; k++) {
            halve(&ref[k]);
            halve(&dis[k]);
        }
        xyb(ref, a);
        xyb(dis, b);
        for (int k = 0; k < CHANNELS; k++) {
            maps(&g, &a[k], &b[k], term[k][scales]);
            oracle_image_free(&a[k]);
            oracle_image_free(&b[k]);
        }
        scales++;
    }
    double sum = 0;
    int at = 0; /* over the terms that there are: with fewer than six scales the weights move up */
    for (int k = 0; k < CHANNELS; k++)
        for (int s = 0; s < scales; s++)
            for (int t = 0; t < 6; t++)
                sum += weight[at++] * fabs(term[k][s][t]);
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}
