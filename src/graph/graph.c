/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

enum { STRIDE_ALIGN = 64 };

struct graph *graph_new(struct assay_error *e)
{
    struct graph *g = calloc(1, sizeof *g);
    if (!g) {
        assay_fail_memory(e, "the pass graph");
        return NULL;
    }
    g->encodes = 1;
    graph_begin_encode(g, 0, 0);
    return g;
}

void graph_begin_encode(struct graph *g, uint32_t encode, uint32_t reference)
{
    g->encode = encode;
    g->behind = 0;
    g->side_of[SIDE_REF] = (uint8_t)reference;
    g->side_of[SIDE_DIS] = (uint8_t)(encode + 1);
}

void graph_behind(struct graph *g, graph_plane plane)
{
    g->behind = g->plane[plane].pass + 1;
}

void graph_behind_none(struct graph *g)
{
    g->behind = 0;
}

void graph_free(struct graph **g)
{
    if (!*g)
        return;
    for (graph_plane i = 0; i < (*g)->planes; i++)
        free((*g)->plane[i].table);
    free((*g)->plane);
    free((*g)->pass);
    free((*g)->storage_bytes);
    free(*g);
    *g = NULL;
}

static int add_plane(struct graph *g, const struct graph_plane_info *info, graph_plane *plane, struct assay_error *e)
{
    TRY(assay_grow(&g->plane, g->planes, sizeof *g->plane, "the pass graph", e));
    g->plane[g->planes] = *info;
    *plane = g->planes++;
    return ASSAY_OK;
}

int graph_input(struct graph *g, enum graph_side side, uint32_t component, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e)
{
    return graph_input_before(g, 0, side, component, type, width, height, plane, e);
}

int graph_input_before(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type,
                       uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e)
{
    if (!g->bring)
        return graph_frame(g, age, side, component, type, width, height, plane, e);
    TRY(g->bring(g, g->bring_opaque, age, side, component, width, height, plane, e));
    const struct graph_plane_info *p = &g->plane[*plane];
    if (p->type != type || p->width != width || p->height != height)
        return assay_fail(e, ASSAY_EINTERNAL, "plane %u of a frame is %s[%ux%u], not %s[%ux%u]", component,
                          graph_type_name(p->type), p->width, p->height, graph_type_name(type), width, height);
    return ASSAY_OK;
}

int graph_frame(struct graph *g, uint32_t age, enum graph_side side, uint32_t component, enum sample_type type,
                uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e)
{
    const uint8_t number = g->side_of[side];
    if (age > GRAPH_HISTORY)
        return assay_fail(e, ASSAY_EINTERNAL, "an input of %u frames earlier: at most %d", age, GRAPH_HISTORY);
    for (uint32_t i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        if (p->input && !p->table && p->side == number && p->component == component && p->age == age) {
            *plane = i;
            return ASSAY_OK;
        }
    }
    graph_plane own = 0;
    if (age)
        TRY(graph_frame(g, 0, side, component, type, width, height, &own, e));
    const struct graph_plane_info info = {.type = type, .width = width, .height = height, .input = true,
                                          .of = own, .side = number, .component = (uint8_t)component,
                                          .age = (uint8_t)age};
    if (graph_frames_before(age) > g->history[number])
        g->history[number] = (uint8_t)graph_frames_before(age);
    if (age > GRAPH_OR_MIRRORED && graph_frames_before(age) > g->mirrored)
        g->mirrored = (uint8_t)graph_frames_before(age);
    return add_plane(g, &info, plane, e);
}

int graph_view(struct graph *g, graph_plane words, enum sample_type type, uint32_t width, graph_plane *plane,
               struct assay_error *e)
{
    const struct graph_plane_info *from = &g->plane[words];
    const uint32_t each = sample_size(from->type) / sample_size(type);
    if (from->input || from->view || !each || (width + each - 1) / each != from->width)
        return assay_fail(e, ASSAY_EINTERNAL, "plane %u has no rows of %u samples", words, width);
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        if (p->view && p->of == words && p->type == type && p->width == width) {
            *plane = i;
            return ASSAY_OK;
        }
    }
    const struct graph_plane_info info = {.type = type, .width = width, .height = from->height, .view = true,
                                          .of = words, .pass = from->pass};
    return add_plane(g, &info, plane, e);
}

