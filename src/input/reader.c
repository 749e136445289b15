/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the readers share: names and texts in messages, failures, ratios. planar.c has those for planes. */
#include "input/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"

void input_shown_name(char *out, size_t size, const char *path)
{
    if (strcmp(path, "-") == 0) {
        snprintf(out, size, "stdin");
        return;
    }
    const size_t n = strlen(path);
    if (n < size) {
        memcpy(out, path, n + 1);
    } else {
        const char *tail = path + n - (size - 4);
        while ((*tail & 0xc0) == 0x80) /* not in the middle of a UTF-8 character */
            tail++;
        snprintf(out, size, "...%s", tail);
    }
    text_plain(out);
}

int input_fail_at(const struct input *in, uint64_t frame, struct assay_error *e, const char *format, ...)
{
    char reason[sizeof e->text];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return assay_fail(e, ASSAY_EINPUT, "%s: frame %" PRIu64 ": %s", in->name, frame, reason);
}

int input_fail_short(const struct input *in, uint64_t frame, int error, uint64_t got, uint64_t wanted,
                     struct assay_error *e)
{
    if (error)
        return input_fail_at(in, frame, e, "can't be read: %s", strerror(error));
    return input_fail_at(in, frame, e, "truncated after %" PRIu64 " of %" PRIu64 " bytes", got, wanted);
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
    uint32_t a = *num, b = *den;
    if (a == 0 || b == 0) {
        *num = *den = 0;
        return;
    }
    while (b != 0) {
        const uint32_t r = a % b;
        a = b;
        b = r;
    }
    *num /= a;
    *den /= a;
}

const char *input_unknown(const struct input_options *options)
{
    return options->image ? " (PNG, JPEG, WebP, AVIF, JPEG XL, TIFF, OpenEXR, PFM, ...)"
                          : "; give -w, -h, -p and -b if it is raw YUV";
}

const char *input_format_name(const assay_format *format, char *text)
{
    enum { TEXT = 32 };
    const char *yuv = NULL;
    switch (format->layout) {
    case ASSAY_LAYOUT_400:
        snprintf(text, TEXT, format->bit_depth > 16 ? "grayf%" PRIu32 : "gray%" PRIu32, format->bit_depth);
        return text;
    case ASSAY_LAYOUT_RGB:
        if (format->bit_depth > 16) {
            snprintf(text, TEXT, "rgbf%" PRIu32, format->bit_depth);
            return text;
        }
        snprintf(text, TEXT, "rgb%" PRIu64, (uint64_t)3 * format->bit_depth);
        return text;
    case ASSAY_LAYOUT_420:
        yuv = "yuv420p";
        break;
    case ASSAY_LAYOUT_422:
        yuv = "yuv422p";
        break;
    case ASSAY_LAYOUT_444:
        yuv = "yuv444p";
        break;
    case ASSAY_LAYOUT_411:
        yuv = "yuv411p";
        break;
    case ASSAY_LAYOUT_UNKNOWN:
        break;
    }
    if (!yuv)
        snprintf(text, TEXT, "unknown");
    else if (format->bit_depth == 8)
        snprintf(text, TEXT, "%s", yuv);
    else
        snprintf(text, TEXT, "%s%" PRIu32, yuv, format->bit_depth);
    return text;
}
