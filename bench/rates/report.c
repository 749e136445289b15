/* SPDX-License-Identifier: BSD-2-Clause */
/* What assay_rates writes: its table, its record for programs, and the comparison of two records. */
#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "rates.h"
#include "host/json.h"
#include "host/numbers.h"
#include "input/input.h"
#include "results/file.h"
#include "report/report.h"
#include "results/json_write.h"

enum { METRIC_COLUMN = 24 };

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void number(FILE *out, int width, double v, int decimals, bool known)
{
    char text[NUMBER_TEXT_SIZE] = "-";
    if (known)
        format_fixed(text, v, decimals);
    /* format_fixed keeps more digits of tiny values; a column has no room for them */
    char *point = strchr(text, '.');
    if (point && strlen(point) > (size_t)decimals + 1)
        point[decimals + 1] = 0;
    fprintf(out, " %*s", width, text);
}

static void shape(char *text, size_t size, const assay_format *f)
{
    char format[32];
    snprintf(text, size, "%ux%u %s", f->width, f->height, input_format_name(f, format));
}

static bool same_format(const assay_format *a, const assay_format *b)
{
    return a->width == b->width && a->height == b->height && a->layout == b->layout && a->bit_depth == b->bit_depth;
}

void rates_print_head(const struct rates_machine *m, const struct rates_result *first, FILE *out)
{
    fprintf(out, "assay %s, %s: %s%s%s; %u different frame pairs in memory, up to %u on the device at once\n",
            assay_version(), m->backend, m->device, m->driver[0] ? ", " : "", m->driver, first->pairs,
            first->in_flight);
}

void rates_print(const struct rates_result *r, const struct rates_result *before, FILE *out)
{
    const bool clock = r->passes >= 0.0, copies = r->copy_rate > 0.0, uploads = clock && r->upload > 0.0;
    char format[64];
    if (!before || !same_format(&before->format, &r->format)) {
        shape(format, sizeof format, &r->format);
        fprintf(out, "\n%-*s %9s %8s %8s %8s %8s %15s %6s %5s %6s %5s %7s\n", METRIC_COLUMN, format, "pairs/s",
                "ms/pair", "upload", "passes", "idle", "alone", "kernels", "host", "GB/s", "link", "memory");
    }
    fprintf(out, "%-*s", METRIC_COLUMN, r->metrics);
    number(out, 9, r->rate, 1, true);
    number(out, 8, 1e3 / r->rate, 3, true);
    number(out, 8, r->upload, 3, uploads);
    number(out, 8, r->passes, 3, clock);
    number(out, 8, r->idle, 3, clock);
    number(out, 7, r->upload_alone, 3, uploads);
    number(out, 7, r->passes_alone, 3, clock);
    number(out, 6, r->dispatches, 0, true);
    number(out, 4, 100.0 * rates_submit_share(r), 0, true);
    fputs("%", out);
    number(out, 6, 1e-9 * r->rate * (double)r->upload_bytes, 1, true);
    number(out, 4, 100.0 * rates_link_share(r), 0, copies);
    fputs(copies ? "%" : " ", out);
    number(out, 7, r->passes > 0.0 ? 1e-6 * (double)r->pass_bytes / r->passes : 0.0, 1, clock);
    fputs("\n", out);
}

/* ---- the record -------------------------------------------------------------------------------------------------- */

static void field(struct json *j, const char *name, double v)
{
    json_number(j, name, v, REPORT_SHORTEST);
}

/* Milliseconds that were not measured are null. */
static void time_field(struct json *j, const char *name, double v)
{
    field(j, name, v >= 0.0 ? v : (double)NAN);
}

static void write_times(struct json *j, const struct rates_result *r)
{
    time_field(j, "upload_ms", r->upload);
    time_field(j, "passes_ms", r->passes);
    time_field(j, "idle_ms", r->idle);
    json_break(j);
    time_field(j, "upload_alone_ms", r->upload_alone);
    time_field(j, "passes_alone_ms", r->passes_alone);
    field(j, "latency_ms", r->latency);
    json_break(j);
    field(j, "dispatches", r->dispatches);
    field(j, "submissions", r->submissions);
    field(j, "submit_ms", r->submit);
    field(j, "submit_share", rates_submit_share(r));
    json_break(j);
}

static void write_result(struct json *j, const struct rates_result *r)
{
    char format[32];
    json_object(j, NULL, JSON_ROW);
    json_text(j, "metrics", r->metrics);
    json_count(j, "width", r->format.width);
    json_count(j, "height", r->format.height);
    json_text(j, "format", input_format_name(&r->format, format));
    json_break(j);
    field(j, "pairs_per_second", r->rate);
    field(j, "slowest_round", r->slowest);
    field(j, "fastest_round", r->fastest);
    json_count(j, "frames", r->frames);
    json_break(j);
    json_count(j, "different_pairs", r->pairs);
    json_count(j, "in_flight", r->in_flight);
    json_break(j);
    write_times(j, r);
    json_count(j, "upload_bytes", r->upload_bytes);
    json_count(j, "pass_bytes", r->pass_bytes);
    json_break(j);
    field(j, "upload_gb_per_second", 1e-9 * r->rate * (double)r->upload_bytes);
    field(j, "copy_gb_per_second", 1e-9 * r->copy_rate);
    field(j, "copy_share", rates_link_share(r));
    field(j, "device_copy_gb_per_second", 1e-9 * r->device_rate);
    json_break(j);
    json_bool(j, "equal_to_cpu", true); /* rates_measure fails otherwise */
    json_end(j);
}

