/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/csv_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const char *path, *at, *end;
    size_t to;     /* bytes of cells so far */
    uint32_t line; /* of `at`, from 1 */
    uint32_t cells;
    struct csv *csv;
};

static int refuse(const struct reading *r, uint32_t line, const char *why, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: line %u: %s", r->path, line, why);
}

/* The bytes of the line end at `at`: 1, 2, or 0 where there is none. */
static unsigned line_end(const struct reading *r)
{
    if (r->at < r->end && *r->at == '\n')
        return 1;
    return r->end - r->at >= 2 && r->at[0] == '\r' && r->at[1] == '\n' ? 2 : 0;
}

/* Reads from the opening quote to the byte behind the closing one. */
static int read_quoted(struct reading *r, struct assay_error *e)
{
    const uint32_t line = r->line;
    for (r->at++; r->at < r->end; r->at++) {
        if (*r->at == '"' && (++r->at == r->end || *r->at != '"'))
            return r->at == r->end || *r->at == ',' || line_end(r)
                ? ASSAY_OK : refuse(r, r->line, "something follows the closing quote of a cell", e);
        if (!*r->at)
            return refuse(r, r->line, "it holds a NUL byte, so it is no text", e);
        r->line += *r->at == '\n';
        r->csv->text[r->to++] = *r->at;
    }
    return refuse(r, line, "the quote that opens a cell is never closed", e);
}

static int read_bare(struct reading *r, struct assay_error *e)
{
    for (; r->at < r->end && *r->at != ',' && !line_end(r); r->at++) {
        if (!*r->at)
            return refuse(r, r->line, "it holds a NUL byte, so it is no text", e);
        if (*r->at == '"')
            return refuse(r, r->line, "a quote stands inside a cell that does not begin with one (a cell with quotes "
                          "is quoted, and they are written twice)", e);
        if (*r->at == '\r')
            return refuse(r, r->line, "a carriage return stands alone; lines end in LF or CR LF", e);
        r->csv->text[r->to++] = *r->at;
    }
    return ASSAY_OK;
}

static int read_cell(struct reading *r, struct assay_error *e)
{
    r->csv->cell[r->cells++] = r->csv->text + r->to;
    TRY(r->at < r->end && *r->at == '"' ? read_quoted(r, e) : read_bare(r, e));
    r->csv->text[r->to++] = '\0';
    return ASSAY_OK;
}

static int read_row(struct reading *r, struct assay_error *e)
{
    struct csv_row row = {.line = r->line, .first = r->cells};
    for (;;) {
        TRY(read_cell(r, e));
        if (r->at == r->end || *r->at != ',')
            break;
        r->at++;
    }
    r->at += line_end(r);
    r->line++;
    row.cells = r->cells - row.first;
    r->csv->row[r->csv->rows++] = row;
    return ASSAY_OK;
}

int csv_parse(struct csv *c, const char *path, const char *text, size_t size, struct assay_error *e)
{
    const bool marked = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
    struct reading r = {.path = path, .at = text + (marked ? 3 : 0), .end = text + size, .line = 1, .csv = c};
    size_t rows = 1, cells = 1;
    *c = (struct csv){0};
    if (size > UINT32_MAX / 4)
        return assay_fail(e, ASSAY_EINPUT, "%s: too large", path);
    if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
        return refuse(&r, 1, "it is UTF-16; the list is to be UTF-8", e);
    for (size_t i = 0; i < size; i++) {
        rows += text[i] == '\n';
        cells += text[i] == '\n' || text[i] == ',';
    }
    /* A cell takes no more bytes than in the file, and its NUL the place of what ends it. */
    *c = (struct csv){.text = malloc(size + 1), .cell = calloc(cells, sizeof *c->cell),
                      .row = calloc(rows, sizeof *c->row)};
    int rc = c->text && c->cell && c->row ? ASSAY_OK : assay_fail_memory(e, "a list");
    while (!rc && r.at < r.end) {
        const unsigned empty = line_end(&r);
        r.at += empty;
        r.line += empty > 0;
        rc = empty ? ASSAY_OK : read_row(&r, e);
    }
    if (rc)
        csv_free(c);
    return rc;
}

void csv_free(struct csv *c)
{
    free(c->text);
    free(c->cell);
    free(c->row);
    *c = (struct csv){0};
}
