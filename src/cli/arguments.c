/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. -h takes the height, as in `vmaf`. As the only argument, or for a command without a height, it asks
 * for help. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/ladder.h"
#include "cli/options.h"
#include "cli/thumbs.h"
#include "report/png_file.h"
#include "report/raster.h"

const char *const cli_command_name[COMMANDS] = {"", "merge", "parity", "image", "diff", "vmaf", "bdrate",
                                              "align"};

/* ---- options that do more than set a field ----------------------------------------------------------------------- */

static int add_metric(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = to;
    (void)unused;
    if (!strcmp(text, "all")) {
        c->q.all_metrics = true;
        return ASSAY_OK;
    }
    if (!*text)
        return assay_fail(e, ASSAY_EUSAGE, "a metric's name is missing");
    if (c->q.metrics == REQUEST_METRICS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d metrics", REQUEST_METRICS);
    c->q.metric[c->q.metrics++] = text;
    return ASSAY_OK;
}

/* "a,b=x:y,c": cuts the text in place, at its commas. */
static int add_metrics(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    for (char *name; (name = strsep(&text, ","));)
        TRY(add_metric(to, name, unused, e));
    return ASSAY_OK;
}

static int add_output(void *to, char *path, uint64_t kind, struct assay_error *e)
{
    struct cli *c = to;
    if (c->outputs == CLI_OUTPUTS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d reports", CLI_OUTPUTS);
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!strcmp(c->output[i].path, path))
            return assay_fail(e, ASSAY_EUSAGE, "two reports would both be written to '%s'", path);
    c->output[c->outputs++] = (struct cli_output){(enum report_kind)kind, path};
    return ASSAY_OK;
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && !strcmp(path + n - m, ending);
}

/* A plot is SVG or PNG, by its name. A name that ends in something else was meant for another form. */
static int add_plot(void *to, char *path, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    if (ends_in(path, ".png")) {
        TRY(png_file_available(e));
        TRY(raster_available(e));
        return add_output(to, path, REPORT_PLOT_PNG, e);
    }
    if (strcmp(path, "-") && !ends_in(path, ".svg"))
        return assay_fail(e, ASSAY_EUSAGE, "--plot writes SVG and PNG, and the name '%s' ends in neither .svg nor .png",
                          path);
    return add_output(to, path, REPORT_PLOT, e);
}

static int add_gate(void *to, char *text, uint64_t over, struct assay_error *e)
{
    struct cli *c = to;
    if (c->gates == CLI_GATES)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d gates", CLI_GATES);
    struct gate *g = &c->gate[c->gates++];
    TRY(gate_parse(g, text, over != 0, e));
    if (g->of_pixels && c->command != COMMAND_IMAGE)
        return assay_fail(e, ASSAY_EUSAGE, "'%s': a limit in percent is of the pixels of a picture, for 'assay image'",
                          text);
    return ASSAY_OK;
}

static int parse_raw_format(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    return input_raw_format(&((struct cli *)to)->q.raw[0], text, e);
}

static int parse_precision(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    uint32_t decimals = 0;
    (void)unused;
    if (strcmp(text, "max"))
        TRY(option_u32("--precision", text, strlen(text), 0, 17, &decimals, e));
    ((struct cli *)to)->precision = strcmp(text, "max") ? (int)decimals : REPORT_SHORTEST;
    return ASSAY_OK;
}

static int parse_tolerance(void *to, char *text, uint64_t which, struct assay_error *e)
{
    struct cli *c = to;
    double *v = &c->tolerance[which];
    if (!parse_number(text, v) || !(*v >= 0) || *v - *v != 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes a number from 0 on, not '%s'",
                          which ? "--rel-tolerance" : "--abs-tolerance", text);
    c->tolerances = true;
    return ASSAY_OK;
}

/* WxH of --tile and --scale-to. */
enum { SIZE_TILE, SIZE_SCALE };
static int parse_size(void *to, char *text, uint64_t which, struct assay_error *e)
{
    assay_config *c = &((struct cli *)to)->q.config;
    const char *name = which == SIZE_TILE ? "--tile" : "--scale-to";
    const size_t n = strcspn(text, "x");
    if (!text[n])
        return assay_fail(e, ASSAY_EUSAGE, "%s takes WxH, not '%s'", name, text);
    TRY(option_u32(name, text, n, 1, 65535, which == SIZE_TILE ? &c->tile_width : &c->scale_width, e));
    return option_u32(name, text + n + 1, strlen(text + n + 1), 1, 65535,
                      which == SIZE_TILE ? &c->tile_height : &c->scale_height, e);
}

/* "a,b:c": the backends of `assay parity`. */
static int parse_backends(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = to;
    (void)unused;
    c->backends = 0;
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ","), name = strcspn(at, ":,");
        if (c->backends == CLI_BACKENDS)
            return assay_fail(e, ASSAY_EUSAGE, "--backends: more than %d", CLI_BACKENDS);
        struct cli_backend *b = &c->backend[c->backends++];
        if (!name || n == name + 1 || n >= sizeof b->text || name >= sizeof b->name || n - name >= sizeof b->device)
            return assay_fail(e, ASSAY_EUSAGE, "--backends takes NAME[:DEVICE] separated by commas, not '%s'", text);
        snprintf(b->text, sizeof b->text, "%.*s", (int)n, at);
        snprintf(b->name, sizeof b->name, "%.*s", (int)name, at);
        snprintf(b->device, sizeof b->device, "%.*s", n > name ? (int)(n - name - 1) : 0, at + name + 1);
        for (uint32_t i = 0; i + 1 < c->backends; i++)
            if (!strcmp(c->backend[i].text, b->text))
                return assay_fail(e, ASSAY_EUSAGE, "--backends: '%s' is there twice", b->text);
        at += n;
        if (!*at)
            return ASSAY_OK;
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The commands that take an option. RUNS: those that score. A name may have a row for some commands and another row for
 * others. */
enum {
    SCORE = 1 << COMMAND_SCORE, MERGE = 1 << COMMAND_MERGE, PARITY = 1 << COMMAND_PARITY, IMAGE = 1 << COMMAND_IMAGE,
    DIFF = 1 << COMMAND_DIFF, VMAF = 1 << COMMAND_VMAF, BDRATE = 1 << COMMAND_BDRATE,
    ALIGN = 1 << COMMAND_ALIGN,
    VIDEO = SCORE | PARITY | VMAF | BDRATE, FILES = VIDEO | ALIGN, RUNS = VIDEO | IMAGE, ALL = RUNS | MERGE,
    LIBVMAF = 1 << COMMANDS | VMAF, /* an option of libvmaf's command, whose names may be cut short as by getopt */
    OTHERS = SCORE | PARITY,        /* another row, or none, is of the front of libvmaf's command */
};
#define COUNTS CLI_COUNTS
#define MOMENT(which) .least = MOMENT_##which, .call = moment_parse
#define AT(field) .offset = offsetof(struct cli, field)
#define ALLOW(name, what) {"allow-" name, 0, OPTION_FLAG, VIDEO, AT(q.allow[what])}

static const struct option options[] = {
    {"reference", 'r', OPTION_STRING, RUNS | ALIGN | LIBVMAF, AT(q.path[0])},
    {"distorted", 'd', OPTION_STRING, (RUNS & ~BDRATE) | ALIGN | LIBVMAF, AT(q.path[1])},
    {"anchor", 0, OPTION_PICK, BDRATE, AT(bdrate.curve), 1},
    {"test", 0, OPTION_PICK, BDRATE, AT(bdrate.curve), 2},
    {"anchor-name", 0, OPTION_STRING, BDRATE, AT(bdrate.name[0])},
    {"test-name", 0, OPTION_STRING, BDRATE, AT(bdrate.name[1])},
    {"method", 0, OPTION_CALL, BDRATE, .call = bdrate_methods},
    {"width", 'w', OPTION_U32, FILES | LIBVMAF, AT(q.raw[0].width), 1, 65535},
    {"height", 'h', OPTION_U32, FILES | LIBVMAF, AT(q.raw[0].height), 1, 65535},
    {"pixel-format", 'p', OPTION_CALL, FILES | LIBVMAF, .call = parse_raw_format},
    {"ref-format", 0, OPTION_WORD, FILES, AT(q.form[0]), .words = "auto, coded, raw"},
    {"dis-format", 0, OPTION_WORD, FILES, AT(q.form[1]), .words = "auto, coded, raw"},
    {"ref-colour", 0, OPTION_CALL, VIDEO, .least = 0, .call = colour_parse},
    {"dis-colour", 0, OPTION_CALL, VIDEO, .least = 1, .call = colour_parse},
    {"bitdepth", 'b', OPTION_U32, FILES | LIBVMAF, AT(q.raw[0].bit_depth), 8, 16},
    {"metric", 'm', OPTION_CALL, BDRATE, .call = bdrate_figures},
    {"metrics", 0, OPTION_CALL, BDRATE, .call = bdrate_figures},
    {"metric", 'm', OPTION_CALL, OTHERS | IMAGE, .call = add_metrics},
    {"metrics", 0, OPTION_CALL, OTHERS | IMAGE, .call = add_metrics},
    {"feature", 0, OPTION_CALL, OTHERS | IMAGE | BDRATE, .call = add_metric},
    {"frames", 'n', OPTION_CALL, OTHERS | ALIGN, MOMENT(FRAMES)},
    {"frame-cnt", 0, OPTION_CALL, OTHERS | ALIGN, MOMENT(FRAMES)},
    {"every", 0, OPTION_U64, OTHERS | BDRATE, AT(q.every), 1, COUNTS},
    {"subsample", 0, OPTION_U64, OTHERS, AT(q.every), 1, COUNTS},
    {"first", 0, OPTION_CALL, OTHERS, MOMENT(FIRST)},
    {"skip-ref", 0, OPTION_CALL, FILES, MOMENT(SKIP_REF)},
    {"frame-skip-ref", 0, OPTION_CALL, FILES | LIBVMAF, MOMENT(SKIP_REF)},
    {"skip-dis", 0, OPTION_CALL, FILES, MOMENT(SKIP_DIS)},
    {"frame-skip-dist", 0, OPTION_CALL, FILES | LIBVMAF, MOMENT(SKIP_DIS)},
    {"align", 0, OPTION_WORD, SCORE, AT(q.align.wish), 1, .words = "auto"},
    {"search", 0, OPTION_U32, SCORE | ALIGN, AT(search), 1, 10000},
    {"json", 0, OPTION_CALL, OTHERS | IMAGE | MERGE | BDRATE | ALIGN, .least = REPORT_JSON, .call = add_output},
    {"xml", 0, OPTION_CALL, SCORE | MERGE, .least = REPORT_XML, .call = add_output},
    {"csv", 0, OPTION_CALL, SCORE | MERGE | IMAGE | BDRATE, .least = REPORT_CSV, .call = add_output},
    {"sub", 0, OPTION_CALL, SCORE | MERGE, .least = REPORT_SUB, .call = add_output},
    {"xpsnr-log", 0, OPTION_CALL, SCORE | MERGE, .least = REPORT_XPSNR, .call = add_output},
    {"plot", 0, OPTION_CALL, SCORE | MERGE, .call = add_plot},
    {"html", 0, OPTION_CALL, SCORE | MERGE | IMAGE | BDRATE, .least = REPORT_HTML, .call = add_output},
    {"thumbnails", 0, OPTION_U32, SCORE | MERGE | IMAGE, AT(thumbnails), 0, THUMBS_MOST},
    {"precision", 0, OPTION_CALL, SCORE | MERGE | IMAGE | VMAF | BDRATE, .call = parse_precision},
    {"fail-under", 0, OPTION_CALL, SCORE | MERGE | IMAGE | VMAF, .call = add_gate},
    {"fail-over", 0, OPTION_CALL, SCORE | MERGE | IMAGE | VMAF, .least = 1, .call = add_gate},
    {"allow-reversed-gates", 0, OPTION_FLAG, SCORE | MERGE | IMAGE | VMAF, AT(reversed_gates)},
    {"threads", 't', OPTION_U32, OTHERS | IMAGE | BDRATE, AT(q.config.threads), 1, 1024},
    {"cpu", 0, OPTION_STRING, SCORE | IMAGE | VMAF | BDRATE, AT(q.config.cpu_level)},
    {"backend", 0, OPTION_STRING, SCORE | IMAGE | VMAF | BDRATE, AT(q.config.backend)},
    {"device", 0, OPTION_STRING, SCORE | IMAGE | VMAF | BDRATE, AT(q.config.device)},
    {"matrix", 0, OPTION_STRING, RUNS, AT(q.config.rgb_matrix)},
    {"range", 0, OPTION_WORD, RUNS, AT(q.config.rgb_range), ASSAY_RANGE_LIMITED, .words = "limited, full"},
    {"shard", 0, OPTION_STRING, SCORE, AT(shard)},
    {"tile", 0, OPTION_CALL, RUNS, .least = SIZE_TILE, .call = parse_size},
    {"strip", 0, OPTION_U32, RUNS, AT(q.config.strip_height), 1, 65535},
    {"in-flight", 0, OPTION_U32, VIDEO, AT(q.config.frames_in_flight), 1, 256},
    {"dump-stage", 0, OPTION_CALL, SCORE | VMAF, .call = stage_parse},
    {"backends", 0, OPTION_CALL, PARITY, .call = parse_backends},
    {"heatmap", 0, OPTION_STRING, SCORE | IMAGE | VMAF, AT(heatmap)},
    {"frames-worst", 0, OPTION_CALL, SCORE | VMAF, .call = worst_parse},
    {"pair", 0, OPTION_WORD, OTHERS | BDRATE, AT(q.pair_by), PAIR_NUMBER, .words = "number, time"},
    {"crop-ref", 0, OPTION_CALL, OTHERS | IMAGE | BDRATE | ALIGN, .least = 0, .call = crop_parse},
    {"crop-dis", 0, OPTION_CALL, OTHERS | IMAGE | BDRATE | ALIGN, .least = 1, .call = crop_parse},
    {"scale", 0, OPTION_STRING, OTHERS | BDRATE, AT(q.config.scale), .words = "bicubic, lanczos, bilinear, spline"},
    {"scale-to", 0, OPTION_CALL, OTHERS | BDRATE, .least = SIZE_SCALE, .call = parse_size},
    {"scale-ref", 0, OPTION_FLAG, OTHERS | BDRATE, AT(q.scale_ref)},
    {"scale-siting", 0, OPTION_WORD, OTHERS | BDRATE, AT(q.config.scale_siting), ASSAY_SCALE_CENTRED,
     .words = "centre, tag"},
    {"abs-tolerance", 0, OPTION_CALL, IMAGE, .least = 0, .call = parse_tolerance},
    {"rel-tolerance", 0, OPTION_CALL, IMAGE, .least = 1, .call = parse_tolerance},
    {"assume", 0, OPTION_WORD, IMAGE, AT(assume_srgb), 1, .words = "srgb"},
    {"hwdec", 0, OPTION_WORD, SCORE | VMAF | BDRATE, AT(q.hwdec), HWDEC_OFF, .words = "off, auto, cuda"},
    ALLOW("size", ALLOW_SIZE), ALLOW("length", ALLOW_LENGTH), ALLOW("rate", ALLOW_RATE), ALLOW("range", ALLOW_RANGE),
    {"allow-depth", 0, OPTION_FLAG, VIDEO | IMAGE, AT(q.allow[ALLOW_DEPTH])},
    {"allow-alpha", 0, OPTION_FLAG, VIDEO | IMAGE, AT(q.allow[ALLOW_ALPHA])},
    ALLOW("format", ALLOW_FORMAT), ALLOW("sar", ALLOW_SAR),
    ALLOW("field-order", ALLOW_FIELD_ORDER), ALLOW("rotation", ALLOW_ROTATION),
    {"allow-colour", 0, OPTION_FLAG, VIDEO | IMAGE, AT(q.allow[ALLOW_COLOUR])},
    {"allow-damage", 0, OPTION_FLAG, FILES, AT(q.allow[ALLOW_DAMAGE])},
    {"allow-playlist", 0, OPTION_FLAG, FILES, AT(q.allow_playlist)},
    {"allow-unpaired", 0, OPTION_FLAG, IMAGE, AT(q.allow[ALLOW_UNPAIRED])},
    {"recursive", 'R', OPTION_FLAG, IMAGE, AT(recursive)},
    {"quiet", 'q', OPTION_FLAG, ALL | ALIGN | DIFF | LIBVMAF, AT(quiet)},
    {"verbose", 0, OPTION_FLAG, SCORE | IMAGE, AT(verbose)},
    {"force", 0, OPTION_FLAG, ALL | ALIGN, AT(force)},
    {"progress", 0, OPTION_FLAG, SCORE | IMAGE | VMAF | BDRATE, AT(progress)},
    {"no-progress", 0, OPTION_FLAG, ALL, AT(no_progress)},
    {"reproducible", 0, OPTION_FLAG, ALL, AT(reproducible)},
    {"dump-graph", 0, OPTION_FLAG, SCORE | VMAF, AT(dump_graph)},
    {"dump-memory", 0, OPTION_FLAG, SCORE | VMAF, AT(dump_memory)},
    {"help", 0, OPTION_PICK, ALL | ALIGN | DIFF, AT(action), ACTION_HELP},
    {"version", 'v', OPTION_PICK, VIDEO | LIBVMAF, AT(action), ACTION_VERSION},
    {"list-metrics", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_METRICS},
    {"list-metrics-json", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_METRICS_JSON},
    {"list-devices", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_DEVICES},
    {"list-devices-json", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_DEVICES_JSON},
    /* of the front of libvmaf's command alone */
    {"model", 'm', OPTION_CALL, LIBVMAF, .call = vmaf_model},
    {"feature", 0, OPTION_CALL, LIBVMAF, .call = vmaf_feature},
    {"output", 'o', OPTION_STRING, LIBVMAF, AT(vmaf.output)},
    {"xml", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_XML},
    {"json", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_JSON},
    {"csv", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_CSV},
    {"sub", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_SUB},
    {"threads", 0, OPTION_U32, LIBVMAF, AT(q.config.threads), 0, 1024},
    {"subsample", 0, OPTION_U64, LIBVMAF, AT(q.every), 0, COUNTS},
    {"frame-cnt", 0, OPTION_CALL, LIBVMAF, MOMENT(FRAME_CNT)},
    {"cpumask", 'c', OPTION_CALL, LIBVMAF, .call = vmaf_mask},
    {"gpumask", 0, OPTION_CALL, LIBVMAF, .least = 1, .call = vmaf_mask},
    {"aom-ctc", 0, OPTION_CALL, LIBVMAF, .call = vmaf_preset},
    {"nflx-ctc", 0, OPTION_CALL, LIBVMAF, .least = 1, .call = vmaf_preset},
    {"no-prediction", 'n', OPTION_FLAG, LIBVMAF, AT(vmaf.no_prediction)},
};

enum { OPTIONS = sizeof options / sizeof options[0] };

static int unfit(enum cli_command command, const char *option, struct assay_error *e)
{
    const int length = (int)(option[1] == '-' ? strcspn(option, "=") : 2);
    if (command == COMMAND_MERGE)
        return assay_fail(e, ASSAY_EUSAGE, "'%.*s' is for scoring; merge takes the options of results", length, option);
    if (command == COMMAND_SCORE)
        return assay_fail(e, ASSAY_EUSAGE, "'%.*s' is for another command (assay --help)", length, option);
    return assay_fail(e, ASSAY_EUSAGE, "'%.*s' is not for 'assay %s' (assay --help)", length, option,
                      cli_command_name[command]);
}

/* Fails where the first word is no file and may have been meant for a command. */
static int not_command(const struct cli *c, struct assay_error *e)
{
    char hint[SUGGEST_TEXT] = "";
    const char *first = c->q.path[0] ? c->q.path[0] : "";
    if (c->command == COMMAND_SCORE && access(first, F_OK)) {
        struct suggestion like = suggest_for(first, strlen(first));
        cli_offer_commands(&like);
        suggest_text(&like, hint);
    }
    return *hint ? assay_fail(e, ASSAY_EUSAGE, "no command is called '%s'%s (assay --help)", first, hint) : ASSAY_OK;
}

/* The number of inputs is wrong. */
static int not_two(const struct cli *c, const char *why, const char *text, struct assay_error *e)
{
    TRY(not_command(c, e));
    return assay_fail(e, ASSAY_EUSAGE, "%s%s", why, text);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Videos are files; folders of images have a command of their own. */
static int check_folders(const struct cli *c, struct assay_error *e)
{
    const char *folder = is_folder(c->q.path[0]) ? c->q.path[0] : NULL;
    for (uint32_t i = 0; i < c->q.encodes && !folder; i++)
        folder = is_folder(c->q.encode[i]) ? c->q.encode[i] : NULL;
    if (!folder || c->command == COMMAND_IMAGE || c->command == COMMAND_DIFF)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder: 'assay image REFERENCE-FOLDER DISTORTED-FOLDER' compares the "
                      "images in two folders, 'assay batch' scores pairs of videos from a list", folder);
}

static int check_stdin(const struct cli *c, struct assay_error *e)
{
    unsigned pipes = strcmp(c->q.path[0], "-") ? 0 : 1;
    for (uint32_t i = 0; i < c->q.encodes; i++)
        pipes += strcmp(c->q.encode[i], "-") ? 0u : 1u;
    return pipes < 2 ? ASSAY_OK
                     : assay_fail(e, ASSAY_EUSAGE, "only one of the %s can be standard input",
                                  c->q.encodes > 1 ? "inputs" : "two inputs");
}

/* -w, -h, -p and -b are given together or not at all, and only where a side may be raw. */
static int check_raw(const struct cli *c, struct assay_error *e)
{
    const struct input_options *raw = &c->q.raw[0];
    const bool wanted = c->q.form[0] == FORM_RAW || c->q.form[1] == FORM_RAW;
    if (raw->named_depth && raw->bit_depth && raw->named_depth != raw->bit_depth)
        return assay_fail(e, ASSAY_EUSAGE, "the format of -p has %u bits, and -b says %u", raw->named_depth,
                          raw->bit_depth);
    if ((c->q.described || wanted) &&
        !(raw->width && raw->height && raw->layout && (raw->bit_depth || raw->named_depth)))
        return assay_fail(e, ASSAY_EUSAGE, "raw input needs all four of -w, -h, -p and -b (-b is in names such as "
                          "yuv420p10le)");
    if (c->q.described && c->q.form[0] == FORM_CODED && c->q.form[1] == FORM_CODED)
        return assay_fail(e, ASSAY_EUSAGE, "-w, -h, -p and -b describe raw input, and neither side is raw");
    return ASSAY_OK;
}

/* What needs pictures by their numbers. */
static int check_pairing(const struct cli *c, struct assay_error *e)
{
    const bool later = c->q.first || c->moment[MOMENT_FIRST].text;
    const char *other = c->shard ? "--shard" : later ? "--first" : c->q.every > 1 ? "--every" : NULL;
    if (c->q.pair_by == PAIR_TIME && other)
        return assay_fail(e, ASSAY_EUSAGE, "%s finds frames by their numbers, and --pair time by their times: one of "
                          "them must go", other);
    if (c->q.pair_by == PAIR_TIME && c->q.hwdec != HWDEC_OFF)
        return assay_fail(e, ASSAY_EUSAGE, "--pair time needs --hwdec off: pictures that are shown again are kept in "
                          "the host's memory");
    return ASSAY_OK;
}

static int check_thumbnails(const struct cli *c, struct assay_error *e)
{
    bool html = c->thumbnails == thumbs_default(c->command);
    for (uint32_t i = 0; i < c->outputs; i++)
        html = html || c->output[i].kind == REPORT_HTML;
    return html ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "--thumbnails are of --html, which is missing");
}

