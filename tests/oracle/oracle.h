/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oracle: every score as its definition says, in double, plain and slow, sharing no line with the library. The
 * tests measure the library's rounding against it. Constants that the definition states as floats (window taps,
 * weights) keep their float values; nothing else is rounded to float. Running out of memory ends the test program.
 */
#ifndef ASSAY_TESTS_ORACLE_H
#define ASSAY_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 makes one tap of each window wrong in its last digit, so that a test can prove that it notices. */
#ifndef ORACLE_SABOTAGE
#define ORACLE_SABOTAGE 0
#endif

enum { ORACLE_PLANES = 3, ORACLE_MS_SCALES = 5, ORACLE_ADM_SCALES = 4, ORACLE_VIF_SCALES = 4 };

/* A picture of 8 to 16 bit. Samples of every depth are 16 bits wide here; rows are tightly packed. */
struct oracle_picture {
    uint32_t depth, planes;
    uint32_t width[ORACLE_PLANES], height[ORACLE_PLANES];
    uint16_t *sample[ORACLE_PLANES];
};

/* A real-valued image. */
struct oracle_image {
    size_t width, height;
    double *value;
};

void *oracle_alloc(size_t count, size_t size);
void oracle_image_new(struct oracle_image *image, size_t width, size_t height);
void oracle_image_free(struct oracle_image *image);

/* Luma on the scale 0..255: sample / 2^(depth - 8), exact. */
void oracle_luma(struct oracle_image *image, const struct oracle_picture *picture);

/* Index i of a row of n with the border mirrored about the edge itself: -1 -> 0, n -> n - 1, period 2n. */
size_t oracle_symmetric(ptrdiff_t i, size_t n);

/* The metrics' dB form of a similarity: -10 log10(1 - score), at most max_db; a score of 1 or more
 * is +infinity before that. */
double oracle_db(double score, double max_db);

/* The largest dB value that clip_db allows: of a mean squared error of half a step in the whole picture. */
double oracle_clip_db(const struct oracle_picture *picture);

/* psnr */
struct oracle_psnr_options {
    bool reduced_peak; /* peak 255 * 2^(depth - 8) */
    double min_sse;    /* 0: the largest value is 6 * depth + 12 dB */
};

struct oracle_psnr {
    uint64_t sse;
    double mse, psnr;
};

struct oracle_psnr oracle_psnr(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t plane,
    const struct oracle_psnr_options *options);

/* Of a whole sequence: `sse` and `samples` are sums over all frames of one plane. */
double oracle_apsnr(uint32_t depth, bool reduced_peak, unsigned __int128 sse, uint64_t samples);

double oracle_float_psnr(const struct oracle_picture *ref, const struct oracle_picture *dis);

/* First and second raw moment of the luma. */
void oracle_float_moment(const struct oracle_picture *picture, double *first, double *second);

/* ciede2000: L*a*b* of R'G'B' codes and of Y'CbCr as libvmaf converts it, the difference of two colours, and the score
 * of pictures with three planes; infinite for equal ones. Chroma is the nearest sample to the upper left. */
struct oracle_lab {
    double l, a, b;
};

struct oracle_lab oracle_lab_of_rgb(double r, double g, double b);
struct oracle_lab oracle_lab_of_yuv(uint32_t depth, uint32_t luma, uint32_t cb, uint32_t cr);
double oracle_ciede(struct oracle_lab one, struct oracle_lab two);
double oracle_ciede2000(const struct oracle_picture *ref, const struct oracle_picture *dis);

/* ssim: integer window moments, 9 taps, borders renormalised. */
double oracle_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis);

/* Means over a map of structural similarity and its three factors: luminance, contrast, structure. */
struct oracle_lcs {
    double ssim, l, c, s;
};

/* The 11-tap window inside the image (no border), so both sides are at least 11. */
struct oracle_lcs oracle_ssim_map(const struct oracle_image *ref, const struct oracle_image *dis);

/* float_ssim: `scale` 0 chooses it by size, 1 to 10 states it. False: the shrunk picture is smaller than the window. */
bool oracle_float_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t scale,
                       struct oracle_lcs *out);

/* float_ms_ssim: false when a side is under 176. */
struct oracle_ms_ssim {
    double score;
    struct oracle_lcs scale[ORACLE_MS_SCALES];
};

bool oracle_float_ms_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis,
                          struct oracle_ms_ssim *out);

/* float_adm with its default contrast sensitivity: false when a side is under 17. */
struct oracle_adm_options {
    double gain, p, noise_weight;
    bool bypass_cm;
    bool float_wavelet; /* the bands in float, as the metric is defined; everything behind them in double */
};

struct oracle_adm {
    double adm2, aim, adm3, scale[ORACLE_ADM_SCALES];
};

