/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of assay image for programs: counts, JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/image/image.h"
#include "results/json_write.h"

const double *image_figure(const struct image_pair *p, const char *key)
{
    for (uint32_t i = 0; i < p->figures; i++)
        if (!strcmp(p->key[i], key))
            return &p->value[i];
    return NULL;
}

double image_bits_per_pixel(const struct image_pair *p, unsigned side)
{
    return p->whole[side] ? 8.0 * (double)p->bytes[side] / (double)p->whole[side] : 0;
}

/* ---- counts ---- */

const char *image_result(const struct cli *c, const struct image_pair *p)
{
    return p->code ? "error" : p->failed ? "FAIL" : c->gates ? "pass" : p->differs ? "differs" : "equal";
}

double image_least_psnr(const struct image_pair *p)
{
    const double *colour = image_figure(p, "psnr"), *alpha = image_figure(p, "alpha_psnr");
    const double a = colour ? *colour : INFINITY, b = alpha ? *alpha : INFINITY;
    return a < b ? a : b;
}

struct image_count image_count(const struct image_run *r)
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

/* ---- JSON ---- */

static void json_side(struct json *j, const struct image_pair *p, unsigned i, int precision)
{
    static const char *const names[2][6] = {
        {"reference", "reference_reader", "reference_colour", "reference_orientation", "reference_bytes",
         "reference_bits_per_pixel"},
        {"distorted", "distorted_reader", "distorted_colour", "distorted_orientation", "distorted_bytes",
         "distorted_bits_per_pixel"}};
    json_text(j, names[i][0], p->path[i]);
    if (p->code)
        return;
    json_text(j, names[i][1], p->reader[i]);
    json_text(j, names[i][2], p->colour[i]);
    json_count(j, names[i][3], p->orientation[i]);
    if (!p->bytes[i])
        return;
    json_count(j, names[i][4], p->bytes[i]);
    json_number(j, names[i][5], image_bits_per_pixel(p, i), precision);
}

static void json_pair(struct json *j, const struct image_run *r, const struct image_pair *p)
{
    const int precision = r->cli->precision == CLI_PRECISION_DEFAULT ? 6 : r->cli->precision;
    char format[32];
    json_object(j, NULL, JSON_LINES);
    json_text(j, "name", p->name);
    json_text(j, "result", image_result(r->cli, p));
    for (unsigned i = 0; i < 2; i++)
        json_side(j, p, i, precision);
    if (p->code) {
        json_text(j, "error", p->error);
        json_whole(j, "code", -p->code);
    } else {
        json_count(j, "width", p->format.width);
        json_count(j, "height", p->format.height);
        json_text(j, "format", input_format_name(&p->format, format));
        json_bool(j, "alpha", p->alpha);
        json_bool(j, "heatmap", p->drawn);
        json_object(j, "metrics", JSON_LINES | JSON_BLOCK);
        for (uint32_t i = 0; i < p->figures; i++)
            json_number(j, p->key[i], p->value[i], precision);
        json_end(j);
    }
    json_end(j);
}

static void json_names(struct json *j, const char *name, char *const *list, uint32_t n)
{
    json_list(j, name, JSON_ROW);
    for (uint32_t i = 0; i < n; i++)
        json_text(j, NULL, list[i]);
    json_end(j);
}

/* Images that are in no pair. */
static void json_alone(struct json *j, const struct image_run *r)
{
    json_object(j, "unpaired", JSON_LINES);
    json_names(j, "reference", r->only[0], r->alone[0]);
    json_names(j, "distorted", r->only[1], r->alone[1]);
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

static void json_summary(struct json *j, const struct image_run *r)
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

int image_json(const struct image_run *r, const char *path, struct assay_error *e)
{
    struct sink s;
    struct json j;
    TRY(sink_open(&s, path, e));
    json_document(&j, &s, assay_version());
    json_text(&j, "configuration", r->configuration ? r->configuration : "");
    for (unsigned side = 0; side < 2; side++) {
        char crop[48];
        crop_text(crop, sizeof crop, &r->cli->q.crop[side]);
        if (r->cli->q.crop[side].width)
            json_text(&j, side ? "distorted_crop" : "reference_crop", crop);
    }
    for (unsigned i = 0; i < 2 && r->cli->tolerances; i++)
        json_number(&j, i ? "rel_tolerance" : "abs_tolerance", r->cli->tolerance[i], REPORT_SHORTEST);
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
