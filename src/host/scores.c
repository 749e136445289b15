/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"
#include "host/numbers.h"

struct sorted_column {
    uint64_t first, end; /* rows sorted into `value`; none where they are equal */
    uint32_t key;
    double *value; /* as large as the capacity of the scores */
};

/* A quiet NaN with a payload: the NaN that arithmetic makes has none. */
static const uint64_t no_value = 0x7ff8000061737361;

double scores_no_value(void)
{
    double v;
    memcpy(&v, &no_value, sizeof v);
    return v;
}

bool scores_has(double v)
{
    return memcmp(&v, &no_value, sizeof v) != 0;
}

int scores_init(struct scores *s, uint32_t keys, const char *const *key, struct assay_error *e)
{
    *s = (struct scores){.keys = keys, .key = key};
    s->sorted = calloc(1, sizeof *s->sorted);
    return s->sorted ? ASSAY_OK : assay_fail_memory(e, "the scores");
}

void scores_free(struct scores *s)
{
    if (s->sorted)
        free(s->sorted->value);
    free(s->sorted);
    for (uint64_t i = 0; i < s->blocks; i++)
        free(s->block[i]);
    free(s->block);
    free(s->row);
    free(s->frame);
    free(s->time);
    free(s->partner);
    *s = (struct scores){0};
}

/* Makes room for `n` elements of 8 bytes in the array whose pointer is at `array`; false, and the old array kept, when
 * there is no memory. */
static bool grow(void *array, uint64_t n)
{
    _Static_assert(sizeof(double) == 8 && sizeof(double *) <= 8, "elements of 8 bytes");
    void *memory; /* by memcpy, as the pointer is to any type */
    memcpy(&memory, array, sizeof memory);
    memory = n > SIZE_MAX / 8 ? NULL : realloc(memory, n * 8);
    if (memory)
        memcpy(array, &memory, sizeof memory);
    return memory != NULL;
}

/* Grows what has an element for each row. If one can't grow, those that did are larger than needed, which does no
 * harm. */
static bool make_room(struct scores *s)
{
    const uint64_t capacity = s->capacity ? s->capacity * 2 : SCORES_BLOCK;
    if (!grow(&s->frame, capacity) || !grow(&s->time, capacity) || (s->paired && !grow(&s->partner, capacity)) ||
        !grow(&s->row, capacity) || !grow(&s->block, capacity / SCORES_BLOCK) || !grow(&s->sorted->value, capacity))
        return false;
    s->capacity = capacity;
    return true;
}

/* The values of a block never move. */
static bool make_block(struct scores *s)
{
    double *values = calloc(SCORES_BLOCK * ((size_t)s->keys + 1), sizeof *values);
    if (values)
        s->block[s->blocks++] = values;
    return values != NULL;
}

int scores_lend(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e)
{
    if (s->rows > 0 && frame <= s->frame[s->rows - 1])
        return assay_fail(e, ASSAY_EINTERNAL, "the scores of frame %llu came after those of frame %llu",
                          (unsigned long long)frame, (unsigned long long)s->frame[s->rows - 1]);
    if (s->rows == s->capacity && !make_room(s))
        return assay_fail_memory(e, "the scores");
    s->frame[s->rows] = frame;
    s->time[s->rows] = time;
    if (s->paired)
        s->partner[s->rows] = frame;
    s->row[s->rows++] = values;
    return ASSAY_OK;
}

int scores_add(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e)
{
    if ((s->rows == s->capacity && !make_room(s)) || (s->rows == s->blocks * SCORES_BLOCK && !make_block(s)))
        return assay_fail_memory(e, "the scores");
    double *row = s->block[s->rows / SCORES_BLOCK] + s->rows % SCORES_BLOCK * s->keys;
    for (uint32_t k = 0; k < s->keys; k++)
        row[k] = values[k];
    return scores_lend(s, frame, time, row, e);
}

bool scores_column(const struct scores *s, const char *key, uint32_t *column)
{
    for (*column = 0; *column < s->keys; ++*column)
        if (!strcmp(s->key[*column], key))
            return true;
    return false;
}

uint64_t scores_find(const struct scores *s, uint64_t frame)
{
    return scores_place(s->frame, s->rows, frame);
}