int graph_table(struct graph *g, const void *rows, size_t stride, enum sample_type type, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e)
{
    struct graph_plane_info info = {.type = type, .width = width, .height = height, .input = true};
    const size_t own = graph_stride(&info);
    info.table = calloc(height, own);
    if (!info.table)
        return assay_fail_memory(e, "a table of the pass graph");
    for (uint32_t y = 0; y < height; y++)
        memcpy((char *)info.table + y * own, (const char *)rows + y * stride, (size_t)width * sample_size(type));
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        if (p->table && p->type == type && p->width == width && p->height == height &&
            !memcmp(p->table, info.table, height * own)) {
            free(info.table);
            *plane = i;
            return ASSAY_OK;
        }
    }
    const int rc = add_plane(g, &info, plane, e);
    if (rc)
        free(info.table);
    return rc;
}

static bool same_pass(const struct graph_pass_info *a, const struct graph_pass_info *b)
{
    const struct kernel_info *k = &assay_kernel_info[a->kernel];
    if (a->kernel != b->kernel || a->grid_w != b->grid_w || a->grid_h != b->grid_h ||
        memcmp(a->param, b->param, sizeof a->param))
        return false;
    for (unsigned i = 0; i < k->planes_in; i++)
        if (a->plane[i] != b->plane[i])
            return false;
    return true;
}

/* Plane `i` of those that a pass writes. Its size is the request's, or else follows from the grid. */
static struct graph_plane_info written_plane(const struct graph_pass_info *pass,
                                             const struct graph_pass_request *request, unsigned i)
{
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    const unsigned slot = k->planes_in + i;
    const uint32_t width = request->out[i].width, height = request->out[i].height;
    return (struct graph_plane_info){.type = k->plane[slot], .width = width ? width : pass->grid_w,
                                     .height = height ? height : pass->grid_h * k->layers[slot]};
}

static bool same_outputs(const struct graph *g, const struct graph_pass_info *pass,
                         const struct graph_pass_request *request)
{
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    for (unsigned i = 0; i < k->planes_out; i++) {
        const struct graph_plane_info *p = &g->plane[pass->plane[k->planes_in + i]],
                                      like = written_plane(pass, request, i);
        if (p->width != like.width || p->height != like.height)
            return false;
    }
    return true;
}

int graph_add(struct graph *g, const struct graph_pass_request *request, graph_pass *pass, graph_plane *out,
              struct assay_error *e)
{
    const struct graph_plane_info *first = &g->plane[request->in[0]];
    const int16_t variant = assay_kernel_variant[request->family][first->type];
    if (g->sealed || variant < 0)
        return assay_fail(e, ASSAY_EINTERNAL, "kernel family %d has no build for samples of type %d",
                          (int)request->family, (int)first->type);
    const struct kernel_info *k = &assay_kernel_info[variant];
    struct graph_pass_info info = {.kernel = (uint16_t)variant, .encode = g->encode, .behind = g->behind,
                                   .grid_w = request->grid_w ? request->grid_w : first->width,
                                   .grid_h = request->grid_h ? request->grid_h : first->height};
    memcpy(info.plane, request->in, sizeof info.plane);
    memcpy(info.param, request->param, k->params * sizeof info.param[0]);
    for (unsigned i = 0; i < k->planes_in; i++)
        if (g->plane[request->in[i]].type != k->plane[i])
            return assay_fail(e, ASSAY_EINTERNAL, "kernel %s: plane %u has another type", k->name, i);

    for (graph_pass i = 0; i < g->passes; i++)
        if (same_pass(&info, &g->pass[i]) && same_outputs(g, &g->pass[i], request)) {
            *pass = i;
            for (unsigned o = 0; o < k->planes_out; o++)
                out[o] = g->pass[i].plane[k->planes_in + o];
            return ASSAY_OK;
        }

    TRY(assay_grow(&g->pass, g->passes, sizeof *g->pass, "the pass graph", e));
    for (unsigned o = 0; o < k->planes_out; o++) {
        struct graph_plane_info plane = written_plane(&info, request, o);
        plane.pass = g->passes;
        TRY(add_plane(g, &plane, &info.plane[k->planes_in + o], e));
        out[o] = info.plane[k->planes_in + o];
    }
    info.totals = g->totals;
    info.totals_n = k->sums + k->histogram + (k->row_sums + k->words * info.grid_w) * info.grid_h;
    info.extrema = g->extrema;
    info.extrema_n = k->extrema;
    g->totals += info.totals_n;
    g->extrema += info.extrema_n;
    g->pass[g->passes] = info;
    *pass = g->passes++;
    return ASSAY_OK;
}

