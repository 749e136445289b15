/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/cvvdp_display.h"

#include <math.h>
#include <string.h>

#include "host/exact_math.h"
#include "host/suggest.h"

#define NOT_GIVEN ((double)NAN)
static const double INCH = 0.0254;

/* ---- displays ---------------------------------------------------------------------------------------------------- */

/* display_models.json of ColorVideoVDP 0.5.6 (MIT). Distances in inches are multiples of 0.0254 m. 0: not given; a
 * reflectivity of 0.005 and an exposure of 1 go for all. */
static const struct {
    const char *name;
    int curve;
    bool wide;
    double across, down, distance, diagonal, fov, peak, contrast, black, ambient;
} displays[] = {
    {"standard_4k", CURVE_SRGB, false, 3840, 2160, 0.7472, 30, 0, 200, 1000, 0, 250},
    {"standard_fhd", CURVE_SRGB, false, 1920, 1080, 0.6, 24, 0, 200, 1000, 0, 250},
    {"standard_phone", CURVE_SRGB, false, 2400, 1080, 0.4, 6, 0, 500, 0, 0.05, 250},
    {"standard_hmd", CURVE_SRGB, false, 1440, 1600, 3, 0, 110, 100, 0, 0.1, 0},
    {"standard_hdr_pq", CURVE_PQ, true, 3840, 2160, 0.7472, 30, 0, 1500, 1000000, 0, 10},
    {"standard_hdr_hlg", CURVE_HLG, true, 3840, 2160, 0.7472, 30, 0, 1500, 1000000, 0, 10},
    {"standard_hdr_linear", CURVE_LINEAR, false, 3840, 2160, 0.7472, 30, 0, 1500, 1000000, 0, 10},
    {"standard_hdr_linear_dark", CURVE_LINEAR, false, 3840, 2160, 0.7472, 30, 0, 1500, 1000000, 0, 0},
    {"standard_hdr_linear_zoom", CURVE_LINEAR, false, 3840, 2160, 0.25, 30, 0, 10000, 1000000, 0, 10},
    {"sdr_4k_30", CURVE_SRGB, false, 3840, 2160, 0.6, 30, 0, 100, 1000, 0, 250},
    {"sdr_fhd_24", CURVE_SRGB, false, 1920, 1080, 0.6, 24, 0, 100, 1000, 0, 250},
    {"htc_vive_pro", CURVE_SRGB, false, 1440, 1600, 3, 0, 110, 133.3, 0, 0.1, 0},
    {"iphone_12_pro", CURVE_SRGB, false, 2532, 1170, 0.508, 6.1, 0, 825, 0, 0.0004, 250},
    {"iphone_14_pro", CURVE_SRGB, false, 2532, 1170, 0.508, 6.1, 0, 1025, 0, 0.0004, 250},
    {"iphone_14_pro_vert", CURVE_SRGB, false, 1170, 2532, 0.508, 6.1, 0, 1025, 0, 0.0004, 250},
    {"iphone_14_pro_hdr", CURVE_HLG, true, 2532, 1170, 0.508, 6.1, 0, 1590, 0, 0.0004, 10},
    {"iphone_14_pro_hdr_vert", CURVE_HLG, true, 1170, 2532, 0.508, 6.1, 0, 1590, 0, 0.0004, 10},
    {"ipad_pro_12_9", CURVE_SRGB, false, 2732, 2048, 0.508, 12.9, 0, 600, 0, 0.37, 250},
    {"macbook_pro_16", CURVE_SRGB, false, 3072, 1920, 0.635, 16, 0, 500, 0, 0.37, 250},
    {"lg_oled_2017_sdr", CURVE_SRGB, false, 3840, 2160, 2.5654, 64.5, 0, 272, 0, 0.014, 100},
    {"lg_oled_2017_hdr", CURVE_SRGB, false, 3840, 2160, 2.5654, 64.5, 0, 754, 0, 0.038, 100},
    {"eizo_CG3146", CURVE_SRGB, false, 4096, 2160, 0.73406, 31.063, 0, 300, 3000, 0, 0},
};
enum { DISPLAYS = sizeof displays / sizeof displays[0] };

