/* SPDX-License-Identifier: BSD-2-Clause */
/* Shards and their merging: one part alone, and two, which a record separator divides. What is refused is refused with
 * one line. A whole has all of its parts' frames, and nothing in it that could begin markup where a report writes it
 * as it is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_read.h"
#include "results/shard.h"
#include "texts.h"

static void refused(const struct assay_error *e, bool merging)
{
    texts_check(e->text[0] && !strchr(e->text, '\n'), "a refusal is one line");
    texts_check(e->code == ASSAY_EINPUT || (merging && e->code == ASSAY_EMISMATCH), "the input is to blame");
}

static void merge(const struct stored *part, uint32_t parts)
{
    struct assay_error e = {0};
    struct stored whole;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < parts; i++)
        rows += part[i].scores.rows;
    if (shards_merge(part, parts, &whole, &e)) {
        refused(&e, true);
        texts_check(!whole.memory, "nothing is left of a merge that failed");
        return;
    }
    texts_check(whole.scores.rows == rows && whole.scores.keys == part[0].scores.keys, "all frames are in the whole");
    texts_check(!strpbrk(whole.run.version, "<>&\"'\n "), "a version is a version");
    stored_free(&whole);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct stored part[2];
    uint32_t parts = 0;
    for (unsigned i = 0; i < 2 && (size || !i); i++) {
        struct assay_error e = {0};
        char *text = texts_cut(&data, &size);
        if (!stored_read(&part[parts], i ? "b.json" : "a.json", text, strlen(text), &e)) {
            merge(&part[parts], 1);
            parts++;
        } else {
            refused(&e, false);
            texts_check(!part[parts].memory, "nothing is left of a shard that was refused");
        }
        free(text);
    }
    if (parts == 2)
        merge(part, 2);
    for (uint32_t i = 0; i < parts; i++)
        stored_free(&part[i]);
    return 0;
}