static int check_worst(const struct cli *c, struct assay_error *e)
{
    if (c->worst.frames && !c->heatmap)
        return assay_fail(e, ASSAY_EUSAGE, "--frames-worst chooses the frames of --heatmap, which is missing");
    if (c->worst.frames && c->shard)
        return assay_fail(e, ASSAY_EUSAGE,
                          "--frames-worst needs the scores of the whole run, and --shard writes a part of one");
    return ASSAY_OK;
}

static int check_align(const struct cli *c, struct assay_error *e)
{
    if (c->command == COMMAND_SCORE && c->search && !c->q.align.wish)
        return assay_fail(e, ASSAY_EUSAGE, "--search is for --align auto");
    if (c->q.align.wish && (!strcmp(c->q.path[0], "-") || !strcmp(c->q.path[1], "-")))
        return assay_fail(e, ASSAY_EUSAGE, "--align auto reads the inputs twice, and one of them is standard input");
    if (c->q.align.wish && c->shard)
        return assay_fail(e, ASSAY_EUSAGE, "--align auto and --shard contradict each other: parts would be aligned one "
                          "by one (assay align finds the --skip-ref and --skip-dis for all of them)");
    if (c->q.align.wish && c->q.pair_by == PAIR_TIME)
        return assay_fail(e, ASSAY_EUSAGE, "--align auto pairs frames by number, --pair time by their times");
    return ASSAY_OK;
}

