/* SPDX-License-Identifier: BSD-2-Clause */
/* --align auto, and the line about scores that look like those of a shifted pair. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/align/words.h"
#include "host/text.h"

/* ---- --align auto ------------------------------------------------------------------------------------------------ */

/* Refuses what one offset can't make pairs of. */
static int check(const struct align_result *r, const struct align_window *w, struct assay_error *e)
{
    char text[640];
    if (!r->certain)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: the offset is not certain: %s (assay align says more; "
                          "--skip-ref and --skip-dis set it by hand)", align_reason(r, w, text));
    if (r->segments > 1)
        return assay_fail(e, ASSAY_EMISMATCH, "--align auto: no one offset holds for all frames: %s (assay align lists "
                          "them)", align_changes(r, w, text, sizeof text));
    return ASSAY_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void say(const struct cli *c)
{
    char text[ALIGN_TEXT];
    const char *who = c->q.several ? c->q.path[1] : "", *colon = c->q.several ? ": " : "";
    if (c->quiet)
        return;
    if (c->q.skip[0] || c->q.skip[1])
        text_say("%s%saligned with %s: distorted frame n %c %" PRIu64 " shows reference frame n "
                 "(confidence %.2f)", who, colon, align_options(c->q.skip, text), c->q.align.offset < 0 ? '-' : '+',
                 (uint64_t)llabs(c->q.align.offset), c->q.align.confidence);
    else
        text_say("%s%sthe two sides are aligned as they are (confidence %.2f)", who, colon, c->q.align.confidence);
}

/* Frames at the ends of which the offset leaves no partner are no difference in length. */
static bool explained(const struct align_sides *a, int64_t offset)
{
    const uint64_t d = (uint64_t)llabs(offset), n[2] = {a->signatures[0].frames - (offset < 0 ? d : 0),
                                                        a->signatures[1].frames - (offset > 0 ? d : 0)};
    return offset && a->whole[0] && a->whole[1] && n[0] + n[1] - 2 * least(n[0], n[1]) <= d;
}

int align_apply(struct cli *c, struct assay_error *e)
{
    struct align_sides a;
    struct align_result r;
    struct align_window w = {{c->q.skip[0], c->q.skip[1]}, 0, c->search ? c->search : ALIGN_SEARCH};
    for (unsigned side = 0; side < 2; side++)
        if (!align_is_file(c->q.path[side]))
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and '%s' is no regular file",
                              c->q.path[side]);
    if (c->q.frames) /* those that are scored at any offset, and as many more */
        w.frames = c->q.first + c->q.frames + 2 * (uint64_t)w.search;
    TRY(align_read(&a, &c->q, &w, e));
    int rc = align_find(&r, &a.signatures[0], &a.signatures[1], w.search, e);
    if (!rc) {
        rc = check(&r, &w, e);
        align_skips(&w, r.offset, c->q.skip);
        c->q.align.applied = true;
        c->q.align.offset = (int64_t)c->q.skip[1] - (int64_t)c->q.skip[0];
        c->q.align.confidence = r.confidence;
        c->q.allow[ALLOW_LENGTH] = c->q.allow[ALLOW_LENGTH] || explained(&a, r.offset);
        align_free(&r);
    }
    align_sides_free(&a);
    if (!rc)
        say(c);
    return rc;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Means below which it is worth a look whether the pair is shifted. */
static const struct {
    const char *key;
    double limit;
} limits[] = {{"psnr_y", 35}, {"float_psnr", 35}, {"vmaf", 80}, {"float_ssim", 0.93}, {"ssim", 0.93},
              {"float_ms_ssim", 0.96}, {"ssimulacra2", 70}};

/* Whether the scores are low, and the worst frame. */
static bool look_shifted(const struct scores *s, uint64_t *worst)
{
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (uint32_t k = 0; k < s->keys; k++) {
            double sum = 0;
            uint64_t low = 0;
            if (strcmp(s->key[k], limits[i].key))
                continue;
            for (uint64_t row = 0; row < s->rows; row++) {
                sum += scores_value(s, row, k);
                low = scores_value(s, row, k) < scores_value(s, low, k) ? row : low;
            }
            *worst = s->frame[low];
            if (sum < limits[i].limit * (double)s->rows)
                return true;
        }
    return false;
}

void align_hint(const struct cli *c, const struct scores *s)
{
    uint64_t worst;
    char advice[ALIGN_TEXT], text[ALIGN_SHIFT];
    if (!align_hint_wanted(&c->q) || s->rows < ALIGN_LEAST || !look_shifted(s, &worst))
        return;
    const int64_t offset = align_shift_at(&c->q, worst, advice);
    align_shift_text(text, offset, advice);
    if (offset)
        text_say("%s%sat frame %" PRIu64 " %s", c->q.several ? c->q.path[1] : "", c->q.several ? ": " : "", worst,
                 text);
}
