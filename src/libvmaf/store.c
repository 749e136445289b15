/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/store.h"

#include <errno.h>
#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

#include "host/fpenv.h"
#include "host/libvmaf.h"

void store_init(struct store *s)
{
    *s = (struct store){0};
    pthread_mutex_init(&s->lock, NULL);
}

static void free_column(struct store_column *c)
{
    free(c->name);
    free(c->key);
    free(c->value);
}

void store_free(struct store *s)
{
    for (unsigned i = 0; i < s->columns; i++)
        free_column(&s->column[i]);
    free(s->column);
    pthread_mutex_destroy(&s->lock);
}

static struct store_column *find(const struct store *s, const char *name)
{
    for (unsigned i = 0; i < s->columns; i++)
        if (!strcmp(s->column[i].name, name))
            return &s->column[i];
    return NULL;
}

static bool visible(const struct store *s, const struct store_column *c)
{
    return c && c->capacity && (s->ended || !c->at_end);
}

static bool has(const struct store *s, const struct store_column *c, size_t index)
{
    return visible(s, c) && index < c->capacity && scores_has(c->value[index]);
}

/* NULL: there is no memory. */
static struct store_column *add(struct store *s, const char *name, bool at_end)
{
    if (assay_grow(&s->column, s->columns, sizeof *s->column, name, NULL))
        return NULL;
    struct store_column c = {.name = strdup(name), .key = malloc(strlen(name) + 1), .at_end = at_end};
    if (!c.name || !c.key) {
        free_column(&c);
        return NULL;
    }
    libvmaf_report_key(c.key, strlen(name) + 1, name);
    s->column[s->columns] = c;
    return &s->column[s->columns++];
}

static int make_room(struct store_column *c, size_t index)
{
    size_t capacity = c->capacity ? c->capacity : 64;
    while (capacity <= index)
        capacity *= 2;
    if (capacity == c->capacity)
        return 0;
    double *larger = realloc(c->value, capacity * sizeof *larger);
    if (!larger)
        return -ENOMEM;
    for (size_t i = c->capacity; i < capacity; i++)
        larger[i] = scores_no_value();
    c->value = larger;
    c->capacity = capacity;
    return 0;
}

int store_name(struct store *s, const char *name, bool at_end)
{
    pthread_mutex_lock(&s->lock);
    const bool there = find(s, name) || add(s, name, at_end);
    pthread_mutex_unlock(&s->lock);
    return there ? 0 : -ENOMEM;
}

int store_set(struct store *s, const char *name, unsigned index, double value)
{
    pthread_mutex_lock(&s->lock);
    struct store_column *c = find(s, name);
    if (!c)
        c = add(s, name, false);
    int rc = c ? make_room(c, index) : -ENOMEM;
    if (!rc && scores_has(c->value[index]))
        rc = -EINVAL;
    if (!rc)
        c->value[index] = value;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

bool store_get(struct store *s, const char *name, unsigned index, double *value)
{
    pthread_mutex_lock(&s->lock);
    const struct store_column *c = find(s, name);
    const bool there = has(s, c, index);
    if (there)
        *value = c->value[index];
    pthread_mutex_unlock(&s->lock);
    return there;
}

void store_end(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    for (unsigned left = s->columns, i = 0; left--;) {
        const struct store_column c = s->column[i];
        if (c.at_end)
            memmove(&s->column[i], &s->column[i + 1], (s->columns - i - 1) * sizeof c);
        s->column[c.at_end ? s->columns - 1 : i++] = c;
    }
    pthread_mutex_unlock(&s->lock);
}

/* The column's values of the range as a table of one column. 0, -EINVAL or -ENOMEM. */
static int copy_range(const struct store *s, const struct store_column *c, struct store_range range,
                      struct scores *scores)
{
    for (uint64_t i = range.low; i <= range.high; i++) {
        if (range.step > 1 && i % range.step)
            continue;
        if (!has(s, c, i))
            return -EINVAL;
        if (scores_add(scores, i, SCORES_NO_TIME, &c->value[i], NULL))
            return -ENOMEM;
    }
    return 0;
}

int store_pool(struct store *s, const char *name, enum pool pool, struct store_range range, double *value)
{
    static const char *const key[] = {"pooled"};
    struct scores scores;
    struct assay_fpenv saved;
    if (scores_init(&scores, 1, key, NULL))
        return -ENOMEM;
    pthread_mutex_lock(&s->lock);
    const struct store_column *c = find(s, name);
    const int rc = c ? copy_range(s, c, range, &scores) : -EINVAL;
    pthread_mutex_unlock(&s->lock);
    assay_fpenv_enter(&saved);
    *value = rc ? (double)NAN : scores_pool(&scores, 0, pool, 0.0, NULL);
    assay_fpenv_leave(&saved);
    scores_free(&scores);
    return rc;
}

/* Whether index `i` of a column belongs into a report, as `row` gets it. */
static bool copy_row(const struct store *s, unsigned step, size_t i, double *row)
{
    bool any = false;
    if (step > 1 && i % step)
        return false;
    for (unsigned k = 0; k < s->columns; k++) {
        const bool there = has(s, &s->column[k], i);
        if (visible(s, &s->column[k]))
            *row++ = there ? s->column[k].value[i] : scores_no_value();
        any = any || there;
    }
    return any;
}

static int copy_rows(const struct store *s, unsigned step, struct scores *scores)
{
    size_t end = 0;
    double *row = calloc(s->columns + 1, sizeof *row);
    int rc = row ? 0 : -ENOMEM;
    for (unsigned k = 0; k < s->columns; k++)
        end = s->column[k].capacity > end ? s->column[k].capacity : end;
    for (size_t i = 0; !rc && i < end; i++)
        if (copy_row(s, step, i, row) && scores_add(scores, i, SCORES_NO_TIME, row, NULL))
            rc = -ENOMEM;
    free(row);
    return rc;
}

int store_rows(struct store *s, unsigned step, struct scores *scores, const char ***key)
{
    uint32_t keys = 0;
    pthread_mutex_lock(&s->lock);
    *scores = (struct scores){0};
    *key = calloc(s->columns + 1, sizeof **key);
    for (unsigned k = 0; *key && k < s->columns; k++)
        if (visible(s, &s->column[k]))
            (*key)[keys++] = s->column[k].key;
    int rc = *key && !scores_init(scores, keys, *key, NULL) ? 0 : -ENOMEM;
    if (!rc)
        rc = copy_rows(s, step, scores);
    pthread_mutex_unlock(&s->lock);
    if (rc)
        scores_free(scores);
    return rc;
}
