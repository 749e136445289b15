/* SPDX-License-Identifier: BSD-2-Clause */
/* Times in the place of numbers of frames: --first 12.5s. They become numbers before the command runs, so that scores
 * and reports are those of the numbers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "host/format.h"
#include "host/int128.h"
#include "run/differences.h"
#include "run/fields.h"

enum { LOOKED_AT = 64 }; /* pictures whose times are compared with those of an even rate */

/* Whether a setting is a time, of all encodes. Its nanoseconds. */
static bool is_time(const struct cli_setting *s, uint64_t *ns)
{
    return s->field->moment && !s->encode && option_time(s->text, ns);
}

bool moment_given(const struct cli *c, const char *field)
{
    bool given = false;
    for (uint32_t i = 0; i < c->settings; i++)
        given = given || (is_time(&c->setting[i], NULL) && (!field || !strcmp(c->setting[i].field->name, field)));
    return given;
}

/* The option with its value, in messages. In the front of libvmaf's command --frames is --frame-cnt. */
enum { SAID = 64 };
static const char *said(const struct cli *c, const struct cli_setting *s, char text[SAID])
{
    const struct field *f = s->field;
    snprintf(text, SAID, "--%s %s", c->q.libvmaf && !f->of_sides ? f->also[0] : f->option[s->side], s->text);
    return text;
}

/* "assay a.mkv b.mkv 2s" */
int moment_no_file(const char *text, struct assay_error *e)
{
    return !option_time(text, NULL) || !access(text, F_OK)
        ? ASSAY_OK
        : assay_fail(e, ASSAY_EUSAGE, "'%s' is no file: --frames %s scores so much of a video, --first %s begins "
                     "there, and --skip-ref %s or --skip-dis %s leaves out the start of one side", text, text, text,
                     text, text);
}

int moment_parse(const char *what, const char *text, uint64_t least, uint64_t *frames, struct assay_error *e)
{
    if (*text && !text[strspn(text, "0123456789")])
        return option_count(what, text, strlen(text), least, CLI_COUNTS, frames, e);
    return option_time(text, NULL)
        ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "%s takes a whole number of frames, or a time such as 12.5s, 1:30 or "
                                "0:01:30.5, not '%s'", what, text);
}

int moment_refuse(const struct cli *c, struct assay_error *e)
{
    char text[SAID];
    for (uint32_t i = 0; i < c->settings; i++)
        if (is_time(&c->setting[i], NULL))
            return assay_fail(e, ASSAY_EUSAGE, "%s: 'assay bdrate' takes a number of frames",
                              said(c, &c->setting[i], text));
    return ASSAY_OK;
}

int moment_check(const struct cli *c, struct assay_error *e)
{
    char text[SAID];
    for (const struct cli_setting *s = c->setting; s < c->setting + c->settings; s++) {
        const uint32_t first = s->side, last = first ? c->q.encodes : 0;
        for (uint32_t k = first; is_time(s, NULL) && k <= last; k++)
            if (!strcmp(request_input(&c->q, k), "-"))
                return assay_fail(e, ASSAY_EUSAGE, "%s: the frame rate of standard input is not known before it is "
                                  "read; give a number of frames", said(c, s, text));
    }
    return ASSAY_OK;
}

/* Sets *even to whether the times of the first pictures are less than half a picture from those of the rate. Pictures
 * that can't be read are left to the run. */
