/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SpEED as docs/metrics/speed.md defines it: every sample filtered where the definition has it, sums of whole numbers
 * for each pair of shifts, dense matrices, the C library's functions. Its roundings to float are part of the
 * definition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { N = 25 };
__extension__ typedef __int128 wide;

struct plane {
    long width, height;
    float *value;
};

static struct plane plane_new(long width, long height)
{
    return (struct plane){width, height, oracle_alloc((size_t)(width * height), sizeof(float))};
}

static long mirror(long i, long n)
{
    i = i < 0 ? -i : i;
    return i > n - 1 ? 2 * (n - 1) - i : i;
}

static float at(const struct plane *p, long x, long y)
{
    return p->value[mirror(y, p->height) * p->width + mirror(x, p->width)];
}

/* A Gaussian of `taps` taps. */
static int window(double size, float times, float *tap)
{
    int taps = (int)ceil((double)((float)size));
    taps = taps % 2 ? taps : taps + 1;
    taps = taps < 3 ? 3 : taps;
    const float sd = (float)((double)times * taps / 5.0), v = (float)(1 / ((double)sd * sqrt(2 * M_PI)));
    float sum = 0;
    for (int i = 0; i < taps; i++) {
        const double x = i - (taps - 1) / 2;
        tap[i] = (float)exp(-0.5 * x / (double)sd * x / (double)sd) / v;
        sum += tap[i];
    }
    for (int i = 0; i < taps; i++)
        tap[i] /= sum;
    return taps;
}

/* The separable filter around (x, y). */
static float filtered(const struct plane *p, long x, long y, const float *tap, int taps)
{
    float across = 0;
    for (int l = 0; l < taps; l++) {
        float down = 0;
        for (int k = 0; k < taps; k++)
            down += tap[k] * at(p, x - taps / 2 + l, y - taps / 2 + k);
        across += tap[l] * down;
    }
    return across;
}

static struct plane bilinear(const struct plane *p, long width, long height)
{
    struct plane out = plane_new(width, height);
    const float rx = (float)p->width / (float)width, ry = (float)p->height / (float)height;
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++) {
            const float fx = (float)(((double)x + 0.5) * (double)rx - 0.5), fy = (float)(((double)y + 0.5) * (double)ry
                                                                                         - 0.5);
            const long x1 = mirror((long)floorf(fx), p->width), x2 = mirror((long)ceilf(fx), p->width);
            const long y1 = mirror((long)floorf(fy), p->height), y2 = mirror((long)ceilf(fy), p->height);
            const float a = fx - (float)x1, b = fy - (float)y1;
            out.value[y * width + x] = (1 - b) * (1 - a) * at(p, x1, y1) + (1 - b) * a * at(p, x2, y1)
                + b * (1 - a) * at(p, x1, y2) + b * a * at(p, x2, y2);
        }
    return out;
}

static struct plane detail(const struct oracle_picture *picture, unsigned channel, const struct oracle_speed_options *o)
{
    struct plane p = plane_new(picture->width[channel], picture->height[channel]);
    float wide_tap[64], tap[64];
    const int wide_taps = window(9 * o->kernelscale, 2, wide_tap), taps = window(2 * o->kernelscale, 1, tap);
    for (long i = 0; i < p.width * p.height; i++)
        p.value[i] = (float)picture->sample[channel][i] / (float)(1 << (picture->depth - 8)) - 128;
    if (o->prescale != 1) {
        struct plane scaled = bilinear(&p, (long)((double)p.width * o->prescale + 0.5),
                                       (long)((double)p.height * o->prescale + 0.5));
        free(p.value);
        p = scaled;
    }
    wide_tap[0] = ORACLE_SABOTAGE ? nextafterf(wide_tap[0], 1) : wide_tap[0];
    struct plane band = plane_new(p.width / 16, p.height / 16), out = plane_new(band.width, band.height);
    for (long y = 0; y < band.height; y++)
        for (long x = 0; x < band.width; x++)
            band.value[y * band.width + x] = filtered(&p, 16 * x, 16 * y, wide_tap, wide_taps);
    for (long y = 0; y < band.height; y++)
        for (long x = 0; x < band.width; x++)
            out.value[y * band.width + x] = at(&band, x, y) - filtered(&band, x, y, tap, taps);
    free(p.value);
    free(band.value);
    return out;
}

static void covariance(const struct plane *y, float k[N][N])
{
    const long w = y->width / 5 * 5 - 4, h = y->height / 5 * 5 - 4;
    for (int p = 0; p < N; p++)
        for (int q = 0; q < N; q++) {
            wide xy = 0, sx = 0, sy = 0;
            for (long i = 0; i < h; i++)
                for (long j = 0; j < w; j++) {
                    const wide a = (int64_t)ldexp((double)at(y, j + p % 5, i + p / 5), 40);
                    const wide b = (int64_t)ldexp((double)at(y, j + q % 5, i + q / 5), 40);
                    xy += a * b;
                    sx += a;
                    sy += b;
                }
            k[p][q] = (float)((double)(xy * (w * h) - sx * sy) / ((double)(w * h) * (double)(w * h) * 0x1p80));
        }
}