static int check_all(struct cli *c, struct assay_error *e)
{
    for (uint32_t i = 0; i < c->gates; i++)
        c->gate[i].any_way = c->reversed_gates;
    TRY(cli_gates_direction(c, e));
    TRY(check_thumbnails(c, e));
    if (c->command == COMMAND_MERGE)
        return c->parts ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "merge needs the parts that --shard wrote");
    if (c->command == COMMAND_DIFF && !(c->q.path[0] && c->q.path[1]))
        return assay_fail(e, ASSAY_EUSAGE, "diff needs two reports that --json wrote: assay diff A.json B.json");
    if (c->progress && c->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "--progress and --no-progress contradict each other");
    TRY(request_check_scale(&c->q, e));
    TRY(check_pairing(c, e));
    if (c->command == COMMAND_BDRATE) {
        TRY(moment_check(c, e));
        return check_raw(c, e);
    }
    if (c->command == COMMAND_VMAF && !(c->q.path[0] && c->q.path[1]))
        return assay_fail(e, ASSAY_EUSAGE, "the %s is required: -%s (assay vmaf --help)",
                          c->q.path[0] ? "distorted video" : "reference",
                          c->q.path[0] ? "d/--distorted" : "r/--reference");
    if (!c->q.path[0] || !c->q.path[1])
        return not_two(c, c->command == COMMAND_ALIGN
                          ? "two inputs are needed: assay align REFERENCE DISTORTED (assay align --help)"
                          : "two inputs are needed: assay REFERENCE DISTORTED (assay --help)", "", e);
    if (c->command == COMMAND_PARITY && c->backends < 2)
        return assay_fail(e, ASSAY_EUSAGE, "parity needs at least two of them: --backends cpu,vulkan");
    for (uint32_t i = 0; c->command == COMMAND_SCORE && i <= c->q.encodes; i++)
        TRY(moment_no_file(i ? c->q.encode[i - 1] : c->q.path[0], e));
    TRY(check_stdin(c, e));
    TRY(moment_check(c, e));
    TRY(check_folders(c, e));
    if (c->q.encodes > 1 && access(c->q.path[0], F_OK) && strcmp(c->q.path[0], "-"))
        TRY(not_command(c, e));
    TRY(check_worst(c, e));
    TRY(check_align(c, e));
    return check_raw(c, e);
}