uint64_t scores_place(const uint64_t *frame, uint64_t n, uint64_t wanted)
{
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (frame[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool pool_parse(const char *name, enum pool *pool, double *percent)
{
    static const struct {
        const char *name;
        enum pool pool;
        double percent;
    } names[] = {
        {"min", POOL_MIN, 0},
        {"max", POOL_MAX, 0},
        {"mean", POOL_MEAN, 0},
        {"harmonic_mean", POOL_HARMONIC_MEAN, 0},
        {"geometric_mean", POOL_GEOMETRIC_MEAN, 0},
        {"stddev", POOL_STDDEV, 0},
        {"standard_deviation", POOL_STDDEV, 0},
        {"var", POOL_VARIANCE, 0},
        {"variance", POOL_VARIANCE, 0},
        {"rms", POOL_RMS, 0},
        {"root_mean_square", POOL_RMS, 0},
        {"median", POOL_PERC, 50},
    };
    static const char *const prefixes[] = {"percentile=", "perc", "p"};

    char plain[32];
    size_t length = strlen(name);
    if (length >= sizeof plain)
        return false;
    for (size_t i = 0; i <= length; i++)
        plain[i] = (char)(name[i] == '-' ? '_' : name[i]);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(plain, names[i].name) == 0) {
            *pool = names[i].pool;
            *percent = names[i].percent;
            return true;
        }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t prefix = strlen(prefixes[i]);
        const char *number = plain + prefix;
        double p;
        if (strncmp(plain, prefixes[i], prefix) != 0 || *number < '0' || *number > '9' || !parse_number(number, &p) ||
            p > 100)
            continue;
        *pool = POOL_PERC;
        *percent = p;
        return true;
    }
    return false;
}

/* The row of a key's first minimum (sign 1) or first maximum (sign -1), or of its first NaN. */
static uint64_t extreme_row(const struct scores *s, uint32_t key, uint64_t first, uint64_t end, int sign)
{
    uint64_t best = first;
    for (uint64_t i = first; i < end; i++) {
        double v = scores_value(s, i, key), b = scores_value(s, best, key);
        if (isnan(v))
            return i;
        if (sign > 0 ? v < b : v > b)
            best = i;
    }
    return best;
}

static double percentile(const struct scores *s, uint32_t key, uint64_t first, uint64_t end, double percent)
{
    struct sorted_column *c = s->sorted;
    const uint64_t rows = end - first;
    if (c->first != first || c->end != end || c->key != key) {
        for (uint64_t i = 0; i < rows; i++)
            c->value[i] = scores_value(s, first + i, key);
        qsort(c->value, rows, sizeof *c->value, assay_ascending);
        c->first = first;
        c->end = end;
        c->key = key;
    }
    double position = percent * (double)(rows - 1) / 100;
    uint64_t below = (uint64_t)position;
    if (below + 1 >= rows)
        return c->value[rows - 1];
    double low = c->value[below], high = c->value[below + 1], part = position - (double)below;
    /* The guards keep infinities from meeting as inf - inf or 0 * inf. */
    if (part == 0 || low == high || isinf(low))
        return low;
    return isinf(high) ? high : low + part * (high - low);
}

/* A pole of the logarithm at 0 makes 0 of the mean: what one frame lacks, no other frame makes good. */
static double geometric(const struct scores *s, uint32_t key, uint64_t first, uint64_t end)
{
    double sum = 0;
    bool zero = false;
    for (uint64_t i = first; i < end; i++) {
        const double x = scores_value(s, i, key);
        if (x < 0)
            return NAN;
        zero = zero || x == 0;
        sum += x == 0 ? 0 : assay_log(x);
    }
    return zero ? 0 : assay_exp(sum / (double)(end - first));
}

/* All sums are taken in frame order, in double. Order and operations are libvmaf's, so the four pools that libvmaf has
 * get the same bits. The exception is the harmonic mean of scores of which one is -1 or less: its terms have a
 * pole at -1, so it would have no meaning, and is NaN. */
static double folded(const struct scores *s, uint32_t key, uint64_t first, uint64_t end, enum pool pool)
{
    double n = (double)(end - first), sum = 0;
    for (uint64_t i = first; i < end; i++) {
        double x = scores_value(s, i, key);
        if (pool == POOL_HARMONIC_MEAN && x <= -1)
            return NAN;
        sum += pool == POOL_HARMONIC_MEAN ? 1 / (x + 1) : pool == POOL_RMS ? x * x : x;
    }
    if (pool == POOL_HARMONIC_MEAN)
        return n / sum - 1;
    if (pool == POOL_RMS)
        return assay_sqrt(sum / n);
    double mean = sum / n;
    if (pool == POOL_MEAN)
        return mean;
    double squares = 0;
    for (uint64_t i = first; i < end; i++) {
        double d = scores_value(s, i, key) - mean;
        squares += d * d;
    }
    return pool == POOL_STDDEV ? assay_sqrt(squares / n) : squares / n;
}

double scores_pool_rows(const struct scores *s, uint32_t key, uint64_t first, uint64_t end, enum pool pool,
                        double percent, uint64_t *frame)
{
    if (frame)
        *frame = 0;
    end = end < s->rows ? end : s->rows;
    if (first >= end || key >= s->keys)
        return NAN;
    uint64_t row = extreme_row(s, key, first, end, pool == POOL_MAX ? -1 : 1);
    double extreme = scores_value(s, row, key);
    if (frame && (pool == POOL_MIN || pool == POOL_MAX || isnan(extreme)))
        *frame = s->frame[row];
    if (pool == POOL_MIN || pool == POOL_MAX || isnan(extreme))
        return extreme;
    if (pool == POOL_PERC)
        return percentile(s, key, first, end, percent);
    return pool == POOL_GEOMETRIC_MEAN ? geometric(s, key, first, end) : folded(s, key, first, end, pool);
}

double scores_pool(const struct scores *s, uint32_t key, enum pool pool, double percent, uint64_t *frame)
{
    return scores_pool_rows(s, key, 0, s->rows, pool, percent, frame);
}

double scores_figure(const struct scores *s, uint32_t key, const char *pool)
{
    enum pool kind;
    double percent;
    return pool_parse(pool, &kind, &percent) ? scores_pool(s, key, kind, percent, NULL) : (double)NAN;
}

bool scores_worst(const struct scores *s, uint32_t key, uint64_t *row)
{
    const int direction = s->direction ? s->direction[key] : ASSAY_NEUTRAL;
    uint64_t frame = 0;
    *row = 0;
    if (direction == ASSAY_NEUTRAL || !s->rows)
        return false;
    scores_pool(s, key, direction == ASSAY_HIGHER ? POOL_MIN : POOL_MAX, 0, &frame);
    *row = scores_find(s, frame);
    return true;
}
