/* SPDX-License-Identifier: BSD-2-Clause */
/* assay_rates: its options, and which lines it measures. */
#include "rates.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "host/numbers.h"
#include "results/file.h"

enum { MOST_SECONDS = 600 };

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int add_size(struct rates_options *o, const char *text, size_t n, struct assay_error *e)
{
    const char *x = memchr(text, 'x', n);
    if (!x)
        return assay_fail(e, ASSAY_EUSAGE, "--size takes WxH, not '%.*s'", (int)n, text);
    TRY(option_u32("--size", text, (size_t)(x - text), 1, 65535, &o->size[o->sizes].width, e));
    return option_u32("--size", x + 1, n - (size_t)(x + 1 - text), 1, 65535, &o->size[o->sizes++].height, e);
}

static int add_depth(struct rates_options *o, const char *text, size_t n, struct assay_error *e)
{
    return option_u32("--bitdepth", text, n, 8, 16, &o->depth[o->depths++], e);
}

static const struct { const char *name; assay_layout layout; } layouts[] = {
    {"400", ASSAY_LAYOUT_400}, {"420", ASSAY_LAYOUT_420}, {"422", ASSAY_LAYOUT_422},
    {"444", ASSAY_LAYOUT_444}, {"411", ASSAY_LAYOUT_411}, {"rgb", ASSAY_LAYOUT_RGB},
};

static int add_layout(struct rates_options *o, const char *text, size_t n, struct assay_error *e)
{
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (strlen(layouts[i].name) == n && !strncmp(text, layouts[i].name, n)) {
            o->layout[o->layouts++] = layouts[i].layout;
            return ASSAY_OK;
        }
    return assay_fail(e, ASSAY_EUSAGE, "--pixel-format takes 400, 420, 422, 444, 411 and rgb, not '%.*s'", (int)n,
                      text);
}

/* The properties of pictures of which an option takes a list. */
enum { SIZES, DEPTHS, LAYOUTS };

/* Adds each word of a list whose words are separated by commas. */
static int add_shapes(void *to, char *text, uint64_t kind, struct assay_error *e)
{
    static int (*const add[])(struct rates_options *, const char *, size_t, struct assay_error *) = {
        [SIZES] = add_size, [DEPTHS] = add_depth, [LAYOUTS] = add_layout};
    struct rates_options *o = to;
    const unsigned *count = kind == SIZES ? &o->sizes : kind == DEPTHS ? &o->depths : &o->layouts;
    for (;;) {
        const size_t n = strcspn(text, ",");
        if (*count == RATES_SHAPES)
            return assay_fail(e, ASSAY_EUSAGE, "more than %d of one kind", RATES_SHAPES);
        TRY(add[kind](o, text, n, e));
        if (!text[n])
            return ASSAY_OK;
        text += n + 1;
    }
}

static int add_metrics(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    struct rates_options *o = to;
    (void)unused;
    if (o->lists == RATES_METRICS || strlen(text) >= RATES_NAMES || !*text)
        return assay_fail(e, ASSAY_EUSAGE, "--metric takes up to %d lists of up to %d bytes", RATES_METRICS,
                          RATES_NAMES - 1);
    o->metrics[o->lists++] = text;
    return ASSAY_OK;
}

static int set_seconds(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    double *seconds = &((struct rates_options *)to)->seconds;
    (void)unused;
    if (parse_number(text, seconds) && *seconds > 0.0 && *seconds <= MOST_SECONDS)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "--seconds takes a number up to %d, not '%s'", MOST_SECONDS, text);
}

#define AT(field) .offset = offsetof(struct rates_options, field)

static const struct option options[] = {
    {"metric", 'm', OPTION_ADD, .call = add_metrics,
     METRICS("LIST", "metrics that are scored together; again for another line (default: each one, then all)")},
    {"metrics", 0, OPTION_ADD, .call = add_metrics, .hidden = true},
    {"backend", 0, OPTION_STRING, AT(config.backend), MACHINE("NAME", "as for scoring")},
    {"device", 0, OPTION_STRING, AT(config.device), MACHINE("N|NAME|N,N|all", NULL)},
    {"threads", 't', OPTION_U32, AT(config.threads), .least = 1, .most = 1024, MACHINE("N", NULL)},
    {"cpu", 0, OPTION_STRING, AT(config.cpu_level), MACHINE("LEVEL", NULL)},
    {"strip", 0, OPTION_U32, AT(config.strip_height), .least = 1, .most = 65535, MACHINE("ROWS", NULL)},
    {"size", 0, OPTION_ADD, .least = SIZES, .call = add_shapes, INPUTS("WxH,...", "pictures (default: 1920x1080)")},
    {"bitdepth", 'b', OPTION_ADD, .least = DEPTHS, .call = add_shapes, INPUTS("N,...", "8 to 16 (default: 8)")},
    {"pixel-format", 'p', OPTION_ADD, .least = LAYOUTS, .call = add_shapes,
     INPUTS("F,...", "400 420 422 444 411 rgb (default: 420)")},
    {"pairs", 0, OPTION_U32, AT(pairs), .least = RATES_PAIRS, .most = RATES_MOST_PAIRS,
     INPUTS("N", "different frame pairs, 8 to 256 (default: 8, or what the devices hold)")},
    {"seconds", 0, OPTION_CALL, .call = set_seconds, INPUTS("S", "how long a rate is measured (default: 2)")},
    {"json", 0, OPTION_STRING, AT(json),
     RESULTS("FILE", "the figures for programs ('-': standard output instead of the table)")},
    {"force", 0, OPTION_FLAG, AT(force), RESULTS(NULL, "overwrite files that assay did not write")},
    {"compare", 0, OPTION_FLAG, AT(compares),
     RESULTS("A B", "how many times as fast each line of record B is as that of A; it stands alone")},
    {"help", 'h', OPTION_FLAG, AT(help)},
};
static const struct option_list list = {options, sizeof options / sizeof options[0], "assay_rates --help", NULL, NULL};