static float sign(float v)
{
    return v >= 0 ? 1.0f : -1.0f;
}

static void tridiagonal(const float k[N][N], float *d, float *e)
{
    float a[N][N];
    memcpy(a, k, sizeof a);
    for (int i = 0; i < N - 2; i++) {
        float sum = 0, v[N] = {0}, y[N] = {0}, g = 0;
        for (int r = i + 2; r < N; r++)
            sum += a[r][i] * a[r][i];
        const float x = sqrtf(sum), al = a[i + 1][i], be = -sign(al) * sqrtf(al * al + x * x), tau = (be - al) / be;
        if (x == 0)
            continue;
        for (int r = i + 2; r < N; r++)
            v[r] = a[r][i] / (al - be);
        a[i + 1][i] = be;
        v[i + 1] = 1;
        for (int r = i + 1; r < N; r++) {
            for (int c = i + 1; c < N; c++)
                y[r] += tau * a[r][c] * v[c];
            g += y[r] * v[r];
        }
        for (int r = i + 1; r < N; r++)
            y[r] += (float)(-0.5 * (double)tau * (double)g) * v[r];
        for (int r = i + 1; r < N; r++)
            for (int c = i + 1; c < N; c++)
                a[r][c] -= y[r] * v[c] + v[r] * y[c];
    }
    for (int i = 0; i < N; i++) {
        d[i] = a[i][i];
        e[i] = i + 1 < N ? a[i + 1][i] : 0;
    }
}

static void chop(const float *d, float *e, int n)
{
    for (int i = 0; i < n - 1; i++)
        if ((double)fabsf(e[i]) < 1e-6 * (double)(fabsf(d[i]) + fabsf(d[i + 1])))
            e[i] = 0;
}

static void sweep(float *d, float *e, int n)
{
    const float g = e[n - 2], t = (d[n - 2] - d[n - 1]) / 2, h = sqrtf(t * t + g * g);
    float mu = t > 0 ? d[n - 1] - g * (g / (t + h)) : t < 0 ? d[n - 1] + g * (g / (-t + h)) : d[n - 1] - fabsf(g);
    mu = 1e-6 * (double)fabsf(mu) > (double)(fabsf(d[0]) + fabsf(e[0])) ? 0 : mu;
    float x = d[0] - mu, z = e[0], bk = 0, zk = 0, ap = d[0], bp = e[0];
    for (int k = 0; k < n - 1; k++) {
        const float aq = d[k + 1], bq = k + 1 < n - 1 ? e[k + 1] : 0;
        float c = 1, s = 0;
        if (z != 0) {
            const float ratio = fabsf(z) > fabsf(x) ? -x / z : -z / x;
            const float root = (float)(1 / sqrt((double)(1 + ratio * ratio)));
            c = fabsf(z) > fabsf(x) ? root * ratio : root;
            s = fabsf(z) > fabsf(x) ? root : root * ratio;
        }
        if (k > 0)
            e[k - 1] = c * bk - s * zk;
        d[k] = c * (c * ap - s * bp) + s * (s * aq - c * bp);
        bk = c * (s * ap + c * bp) - s * (s * bp + c * aq);
        ap = s * (s * ap + c * bp) + c * (s * bp + c * aq);
        zk = -s * bq;
        bp = c * bq;
        if (k + 1 < n - 1)
            e[k + 1] = bp;
        x = bk;
        z = zk;
    }
    d[n - 1] = ap;
    e[n - 2] = bk;
}

static void eigenvalues(const float k[N][N], float *d)
{
    float e[N];
    tridiagonal(k, d, e);
    chop(d, e, N);
    for (int b = N - 1, sweeps = 0; b > 0 && sweeps < 500;) {
        int a = b;
        while (a > 0 && e[a - 1] != 0)
            a--;
        if (a == b) {
            b--;
            continue;
        }
        sweep(d + a, e + a, b - a + 1);
        chop(d + a, e + a, b - a + 1);
        sweeps++;
    }
}

static void product(float out[N][N], const float a[N][N], const float b[N][N])
{
    memset(out, 0, sizeof(float[N][N]));
    for (int i = 0; i < N; i++)
        for (int l = 0; l < N; l++)
            for (int j = 0; j < N; j++)
                out[i][j] += a[i][l] * b[l][j];
}

static float norm(const float *v)
{
    float sum = 0;
    for (int i = 0; i < N; i++)
        sum += v[i] * v[i];
    return sqrtf(sum);
}