static double cvvdp_given(double v)
{
    return v > 0.0 ? v : NOT_GIVEN;
}

int cvvdp_display_find(const char *name, const char *path, struct cvvdp_display *d, struct assay_error *e)
{
    struct suggestion like = suggest_for(name, strlen(name));
    char hint[SUGGEST_TEXT];
    if (*path)
        return cvvdp_display_read(name, path, d, e);
    for (unsigned i = 0; i < DISPLAYS; i++) {
        suggest_offer(&like, displays[i].name);
        if (strcmp(name, displays[i].name))
            continue;
        *d = (struct cvvdp_display){
            .curve = displays[i].curve, .wide = displays[i].wide, .across = displays[i].across,
            .down = displays[i].down, .distance = displays[i].distance, .diagonal = cvvdp_given(displays[i].diagonal),
            .fov = cvvdp_given(displays[i].fov), .peak = displays[i].peak,
            .contrast = cvvdp_given(displays[i].contrast), .black = cvvdp_given(displays[i].black),
            .ambient = displays[i].ambient, .reflectivity = 0.005, .exposure = 1.0, .ppd = NOT_GIVEN};
        strcpy(d->name, name);
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EUSAGE, "cvvdp: no display is called '%s'%s (docs/metrics/cvvdp.md)", name,
                      suggest_text(&like, hint));
}

/* ---- angles: libm's differ between systems ----------------------------------------------------------------------- */

/* The angle of a tangent from 0 on, within 1e-15 relative: halved three times, then a series. */
static double cvvdp_arctan(double t)
{
    double sum = 0.0;
    for (unsigned i = 0; i < 3; i++)
        t = t / (1.0 + assay_sqrt(1.0 + t * t));
    for (int k = 41; k > 0; k -= 2)
        sum = 1.0 / k - t * t * sum;
    return 8.0 * t * sum;
}

/* The tangent of 0 to below a quarter of a circle: sine and cosine by their series. */
static double cvvdp_tan(double angle)
{
    const double square = angle * angle;
    double sine = 1.0, cosine = 1.0;
    for (int k = 24; k > 0; k -= 2) {
        sine = 1.0 - square / (k * (k + 1.0)) * sine;
        cosine = 1.0 - square / (k * (k - 1.0)) * cosine;
    }
    return angle * sine / cosine;
}

/* The display's width in metres. */
static double cvvdp_width(const struct cvvdp_display *d)
{
    const double shape = d->across / d->down, degree = ASSAY_PI / 180.0;
    if (d->fov > 0.0) {
        const double diagonal = assay_sqrt(d->across * d->across + d->down * d->down),
                     far = diagonal / (2.0 * cvvdp_tan(d->fov / 2 * degree));
        return shape * 2.0 * d->distance * (d->down / 2.0 / far);
    }
    return shape * assay_sqrt(d->diagonal * d->diagonal / (1.0 + shape * shape)) * INCH;
}

