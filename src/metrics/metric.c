/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/metric.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour.h"
#include "host/exact_math.h"
#include "host/format.h"
#include "host/suggest.h"
#include "host/text.h"
#include "metrics/options.h"
#include "models/model.h"

const struct metric_ops *const assay_metrics[] = {
    &metric_vmaf, &metric_psnr, &metric_float_psnr, &metric_xpsnr, &metric_ssim, &metric_float_ssim,
    &metric_float_ms_ssim, &metric_float_moment, &metric_adm, &metric_float_adm, &metric_vif, &metric_float_vif,
    &metric_motion, &metric_motion_v2, &metric_float_motion, &metric_psnr_hvs, &metric_cambi, &metric_speed_chroma,
    &metric_speed_temporal, &metric_ciede2000, &metric_ssimulacra2, &metric_flip, &metric_butteraugli,
    &metric_cvvdp, &metric_diff,
    NULL,
};

const struct metric_ops *metric_find(const char *name, size_t length)
{
    for (unsigned i = 0; assay_metrics[i]; i++) {
        const char *const names[] = {assay_metrics[i]->name, assay_metrics[i]->alias};
        for (unsigned k = 0; k < 2; k++)
            if (names[k] && strlen(names[k]) == length && !memcmp(names[k], name, length))
                return assay_metrics[i];
    }
    return NULL;
}

/* Every option is 0. */
static int allocate(struct metric **out, const struct metric_ops *ops, struct assay_error *e)
{
    struct metric *m = *out = calloc(1, sizeof *m);
    if (m) {
        m->ops = ops;
        m->options = calloc(1, ops->options_size + 1);
        m->state = calloc(1, ops->state_size + 1);
    }
    if (!m || !m->options || !m->state) {
        metric_free(out);
        return assay_fail_memory(e, "a metric");
    }
    return ASSAY_OK;
}

static int no_such_metric(const char *name, size_t length, struct assay_error *e)
{
    char hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(name, length);
    const char *model = model_meant(name, length);
    if (model && length > strlen("vmaf"))
        return assay_fail(e, ASSAY_EUSAGE, "no metric is called '%.*s'; did you mean 'vmaf=version=%s'?", (int)length,
                          name, model);
    for (unsigned i = 0; assay_metrics[i]; i++)
        suggest_offer(&like, assay_metrics[i]->name);
    return assay_fail(e, ASSAY_EUSAGE, "no metric is called '%.*s'%s (assay --list-metrics)", (int)length, name,
                      suggest_text(&like, hint));
}

int metric_new(struct metric **out, const char *text, struct assay_error *e)
{
    *out = NULL;
    const size_t length = strcspn(text, "=");
    const struct metric_ops *ops = metric_find(text, length);
    if (!ops)
        return no_such_metric(text, length, e);
    TRY(allocate(out, ops, e));
    int rc = options_parse(ops, (*out)->options, text[length] ? text + length + 1 : "", e);
    if (!rc && ops->open)
        rc = ops->open(*out, e);
    if (rc)
        metric_free(out);
    return rc;
}

int metric_again(struct metric **out, const struct metric *m, struct assay_error *e)
{
    TRY(allocate(out, m->ops, e));
    memcpy((*out)->options, m->options, m->ops->options_size);
    const int rc = m->ops->open ? m->ops->open(*out, e) : ASSAY_OK;
    if (rc)
        metric_free(out);
    return rc;
}

int metric_settle(struct metric *m, const struct metric_pair *pair, struct assay_error *e)
{
    return m->ops->settle ? m->ops->settle(m, pair, e) : ASSAY_OK;
}

/* A metric that is needed may be needed by several keys. */
static int allows_need(const struct metric *m, uint32_t i, const struct metric_pair *pair, struct assay_error *e)
{
    struct metric *needed;
    struct assay_error why = {0};
    TRY(metric_new(&needed, m->need[i].metric, e));
    const int rc = metric_allows(needed, pair, &why);
    metric_free(&needed);
    return rc ? assay_fail(e, rc, "%s: %s", m->ops->name, why.text) : ASSAY_OK;
}

