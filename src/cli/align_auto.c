/* SPDX-License-Identifier: BSD-2-Clause */
/* --align auto, and the line about scores that look like those of a shifted pair. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/align.h"

static bool is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

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
    const char *who = c->rung ? c->path[1] : "", *colon = c->rung ? ": " : "";
    if (c->quiet)
        return;
    if (c->skip[0] || c->skip[1])
        fprintf(stderr, "assay: %s%saligned with %s: distorted frame n %c %" PRIu64 " shows reference frame n "
                "(confidence %.2f)\n", who, colon, align_options(c->skip, text), c->align.offset < 0 ? '-' : '+',
                (uint64_t)llabs(c->align.offset), c->align.confidence);
    else
        fprintf(stderr, "assay: %s%sthe two sides are aligned as they are (confidence %.2f)\n", who, colon,
                c->align.confidence);
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
    struct align_window w = {{c->skip[0], c->skip[1]}, 0, c->search ? c->search : ALIGN_SEARCH};
    for (unsigned side = 0; side < 2; side++)
        if (!is_file(c->path[side]))
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and '%s' is no regular file",
                              c->path[side]);
    if (c->frames) /* those that are scored at any offset, and as many more */
        w.frames = c->first + c->frames + 2 * (uint64_t)w.search;
    TRY(align_read(&a, c, &w, e));
    int rc = align_find(&r, &a.signatures[0], &a.signatures[1], w.search, e);
    if (!rc) {
        rc = check(&r, &w, e);
        align_skips(&w, r.offset, c->skip);
        c->align.applied = true;
        c->align.offset = (int64_t)c->skip[1] - (int64_t)c->skip[0];
        c->align.confidence = r.confidence;
        c->allow[ALLOW_LENGTH] = c->allow[ALLOW_LENGTH] || explained(&a, r.offset);
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
                sum += s->value[row * s->keys + k];
                low = s->value[row * s->keys + k] < s->value[low * s->keys + k] ? row : low;
            }
            *worst = s->frame[low];
            if (sum < limits[i].limit * (double)s->rows)
                return true;
        }
    return false;
}

/* The offset of pair `frame`, which the window begins `before` it. 0: none that is certain. */
static int64_t offset_at(const struct align_result *r, uint64_t before)
{
    for (uint32_t i = 0; r->certain && i < r->segments; i++) {
        const struct align_segment *g = &r->segment[i];
        if (before >= g->reference && before < g->reference + g->length)
            return (int64_t)g->distorted - (int64_t)g->reference;
    }
    return 0;
}

void align_hint(const struct cli *c, const struct scores *s)
{
    enum { AROUND = 48, SEARCH = 24 };
    struct align_sides a;
    struct align_result r;
    struct assay_error unused = {0};
    uint64_t worst, skip[2];
    char text[ALIGN_TEXT];
    const bool wanted = c->command == COMMAND_SCORE && !c->quiet && !c->scored && !c->align.wish && !c->shard &&
                        c->pair_by == PAIR_NUMBER;
    if (!wanted || s->rows < ALIGN_LEAST || !is_file(c->path[0]) || !is_file(c->path[1]) || !look_shifted(s, &worst))
        return;
    const uint64_t begin = worst > AROUND ? worst - AROUND : 0;
    const struct align_window w = {{c->skip[0] + begin, c->skip[1] + begin}, 2 * AROUND, SEARCH};
    if (align_read(&a, c, &w, &unused))
        return;
    if (!align_find(&r, &a.signatures[0], &a.signatures[1], SEARCH, &unused)) {
        const struct align_window run = {{c->skip[0], c->skip[1]}, 0, 0};
        const int64_t offset = offset_at(&r, worst - begin);
        const uint64_t frames = (uint64_t)llabs(offset);
        align_skips(&run, offset, skip);
        if (offset)
            fprintf(stderr, "assay: %s%sat frame %" PRIu64 " the distorted side seems to be shown %" PRIu64
                    " frame%s %s: %s, or --align auto where that holds throughout, compares the same frames\n",
                    c->rung ? c->path[1] : "", c->rung ? ": " : "", worst, frames,
                    frames > 1 ? "s" : "", offset > 0 ? "later" : "earlier", align_options(skip, text));
        align_free(&r);
    }
    align_sides_free(&a);
}