int cvvdp_display_settle(struct cvvdp_display *d, struct assay_error *e)
{
    if (!(d->peak > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp: the display %s has no peak", d->name);
    if (!(d->black >= 0.0))
        d->black = d->peak / (d->contrast > 0.0 ? d->contrast : 500.0);
    if (!(d->black < d->peak))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp: the display %s has a black of %g cd/m2 and a peak of %g", d->name,
                          d->black, d->peak);
    if (!(d->ppd > 0.0)) {
        if (!(d->across > 0.0 && d->down > 0.0 && d->distance > 0.0 && (d->diagonal > 0.0 || d->fov > 0.0)))
            return assay_fail(e, ASSAY_EUSAGE, "cvvdp: the display %s has no size: cvvdp=ppd= says how many pixels a "
                              "degree has", d->name);
        const double pixel = cvvdp_width(d) / (d->across * d->distance);
        d->ppd = 1.0 / (2.0 * cvvdp_arctan(0.5 * pixel) * (180.0 / ASSAY_PI));
    }
    if (!(d->ppd >= CVVDP_LEAST_PPD && d->ppd <= CVVDP_MOST_PPD))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp takes %g to %g pixels per degree, and this is %.4g", CVVDP_LEAST_PPD,
                          CVVDP_MOST_PPD, d->ppd);
    if (d->curve == CURVE_HLG && d->peak > 1000.0 && !(d->ambient > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp: HLG's system gamma above 1000 cd/m2 needs the light of the room, "
                          "and the display %s has an ambient light of 0", d->name);
    if (d->curve == CURVE_HLG && !(cvvdp_light_of(d).system_gamma > 0.0f))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp: the room is too bright for HLG on the display %s", d->name);
    return ASSAY_OK;
}

/* ---- light ------------------------------------------------------------------------------------------------------- */

double cvvdp_reflected(const struct cvvdp_display *d)
{
    return d->ambient / ASSAY_PI * d->reflectivity;
}

/* c = a b of matrices by rows. */
static void cvvdp_multiply(const double a[9], const double b[9], double c[9])
{
    for (unsigned i = 0; i < 9; i++)
        c[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[i % 3 + 3] + a[i / 3 * 3 + 2] * b[i % 3 + 6];
}

/* From linear light to cones (LMS of 2006), and from those to DKL with D65 (cvvdp's display_model.py). */
static void cvvdp_matrix(bool wide, double matrix[9])
{
    static const double xyz[2][9] = {
        {0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.0721750, 0.0193339, 0.1191920, 0.9503041},
        {0.6370, 0.1446, 0.1689, 0.2627, 0.6780, 0.0593, 0.0000, 0.0281, 1.0610}};
    static const double cones[9] = {0.187596268556126,    0.585168649077728,     -0.026384263306304,
                                    -0.133397430663221,   0.405505777260049,     0.034502127690364,
                                    0.000244379021663,    -0.000542995890619,    0.019406849066323};
    static const double opponent[9] = {1, 1, 0, 1, -2.311130179947035, 0, -1, -1, 50.977571328718781};
    double both[9];
    cvvdp_multiply(cones, xyz[wide], both);
    cvvdp_multiply(opponent, both, matrix);
}

struct cvvdp_light cvvdp_light_of(const struct cvvdp_display *d)
{
    const double x = d->exposure, reflected = cvvdp_reflected(d), least = d->curve == CURVE_PQ ? 0.005 : d->black;
    struct cvvdp_light light = {.system_gamma = 0.0f};
    double gain, low = 0.0, high, added = d->black + reflected, matrix[9];
    if (d->curve == CURVE_PQ || d->curve == CURVE_LINEAR) {
        gain = d->curve == CURVE_PQ ? 10000.0 * x : x;
        low = (least > 0.005 ? least : 0.005) / gain;
        high = d->peak / gain;
        added = d->curve == CURVE_PQ ? added : reflected;
    } else {
        gain = (d->peak - d->black) * x;
        high = 1.0 / x;
    }
    if (d->curve == CURVE_HLG)
        light.system_gamma = (float)(d->peak > 1000.0 ? 0.2 + 0.42 * assay_log10(d->peak / 1000.0) -
                                                            0.07623 * assay_log10(d->ambient / 5.0)
                                                      : 0.2);
    light.low = (float)low;
    light.high = (float)high;
    light.added = (float)(added / gain);
    light.gain = (float)gain;
    cvvdp_matrix(d->wide, matrix);
    for (unsigned i = 0; i < 9; i++)
        light.matrix[i] = (float)(matrix[i] * gain);
    return light;
}

/* ---- frequencies ------------------------------------------------------------------------------------------------- */

uint32_t cvvdp_bands(double ppd, uint32_t width, uint32_t height, double frequency[CVVDP_BANDS])
{
    const uint32_t least = width < height ? width : height;
    uint32_t halvings = 0, bands = 0;
    double f = ppd / 2.0;
    for (uint32_t side = least; side > 1; side /= 2)
        halvings++;
    for (bool fine = true; fine && bands + 1 < halvings && bands + 1 < CVVDP_BANDS;) {
        frequency[bands++] = f;
        fine = f > 0.2;
        f = bands == 1 ? 0.3228 * (ppd / 2.0) : f / 2.0;
    }
    frequency[bands] = 0.1;
    return bands + 1;
}

enum { FREQUENCIES = 32 };
static const int32_t csf[CVVDP_CHANNELS * CVVDP_STEPS * FREQUENCIES] = {
#include "metrics/cvvdp_csf.inc"
};

/* The steps of light: from 0.005 to 10000, those of frequency from 0.1 to 64, both uniform in the logarithm. */
double cvvdp_csf_scale(void)
{
    return (CVVDP_STEPS - 1) / assay_log10(2000000.0);
}

double cvvdp_csf_offset(void)
{
    return -assay_log10(0.005) * cvvdp_csf_scale();
}

void cvvdp_csf_row(unsigned channel, double frequency, double row[CVVDP_STEPS])
{
    const double at = assay_log10(frequency / 0.1) * ((FREQUENCIES - 1) / assay_log10(640.0));
    const int first = at < 0.0 ? 0 : at > FREQUENCIES - 2 ? FREQUENCIES - 2 : (int)at;
    for (unsigned i = 0; i < CVVDP_STEPS; i++) {
        const int32_t *s = &csf[(channel * CVVDP_STEPS + i) * FREQUENCIES + (unsigned)first];
        row[i] = ((double)s[0] + (at - first) * (double)(s[1] - s[0])) / 1e7;
    }
}

double cvvdp_csf_at(const double row[CVVDP_STEPS], double light)
{
    const double free = assay_log10(light) * cvvdp_csf_scale() + cvvdp_csf_offset(),
                 at = free < 0.0 ? 0.0 : free > CVVDP_STEPS - 1 ? CVVDP_STEPS - 1 : free;
    const int first = at > CVVDP_STEPS - 2 ? CVVDP_STEPS - 2 : (int)at;
    return row[first] + (at - first) * (row[first + 1] - row[first]);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* What a channel keeps of a frequency in Hz: cvvdp_parameters.json's numbers. */
static double cvvdp_response(unsigned channel, double hertz)
{
    static const double power[] = {1.3314, 1.1196, 0.947901}, spread[] = {5.79336, 14.1255, 6.63661};
    const double beta = 0.1898;
    if (channel < 3)
        return assay_exp(-assay_pow(hertz, power[channel]) / spread[channel]);
    const double far = assay_pow(hertz, beta) - assay_pow(5.0, beta);
    return assay_exp(-far * far / 0.12314);
}

/* The cosine of k / n turns; k is any. */
static double cvvdp_cosine(uint32_t k, uint32_t n)
{
    const double turn = (double)(k % n) / n, half = turn > 0.5 ? 1.0 - turn : turn,
                 angle = 2.0 * ASSAY_PI * (half > 0.25 ? 0.5 - half : half);
    double sum = 1.0;
    for (int i = 24; i > 0; i -= 2)
        sum = 1.0 - angle * angle / (i * (i - 1.0)) * sum;
    return half > 0.25 ? -sum : sum;
}

uint32_t cvvdp_taps(double fps, float tap[CVVDP_TAPS][CVVDP_CHANNELS])
{
    const uint32_t half = (uint32_t)assay_ceil(0.125 * fps), n = 2 * half + 1;
    for (unsigned c = 0; c < CVVDP_CHANNELS; c++)
        for (uint32_t u = 0; u <= half; u++) {
            double sum = cvvdp_response(c, 0.0);
            for (uint32_t j = 1; j <= half; j++)
                sum = sum + 2.0 * cvvdp_response(c, j * (fps / 2.0) / half) * cvvdp_cosine(j * u, n);
            tap[u][c] = (float)(sum / n);
        }
    return half + 1;
}
