/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/adm_csf.h"

#include "host/exact_math.h"

/* Pixels per degree of visual angle. The nominal frequency of scale l is half of it over 2^l. */
static float adm_pixels_per_degree(struct adm_viewing v)
{
    return (float)(v.distance * v.height * ASSAY_PI / 180.0);
}

static float adm_band_frequency(unsigned scale, struct adm_viewing v)
{
    return (float)((double)adm_pixels_per_degree(v) / (double)(2u << scale));
}

/* Thresholds at which quantisation noise of wavelets is seen (Watson, Yang, Solomon, Villasenor 1997, tables IV and
 * V, luma). The first column is of the bands h and v, the second of d. */
static float adm_watson(unsigned scale, enum adm_band band, struct adm_viewing v)
{
    static const float amplitude[4][2] = {
        {0.67234f, 0.72709f}, {0.41317f, 0.49428f}, {0.22727f, 0.28688f}, {0.11792f, 0.15214f}};
    static const float a = 0.495f, k = 0.466f, f0 = 0.401f, g[2] = {1.0f, 0.534f};
    const double r = (double)adm_pixels_per_degree(v);
    const float octaves = (float)assay_log10((double)(2u << scale) * (double)f0 * (double)g[band] / r);
    const float exponent = k * octaves * octaves;
    const float step = (float)(2.0 * (double)a * assay_pow(10.0, (double)exponent) / (double)amplitude[scale][band]);
    return 1.0f / step;
}

/* Barten's curve as HDR-VDP-2 fits it (Mantiuk, Kim, Rempel, Heidrich 2011). Its parameters at 100 cd/m2 are
 * interpolated between the fits at 20 and 150 cd/m2. */
static float adm_barten_parameter(float at_20, float at_150)
{
    const float left = (float)assay_log10(20.0), right = (float)assay_log10(150.0), here = (float)assay_log10(100.0);
    return at_20 + ((at_150 - at_20) / (right - left)) * (here - left);
}

static float adm_barten_mtf(float f)
{
    static const float weight[4] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f,
                                    0.00255872352306433f};
    static const float decay[4] = {0.028f, 0.37f, 37.0f, 360.0f};
    float sum = 0.0f;
    for (int i = 0; i < 4; i++)
        sum = (float)((double)sum + (double)weight[i] * assay_exp((double)(-decay[i] * f)));
    return sum;
}

/* Sensitivity of rods and cones together. */
static float adm_barten_luminance(void)
{
    static const float peak = 30.162f, drop = 4.0627f, slope = 1.6596f, low_slope = 0.2712f;
    const double adapted = assay_pow((double)drop / 100.0, (double)slope) + 1.0;
    return (float)((double)peak * assay_pow(adapted, -(double)low_slope));
}

static float adm_barten(unsigned scale, struct adm_viewing v, double gain)
{
    const float f = adm_band_frequency(scale, v);
    const float p0 = adm_barten_parameter(0.334278f, 0.394533f), p1 = adm_barten_parameter(3.79542f, 2.7755f),
                p2 = adm_barten_parameter(1.07327f, 1.16577f), p3 = adm_barten_parameter(6.4635f, 7.45665f);
    const float seventh = f / 7.0f;
    const float a = (float)(1.0 + assay_pow((double)(p0 * f), (double)p1));
    const float b = (float)(1.0 / assay_pow(1.0 - assay_exp(-assay_pow((double)seventh, 2.0)), (double)p2));
    const float neural = (float)((double)p3 / assay_pow((double)(a * b), 0.5));
    return (float)((double)(neural * adm_barten_mtf(f) * adm_barten_luminance()) * gain);
}

/* The curve of the metric's authors (Li, Zhang, Ma, Ngan 2011). Diagonals are seen less well. */
static float adm_native(unsigned scale, enum adm_band band, struct adm_viewing v)
{
    float f = adm_band_frequency(scale, v);
    if (band == ADM_BAND_D)
        f = (float)((double)f / 0.7);
    return (float)((0.31 + 0.69 * (double)f) * assay_exp(-0.29 * (double)f));
}

