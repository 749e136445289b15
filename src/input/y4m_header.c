/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of Y4M: tags of a letter and a value, separated by spaces. Unknown letters and
 * unknown X tags are passed over. */
#include "input/y4m_header.h"

#include <string.h>

#include "host/numbers.h"
#include "host/text.h"
#include "input/reader.h"

struct text {
    const unsigned char *at;
    size_t n;
};

/* The values of the tags as text, not checked yet. A text at NULL was not given. */
struct tags {
    struct text width, height, rate, aspect, interlace, chroma; /* W H F A I C */
    struct text chroma_extra, range;                            /* XYSCSS= XCOLORRANGE= */
};

static bool y4m_is(struct text t, const char *word)
{
    return t.n == strlen(word) && memcmp(t.at, word, t.n) == 0;
}

static int y4m_refuse(const char *name, const char *what, struct text value, const char *rule, struct assay_error *e)
{
    char shown[48];
    text_for_message(shown, sizeof shown, value.at, value.n);
    return assay_fail(e, ASSAY_EINPUT, "%s: Y4M header: %s '%s' %s", name, what, shown, rule);
}

/* Decimal digits and nothing else. False when there are none or the number needs more than 32 bits. */
static bool y4m_parse_number(struct text t, uint32_t *v)
{
    uint64_t whole;
    if (!parse_whole((const char *)t.at, t.n, UINT32_MAX, &whole))
        return false;
    *v = (uint32_t)whole;
    return true;
}

static bool y4m_parse_ratio(struct text t, uint32_t *num, uint32_t *den)
{
    const unsigned char *colon = memchr(t.at, ':', t.n);
    if (!colon)
        return false;
    const size_t left = (size_t)(colon - t.at);
    if (!y4m_parse_number((struct text) { t.at, left }, num) ||
        !y4m_parse_number((struct text) { colon + 1, t.n - left - 1 }, den))
        return false;
    ratio_reduce(num, den);
    return true;
}

/* Where the value of a known tag goes. *t becomes the value. NULL: the tag is not known. */
static struct text *y4m_known_tag(struct tags *tags, struct text *t)
{
    static const char *const names[] = {"W", "H", "F", "A", "I", "C", "XYSCSS=", "XCOLORRANGE="};
    struct text *const tag[] = {&tags->width, &tags->height, &tags->rate, &tags->aspect, &tags->interlace,
                                &tags->chroma, &tags->chroma_extra, &tags->range};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t n = strlen(names[i]);
        if (t->n >= n && memcmp(t->at, names[i], n) == 0) {
            *t = (struct text) { t->at + n, t->n - n };
            return tag[i];
        }
    }
    return NULL;
}

static int y4m_split(struct tags *tags, struct text line, const char *name, struct assay_error *e)
{
    for (size_t i = 0, end; i < line.n; i = end + 1) {
        for (end = i; end < line.n && line.at[end] != ' '; end++)
            ;
        if (end == i)
            continue;
        const struct text whole = { line.at + i, end - i };
        struct text value = whole, *tag = y4m_known_tag(tags, &value);
        if (tag && tag->at)
            return y4m_refuse(name, "tag", whole, "repeats an earlier one", e);
        if (tag)
            *tag = value;
    }
    return ASSAY_OK;
}

static int y4m_parse_side(struct text t, uint32_t *side, const char *what, const char *name, struct assay_error *e)
{
    if (!t.at)
        return assay_fail(e, ASSAY_EINPUT, "%s: Y4M header: the %s is missing", name, what);
    if (!y4m_parse_number(t, side) || *side < 1 || *side > FORMAT_MAX_SIDE)
        return y4m_refuse(name, what, t, "is not 1 to 65535", e);
    return ASSAY_OK;
}

struct chroma {
    const char *word;
    assay_layout layout;
    assay_chroma_location location;
    bool deep; /* a depth of 9 to 16 may follow the word */
    bool alpha;
};

static const struct chroma chromas[] = {
    { "420jpeg", ASSAY_LAYOUT_420, ASSAY_CHROMA_CENTER, false, false },
    { "420mpeg2", ASSAY_LAYOUT_420, ASSAY_CHROMA_LEFT, false, false },
    { "420paldv", ASSAY_LAYOUT_420, ASSAY_CHROMA_TOP_LEFT, false, false },
    { "420", ASSAY_LAYOUT_420, ASSAY_CHROMA_UNKNOWN, false, false },
    { "422", ASSAY_LAYOUT_422, ASSAY_CHROMA_UNKNOWN, false, false },
    { "444", ASSAY_LAYOUT_444, ASSAY_CHROMA_UNKNOWN, false, false },
    { "411", ASSAY_LAYOUT_411, ASSAY_CHROMA_UNKNOWN, false, false },
    { "444alpha", ASSAY_LAYOUT_444, ASSAY_CHROMA_UNKNOWN, false, true },
    { "mono", ASSAY_LAYOUT_400, ASSAY_CHROMA_UNKNOWN, true, false },
    { "420p", ASSAY_LAYOUT_420, ASSAY_CHROMA_UNKNOWN, true, false },
    { "422p", ASSAY_LAYOUT_422, ASSAY_CHROMA_UNKNOWN, true, false },
    { "444p", ASSAY_LAYOUT_444, ASSAY_CHROMA_UNKNOWN, true, false },
};

