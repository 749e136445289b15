/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a self-test. Its sum is made right, as anyone can make it: what is read is written, and reads the same
 * again. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/record.h"
#include "texts.h"

static const struct selftest_identity identity = {"vulkan", "a device", "a driver", 1};
enum { END = sizeof "end 0123456789abcdef\n" - 1 };

/* The head of a record, the lines, and the sum of both. */
static char *complete(const unsigned char *lines, size_t size, size_t *bytes)
{
    struct selftest_record empty = {.identity = identity};
    size_t head;
    char *text = selftest_record_text(&empty, &head);
    texts_check(text && head > END, "an empty record is written");
    head -= END;
    *bytes = head + size + END;
    text = realloc(text, *bytes + 1);
    texts_check(text, "memory");
    memcpy(text + head, lines, size);
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < head + size; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    snprintf(text + head + size, END + 1, "end %016" PRIx64 "\n", sum);
    return text;
}

static bool same(const struct selftest_record *a, const struct selftest_record *b)
{
    bool equal = !memcmp(a->state, b->state, sizeof a->state) && a->graphs == b->graphs;
    for (unsigned i = 0; equal && i < a->graphs; i++) {
        const struct selftest_graph *p = &a->graph[i], *q = &b->graph[i];
        equal = p->digest == q->digest && p->proved == q->proved && p->frame_time == q->frame_time &&
                p->pixel_time == q->pixel_time;
    }
    return equal;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct selftest_record r, again;
    size_t bytes;
    char *text = malloc(size + 1);
    texts_check(text, "memory");
    if (size)
        memcpy(text, data, size);
    if (!selftest_record_parse(&r, &identity, text, size))
        texts_check(!r.graphs && !strcmp(r.identity.device, identity.device), "nothing is known of a bad record");
    free(text);
    text = complete(data, size, &bytes);
    if (selftest_record_parse(&r, &identity, text, bytes)) {
        char *second = selftest_record_text(&r, &bytes);
        texts_check(second && selftest_record_parse(&again, &identity, second, bytes) && same(&r, &again),
                    "a record reads as it was written");
        free(second);
    } else {
        texts_check(size && memchr(data, 0, size), "a record with a right sum is read");
    }
    free(text);
    return 0;
}