int metric_allows(const struct metric *m, const struct metric_pair *pair, struct assay_error *e)
{
    char ref[COLOUR_NAME], dis[COLOUR_NAME];
    const assay_format *a = &pair->given[0], *b = &pair->given[1];
    const bool differ = !pair->allow_colour && (!m->ops->of_colour || m->ops->of_display);
    for (enum colour_kind kind = m->ops->of_display ? COLOUR_TRANSFER : 0; kind < COLOUR_SITING; kind++)
        if (differ && colour_differs(a, b, kind))
            return assay_fail(e, ASSAY_EMISMATCH,
                              "%s %s, and these stand for different colours: %s %s against %s "
                              "(--allow-colour compares them as they are)", m->ops->name,
                              m->ops->of_display ? "shows the codes of both sides on one display" : "compares codes",
                              colour_kind_name[kind], colour_name(a, kind, ref), colour_name(b, kind, dis));
    if (format_is_float(&pair->format) && !m->ops->of_light && !m->ops->predict)
        return assay_fail(e, ASSAY_EUSAGE, "%s compares codes, and the pictures are of floats", m->ops->name);
    if (m->ops->least) {
        TRY(metric_needs_luma(pair, m->ops->name, e));
        TRY(metric_needs_size(pair, m->ops->name, m->ops->least, e));
    }
    if (m->ops->allows)
        TRY(m->ops->allows(pair, m->options, e));
    for (uint32_t i = 0; i < m->n_needs; i++)
        if (!i || strcmp(m->need[i].metric, m->need[i - 1].metric))
            TRY(allows_need(m, i, pair, e));
    return ASSAY_OK;
}

void metric_free(struct metric **m)
{
    if (!*m)
        return;
    if ((*m)->ops->close && (*m)->state)
        (*m)->ops->close(*m);
    free((*m)->need);
    free((*m)->options);
    free((*m)->state);
    free(*m);
    *m = NULL;
}

int metric_add_need(struct metric *m, const struct metric_need *wanted, struct assay_error *e)
{
    char tail[METRIC_KEY_SIZE];
    struct metric *needed;
    TRY(assay_grow(&m->need, m->n_needs, sizeof *m->need, "a metric", e));
    struct metric_need *need = &m->need[m->n_needs];
    *need = *wanted;
    TRY(metric_new(&needed, need->metric, e));
    int rc = options_key_tail(needed, tail, e);
    metric_free(&needed);
    if (!rc && snprintf(need->key, sizeof need->key, "%s%s", wanted->key, tail) >= METRIC_KEY_SIZE)
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: so many options of %.40s are too long", m->ops->name, need->metric);
    m->n_needs += !rc;
    return rc;
}

bool metric_serves(const struct metric *m, const struct metric *wanted)
{
    char a[64], b[64];
    bool equal = m->ops == wanted->ops && !m->ops->predict;
    for (uint32_t i = 0; equal && i < m->ops->n_options; i++) {
        const struct metric_option *o = &m->ops->options[i];
        const char *has = options_print(o, m->options, a), *wants = options_print(o, wanted->options, b);
        equal = !strcmp(has, wants) || (!strcmp(o->name, "debug") && !strcmp(has, "true"));
    }
    return equal;
}

static int add_name(struct metric_build *b, char (*names)[METRIC_KEY_SIZE], uint32_t *count, uint32_t most,
                    const char *format, va_list args)
{
    if (*count == most || vsnprintf(names[*count], METRIC_KEY_SIZE, format, args) >= METRIC_KEY_SIZE)
        return assay_fail(b->error, ASSAY_EINTERNAL, "%s: too many or too long keys", b->metric->ops->name);
    ++*count;
    return ASSAY_OK;
}

#define ADD_NAME(names, count, most) \
    va_list args; \
    va_start(args, format); \
    const int rc = add_name(b, b->metric->names, &b->metric->count, most, format, args); \
    va_end(args)