float adm_csf(int mode, unsigned scale, enum adm_band band, struct adm_viewing viewing, double gain)
{
    switch (mode) {
    case ADM_CSF_BARTEN: return adm_barten(scale, viewing, gain);
    case ADM_CSF_NATIVE: return adm_native(scale, band, viewing);
    default: return adm_watson(scale, band, viewing);
    }
}

/* libvmaf's fits: mode, viewing distance, then the factors of scales 0 to 3 of the bands h and v, and of d. Those that
 * it has for 480 lines and for 720 at a distance of 3 are left out, because integers can't hold so low frequencies. */
static const struct {
    int mode;
    struct adm_viewing viewing;
    float factor[2][4];
} adm_blends[] = {
    {ADM_CSF_BLEND, {3.0, 1080},
     {{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}}},
    {ADM_CSF_BLEND, {1.5, 2160},
     {{0.01183f, 0.025026f, 0.04295f, 0.058621f}, {0.004302f, 0.011778f, 0.023918f, 0.035901f}}},
    {ADM_CSF_BLEND, {5.0, 1080},
     {{0.004212f, 0.014809f, 0.029642f, 0.047464f}, {0.000984f, 0.005852f, 0.0146f, 0.027574f}}},
    {ADM_CSF_BLEND, {3.0, 2160},
     {{0.00226f, 0.01183f, 0.025026f, 0.04295f}, {0.000479f, 0.004302f, 0.011778f, 0.023918f}}},
    {ADM_CSF_BLEND, {5.0, 2160},
     {{0.000092f, 0.004212f, 0.014809f, 0.029642f}, {0.00005f, 0.000984f, 0.005852f, 0.0146f}}},
    {ADM_CSF_BLEND, {5.0, 720},
     {{0.010144f, 0.022561f, 0.040309f, 0.05672f}, {0.003463f, 0.010282f, 0.021839f, 0.034641f}}},
    {ADM_CSF_BLEND_MAE, {3.0, 1080},
     {{0.011249f, 0.022606f, 0.03593f, 0.045673f}, {0.004097f, 0.010921f, 0.02143f, 0.031313f}}},
    {ADM_CSF_BLEND_MAE, {1.5, 2160},
     {{0.011249f, 0.022606f, 0.03593f, 0.045673f}, {0.004097f, 0.010921f, 0.02143f, 0.031313f}}},
    {ADM_CSF_BLEND_MAE, {5.0, 1080},
     {{0.004052f, 0.013939f, 0.026298f, 0.038833f}, {0.000927f, 0.005544f, 0.013415f, 0.024515f}}},
    {ADM_CSF_BLEND_MAE, {3.0, 2160},
     {{0.002166f, 0.011249f, 0.022606f, 0.03593f}, {0.000447f, 0.004097f, 0.010921f, 0.02143f}}},
    {ADM_CSF_BLEND_MAE, {5.0, 2160},
     {{0.000077f, 0.004052f, 0.013939f, 0.026298f}, {0.000045f, 0.000927f, 0.005544f, 0.013415f}}},
    {ADM_CSF_BLEND_MAE, {5.0, 720},
     {{0.009689f, 0.020577f, 0.034162f, 0.044523f}, {0.003302f, 0.009579f, 0.019661f, 0.030318f}}},
};

bool adm_csf_blend(int mode, unsigned scale, enum adm_band band, struct adm_viewing viewing, float *factor)
{
    for (unsigned i = 0; i < sizeof adm_blends / sizeof adm_blends[0]; i++)
        if (adm_blends[i].mode == mode && adm_blends[i].viewing.height == viewing.height &&
            adm_blends[i].viewing.distance == viewing.distance) {
            *factor = adm_blends[i].factor[band][scale];
            return true;
        }
    return false;
}
