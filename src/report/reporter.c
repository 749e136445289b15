/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/reporter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct report_pool report_common_pools[REPORT_COMMON_POOLS] = {
    {"min", POOL_MIN, 0},
    {"max", POOL_MAX, 0},
    {"mean", POOL_MEAN, 0},
    {"harmonic_mean", POOL_HARMONIC_MEAN, 0},
};

const struct report_pool report_extra_pools[REPORT_EXTRA_POOLS] = {
    {"perc1", POOL_PERC, 1},    {"perc5", POOL_PERC, 5},   {"perc10", POOL_PERC, 10}, {"perc20", POOL_PERC, 20},
    {"median", POOL_PERC, 50},  {"perc95", POOL_PERC, 95}, {"perc99", POOL_PERC, 99}, {"stddev", POOL_STDDEV, 0},
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

bool report_key_valid(const char *key)
{
    return strspn(key, LETTERS) > 0 && key[strspn(key, LETTERS "0123456789.-")] == '\0';
}

/* The frame rate, `end`, and blanks up to a fixed width: the text always replaces itself. */
enum { FPS_WIDTH = 24 };

/* A run too short to be timed has no rate either. */
static int format_fps(char *text, double fps)
{
    return format_fixed(text, fps > 0 && isfinite(fps) ? fps : 0, 2);
}

static void fps_text(char text[NUMBER_TEXT_SIZE + FPS_WIDTH], double fps, const char *end)
{
    int n = format_fps(text, fps);
    strcpy(text + n, end);
    for (n += (int)strlen(end); n < FPS_WIDTH; n++)
        text[n] = ' ';
    text[n] = '\0';
}

void reporter_put_fps(struct reporter *r, double fps, const char *end)
{
    char text[NUMBER_TEXT_SIZE + FPS_WIDTH];
    struct stat file;
    if (fps < 0 && r->sink.is_ours && fstat(fileno(r->sink.file), &file) == 0 && S_ISREG(file.st_mode)) {
        r->fps_at = ftello(r->sink.file);
        r->fps_end = end;
        fps_text(text, 0, end);
        sink_text(&r->sink, text);
    } else {
        format_fps(text, fps);
        sink_text(&r->sink, text);
        sink_text(&r->sink, end);
    }
}

/* The place lies inside a part that was written before, so neither its size nor the disk's room changes. */
static void fill_in_fps(struct reporter *r, double fps)
{
    char text[NUMBER_TEXT_SIZE + FPS_WIDTH];
    fps_text(text, fps, r->fps_end);
    if (r->fps_at > 0 && strlen(text) == FPS_WIDTH && r->sink.error == 0 &&
        pwrite(fileno(r->sink.file), text, FPS_WIDTH, r->fps_at) != FPS_WIDTH)
        r->sink.error = EIO;
}

int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct report_run *run, uint32_t keys, const char *const *key, struct assay_error *e)
{
    static const struct report_form *const forms[] = {
        [REPORT_JSON] = &report_form_json,
        [REPORT_XML] = &report_form_xml,
        [REPORT_CSV] = &report_form_csv,
        [REPORT_SUB] = &report_form_sub,
    };
    *out = NULL;
    for (uint32_t i = 0; i < keys; i++)
        if (!report_key_valid(key[i]))
            return assay_fail(e, ASSAY_EINTERNAL, "'%s' can't be the name of a score in a report", key[i]);
    struct reporter *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(e, "a report");
    *r = (struct reporter){.form = forms[kind], .precision = precision, .keys = keys, .key = key};
    int result = sink_open(&r->sink, path, e);
    if (result) {
        free(r);
        return result;
    }
    r->form->head(r, run);
    result = sink_flush(&r->sink, e);
    if (result)
        reporter_abandon(&r);
    *out = r;
    return result;
}

int reporter_frame(struct reporter *r, uint64_t frame, const double *values, struct assay_error *e)
{
    r->form->frame(r, frame, values);
    r->frames++;
    return sink_flush(&r->sink, e);
}

int reporter_finish(struct reporter **r, const struct scores *s, const struct report_run *run, struct assay_error *e)
{
    (*r)->form->tail(*r, s, run);
    int result = sink_flush(&(*r)->sink, e);
    if (!result && (*r)->fps_at > 0 && run->fps > 0)
        fill_in_fps(*r, run->fps);
    result = sink_close(&(*r)->sink, e);
    free(*r);
    *r = NULL;
    return result;
}

void reporter_abandon(struct reporter **r)
{
    if (!*r)
        return;
    sink_close(&(*r)->sink, NULL);
    free(*r);
    *r = NULL;
}
