/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/images.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "report/webp.h"
#include "results/json_write.h"

const double *image_figure(const struct image_pair *p, const char *key)
{
    for (uint32_t i = 0; i < p->figures; i++)
        if (!strcmp(p->key[i], key))
            return &p->value[i];
    return NULL;
}

bool image_figure_above(const struct image_pair *p, const char *key)
{
    const double *v = image_figure(p, key);
    return v && *v > 0.0;
}

/* The figures of alpha, and what they are of a picture without alpha: it is opaque, as the other side is. */
static const char alpha_figures[] = "alpha_mse alpha_psnr alpha_max_diff alpha_max_diff_at_x alpha_max_diff_at_y "
                                    "alpha_diff_pixels alpha_beyond_tolerance";
static const double opaque = 0, opaque_psnr = INFINITY;

/* The percentage is rounded once, so it equals a limit that is the same number. */
struct gate_result image_gate_judge(const struct image_pair *p, const struct gate *g)
{
    const double *figure = image_figure(p, g->key);
    if (!figure && !p->alpha && !p->code && text_word(alpha_figures, g->key) >= 0)
        figure = strcmp(g->key, "alpha_psnr") ? &opaque : &opaque_psnr;
    if (!figure)
        return (struct gate_result){GATE_ABSENT, .value = (double)NAN, .why = "this pair has no such figure"};
    const double v = g->of_pixels ? 100.0 * *figure / ((double)p->format.width * p->format.height) : *figure;
    return (struct gate_result){gate_passes(g, v) ? GATE_PASSED : GATE_FAILED, .value = v};
}

double image_bits_per_pixel(const struct image_pair *p, unsigned side)
{
    return p->whole[side] ? 8.0 * (double)p->bytes[side] / (double)p->whole[side] : 0;
}

const char *image_result(const struct images *r, const struct image_pair *p)
{
    return p->code ? "error" : p->failed ? "FAIL" : r->gates ? "pass" : p->differs ? "differs" : "equal";
}

const char *image_kind(char text[IMAGE_KIND], const struct image_pair *p)
{
    snprintf(text, IMAGE_KIND, "%ux%u %s%s", p->format.width, p->format.height, p->format_name,
             p->alpha ? " with alpha" : "");
    return text;
}

double image_least_psnr(const struct image_pair *p)
{
    const double *colour = image_figure(p, "psnr"), *alpha = image_figure(p, "alpha_psnr");
    const double a = colour ? *colour : INFINITY, b = alpha ? *alpha : INFINITY;
    return a < b ? a : b;
}

struct image_count image_count(const struct images *r)
{
    struct image_count n = {.unpaired = r->alone[0] + r->alone[1]};
    for (const struct image_pair *p = r->pair; p < r->pair + r->done; p++) {
        n.errors += p->code != 0;
        n.failed += p->failed;
        n.equal += !p->code && !p->differs;
        n.differ += p->differs;
        if (p->differs && (!n.worst || image_least_psnr(p) < n.psnr)) {
            n.worst = p;
            n.psnr = image_least_psnr(p);
        }
    }
    return n;
}

void image_counts_text(const struct images *r, char text[IMAGE_COUNTS])
{
    const struct image_count n = image_count(r);
    snprintf(text, IMAGE_COUNTS, "%u equal, %u differ, %u failed, %u error%s, %u unpaired, %u left out", n.equal,
             n.differ, n.failed, n.errors, n.errors == 1 ? "" : "s", n.unpaired, r->lefts);
}

void images_free(struct images *r)
{
    for (struct image_pair *p = r->pair; p < r->pair + r->pairs; p++) {
        for (unsigned i = 0; p->shown && i < IMAGE_VIEWS; i++)
            report_picture_free(&p->shown->view[i]);
        free(p->shown);
        free(p->name);
        free(p->path[0]);
        free(p->path[1]);
        free(p->error);
        free(p->notes);
        free(p->key);
        free(p->value);
    }
    free(r->pair);
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < r->alone[side]; i++)
            free(r->only[side][i]);
        free(r->only[side]);
    }
    for (uint32_t i = 0; i < r->lefts; i++)
        free(r->left[i].path);
    free(r->left);
    for (uint32_t i = 0; i < r->keys; i++)
        free(r->key[i]);
    free(r->configuration);
}

static int decimals(const struct images *r)
{
    return r->precision == REPORT_DEFAULT ? 6 : r->precision;
}

/* ---- CSV (RFC 4180), with a column for each figure that any pair has --------------------------------------------- */

static void csv_pair(struct sink *s, const struct images *r, const struct image_pair *p)
{
    sink_csv_text(s, p->name);
    for (unsigned side = 0; side < 2; side++) {
        sink_text(s, ",");
        sink_csv_text(s, p->path[side]);
    }
    sink_format(s, ",%s,", image_result(r, p));
    if (p->code)
        sink_text(s, ",,,");
    else
        sink_format(s, "%u,%u,%s,%d", p->format.width, p->format.height, p->format_name, (int)p->alpha);
    for (unsigned side = 0; side < 2; side++)
        if (p->code || !p->bytes[side]) {
            sink_text(s, ",,");
        } else {
            sink_format(s, ",%" PRIu64 ",", p->bytes[side]);
            sink_number(s, image_bits_per_pixel(p, side), decimals(r));
        }
    for (uint32_t i = 0; i < r->keys; i++) {
        const double *v = image_figure(p, r->key[i]);
        sink_text(s, ",");
        if (v)
            sink_number(s, *v, decimals(r));
    }
    sink_text(s, ",");
    sink_csv_text(s, p->error ? p->error : "");
    sink_text(s, "\n");
}