int metric_add_key(struct metric_build *b, const struct metric_output *row, const char *format, ...)
{
    ADD_NAME(keys, n_keys, METRIC_KEYS);
    if (!rc)
        b->metric->direction[b->metric->n_keys - 1] = (signed char)row->direction;
    return rc;
}

int metric_add_scale_keys(struct metric_build *b, const char *name, unsigned scales, const struct metric_output *each,
                          const struct metric_output *all, const struct metric_output *sums)
{
    char tail[METRIC_KEY_SIZE];
    TRY(options_key_tail(b->metric, tail, b->error));
    for (unsigned i = 0; i < scales; i++)
        TRY(metric_add_key(b, each, "%s_scale%u%s", name, i, tail));
    if (!all)
        return ASSAY_OK;
    TRY(metric_add_key(b, all, "%s%s", name, tail));
    TRY(metric_add_key(b, sums, "%s_num%s", name, tail));
    TRY(metric_add_key(b, sums, "%s_den%s", name, tail));
    for (unsigned i = 0; i < scales; i++) {
        TRY(metric_add_key(b, sums, "%s_num_scale%u%s", name, i, tail));
        TRY(metric_add_key(b, sums, "%s_den_scale%u%s", name, i, tail));
    }
    return ASSAY_OK;
}

double metric_blended_motion(double motion, double factor, double offset, double most)
{
    return assay_min(motion * factor + (1.0 - factor) * assay_min(offset, motion), most);
}

void metric_write_scale_sums(double *values, unsigned scales, double all, double sum_num, double sum_den,
                             const double *num, const double *den)
{
    values[0] = all;
    values[1] = sum_num;
    values[2] = sum_den;
    for (unsigned i = 0; i < scales; i++) {
        values[3 + 2 * i] = num[i];
        values[4 + 2 * i] = den[i];
    }
}

int metric_add_aggregate(struct metric_build *b, const struct metric_output *row, const char *format, ...)
{
    ADD_NAME(aggregates, n_aggregates, METRIC_AGGREGATES);
    if (!rc)
        b->metric->aggregate_direction[b->metric->n_aggregates - 1] = (signed char)row->direction;
    return rc;
}

int metric_add_accumulator(struct metric_build *b, const char *format, ...)
{
    ADD_NAME(accumulators, n_accumulators, METRIC_ACCUMULATORS);
    return rc;
}

int metric_add_map(struct metric_build *b, const char *name, graph_plane plane, double full)
{
    struct metric *m = b->metric;
    struct metric_map *map = &m->maps[m->n_maps];
    char tail[METRIC_KEY_SIZE];
    if (m->n_maps == METRIC_MAPS)
        return assay_fail(b->error, ASSAY_EINTERNAL, "%s: too many maps", m->ops->name);
    TRY(options_key_tail(m, tail, b->error));
    if (snprintf(map->name, sizeof map->name, "%s%s", name, tail) >= METRIC_MAP_NAME)
        return assay_fail(b->error, ASSAY_EINTERNAL, "%s: too long a name of a map", m->ops->name);
    map->plane = plane;
    map->full = full;
    m->n_maps++;
    return ASSAY_OK;
}

int metric_add_file(struct metric_build *b, struct metric_file file)
{
    struct metric *m = b->metric;
    if (m->n_files == METRIC_FILES)
        return assay_fail(b->error, ASSAY_EINTERNAL, "%s: too many files", m->ops->name);
    m->files[m->n_files++] = file;
    return ASSAY_OK;
}

void metric_note(struct metric_build *b, const char *format, ...)
{
    TEXT_GIVEN(b->metric->note, sizeof b->metric->note, format);
}