static int look_at_times(struct input *in, bool *even, struct assay_error *e)
{
    const assay_format *f = &in->format;
    const int64_t furthest = INT64_C(1) << 56;
    struct assay_error unused = {0};
    struct picture_info info;
    int64_t start = INPUT_NO_TIME;
    uint64_t first = 0;
    void *row = malloc(format_row_bytes(f, 0)); /* all rows of all planes go there */
    if (!row)
        return assay_fail_memory(e, "a row");
    const struct picture to = {.plane = {row, row, row, row}};
    for (uint64_t i = 0; i < LOOKED_AT && *even && input_read(in, &to, &info, &unused) == 1; i++) {
        if (info.pts == INPUT_NO_TIME || !in->time_den)
            continue;
        first = start == INPUT_NO_TIME ? i : first;
        start = start == INPUT_NO_TIME ? info.pts : start;
        const assay_i128 units = (assay_i128)info.pts - start, half = (assay_i128)f->rate_den * in->time_den;
        *even = units >= 0 && units < furthest;
        if (*even) {
            const assay_i128 apart = 2 * units * in->time_num * f->rate_num - 2 * (assay_i128)(i - first) * half;
            *even = apart < half && -apart < half;
        }
    }
    free(row);
    return ASSAY_OK;
}

/* In a container whose times are in milliseconds, rates are the nearest fractions: 19001/317 for 60000/1001. */
static void settle_rate(const struct input *in, uint32_t *num, uint32_t *den)
{
    *num = in->format.rate_num;
    *den = in->format.rate_den;
    const uint64_t whole = ((uint64_t)*num + *den / 2) / *den;
    if (in->time_num != 1 || in->time_den != 1000 || !whole || whole > 1000)
        return;
    for (uint32_t d = 1000; d <= 1001; d++)
        if (differences_same_rate(*num, *den, (uint32_t)whole * 1000, d)) {
            *num = (uint32_t)whole * 1000;
            *den = d;
            return;
        }
}

/* The frame rate by which the times of a file are meant. `what` is the option with its value. */
static int rate_of(const struct cli *c, unsigned side, const char *path, const char *what, uint32_t *num,
                   uint32_t *den, struct assay_error *e)
{
    struct input_options o;
    struct input *in;
    bool even = true;
    pair_options(&o, &c->q, side);
    o.path = path;
    TRY(input_open(&in, &o, e));
    int rc = ASSAY_OK;
    if (!in->format.rate_num || !in->format.rate_den)
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: the frame rate of %s is not known; give a number of frames", what,
                        in->name);
    else if (!in->uneven)
        rc = look_at_times(in, &even, e);
    if (!rc && (in->uneven || !even))
        rc = assay_fail(e, ASSAY_EUSAGE, "%s: the frames of %s are not evenly apart in time (variable frame rate); "
                        "give a number of frames", what, in->name);
    if (!rc)
        settle_rate(in, num, den);
    input_close(&in);
    return rc;
}

/* Makes the times by one input numbers: of the first frame that is shown at the time or later. */
static int resolve_by(struct cli *c, uint32_t input, struct assay_error *e)
{
    const char *path = request_input(&c->q, input);
    const unsigned side = input > 0;
    uint32_t num = 0, den = 0;
    char text[SAID];
    for (const struct cli_setting *s = c->setting; s < c->setting + c->settings; s++) {
        uint64_t ns;
        if (s->side != side || !is_time(s, &ns))
            continue;
        said(c, s, text);
        if (!den)
            TRY(rate_of(c, side, path, text, &num, &den, e));
        const assay_u128 unit = (assay_u128)den * UINT64_C(1000000000); /* ns in a second */
        const assay_u128 frames = ((assay_u128)ns * num + unit - 1) / unit;
        if (frames < s->field->least || frames > CLI_COUNTS)
            return assay_fail(e, ASSAY_EUSAGE, "%s is %s frames of %s", text, frames ? "too many" : "no", path);
        if (input > 1 && frames != field_get(s->field, &c->q, side))
            return assay_fail(e, ASSAY_EUSAGE, "%s is another frame of %s than of %s; give a number of frames", text,
                              path, c->q.encode[0]);
        field_put(s->field, &c->q, side, (uint64_t)frames);
    }
    return ASSAY_OK;
}

int moment_resolve(struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i <= c->q.encodes; i++)
        TRY(resolve_by(c, i, e));
    return ASSAY_OK;
}