int images_csv(const struct images *r, const char *path, struct assay_error *e)
{
    struct sink s;
    TRY(sink_open(&s, path, e));
    sink_text(&s, "image,reference,distorted,result,width,height,format,alpha,reference_bytes,"
              "reference_bits_per_pixel,distorted_bytes,distorted_bits_per_pixel");
    for (uint32_t i = 0; i < r->keys; i++)
        sink_format(&s, ",%s", r->key[i]);
    sink_text(&s, ",error\n");
    for (uint32_t i = 0; i < r->done; i++)
        csv_pair(&s, r, &r->pair[i]);
    return sink_close(&s, e);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

#define SIDE(name) (i ? "distorted" name : "reference" name)

static void json_side(struct json *j, const struct images *r, const struct image_pair *p, unsigned i)
{
    json_text(j, SIDE(""), p->path[i]);
    if (p->code)
        return;
    json_text(j, SIDE("_reader"), p->reader[i]);
    json_text(j, SIDE("_colour"), p->colour[i]);
    json_count(j, SIDE("_orientation"), p->orientation[i]);
    if (!p->bytes[i])
        return;
    json_count(j, SIDE("_bytes"), p->bytes[i]);
    json_number(j, SIDE("_bits_per_pixel"), image_bits_per_pixel(p, i), decimals(r));
}

static void json_pair(struct json *j, const struct images *r, const struct image_pair *p)
{
    json_object(j, NULL, JSON_LINES);
    json_text(j, "name", p->name);
    json_text(j, "result", image_result(r, p));
    for (unsigned i = 0; i < 2; i++)
        json_side(j, r, p, i);
    if (p->code) {
        json_text(j, "error", p->error);
        json_whole(j, "code", -p->code);
    } else {
        json_count(j, "width", p->format.width);
        json_count(j, "height", p->format.height);
        json_text(j, "format", p->format_name);
        json_bool(j, "alpha", p->alpha);
        json_bool(j, "heatmap", p->drawn);
        json_text(j, "notes", p->notes);
        json_object(j, "metrics", JSON_LINES | JSON_BLOCK);
        for (uint32_t i = 0; i < p->figures; i++)
            json_number(j, p->key[i], p->value[i], decimals(r));
        json_end(j);
    }
    json_end(j);
}

/* Images that are in no pair. */
static void json_alone(struct json *j, const struct images *r)
{
    json_object(j, "unpaired", JSON_LINES);
    for (unsigned side = 0; side < 2; side++) {
        json_list(j, side ? "distorted" : "reference", JSON_ROW);
        for (uint32_t i = 0; i < r->alone[side]; i++)
            json_text(j, NULL, r->only[side][i]);
        json_end(j);
    }
    json_end(j);
    json_list(j, "left_out", JSON_LINES);
    for (uint32_t i = 0; i < r->lefts; i++) {
        json_object(j, NULL, JSON_ROW);
        json_text(j, "path", r->left[i].path);
        json_text(j, "why", r->left[i].why);
        json_end(j);
    }
    json_end(j);
}

static void json_summary(struct json *j, const struct images *r)
{
    const struct image_count n = image_count(r);
    json_bool(j, "incomplete", r->reason != NULL);
    json_text(j, "reason", r->reason);
    json_object(j, "summary", JSON_LINES);
    json_count(j, "pairs", r->done);
    json_count(j, "equal", n.equal);
    json_count(j, "differ", n.differ);
    json_count(j, "failed", n.failed);
    json_count(j, "errors", n.errors);
    json_count(j, "unpaired", n.unpaired);
    json_count(j, "left_out", r->lefts);
    json_text(j, "worst", n.worst ? n.worst->name : NULL);
    json_end(j);
}

int images_json(const struct images *r, const char *path, struct assay_error *e)
{
    struct sink s;
    struct json j;
    TRY(sink_open(&s, path, e));
    json_document(&j, &s, assay_version());
    json_text(&j, "configuration", r->configuration ? r->configuration : "");
    for (unsigned side = 0; side < 2; side++)
        if (r->crop[side][0])
            json_text(&j, side ? "distorted_crop" : "reference_crop", r->crop[side]);
    for (unsigned i = 0; i < 2 && r->tolerance; i++)
        json_number(&j, i ? "rel_tolerance" : "abs_tolerance", r->tolerance[i], REPORT_SHORTEST);
    json_text(&j, "backend", r->backend);
    json_text(&j, "device", r->device);
    json_text(&j, "driver", r->driver);
    json_alone(&j, r);
    json_summary(&j, r);
    json_list(&j, "pairs", JSON_LINES | JSON_BLOCK);
    for (uint32_t i = 0; i < r->done; i++)
        json_pair(&j, r, &r->pair[i]);
    json_end(&j);
    json_end(&j);
    return sink_close(&s, e);
}