/* The entry of a chroma format: "420p10" is "420p" with a depth of 10. "mono" alone has 8 bits;
 * "420p" alone is no format. */
static const struct chroma *y4m_find_chroma(struct text t, uint32_t *depth)
{
    for (size_t i = 0; i < sizeof chromas / sizeof chromas[0]; i++) {
        const struct chroma *c = &chromas[i];
        const size_t n = strlen(c->word);
        *depth = 8;
        if (y4m_is(t, c->word) && (!c->deep || c->layout == ASSAY_LAYOUT_400))
            return c;
        if (c->deep && t.n > n && t.n <= n + 2 && t.at[n] != '0' && memcmp(t.at, c->word, n) == 0 &&
            y4m_parse_number((struct text) { t.at + n, t.n - n }, depth) && *depth >= 9 && *depth <= 16)
            return c;
    }
    return NULL;
}

/* The layout is that of the C tag. Without a C tag it is that of XYSCSS, which is in capitals. Without both it is
 * 4:2:0. */
static int y4m_parse_chroma(struct y4m_header *h, const struct tags *tags, const char *name, struct assay_error *e)
{
    unsigned char lower[16];
    struct text extra = { lower, tags->chroma_extra.n };
    uint32_t depth = 8, extra_depth = 8;
    const struct chroma *x = NULL;
    if (tags->chroma_extra.at && extra.n <= sizeof lower) {
        for (size_t i = 0; i < extra.n; i++)
            lower[i] = (unsigned char)text_lower((char)tags->chroma_extra.at[i]);
        if (y4m_is(extra, "400"))
            extra = (struct text) { (const unsigned char *)"mono", 4 };
        x = y4m_find_chroma(extra, &extra_depth);
    }
    const bool own = tags->chroma.at != NULL;
    const struct text stated = own ? tags->chroma : tags->chroma_extra;
    const struct chroma *const c = own ? y4m_find_chroma(stated, &depth) : x;
    if (stated.at && !c)
        return y4m_refuse(name, "chroma format", stated, "is not one that assay reads", e);
    h->format.bit_depth = own ? depth : extra_depth;
    h->format.layout = c ? c->layout : ASSAY_LAYOUT_420;
    h->format.chroma_location = c ? c->location : ASSAY_CHROMA_UNKNOWN;
    h->alpha = c && c->alpha;
    if (h->format.chroma_location == ASSAY_CHROMA_UNKNOWN && x && x->layout == h->format.layout)
        h->format.chroma_location = x->location;
    return ASSAY_OK;
}

static int y4m_parse_interlace(struct y4m_header *h, struct text t, const char *name, struct assay_error *e)
{
    static const char letters[] = {[ASSAY_FIELD_UNKNOWN] = '?', [ASSAY_FIELD_PROGRESSIVE] = 'p',
                                   [ASSAY_FIELD_TOP_FIRST] = 't', [ASSAY_FIELD_BOTTOM_FIRST] = 'b',
                                   [ASSAY_FIELD_MIXED] = 'm'};
    const char *at = t.n == 1 ? memchr(letters, t.at[0], sizeof letters) : NULL;
    h->format.field_order = at ? (assay_field_order)(at - letters) : ASSAY_FIELD_UNKNOWN;
    return at ? ASSAY_OK : y4m_refuse(name, "interlace mode", t, "is not one of p t b m ?", e);
}

int y4m_header_parse(struct y4m_header *h, const unsigned char *line, size_t n, const char *name, struct assay_error *e)
{
    struct tags tags = { 0 };
    *h = (struct y4m_header) { .format = { .matrix = 2, .transfer = 2, .primaries = 2 } };
    assay_format *f = &h->format;
    TRY(y4m_split(&tags, (struct text) { line, n }, name, e));
    TRY(y4m_parse_side(tags.width, &f->width, "width", name, e));
    TRY(y4m_parse_side(tags.height, &f->height, "height", name, e));
    TRY(y4m_parse_chroma(h, &tags, name, e));
    if (tags.interlace.at)
        TRY(y4m_parse_interlace(h, tags.interlace, name, e));
    if (tags.rate.at && !y4m_parse_ratio(tags.rate, &f->rate_num, &f->rate_den))
        return y4m_refuse(name, "frame rate", tags.rate, "is not two numbers like 30000:1001", e);
    if (tags.aspect.at && !y4m_parse_ratio(tags.aspect, &f->sar_num, &f->sar_den))
        return y4m_refuse(name, "sample aspect ratio", tags.aspect, "is not two numbers like 1:1", e);
    f->range = y4m_is(tags.range, "LIMITED") ? ASSAY_RANGE_LIMITED : y4m_is(tags.range, "FULL") ? ASSAY_RANGE_FULL : 0;
    return ASSAY_OK;
}