int metric_plane_before(struct metric_build *b, uint32_t age, enum graph_side side, uint32_t component,
                        graph_plane *plane)
{
    const assay_format *f = &b->pair->format;
    const enum sample_type type = format_is_float(f) ? SAMPLE_F32 : f->bit_depth > 8 ? SAMPLE_U16 : SAMPLE_U8;
    return graph_input_before(b->graph, age, side, component, type,
                              assay_format_plane_width(f, component), assay_format_plane_height(f, component), plane,
                              b->error);
}

int metric_plane(struct metric_build *b, enum graph_side side, uint32_t component, graph_plane *plane)
{
    return metric_plane_before(b, 0, side, component, plane);
}

int metric_luma(struct metric_build *b, enum graph_side side, graph_plane *plane)
{
    return metric_luma_before(b, 0, side, plane);
}

int metric_luma_before(struct metric_build *b, uint32_t age, enum graph_side side, graph_plane *plane)
{
    const struct metric_pair *pair = b->pair;
    if (!pair->rgb_to_luma)
        return metric_plane_before(b, age, side, 0, plane);
    graph_plane rgb[3];
    for (uint32_t c = 0; c < 3; c++)
        TRY(metric_plane_before(b, age, side, c, &rgb[c]));
    return rgb_luma_add(b->graph,
                        PASS(rgb_luma, .red = rgb[0], .green = rgb[1], .blue = rgb[2],
                             .weight_red = pair->rgb_weight[0], .weight_green = pair->rgb_weight[1],
                             .weight_blue = pair->rgb_weight[2], .offset = pair->rgb_offset),
                        plane, b->error);
}

int metric_plane_u32(struct metric_build *b, enum graph_side side, uint32_t component, graph_plane *plane)
{
    TRY(component ? metric_plane(b, side, component, plane) : metric_luma(b, side, plane));
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    if (p->type == SAMPLE_U32)
        return ASSAY_OK;
    return column_sums_add(b->graph, PASS_GRID(column_sums, p->width, p->height, .source = *plane, .n = 1,
                                               .before = 0), plane, b->error);
}

int metric_luma_f32(struct metric_build *b, enum graph_side side, float factor, graph_plane *plane)
{
    TRY(metric_plane_u32(b, side, 0, plane));
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    return row_means_add(b->graph, PASS_GRID(row_means, p->width, p->height, .sums = *plane, .n = 1, .before = 0,
                                             .factor = factor), plane, b->error);
}

float metric_sample_unit(const struct metric_build *b)
{
    return 1.0f / (float)(1u << (b->pair->format.bit_depth - 8));
}

const char *metric_component_name(const struct metric_pair *pair, uint32_t component)
{
    static const char *const yuv[] = {"y", "cb", "cr"}, *const rgb[] = {"r", "g", "b"};
    return (pair->format.layout == ASSAY_LAYOUT_RGB ? rgb : yuv)[component];
}

int metric_needs_luma(const struct metric_pair *pair, const char *name, struct assay_error *e)
{
    if (pair->has_luma)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE,
                      "%s is defined on luma and this is RGB: --matrix bt709|bt601 (and --range) ask for a conversion",
                      name);
}

int metric_needs_size(const struct metric_pair *pair, const char *name, uint32_t size, struct assay_error *e)
{
    if (pair->format.width >= size && pair->format.height >= size)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "%s needs at least %ux%u, this is %ux%u", name, size, size, pair->format.width,
                      pair->format.height);
}

double metric_join_limbs(const int64_t *limb, uint32_t limbs, uint32_t scale)
{
    /* A limb's total is below 2^20 * 2^32 pixels; four limbs joined stay below 2^(52 + 60) and fit 128 bits. */
    if (limbs > 4)
        return metric_join_limbs(limb, 3, scale) + metric_join_limbs(limb + 3, limbs - 3, scale + 3 * LIMB_BITS);
    assay_i128 sum = 0;
    for (uint32_t i = 0; i < limbs; i++)
        sum = sum * (1 << LIMB_BITS) + limb[i];
    return i128_to_double(sum) * assay_power_of_two(-(int)(scale + LIMB_BITS * (limbs - 1)));
}