static void print_help(FILE *out)
{
    fputs("usage: assay_rates [options]\n"
          "       assay_rates --compare A.json B.json        how much faster each line of B is than that of A\n"
          "Frame pairs per second, from pictures in memory to scores, and where the time goes. At least 8 different\n"
          "made-up pairs go round; every score is compared with the CPU's, bit for bit.\n", out);
    option_help(&list, 0, NULL, out);
    fputs("Columns: upload and passes are the time per pair in which the device copied and computed, idle that in\n"
          "which it did neither; alone is upload and passes with one frame in flight; host is the share of a frame's time that\n"
          "handing it over takes; link is the rate of the uploads as a part of a plain copy's; memory is what the passes\n"
          "read and write.\n"
          "Exit: 0 measured, 2 usage, 3 a record can't be read, 4 a device has other scores than the CPU, 5 nothing in\n"
          "common.\n", out);
}

static int parse(struct rates_options *o, int argc, char **argv, struct assay_error *e)
{
    *o = (struct rates_options){.seconds = 2.0};
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--compare"))
            continue;
        if (argc != 3 || i)
            return assay_fail(e, ASSAY_EUSAGE,
                              "--compare stands alone with the two records: assay_rates --compare A B");
        o->compares = true;
        o->compare[0] = argv[1];
        o->compare[1] = argv[2];
        return ASSAY_OK;
    }
    TRY(option_parse(&list, o, argc, argv, e));
    if (!o->sizes) {
        o->size[0].width = 1920;
        o->size[0].height = 1080;
        o->sizes = 1;
    }
    if (!o->depths)
        o->depth[o->depths++] = 8;
    if (!o->layouts)
        o->layout[o->layouts++] = ASSAY_LAYOUT_420;
    return ASSAY_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

struct lines {
    const struct rates_options *o;
    struct rates_machine machine;
    struct bench_frames frames;
    struct rates_result *result;
    unsigned n, room;
};

static bool to_stdout(const struct rates_options *o)
{
    return o->json && !strcmp(o->json, "-");
}

static int measure(struct lines *l, const char *metrics, const assay_format *format, bool may_refuse,
                   struct assay_error *e)
{
    struct assay_error why = {0};
    if (l->n == l->room) {
        l->room = 2 * l->room + 16;
        struct rates_result *more = realloc(l->result, l->room * sizeof *more);
        if (!more)
            return assay_fail_memory(e, "the figures");
        l->result = more;
    }
    struct rates_result *r = &l->result[l->n];
    const int rc = rates_measure(l->o, metrics, format, &l->frames, &l->machine, r, &why, e);
    if (rc == 1)
        return may_refuse ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "%s", why.text);
    if (rc)
        return rc;
    if (!to_stdout(l->o)) {
        if (!l->n)
            rates_print_head(&l->machine, r, stdout);
        rates_print(r, l->n ? r - 1 : NULL, stdout);
        fflush(stdout);
    }
    l->n++;
    return ASSAY_OK;
}

static int measure_format(struct lines *l, const assay_format *format, struct assay_error *e)
{
    for (unsigned i = 0; i < l->o->lists; i++)
        TRY(measure(l, l->o->metrics[i], format, false, e));
    for (unsigned i = 0; !l->o->lists && assay_metric_name(i); i++)
        TRY(measure(l, assay_metric_name(i), format, true, e));
    return l->o->lists ? ASSAY_OK : measure(l, "all", format, true, e);
}

static int measure_all(struct lines *l, struct assay_error *e)
{
    const struct rates_options *o = l->o;
    assay_format format = {.range = ASSAY_RANGE_LIMITED, .rate_num = 25, .rate_den = 1}; /* xpsnr needs a rate */
    for (unsigned i = 0; i < o->sizes * o->layouts * o->depths; i++) {
        format.bit_depth = o->depth[i % o->depths];
        format.layout = o->layout[i / o->depths % o->layouts];
        format.width = o->size[i / o->depths / o->layouts].width;
        format.height = o->size[i / o->depths / o->layouts].height;
        TRY(measure_format(l, &format, e));
    }
    return ASSAY_OK;
}

static int run(int argc, char **argv, struct assay_error *e)
{
    struct rates_options o;
    TRY(parse(&o, argc, argv, e));
    if (o.help) {
        print_help(stdout);
        return ASSAY_OK;
    }
    if (o.compares)
        return rates_compare(o.compare[0], o.compare[1], stdout, e);
    if (o.json && !o.force)
        TRY(file_spare(o.json, FILE_JSON, e));
    struct lines l = {.o = &o};
    int rc = measure_all(&l, e);
    if (!rc && o.json)
        rc = rates_write(o.json, &l.machine, l.result, l.n, e);
    if (!rc && !to_stdout(&o))
        printf("\nEvery score has the CPU's bits.\n");
    bench_frames_free(&l.frames);
    free(l.result);
    return rc;
}

int main(int argc, char **argv)
{
    struct assay_error e = {0};
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe fails with a message */
    int rc = run(argc - 1, argv + 1, &e);
    if (!rc && (fflush(stdout) || ferror(stdout)))
        rc = assay_fail(&e, ASSAY_EINTERNAL, "can't write to standard output");
    if (rc)
        fprintf(stderr, "assay_rates: %s\n", e.text);
    return -rc;
}
