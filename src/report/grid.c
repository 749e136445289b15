/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/grid.h"

#include <string.h>

/* The beginning of a name is most often a folder that others have, too. */
static void put_end(struct grid *g, const char *text, size_t length, size_t most)
{
    const char *tail = text + (length - most) + 3;
    while (((unsigned char)*tail & 0xc0) == 0x80) /* not in the middle of a UTF-8 character */
        tail++;
    sink_text(g->out, "...");
    sink_plain(g->out, tail);
    sink_format(g->out, "%*s", (int)(most - 3 - strlen(tail)), "");
}

static void put_name(struct grid *g, const char *text, int length)
{
    const int width = g->column[0].width;
    if (g->name == GRID_END && length > width) {
        put_end(g, text, (size_t)length, (size_t)width);
        return;
    }
    sink_plain(g->out, text);
    sink_format(g->out, "%*s", length < width ? width - length : 0, "");
    if (g->name == GRID_OWN_LINE && length > width)
        sink_format(g->out, "\n%*s", width, "");
}

void grid_cell(struct grid *g, const char *text)
{
    const int length = (int)strlen(text);
    const uint32_t at = g->at++;
    struct grid_column *c = &g->column[at];
    if (!g->out) {
        c->width = length > c->width && (at || g->name == GRID_WHOLE) ? length : c->width;
    } else if (!at) {
        put_name(g, text, length);
    } else if (!g->end || (at >= g->first && at < g->end)) {
        sink_format(g->out, "%*s", (c->width ? c->gap : 0) + (length < c->width ? c->width - length : 0), "");
        sink_plain(g->out, text);
    }
}

void grid_end(struct grid *g)
{
    if (g->out)
        sink_text(g->out, "\n");
    g->at = 0;
}

void grid_columns(struct grid_column *column, uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++)
        column[i] = (struct grid_column){.gap = i ? 2 : 0};
}

int grid_width(const struct grid_column *column, uint32_t columns)
{
    int width = 0;
    for (uint32_t i = 0; i < columns; i++)
        width += column[i].width ? column[i].gap + column[i].width : 0;
    return width;
}
