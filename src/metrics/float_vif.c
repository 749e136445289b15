/* SPDX-License-Identifier: BSD-2-Clause */
/* float_vif: visual information fidelity of luma over four scales, in float. Definition: docs/metrics/float_vif.md. */
#include "metrics/options.h"
#include "metrics/vif_map.h"

enum { SCALES = 4, SMALLEST = 16 };

struct float_vif_options {
    bool debug, skip_scale0;
    double gain, kernel_scale, noise, min_val[SCALES];
};

struct float_vif_state {
    struct float_vif_at sums[SCALES];
    float unit; /* brings samples to the 8-bit scale */
};

#define OPTIONS struct float_vif_options
#define MIN_VAL(alias, scale) \
    KEY_DOUBLE_OPTION(min_val[scale], "vif_scale" #scale "_min_val", alias, 0, 0, 1, \
                      "smallest value of vif_scale" #scale)
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", false, "also write vif, numerators and denominators"),
    KEY_DOUBLE_OPTION(gain, "vif_enhn_gain_limit", "egl", 100, 1, 100,
                      "largest credit for enhanced contrast; 1 gives none"),
    KEY_DOUBLE_OPTION(kernel_scale, "vif_kernelscale", "ks", 1, 0.444, 1,
                      "size of the windows: 1, 0.5 or 0.444444 (1/2.25)"),
    MIN_VAL("s1miv", 1),
    MIN_VAL("s2miv", 2),
    MIN_VAL("s3miv", 3),
    KEY_DOUBLE_OPTION(noise, "vif_sigma_nsq", "snsq", 2, 0.001, 5, "variance of the noise of the eye"),
    KEY_FLAG_OPTION(skip_scale0, "vif_skip_scale0", "ssclz", false, "leave scale 0 out"),
};
#undef MIN_VAL

enum { OUT_SCALES, OUT_VIF, OUT_SUMS };
static const struct metric_output outputs[] = {
    [OUT_SCALES] = {"vif_scale0 ... vif_scale3", "always", ASSAY_HIGHER},
    [OUT_VIF] = {"vif", "debug", ASSAY_HIGHER},
    [OUT_SUMS] = {"vif_num vif_den vif_num_scale0 vif_den_scale0 ... vif_den_scale3", "debug", ASSAY_NEUTRAL},
};

/* libvmaf takes 21 kernel scales, within 0.001. A window's taps follow from their number alone, and these three make
 * windows of 17, 9, 5 and 3 taps only. */
static bool float_vif_is_scale(double given, double scale)
{
    return given - scale < 1e-3 && scale - given < 1e-3;
}

static bool float_vif_is_half(const struct float_vif_options *o)
{
    return float_vif_is_scale(o->kernel_scale, 0.5) || float_vif_is_scale(o->kernel_scale, 1 / 2.25);
}

static int float_vif_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct float_vif_options *o = opaque;
    if (!float_vif_is_half(o) && !float_vif_is_scale(o->kernel_scale, 1))
        return assay_fail(e, ASSAY_EUSAGE,
                          "float_vif has windows for a vif_kernelscale of 1, 0.5 and 0.444444 (1/2.25) alone");
    const int rc = metric_needs_luma(pair, "float_vif", e);
    return rc ? rc : metric_needs_size(pair, "float_vif", SMALLEST, e);
}

static unsigned float_vif_taps(const struct float_vif_options *o, unsigned scale)
{
    return vif_taps(float_vif_is_half(o), scale);
}

static int float_vif_add_scale(struct metric_build *b, unsigned scale, const graph_plane plane[2])
{
    const struct float_vif_options *o = b->metric->options;
    struct float_vif_state *s = b->metric->state;
    struct float_vif_at *sums = &s->sums[scale];
    const struct vif_channel c = vif_channel_of(o->gain, o->noise);
    const struct float_vif_pass pass =
        PASS(float_vif, .ref = plane[0], .dis = plane[1], .scale = scale ? 1.0f : s->unit,
             .middle = scale ? 0.0f : 128.0f, .gain = c.gain, .noise = c.noise, .noise_inverse = c.noise_inverse,
             .quiet = c.quiet, .quiet_factor = c.quiet_factor);
    switch (float_vif_taps(o, scale)) {
    case 17: return float_vif_17_add(b->graph, pass, sums, b->error);
    case 9: return float_vif_9_add(b->graph, pass, sums, b->error);
    case 5: return float_vif_5_add(b->graph, pass, sums, b->error);
    default: return float_vif_3_add(b->graph, pass, sums, b->error);
    }
}

static int float_vif_build(struct metric_build *b)
{
    const struct float_vif_options *o = b->metric->options;
    struct float_vif_state *s = b->metric->state;
    graph_plane plane[2];
    s->unit = metric_sample_unit(b);
    TRY(metric_luma(b, SIDE_REF, &plane[0]));
    TRY(metric_luma(b, SIDE_DIS, &plane[1]));
    for (unsigned i = 0; i < SCALES; i++) {
        for (unsigned side = 0; i && side < 2; side++)
            TRY(vif_add_half(b, float_vif_taps(o, i), i == 1, &plane[side]));
        if (i || !o->skip_scale0)
            TRY(float_vif_add_scale(b, i, plane));
    }
    if (b->maps)
        TRY(vif_add_map(b, "vif", float_vif_is_half(o), o->skip_scale0, o->gain, o->noise));
    return metric_add_scale_keys(b, "vif", SCALES, &outputs[OUT_SCALES], o->debug ? &outputs[OUT_VIF] : NULL,
                                 &outputs[OUT_SUMS]);
}

static double float_vif_join(struct kernel_halves sum)
{
    return i128_to_double(pass_join_halves(sum)) / 0x1p24;
}

static void float_vif_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_vif_options *o = m->options;
    const struct float_vif_state *s = m->state;
    double sum_num = 0.0, sum_den = 0.0;
    double num[SCALES] = {0.0}, den[SCALES] = {-1.0}; /* what libvmaf writes of a scale that is left out */
    for (unsigned i = o->skip_scale0; i < SCALES; i++) {
        const struct float_vif_totals t = float_vif_totals(s->sums[i], totals);
        num[i] = float_vif_join(t.num);
        den[i] = float_vif_join(t.den);
        sum_num += num[i];
        sum_den += den[i];
    }
    for (unsigned i = 0; i < SCALES; i++) {
        const double value = i || !o->skip_scale0 ? num[i] / den[i] : 0.0;
        values[i] = i && value < o->min_val[i] ? o->min_val[i] : value;
    }
    if (o->debug)
        metric_write_scale_sums(values + 4, SCALES, sum_num / sum_den, sum_num, sum_den, num, den);
    (void)accumulators;
}

const struct metric_ops metric_float_vif = {
    .name = "float_vif", .summary = "visual information fidelity of luma over four scales",
    METRIC_PARTS(float_vif, options, outputs),
    .allows = float_vif_allows, .build = float_vif_build, .frame = float_vif_frame,
};