static int add_positional(struct cli *c, char *text, struct assay_error *e)
{
    if (c->command == COMMAND_MERGE) {
        c->part[c->parts++] = text;
        return ASSAY_OK;
    }
    if (c->command == COMMAND_BDRATE)
        return bdrate_add(&c->bdrate, text, e);
    if (c->command == COMMAND_VMAF)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' belongs to no option: inputs are -r and -d, the report is -o", text);
    for (unsigned i = 0; i < 2; i++)
        if (!c->q.path[i]) {
            c->q.path[i] = text;
            return ASSAY_OK;
        }
    if (c->command == COMMAND_IMAGE)
        return assay_fail(e, ASSAY_EUSAGE, "more than two inputs; the third is %s: 'assay REFERENCE ENCODE ENCODE ...' "
                          "takes several, and 'assay image REFERENCE FOLDER' all images of a folder", text);
    if (c->command != COMMAND_SCORE)
        return not_two(c, "more than two inputs; the third is ", text, e);
    if (c->q.encodes + 1 == ASSAY_ENCODES)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d encodes of one reference; number %d is %s", ASSAY_ENCODES,
                          ASSAY_ENCODES + 1, text);
    c->q.encode[++c->q.encodes] = text;
    return ASSAY_OK;
}

/* The option of libvmaf's command whose name begins with `argument`, as getopt takes it. NULL: there is none, or more
 * than one. */