bool oracle_float_adm(const struct oracle_picture *ref, const struct oracle_picture *dis,
                      const struct oracle_adm_options *options, struct oracle_adm *out);

/* float_vif: false when a side is under 16. */
struct oracle_vif_options {
    double gain, noise;
    bool half_kernel;   /* vif_kernelscale=0.5 */
    bool float_windows; /* means, variances and covariances in float, as the metric is defined */
};

struct oracle_vif {
    double vif, scale[ORACLE_VIF_SCALES];
};

bool oracle_float_vif(const struct oracle_picture *ref, const struct oracle_picture *dis,
                      const struct oracle_vif_options *options, struct oracle_vif *out);

/* psnr_hvs: scores of the planes, and of all three behind them. False when a plane has no block of 8x8. */
bool oracle_psnr_hvs(const struct oracle_picture *ref, const struct oracle_picture *dis,
                     double score[ORACLE_PLANES + 1]);
/* float_motion of two frames of the reference; `add_half` adds that of half the size. Sides are at least 3. */
double oracle_float_motion(const struct oracle_picture *earlier, const struct oracle_picture *later, bool add_half);
/* vif: integers until the last division. False when a side is under 16. */
struct oracle_integer_vif {
    double scale[ORACLE_VIF_SCALES], num[ORACLE_VIF_SCALES], den[ORACLE_VIF_SCALES];
};

bool oracle_integer_vif(const struct oracle_picture *ref, const struct oracle_picture *dis, double gain_limit,
                        struct oracle_integer_vif *out);
/* cambi of the picture at its own size: integers until the sum of contrasts. `dither` is taken out; `speedup` halves it
 * first. */
struct oracle_cambi_options {
    int window_size, max_log_contrast;
    double topk, tvi_threshold, vis_lum_threshold;
    bool pq, dither, speedup;
};

double oracle_cambi(const struct oracle_picture *picture, const struct oracle_cambi_options *options);

/* speed_chroma of a plane, with its roundings to float. A scale other than 1 is bilinear. *bad: a matrix is
 * singular. */
struct oracle_speed_options {
    double kernelscale, prescale, noise, floor;
    int mode;
};

double oracle_speed(const struct oracle_picture *ref, const struct oracle_picture *dis, unsigned channel,
                    const struct oracle_speed_options *options, bool *bad);

/* adm, the integer metric, with its default contrast sensitivity: false when a side is under 17. */
struct oracle_adm_int_options {
    double gain, noise_weight;
};

struct oracle_adm_int {
    double adm2, aim, adm3, scale[ORACLE_ADM_SCALES], num[ORACLE_ADM_SCALES], den[ORACLE_ADM_SCALES];
    double aim_num[ORACLE_ADM_SCALES];
};

bool oracle_adm_int(const struct oracle_picture *ref, const struct oracle_picture *dis,
                    const struct oracle_adm_int_options *options, struct oracle_adm_int *out);

/* The planes' scores with libvmaf's operations and roundings: with the errors of a plane added up in one float, as
 * libvmaf has it, and with those of a block, and blocks added up in double. False for what libvmaf refuses, too: more
 * than 12 bits, grey. */
bool oracle_psnr_hvs_in_float(const struct oracle_picture *ref, const struct oracle_picture *dis,
                              double of_libvmaf[ORACLE_PLANES], double of_blocks[ORACLE_PLANES]);

/* Where chroma samples lie on an axis of half the size: the nearest one is taken, or they are interpolated between the
 * positions of the first of two luma samples, of the middle, or of the second. */
enum oracle_site { ORACLE_NEAREST, ORACLE_FIRST, ORACLE_BETWEEN, ORACLE_SECOND };

enum oracle_transfer { ORACLE_LINEAR, ORACLE_SRGB, ORACLE_POWER, ORACLE_PQ, ORACLE_HLG };

struct oracle_colour {
    bool rgb, full;                /* planes are R, G, B; full range */
    double kr, kb;                 /* of Y'CbCr */
    enum oracle_site site_x, site_y;
    enum oracle_transfer transfer;
    double gamma;                  /* of ORACLE_POWER */
    double peak, white;            /* cd/m2, of PQ and HLG: the display's largest, and what 1.0 is */
    const double (*primaries)[2];  /* x, y of red, green, blue, white; NULL: sRGB's */
};

double oracle_transfer(double v, const struct oracle_colour *c);

/* Linear light with the primaries of sRGB: three new images. */
void oracle_linear(struct oracle_image out[3], const struct oracle_picture *p, const struct oracle_colour *c);

/* ssimulacra2 of two pictures in linear light, which it shrinks on the way. Sides are at least 8. */
double oracle_ssimulacra2(struct oracle_image ref[3], struct oracle_image dis[3]);

#endif