static void factor(const float k[N][N], float q[N][N], float right[N][N])
{
    float z[N][N], h[N][N], next[N][N], v[N];
    memcpy(z, k, sizeof z);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            q[i][j] = i == j;
    for (int s = 0; s < N - 1; s++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i < s || j < s)
                    z[i][j] = i == j;
        for (int i = 0; i < N; i++)
            v[i] = z[i][s];
        v[s] += sign(k[s][s]) * norm(v);
        const float size = norm(v);
        for (int i = 0; i < N; i++)
            v[i] /= size;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                h[i][j] = -2 * v[i] * v[j] + (i == j ? 1.0f : 0.0f);
        product(next, (const float (*)[N])h, (const float (*)[N])z);
        memcpy(z, next, sizeof z);
        product(next, (const float (*)[N])h, (const float (*)[N])q);
        memcpy(q, next, sizeof next);
    }
    product(right, (const float (*)[N])q, k);
}

struct blocks {
    long n;
    float *s, *e;
    bool bad;
};

/* S of a block. False where a pivot is too small. */
static bool variance(const float *b, const float q[N][N], const float right[N][N], float *s)
{
    float x[N];
    for (int i = N - 1; i >= 0; i--) {
        float sum = 0;
        for (int l = 0; l < N; l++)
            sum += q[i][l] * b[l];
        for (int l = i + 1; l < N; l++)
            sum -= x[l] * right[i][l];
        if ((double)fabsf(right[i][i]) < 1e-6)
            return false;
        x[i] = sum / right[i][i];
    }
    *s = x[0] * b[0] / 25;
    for (int p = 1; p < N; p++)
        *s += x[p] * b[p] / 25;
    return true;
}

static struct blocks solve(const struct plane *y, float noise)
{
    const long across = y->width / 5, n = across * (y->height / 5);
    struct blocks out = {n, oracle_alloc((size_t)n, sizeof(float)), oracle_alloc((size_t)n, sizeof(float)), false};
    float k[N][N], q[N][N], right[N][N], value[N], b[N];
    covariance(y, k);
    eigenvalues((const float (*)[N])k, value);
    for (int i = 0; i < N; i++)
        out.bad |= (double)value[i] < 1e-6;
    factor((const float (*)[N])k, q, right);
    for (long j = 0; j < n; j++) {
        for (int p = 0; p < N; p++)
            b[p] = at(y, j % across * 5 + p % 5, j / across * 5 + p / 5);
        out.bad |= !variance(b, (const float (*)[N])q, (const float (*)[N])right, &out.s[j]);
    }
    for (long j = 0; j < n; j++) {
        out.s[j] = out.bad ? 0 : out.s[j];
        bool fine = 1 + out.s[j] > 0;
        for (int i = 0; i < N; i++)
            fine &= fmaxf(value[i], 0) * out.s[j] + noise > 0;
        out.s[j] = fine ? out.s[j] : 0;
        out.e[j] = 0;
        for (int i = 0; i < N; i++)
            out.e[j] = (float)((double)out.e[j] + (log2((double)(fmaxf(value[i], 0) * out.s[j] + noise))
                                                   + log2(2 * M_PI * M_E)));
    }
    return out;
}

static double weight(int of, float r, float d)
{
    switch (of) {
    case 0: return (double)(1 + r);
    case 1: return (double)(1 + d);
    case 2: return 1 + (double)(r + d) / 2;
    case 3: return 1 + (0.75 * (double)r + 0.25 * (double)d);
    default: return 1 + (0.25 * (double)r + 0.75 * (double)d);
    }
}

double oracle_speed(const struct oracle_picture *ref, const struct oracle_picture *dis, unsigned channel,
                    const struct oracle_speed_options *o, bool *bad)
{
    static const int whose[7][2] = {{0, 1}, {0, 0}, {1, 1}, {2, 2}, {0, 2}, {0, 3}, {0, 4}};
    const float noise = (float)o->noise;
    const float base = (float)(25 * (log2((double)((1 + (float)o->floor) * noise)) + log2(2 * M_PI * M_E)));
    struct plane y[2] = {detail(ref, channel, o), detail(dis, channel, o)};
    struct blocks r = solve(&y[0], noise), d = solve(&y[1], noise);
    float sum = 0;
    for (long j = 0; j < r.n; j++)
        if (r.e[j] >= base || d.e[j] >= base)
            sum += fabsf((float)((double)r.e[j] * log2(weight(whose[o->mode][0], r.s[j], d.s[j])))
                         - (float)((double)d.e[j] * log2(weight(whose[o->mode][1], r.s[j], d.s[j]))));
    const double score = r.bad != d.bad ? 0 : (double)(sum / (float)r.n);
    *bad = r.bad || d.bad;
    for (int side = 0; side < 2; side++)
        free(y[side].value);
    free(r.s);
    free(r.e);
    free(d.s);
    free(d.e);
    return score;
}