int rates_write(const char *path, const struct rates_machine *m, const struct rates_result *r, unsigned n,
                struct assay_error *e)
{
    struct sink s;
    struct json j = {.sink = &s};
    TRY(sink_open(&s, path, e));
    json_object(&j, NULL, JSON_LINES);
    json_count(&j, "assay_bench", 1);
    json_text(&j, "version", assay_version());
    json_text(&j, "backend", m->backend);
    json_text(&j, "device", m->device);
    json_text(&j, "driver", m->driver);
    json_count(&j, "threads", m->threads);
    json_list(&j, "results", JSON_LINES);
    for (unsigned i = 0; i < n; i++)
        write_result(&j, &r[i]);
    json_end(&j);
    json_end(&j);
    return sink_close(&s, e);
}

/* ---- two records ------------------------------------------------------------------------------------------------- */

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && item->valuedouble >= 0.0 ? item->valuedouble : -1.0;
}

/* The list of results of a record. Fails unless all members that a comparison reads are there. */
static const cJSON *results_of(const cJSON *root, const char *path, struct assay_error *e)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "results"), *item;
    bool good = number_of(root, "assay_bench") == 1.0 && string_of(root, "backend") && string_of(root, "device") &&
                string_of(root, "version") && cJSON_IsArray(list);
    cJSON_ArrayForEach(item, list)
        good = good && string_of(item, "metrics") && string_of(item, "format") && number_of(item, "width") > 0.0 &&
               number_of(item, "height") > 0.0 && number_of(item, "pairs_per_second") > 0.0;
    if (!good)
        assay_fail(e, ASSAY_EINPUT, "%s: no record that assay_rates --json wrote", path);
    return good ? list : NULL;
}

static const cJSON *find(const cJSON *list, const cJSON *like)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (!strcmp(string_of(item, "metrics"), string_of(like, "metrics")) &&
                                       !strcmp(string_of(item, "format"), string_of(like, "format")) &&
                                       number_of(item, "width") == number_of(like, "width") &&
                                       number_of(item, "height") == number_of(like, "height")) return item;
    return NULL;
}

/* results_of has checked that the strings are there. */
static void print_machine(const cJSON *root, char name, FILE *out)
{
    const char *const version = string_of(root, "version"), *const backend = string_of(root, "backend");
    const char *const device = string_of(root, "device");
    if (version && backend && device)
        fprintf(out, "%c: assay %s, %s: %s\n", name, version, backend, device);
}

static void print_ratio(FILE *out, double a, double b)
{
    number(out, 8, a > 0.0 ? b / a : 0.0, 2, a > 0.0 && b > 0.0);
}

static unsigned print_pairs(const cJSON *a, const cJSON *b, FILE *out)
{
    unsigned common = 0;
    const cJSON *x;
    cJSON_ArrayForEach(x, a) {
        const cJSON *y = find(b, x);
        char width[NUMBER_TEXT_SIZE], height[NUMBER_TEXT_SIZE];
        if (!y)
            continue;
        if (!common++)
            fprintf(out, "\n%-*s %-22s %10s %10s %8s %8s\n", METRIC_COLUMN, "metrics", "format", "A pairs/s",
                    "B pairs/s", "B / A", "passes");
        format_fixed(width, number_of(x, "width"), 0);
        format_fixed(height, number_of(x, "height"), 0);
        char format[96];
        snprintf(format, sizeof format, "%.12sx%.12s %.40s", width, height, string_of(x, "format"));
        fprintf(out, "%-*s %-22s", METRIC_COLUMN, string_of(x, "metrics"), format);
        number(out, 10, number_of(x, "pairs_per_second"), 1, true);
        number(out, 10, number_of(y, "pairs_per_second"), 1, true);
        print_ratio(out, number_of(x, "pairs_per_second"), number_of(y, "pairs_per_second"));
        print_ratio(out, number_of(y, "passes_ms"), number_of(x, "passes_ms"));
        fputs("\n", out);
    }
    return common;
}

int rates_compare(const char *a, const char *b, FILE *out, struct assay_error *e)
{
    const char *const path[2] = {a, b};
    const cJSON *list[2] = {NULL, NULL};
    cJSON *root[2] = {NULL, NULL};
    int rc = ASSAY_OK;
    for (unsigned i = 0; !rc && i < 2; i++) {
        size_t size;
        char *data = file_read(path[i], &size, e);
        root[i] = data && !json_bounded(path[i], data, size, e) ? cJSON_ParseWithLength(data, size) : NULL;
        free(data);
        list[i] = e->code ? NULL : results_of(root[i], path[i], e);
        rc = e->code;
        if (!rc)
            print_machine(root[i], "AB"[i], out);
    }
    if (!rc && !print_pairs(list[0], list[1], out))
        rc = assay_fail(e, ASSAY_EMISMATCH, "the two records have no metrics and format in common");
    else if (!rc)
        fputs("\nB / A: how many times as many pairs a second; passes: how many times as fast on the device.\n", out);
    cJSON_Delete(root[0]);
    cJSON_Delete(root[1]);
    return rc;
}
