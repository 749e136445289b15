/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of assay image for programs: counts, JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/image.h"
#include "results/sink.h"

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

static void json_pair(struct sink *s, const struct image_run *r, const struct image_pair *p)
{
    static const char *const side[2] = {"reference", "distorted"};
    const int precision = r->cli->precision == CLI_PRECISION_DEFAULT ? 6 : r->cli->precision;
    char format[32], name[32];
    sink_json_member(s, "    {\n      ", "name", p->name);
    sink_json_member(s, ",\n      ", "result", image_result(r->cli, p));
    for (unsigned i = 0; i < 2; i++) {
        sink_json_member(s, ",\n      ", side[i], p->path[i]);
        if (p->code)
            continue;
        snprintf(name, sizeof name, "%s_reader", side[i]);
        sink_json_member(s, ",\n      ", name, p->reader[i]);
        snprintf(name, sizeof name, "%s_colour", side[i]);
        sink_json_member(s, ",\n      ", name, p->colour[i]);
        sink_format(s, ",\n      \"%s_orientation\": %u", side[i], p->orientation[i]);
        if (!p->bytes[i])
            continue;
        sink_format(s, ",\n      \"%s_bytes\": %" PRIu64 ",\n      \"%s_bits_per_pixel\": ", side[i], p->bytes[i],
                    side[i]);
        sink_json_number(s, image_bits_per_pixel(p, i), precision);
    }
    if (p->code) {
        sink_json_member(s, ",\n      ", "error", p->error);
        sink_format(s, ",\n      \"code\": %d\n    }", -p->code);
        return;
    }
    sink_format(s, ",\n      \"width\": %u,\n      \"height\": %u", p->format.width, p->format.height);
    sink_json_member(s, ",\n      ", "format", input_format_name(&p->format, format));
    sink_format(s, ",\n      \"alpha\": %s,\n      \"heatmap\": %s,\n      \"metrics\": {", p->alpha ? "true" : "false",
                p->drawn ? "true" : "false");
    for (uint32_t i = 0; i < p->figures; i++) {
        sink_format(s, "%s\n        \"%s\": ", i ? "," : "", p->key[i]);
        sink_json_number(s, p->value[i], precision);
    }
    sink_text(s, "\n      }\n    }");
}

static void json_names(struct sink *s, const char *name, char *const *list, uint32_t n)
{
    sink_format(s, "    \"%s\": [", name);
    for (uint32_t i = 0; i < n; i++) {
        sink_text(s, i ? ", " : "");
        sink_json_string(s, list[i]);
    }
    sink_text(s, "]");
}

static void json_left_out(struct sink *s, const struct image_run *r)
{
    sink_text(s, ",\n  \"left_out\": [");
    for (uint32_t i = 0; i < r->lefts; i++) {
        sink_json_member(s, i ? ",\n    {" : "\n    {", "path", r->left[i].path);
        sink_json_member(s, ", ", "why", r->left[i].why);
        sink_text(s, "}");
    }
    sink_text(s, r->lefts ? "\n  ]" : "]");
}

static void json_summary(struct sink *s, const struct image_run *r)
{
    const struct image_count n = image_count(r);
    sink_format(s, ",\n  \"incomplete\": %s", r->reason ? "true" : "false");
    sink_json_member(s, ",\n  ", "reason", r->reason);
    sink_format(s, ",\n  \"summary\": {\n    \"pairs\": %u,\n    \"equal\": %u,\n    \"differ\": %u,\n"
                "    \"failed\": %u,\n    \"errors\": %u,\n    \"unpaired\": %u,\n    \"left_out\": %u",
                r->done, n.equal, n.differ, n.failed, n.errors, n.unpaired, r->lefts);
    sink_json_member(s, ",\n    ", "worst", n.worst ? n.worst->name : NULL);
    sink_text(s, "\n  }");
}

int image_json(const struct image_run *r, const char *path, struct assay_error *e)
{
    struct sink s;
    const int rc = sink_open(&s, path, e);
    if (rc)
        return rc;
    sink_format(&s, "{\n  \"version\": \"assay %s\"", assay_version());
    sink_json_member(&s, ",\n  ", "configuration", r->configuration ? r->configuration : "");
    for (unsigned side = 0; side < 2; side++) {
        char crop[48];
        crop_text(crop, sizeof crop, &r->cli->q.crop[side]);
        if (r->cli->q.crop[side].width)
            sink_json_member(&s, ",\n  ", side ? "distorted_crop" : "reference_crop", crop);
    }
    for (unsigned i = 0; i < 2 && r->cli->tolerances; i++) {
        sink_format(&s, ",\n  \"%s_tolerance\": ", i ? "rel" : "abs");
        sink_json_number(&s, r->cli->tolerance[i], REPORT_SHORTEST);
    }
    sink_json_member(&s, ",\n  ", "backend", r->backend);
    sink_json_member(&s, ",\n  ", "device", r->device);
    sink_json_member(&s, ",\n  ", "driver", r->driver);
    sink_text(&s, ",\n  \"unpaired\": {\n");
    json_names(&s, "reference", r->only[0], r->alone[0]);
    sink_text(&s, ",\n");
    json_names(&s, "distorted", r->only[1], r->alone[1]);
    sink_text(&s, "\n  }");
    json_left_out(&s, r);
    json_summary(&s, r);
    sink_text(&s, ",\n  \"pairs\": [\n");
    for (uint32_t i = 0; i < r->done; i++) {
        json_pair(&s, r, &r->pair[i]);
        sink_text(&s, i + 1 < r->done ? ",\n" : "\n");
    }
    sink_text(&s, "  ]\n}\n");
    return sink_close(&s, e);
}