size_t graph_stride(const struct graph_plane_info *plane)
{
    const size_t bytes = (size_t)plane->width * sample_size(plane->type);
    return (bytes + STRIDE_ALIGN - 1) / STRIDE_ALIGN * STRIDE_ALIGN;
}

uint32_t graph_pick_storage(uint64_t *storage_bytes, uint32_t *storages, const uint32_t *busy_until, uint32_t now,
                            uint64_t bytes)
{
    uint32_t best = *storages;
    for (uint32_t s = 0; s < *storages; s++) {
        if (!busy_until || busy_until[s] >= now)
            continue;
        const bool fits = storage_bytes[s] >= bytes;
        if (best == *storages)
            best = s;
        else if (fits ? storage_bytes[best] < bytes || storage_bytes[s] < storage_bytes[best]
                      : storage_bytes[best] < bytes && storage_bytes[s] > storage_bytes[best])
            best = s;
    }
    if (best == *storages)
        storage_bytes[(*storages)++] = 0;
    if (storage_bytes[best] < bytes)
        storage_bytes[best] = bytes;
    return best;
}

/* The last use of each plane, and the level of each pass. A view is a use of the plane whose rows it reads. The levels
 * of an encode's passes follow those of the encodes before it. */
static void find_uses(struct graph *g)
{
    uint32_t levels = 0, first = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        if (p && g->pass[p].encode != g->pass[p - 1].encode)
            first = levels;
        g->pass[p].level = first;
        if (g->pass[p].behind && g->pass[g->pass[p].behind - 1].level >= first)
            g->pass[p].level = g->pass[g->pass[p].behind - 1].level + 1;
        for (unsigned i = 0; i < k->planes_in; i++) {
            struct graph_plane_info *plane = &g->plane[g->pass[p].plane[i]];
            plane->last_use = p;
            if (plane->view)
                g->plane[plane->of].last_use = p;
            if (!plane->input && g->pass[plane->pass].level >= g->pass[p].level)
                g->pass[p].level = g->pass[plane->pass].level + 1;
            if (!plane->input)
                g->pass[p].encodes |= g->pass[plane->pass].encodes;
            else if (!plane->table && plane->side && plane->side <= g->encodes)
                g->pass[p].encodes |= 1u << (plane->side - 1);
        }
        for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++)
            g->plane[g->pass[p].plane[i]].last_use = p;
        levels = g->pass[p].level >= levels ? g->pass[p].level + 1 : levels;
    }
}

/* The highest level of the passes that read or write a plane. */
static uint32_t last_level(const struct graph *g, graph_plane plane)
{
    uint32_t level = g->pass[g->plane[plane].pass].level;
    for (graph_pass p = g->plane[plane].pass + 1; p <= g->plane[plane].last_use; p++)
        for (unsigned i = 0; i < assay_kernel_info[g->pass[p].kernel].planes_in; i++)
            if (graph_rows_of(g, g->pass[p].plane[i]) == plane && g->pass[p].level > level)
                level = g->pass[p].level;
    return level;
}

/* Gives a buffer to each plane that a pass writes. A pass reads and writes at the same time. So a buffer is free for
 * the passes behind its last reader that have a higher level than all of its readers. */
static void place_planes(struct graph *g, graph_pass *busy_until, uint32_t *busy_level)
{
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++) {
            struct graph_plane_info *plane = &g->plane[g->pass[p].plane[i]];
            for (uint32_t s = 0; s < g->storages; s++)
                if (busy_until[s] < p && busy_level[s] >= g->pass[p].level)
                    busy_until[s] = p;
            plane->storage = graph_pick_storage(g->storage_bytes, &g->storages, g->keep ? NULL : busy_until, p,
                                                (uint64_t)graph_stride(plane) * plane->height);
            busy_until[plane->storage] = plane->last_use;
            busy_level[plane->storage] = last_level(g, g->pass[p].plane[i]);
        }
    }
    for (graph_plane i = 0; i < g->planes; i++)
        if (g->plane[i].view)
            g->plane[i].storage = g->plane[g->plane[i].of].storage;
}

int graph_seal(struct graph *g, struct assay_error *e)
{
    graph_pass *busy_until = calloc(g->planes + 1, sizeof *busy_until);
    uint32_t *busy_level = calloc(g->planes + 1, sizeof *busy_level);
    g->storage_bytes = calloc(g->planes + 1, sizeof *g->storage_bytes);
    g->sealed = busy_until && busy_level && g->storage_bytes;
    if (g->sealed) {
        find_uses(g);
        place_planes(g, busy_until, busy_level);
    }
    free(busy_until);
    free(busy_level);
    return g->sealed ? ASSAY_OK : assay_fail_memory(e, "the memory plan");
}