static const struct option *abbreviated(const char *argument)
{
    const size_t n = strcspn(argument, "=");
    const struct option *found = NULL;
    for (const struct option *o = options; n > 2 && argument[1] == '-' && o < options + OPTIONS; o++) {
        size_t i = 2;
        while (i < n && o->name[i - 2] == (argument[i] == '_' ? '-' : argument[i]))
            i++;
        if (i < n || (o->commands & LIBVMAF) != LIBVMAF)
            continue;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

/* The option of a command that an argument names. *value points to the value inside the argument, or is NULL. */
static int find_option(enum cli_command command, char *argument, const struct option **found, char **value,
                       struct assay_error *e)
{
    char help[32];
    snprintf(help, sizeof help, "assay %s%s--help", cli_command_name[command], command ? " " : "");
    const struct option *o = option_find(options, OPTIONS, 1u << command, argument, value);
    if (!o && command == COMMAND_VMAF)
        o = abbreviated(argument);
    *found = o;
    if (!o)
        return option_unknown(options, OPTIONS, 1u << command, argument, help, e);
    return o->commands >> command & 1 ? ASSAY_OK : unfit(command, argument, e);
}

int cli_option(enum cli_command command, char *argument, bool *takes_value, struct assay_error *e)
{
    const struct option *o;
    char *value;
    TRY(find_option(command, argument, &o, &value, e));
    *takes_value = o->kind > OPTION_PICK;
    return ASSAY_OK;
}

/* Sets the option that argv[*i] is, and moves *i to its value if that is the next argument. */
static int set_option(struct cli *c, int argc, char **argv, int *i, struct assay_error *e)
{
    const enum cli_command command = c->command;
    const struct option *o;
    char *value;
    struct assay_error unknown = {0};
    const int known = find_option(command, argv[*i], &o, &value, &unknown);
    if ((known || (argv[*i][1] != '-' && value)) && !access(argv[*i], F_OK)) /* "-dash.mp4" would be -d ash.mp4 */
        return assay_fail(e, ASSAY_EUSAGE, "'%s' begins like an option, and there is a file of this name: './%s' names "
                          "the file", argv[*i], argv[*i]);
    if (known)
        return assay_fail(e, known, "%s", unknown.text);
    const bool more = command == COMMAND_VMAF && o->kind <= OPTION_PICK && argv[*i][1] != '-' && value &&
                      argv[*i][2] != '='; /* "-n=" is refused: a flag takes no value */
    TRY(option_set(o, c, argc, argv, i, more ? NULL : value, e));
    if (!more)
        return ASSAY_OK;
    *--value = '-'; /* "-nq" is "-n -q" */
    argv[*i] = value;
    return set_option(c, argc, argv, i, e);
}

void cli_choose_planes(struct cli *c)
{
    c->q.config.maps = c->heatmap && !c->worst.frames;
    c->q.config.keep_planes = c->stages || (c->heatmap && !c->worst.frames) || plane_codes_wanted(c);
}

int cli_parse(struct cli *c, enum cli_command command, int argc, char **argv, struct assay_error *e)
{
    memset(c, 0, sizeof *c); /* with the bytes between fields: requests are compared */
    c->q.every = 1;
    c->precision = CLI_PRECISION_DEFAULT;
    c->command = command;
    c->part = argv;
    c->vmaf.kind = REPORT_XML;
    c->thumbnails = thumbs_default(command);
    bool only_paths = false;
    for (int i = 0; i < argc; i++) {
        char *a = argv[i];
        if (only_paths || a[0] != '-' || !a[1]) {
            TRY(add_positional(c, a, e));
            continue;
        }
        if (!strcmp(a, "--")) {
            only_paths = true;
            continue;
        }
        if (!strcmp(a, "-h") && (argc == 1 || !(FILES >> command & 1))) {
            c->action = ACTION_HELP;
            continue;
        }
        TRY(set_option(c, argc, argv, &i, e));
    }
    c->q.encode[0] = c->q.path[1];
    c->q.encodes++;
    c->q.libvmaf = command == COMMAND_VMAF;
    c->q.may_pair = command == COMMAND_SCORE;
    c->q.part = c->shard != NULL;
    c->q.seeks_shift = command == COMMAND_SCORE && !c->quiet && !c->shard;
    c->q.stop = &cli_stop;
    c->q.raw[1] = c->q.raw[0];
    c->q.described = c->q.raw[0].width || c->q.raw[0].height || c->q.raw[0].layout || c->q.raw[0].bit_depth;
    if (c->action != ACTION_SCORE)
        return ASSAY_OK;
    TRY(check_all(c, e));
    TRY(command == COMMAND_VMAF ? vmaf_conclude(c, e) : command == COMMAND_BDRATE ? bdrate_conclude(c, e) : ASSAY_OK);
    TRY(c->q.encodes > 1 ? ladder_check(c, e) : ASSAY_OK);
    cli_choose_planes(c);
    return ASSAY_OK;
}
