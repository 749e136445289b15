/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/colour_words.h"

#include <string.h>

#include "host/text.h"

/* A word and the code points of H.273 that it stands for. A field of 0 leaves the format's own value. */
static const struct {
    const char *name;
    uint32_t matrix, transfer, primaries;
    assay_range range;
} words[] = {
    {"bt709", 1, 1, 1, 0},       {"bt601-525", 6, 6, 6, 0},    {"bt601-625", 5, 6, 5, 0},
    {"smpte240m", 7, 7, 7, 0},   {"bt2020", 9, 14, 9, 0},      {"bt2020-pq", 9, 16, 9, 0},
    {"bt2020-hlg", 9, 18, 9, 0}, {"srgb", 0, 13, 1, 0},        {"p3", 0, 13, 12, 0},
    {"linear", 0, 8, 0, 0},      {"limited", 0, 0, 0, ASSAY_RANGE_LIMITED}, {"full", 0, 0, 0, ASSAY_RANGE_FULL},
};
enum { WORDS = sizeof words / sizeof *words };

static int find(const char *text, size_t n)
{
    for (int i = 0; i < WORDS; i++)
        if (strlen(words[i].name) == n && !strncmp(words[i].name, text, n))
            return i;
    return -1;
}

int colour_words_check(const char *option, const char *text, struct assay_error *e)
{
    char known[200] = "";
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        if (find(at, n) < 0) {
            for (unsigned i = 0; i < WORDS; i++)
                text_append(known, sizeof known, "%s%s", i ? ", " : "", words[i].name);
            return assay_fail(e, ASSAY_EUSAGE, "%s takes one or more of %s, not '%.*s'", option, known, (int)n, at);
        }
        at += n;
        if (!*at)
            return ASSAY_OK;
    }
}

void colour_words_state(assay_format *f, const char *text)
{
    for (const char *at = text; at && *at; at += *at == ',') {
        const size_t n = strcspn(at, ",");
        const int i = find(at, n);
        if (words[i].matrix && f->layout != ASSAY_LAYOUT_RGB)
            f->matrix = words[i].matrix;
        f->transfer = words[i].transfer ? words[i].transfer : f->transfer;
        f->primaries = words[i].primaries ? words[i].primaries : f->primaries;
        f->range = words[i].range ? words[i].range : f->range;
        at += n;
    }
}
