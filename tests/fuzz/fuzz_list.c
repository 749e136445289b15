/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of jobs of `assay batch`. What was read of a list reads the same when it is written with every cell in
 * quotes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/csv_read.h"

static char *quote_all(const struct csv *c, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (!f)
        abort();
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t k = 0; k < c->row[i].cells; k++) {
            fputc('"', f);
            for (const char *at = c->cell[c->row[i].first + k]; *at; at++)
                fputs(*at == '"' ? "\"\"" : (char[2]){*at, '\0'}, f);
            fputs(k + 1 < c->row[i].cells ? "\"," : "\"\r\n", f);
        }
    if (fclose(f))
        abort();
    return text;
}

static void round_trip(const struct csv *c)
{
    size_t size;
    char *text = quote_all(c, &size);
    struct assay_error e = {0};
    struct csv again;
    if (csv_parse(&again, "l.csv", text, size, &e) || again.rows != c->rows)
        abort();
    for (uint32_t i = 0; i < c->rows; i++) {
        if (again.row[i].cells != c->row[i].cells)
            abort();
        for (uint32_t k = 0; k < c->row[i].cells; k++)
            if (strcmp(again.cell[again.row[i].first + k], c->cell[c->row[i].first + k]))
                abort();
    }
    csv_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct assay_error e = {0};
    struct csv c;
    const int rc = csv_parse(&c, "l.csv", (const char *)data, size, &e);
    if (!rc)
        round_trip(&c);
    else if (rc != ASSAY_EINPUT || strncmp(e.text, "l.csv: line ", 12) || strchr(e.text, '\n') || c.text)
        abort();
    csv_free(&c);
    return 0;
}
