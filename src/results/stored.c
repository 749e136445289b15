/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/stored.h"

#include <stdlib.h>
#include <string.h>

struct stored_memory {
    struct stored_memory *next;
    max_align_t data[];
};

void *stored_alloc(struct stored *s, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(struct stored_memory)) / size)
        return NULL;
    struct stored_memory *m = calloc(1, sizeof *m + count * size);
    if (!m)
        return NULL;
    m->next = s->memory;
    s->memory = m;
    return m->data;
}

char *stored_copy(struct stored *s, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = stored_alloc(s, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void stored_free(struct stored *s)
{
    scores_free(&s->scores);
    while (s->memory) {
        struct stored_memory *m = s->memory;
        s->memory = m->next;
        free(m);
    }
    *s = (struct stored){0};
}
