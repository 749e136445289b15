/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"
#include "host/numbers.h"

struct sorted_column {
    uint64_t rows; /* rows sorted into `value`; 0: none */
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
    if (!s->sorted)
        return assay_fail_memory(e, "the scores");
    return ASSAY_OK;
}

void scores_free(struct scores *s)
{
    if (s->sorted)
        free(s->sorted->value);
    free(s->sorted);
    free(s->frame);
    free(s->time);
    free(s->value);
    *s = (struct scores){0};
}

/* realloc for rows x columns elements of 8 bytes; NULL, and the old array kept, when there is no memory. */
static void *grown(void *array, uint64_t rows, uint32_t columns)
{
    uint64_t row_size = 8 * (uint64_t)(columns ? columns : 1);
    return rows > SIZE_MAX / row_size ? NULL : realloc(array, rows * row_size);
}

/* Grows all arrays. If one can't grow, those that did are larger than needed, which does no harm. */
static bool make_room(struct scores *s)
{
    uint64_t capacity = s->capacity ? s->capacity * 2 : 256;
    uint64_t *frame = grown(s->frame, capacity, 1);
    if (!frame)
        return false;
    s->frame = frame;
    int64_t *time = grown(s->time, capacity, 1);
    if (!time)
        return false;
    s->time = time;
    double *value = grown(s->value, capacity, s->keys);
    if (!value)
        return false;
    s->value = value;
    double *sorted = grown(s->sorted->value, capacity, 1);
    if (!sorted)
        return false;
    s->sorted->value = sorted;
    s->capacity = capacity;
    return true;
}

int scores_add(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e)
{
    if (s->rows > 0 && frame <= s->frame[s->rows - 1])
        return assay_fail(e, ASSAY_EINTERNAL, "the scores of frame %llu came after those of frame %llu",
                          (unsigned long long)frame, (unsigned long long)s->frame[s->rows - 1]);
    if (s->rows == s->capacity && !make_room(s))
        return assay_fail_memory(e, "the scores");
    s->frame[s->rows] = frame;
    s->time[s->rows] = time;
    if (s->keys)
        memcpy(s->value + s->rows * s->keys, values, s->keys * sizeof *values);
    s->rows++;
    return ASSAY_OK;
}

bool scores_column(const struct scores *s, const char *key, uint32_t *column)
{
    for (*column = 0; *column < s->keys; ++*column)
        if (!strcmp(s->key[*column], key))
            return true;
    return false;
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
static uint64_t extreme_row(const struct scores *s, uint32_t key, int sign)
{
    uint64_t best = 0;
    for (uint64_t i = 0; i < s->rows; i++) {
        double v = s->value[i * s->keys + key], b = s->value[best * s->keys + key];
        if (isnan(v))
            return i;
        if (sign > 0 ? v < b : v > b)
            best = i;
    }
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const struct scores *s, uint32_t key, double percent)
{
    struct sorted_column *c = s->sorted;
    if (c->rows != s->rows || c->key != key) {
        for (uint64_t i = 0; i < s->rows; i++)
            c->value[i] = s->value[i * s->keys + key];
        qsort(c->value, s->rows, sizeof *c->value, compare_doubles);
        c->rows = s->rows;
        c->key = key;
    }
    double position = percent * (double)(s->rows - 1) / 100;
    uint64_t below = (uint64_t)position;
    if (below + 1 >= s->rows)
        return c->value[s->rows - 1];
    double low = c->value[below], high = c->value[below + 1], part = position - (double)below;
    /* The guards keep infinities from meeting as inf - inf or 0 * inf. */
    if (part == 0 || low == high || isinf(low))
        return low;
    if (isinf(high))
        return high;
    return low + part * (high - low);
}

/* All sums are taken in frame order, in double. Order and operations are libvmaf's, so the four pools that libvmaf has
 * get the same bits. The exception is the harmonic mean of scores of which one is -1 or less: its terms have a
 * pole at -1, so it would have no meaning, and is NaN. */
static double folded(const struct scores *s, uint32_t key, enum pool pool)
{
    const double *v = s->value + key;
    double n = (double)s->rows, sum = 0;
    for (uint64_t i = 0; i < s->rows; i++) {
        double x = v[i * s->keys];
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
    for (uint64_t i = 0; i < s->rows; i++) {
        double d = v[i * s->keys] - mean;
        squares += d * d;
    }
    return pool == POOL_STDDEV ? assay_sqrt(squares / n) : squares / n;
}

double scores_pool(const struct scores *s, uint32_t key, enum pool pool, double percent, uint64_t *frame)
{
    if (frame)
        *frame = 0;
    if (s->rows == 0 || key >= s->keys)
        return NAN;
    uint64_t row = extreme_row(s, key, pool == POOL_MAX ? -1 : 1);
    double extreme = s->value[row * s->keys + key];
    if (frame && (pool == POOL_MIN || pool == POOL_MAX || isnan(extreme)))
        *frame = s->frame[row];
    if (pool == POOL_MIN || pool == POOL_MAX || isnan(extreme))
        return extreme;
    if (pool == POOL_PERC)
        return percentile(s, key, percent);
    return folded(s, key, pool);
}

bool scores_worst(const struct scores *s, uint32_t key, uint64_t *row)
{
    const int direction = s->direction ? s->direction[key] : ASSAY_NEUTRAL;
    uint64_t frame = 0;
    *row = 0;
    if (direction == ASSAY_NEUTRAL || !s->rows)
        return false;
    scores_pool(s, key, direction == ASSAY_HIGHER ? POOL_MIN : POOL_MAX, 0, &frame);
    while (s->frame[*row] != frame)
        ++*row;
    return true;
}