uint64_t graph_memory(const struct graph *g)
{
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < g->storages; s++)
        bytes += g->storage_bytes[s];
    return bytes;
}

uint64_t graph_input_bytes(const struct graph *g)
{
    uint64_t bytes = 0;
    for (graph_plane i = 0; i < g->planes; i++)
        if (g->plane[i].input && !g->plane[i].table && !g->plane[i].age)
            bytes += (uint64_t)graph_stride(&g->plane[i]) * g->plane[i].height;
    return bytes;
}

const char *graph_type_name(enum sample_type type)
{
    static const char *const names[SAMPLE_TYPES] = {"u8", "u16", "u32", "i32", "f32"};
    return names[type];
}

void graph_name(const struct graph *g, graph_pass pass, char *text)
{
    const uint16_t kernel = g->pass[pass].kernel;
    uint32_t before = 0, same = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        before += p < pass && g->pass[p].kernel == kernel;
        same += g->pass[p].kernel == kernel;
    }
    if (same == 1)
        snprintf(text, GRAPH_NAME, "%s", assay_kernel_info[kernel].name);
    else
        snprintf(text, GRAPH_NAME, "%s.%u", assay_kernel_info[kernel].name, before);
}

/* "ref", "dis" or of several encodes "dis0", "ref_form1": another form of the reference. */
static void print_side(const struct graph *g, unsigned side, FILE *out)
{
    if (side > g->encodes)
        fprintf(out, "ref_form%u", side - g->encodes);
    else if (side && g->encodes > 1)
        fprintf(out, "dis%u", side - 1);
    else
        fputs(side ? "dis" : "ref", out);
}

static void print_plane(const struct graph *g, graph_plane i, FILE *out)
{
    const struct graph_plane_info *p = &g->plane[i];
    if (p->table)
        fprintf(out, "table%u", i);
    else if (p->input) {
        print_side(g, p->side, out);
        fprintf(out, ".%u", p->component);
    } else
        fprintf(out, "plane%u", i);
    if (p->age)
        fprintf(out, "(-%u%s)", graph_frames_before(p->age),
                p->age > GRAPH_OR_MIRRORED ? " or mirrored" : p->age > GRAPH_OR_FIRST ? " or first" : "");
    if (p->view)
        fprintf(out, "(plane%u)", p->of);
    fprintf(out, ":%s[%ux%u]", graph_type_name(p->type), p->width, p->height);
}

void graph_print(const struct graph *g, FILE *out)
{
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct graph_pass_info *pass = &g->pass[p];
        const struct kernel_info *k = &assay_kernel_info[pass->kernel];
        char name[GRAPH_NAME];
        graph_name(g, p, name);
        fprintf(out, "pass %u: %s grid %ux%u", p, name, pass->grid_w, pass->grid_h);
        for (unsigned i = 0; i < k->planes_in; i++) {
            fputs(i ? ", " : " reads ", out);
            print_plane(g, pass->plane[i], out);
        }
        for (unsigned i = 0; i < k->planes_out; i++) {
            fputs(i ? ", " : " writes ", out);
            print_plane(g, pass->plane[k->planes_in + i], out);
        }
        for (unsigned i = 0; i < k->params; i++)
            fprintf(out, "%s0x%08x", i ? "," : " params ", pass->param[i].u);
        if (pass->totals_n)
            fprintf(out, " totals %u..%u", pass->totals, pass->totals + pass->totals_n - 1);
        fputc('\n', out);
    }
}

void graph_print_memory(const struct graph *g, FILE *out)
{
    for (uint32_t s = 0; s < g->storages; s++) {
        fprintf(out, "buffer %u: %llu bytes, holds", s, (unsigned long long)g->storage_bytes[s]);
        for (graph_plane i = 0; i < g->planes; i++)
            if (!g->plane[i].input && g->plane[i].storage == s)
                fprintf(out, " plane%u (passes %u to %u)", i, g->plane[i].pass, g->plane[i].last_use);
        fputc('\n', out);
    }
    fprintf(out, "intermediate planes: %llu bytes\ntotals: %u words of 64 bits\n", (unsigned long long)graph_memory(g),
            g->totals);
}
