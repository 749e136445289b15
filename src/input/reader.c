/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the readers share: names and texts in messages, failures, ratios. planar.c has those for planes. */
#include "input/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"

void input_shown_name(char *out, size_t size, const char *path)
{
    text_end(out, size, strcmp(path, "-") ? path : "stdin");
}

int input_fail_at(const struct input *in, uint64_t frame, struct assay_error *e, const char *format, ...)
{
    char reason[sizeof e->text];
    TEXT_GIVEN(reason, sizeof reason, format);
    return assay_fail(e, ASSAY_EINPUT, "%s: frame %" PRIu64 ": %s", in->name, frame, reason);
}

int input_fail_short(const struct input *in, uint64_t frame, int error, uint64_t got, uint64_t wanted,
                     struct assay_error *e)
{
    return error ? input_fail_at(in, frame, e, "can't be read: %s", strerror(error))
                 : input_fail_at(in, frame, e, "truncated after %" PRIu64 " of %" PRIu64 " bytes", got, wanted);
}

int input_note_damage(struct input *in, struct assay_error *e)
{
    enum { NUMBER = 24 }; /* bytes of ", " or "-", a number of 64 bits and the end */
    struct input_damage *d = &in->damage;
    const size_t used = d->text ? strlen(d->text) : 0;
    const bool goes_on = d->pictures && d->last + 1 == in->index;
    char *text = realloc(d->text, used + NUMBER);
    if (!text)
        return assay_fail_memory(e, "the list of damaged pictures");
    d->text = text;
    if (!goes_on)
        d->range = used + (size_t)snprintf(text + used, NUMBER, "%s%" PRIu64, used ? ", " : "", in->index);
    else
        snprintf(text + d->range, used + NUMBER - d->range, "-%" PRIu64, in->index);
    d->last = in->index;
    d->pictures++;
    return ASSAY_OK;
}

void ratio_reduce(uint32_t *num, uint32_t *den)
{
    const bool known = *num && *den;
    uint32_t a = *num, b = *den;
    for (uint32_t r; b; b = r) {
        r = a % b;
        a = b;
    }
    *num = known ? *num / a : 0;
    *den = known ? *den / a : 0;
}

const char *input_unknown(const struct input_options *options)
{
    return options->image ? " (PNG, JPEG, WebP, AVIF, JPEG XL, TIFF, OpenEXR, PFM, ...)"
                          : "; give -w, -h, -p and -b if it is raw YUV";
}

const char *input_format_name(const assay_format *format, char *text)
{
    enum { TEXT = 32 };
    static const char *const yuv[] = {[ASSAY_LAYOUT_420] = "yuv420p", [ASSAY_LAYOUT_422] = "yuv422p",
                                      [ASSAY_LAYOUT_444] = "yuv444p", [ASSAY_LAYOUT_411] = "yuv411p"};
    const uint32_t bits = format->bit_depth;
    const char *const kind = bits > 16 ? "f" : "";
    if (format->layout == ASSAY_LAYOUT_400)
        snprintf(text, TEXT, "gray%s%" PRIu32, kind, bits);
    else if (format->layout == ASSAY_LAYOUT_RGB)
        snprintf(text, TEXT, "rgb%s%" PRIu32, kind, bits > 16 ? bits : 3 * bits);
    else if (format->layout >= sizeof yuv / sizeof yuv[0] || !yuv[format->layout])
        snprintf(text, TEXT, "unknown");
    else
        snprintf(text, TEXT, bits == 8 ? "%s" : "%s%" PRIu32, yuv[format->layout], bits);
    return text;
}
