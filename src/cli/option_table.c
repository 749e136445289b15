/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of the commands that score, merge and compare: those of a request's fields, from the table of
 * run/fields.h, and those that the command has alone. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/worst.h"
#include "host/text.h"
#include "report/png_file.h"
#include "report/raster.h"
#include "run/fields.h"

/* ---- options that do more than set a field ----------------------------------------------------------------------- */

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

/* A plot is SVG or PNG, by its name. A name that ends in something else was meant for another form. */
static int add_plot(void *to, char *path, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    if (text_ends(path, ".png")) {
        TRY(png_file_available(e));
        TRY(raster_available(e));
        return add_output(to, path, REPORT_PLOT_PNG, e);
    }
    if (strcmp(path, "-") && !text_ends(path, ".svg"))
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

static int parse_precision(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    uint32_t decimals = 0;
    (void)unused;
    if (strcmp(text, "max"))
        TRY(option_u32("--precision", text, strlen(text), 0, 17, &decimals, e));
    ((struct cli *)to)->precision = strcmp(text, "max") ? (int)decimals : REPORT_SHORTEST;
    return ASSAY_OK;
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

/* ---- options of fields ------------------------------------------------------------------------------------------- */

/* "a,b=x:y,c": cuts a list in place, at its commas. */
static int field_parse(void *to, char *text, uint64_t which, struct assay_error *e)
{
    struct cli *c = to;
    const unsigned side = which & 1;
    const struct field *f = field_at((uint32_t)which >> 1);
    char what[40];
    snprintf(what, sizeof what, "--%s", f->option[side] ? f->option[side] : f->option[0]);
    TRY(setting_of_encode(c, f, side, what, &text, e));
    if (!text)
        return ASSAY_OK;
    TRY(setting_add(c, f, side, 0, text, e));
    if (f->how == TAKE_U32 || f->how == TAKE_U64) {
        uint64_t number = field_get(f, &c->q, side);
        TRY(f->moment ? moment_parse(what, text, f->least, &number, e)
                      : option_count(what, text, strlen(text), f->least, f->most, &number, e));
        field_put(f, &c->q, side, number);
        return ASSAY_OK;
    }
    if (f->how != TAKE_LIST)
        return field_take(f, &c->q, side, what, text, !f->unchecked, e);
    for (char *member; (member = strsep(&text, ","));)
        TRY(field_take(f, &c->q, side, what, member, true, e));
    return ASSAY_OK;
}

static int add_metric(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    return field_take(field_find("metrics", false), &((struct cli *)to)->q, 0, "--feature", text, true, e);
}

/* --frame_cnt of libvmaf's command, whose 0 stands for all frames. */
static int parse_frame_cnt(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = to;
    (void)unused;
    TRY(setting_add(c, field_find("frames", false), 0, 0, text, e));
    return moment_parse("--frame-cnt", text, 0, &c->q.frames, e);
}

static int parse_scale_to(void *to, char *text, uint64_t unused, struct assay_error *e)
{
    struct cli *c = to;
    const struct field *f = field_find("scale.to", false);
    const bool ref = c->q.scale_ref;
    (void)unused;
    if (!strchr(text, 'x'))
        return assay_fail(e, ASSAY_EUSAGE, "--scale-to takes WxH, not '%s'", text);
    TRY(field_take(f, &c->q, 0, "--scale-to", text, true, e));
    c->q.scale_ref = ref;
    return setting_add(c, f, 0, 0, text, e);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The commands that take an option. RUNS: those that score. A name may have a row for some commands and another row for
 * others. */
enum {
    SCORE = 1 << COMMAND_SCORE, MERGE = 1 << COMMAND_MERGE, PARITY = 1 << COMMAND_PARITY, IMAGE = 1 << COMMAND_IMAGE,
    DIFF = 1 << COMMAND_DIFF, VMAF = 1 << COMMAND_VMAF, BDRATE = 1 << COMMAND_BDRATE,
    ALIGN = 1 << COMMAND_ALIGN, REPORT = 1 << COMMAND_REPORT, STORED = MERGE | REPORT,
    VIDEO = SCORE | PARITY | VMAF | BDRATE, FILES = VIDEO | ALIGN, RUNS = VIDEO | IMAGE, ALL = RUNS | STORED,
    LIBVMAF = OPTION_LIBVMAF | VMAF,
    OTHERS = SCORE | PARITY,        /* another row, or none, is of the front of libvmaf's command */
};
#define AT(field) .offset = offsetof(struct cli, field)

#define FIELD(name) .field = (name)

/* Which commands take the options of fields, and their other names. */
static const struct {
    const char *fields;
    unsigned commands[2], also; /* of each option */
} taken[] = {
    {"file", {RUNS | ALIGN | LIBVMAF, (RUNS & ~BDRATE) | ALIGN | LIBVMAF}, 0},
    {"name", {0, SCORE}, 0},
    {"format", {FILES, FILES}, 0},
    {"skip", {FILES, FILES}, FILES | LIBVMAF},
    {"crop", {OTHERS | IMAGE | BDRATE | ALIGN, OTHERS | IMAGE | BDRATE | ALIGN}, 0},
    {"colour, device.in_flight", {VIDEO, VIDEO}, 0},
    {"raw.width, raw.height, raw.pixel_format, raw.bit_depth", {FILES | LIBVMAF}, 0},
    {"assume, tolerance.absolute, tolerance.relative", {IMAGE}, 0},
    {"metrics", {OTHERS | IMAGE}, OTHERS | IMAGE},
    {"pair, scale.filter, scale.siting", {OTHERS | BDRATE}, 0},
    {"first", {OTHERS}, 0},
    {"frames", {OTHERS | ALIGN}, OTHERS | ALIGN},
    {"every", {OTHERS | BDRATE}, OTHERS},
    {"rgb_matrix, rgb_range, device.tile, device.strip", {RUNS}, 0},
    {"device.backend, device.name, device.cpu", {SCORE | IMAGE | VMAF | BDRATE}, 0},
    {"device.threads", {OTHERS | IMAGE | BDRATE}, 0},
    {"device.hwdec", {SCORE | VMAF | BDRATE}, 0},
};

static unsigned takers_of_allow(unsigned what)
{
    return what == ALLOW_UNPAIRED ? IMAGE
         : what == ALLOW_DEPTH || what == ALLOW_ALPHA || what == ALLOW_COLOUR ? VIDEO | IMAGE
         : what == ALLOW_DAMAGE || what == ALLOW_PLAYLIST ? FILES : VIDEO;
}

static const struct option own[] = {
    {"align", 0, OPTION_STRING, SCORE, AT(q.align.wish), .words = "auto",
     INPUTS("auto", "find the offset between the two sides and leave out those frames (assay align)")},
    {"search", 0, OPTION_U32, SCORE | ALIGN, AT(search), 1, 10000,
     INPUTS("N", "offsets up to N frames either way (default: 120)")},
    {"scale-to", 0, OPTION_CALL, OTHERS | BDRATE, FIELD("scale.to"), .call = parse_scale_to,
     INPUTS("WxH", "with --scale: both sides to a size")},
    {"scale-ref", 0, OPTION_FLAG, OTHERS | BDRATE, FIELD("scale.to"), AT(q.scale_ref),
     INPUTS(NULL, "with --scale: the reference to the size of the distorted pictures")},
    {"anchor", 0, OPTION_PICK, BDRATE, AT(bdrate.curve), 1,
     INPUTS(NULL, "the files behind it are points of this curve, at least 4 of each, in any order")},
    {"test", 0, OPTION_PICK, BDRATE, AT(bdrate.curve), 2, INPUTS(NULL, NULL)},
    {"anchor-name", 0, OPTION_STRING, BDRATE, AT(bdrate.name[0]),
     INPUTS("NAME", "what tables and pages call the curves (default: anchor, test)")},
    {"test-name", 0, OPTION_STRING, BDRATE, AT(bdrate.name[1]), INPUTS("NAME", NULL)},
    {"method", 0, OPTION_ADD, BDRATE, .call = bdrate_methods, .words = "pchip, akima, aom, cubic",
     METRICS("LIST",
      "pchip (JCT-VC, JVET), akima, aom (AOM, libvmaf's bd_rate), cubic (Bjontegaard 2001); default: pchip,akima")},
    {"metric", 'm', OPTION_ADD, BDRATE, .call = bdrate_figures,
     METRICS("LIST", "scores, KEY[.POOL] (default: vmaf, psnr_y and float_ms_ssim, as far as all points have them)")},
    {"metrics", 0, OPTION_ADD, BDRATE, .call = bdrate_figures, .hidden = true},
    {"feature", 0, OPTION_ADD, OTHERS | IMAGE | BDRATE, FIELD("metrics"), .call = add_metric,
     METRICS("METRIC", "one metric with its options; may be repeated")},
    {"list-metrics", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_METRICS,
     METRICS(NULL, "metrics, their options and what they write")},
    {"list-metrics-json", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_METRICS_JSON, METRICS(NULL, NULL)},
    {"json", 0, OPTION_ADD, OTHERS | IMAGE | STORED | BDRATE | ALIGN, .least = REPORT_JSON, .call = add_output,
     RESULTS("FILE", "a report; '-' is standard output in the place of the table")},
    {"xml", 0, OPTION_ADD, SCORE | STORED, .least = REPORT_XML, .call = add_output, RESULTS("FILE", NULL)},
    {"csv", 0, OPTION_ADD, SCORE | STORED | IMAGE | BDRATE, .least = REPORT_CSV, .call = add_output,
     RESULTS("FILE", NULL)},
    {"sub", 0, OPTION_ADD, SCORE | STORED, .least = REPORT_SUB, .call = add_output, RESULTS("FILE", NULL)},
    {"html", 0, OPTION_ADD, SCORE | STORED | IMAGE | BDRATE, .least = REPORT_HTML, .call = add_output,
     RESULTS("FILE", "a page with tables, plots and the worst frames")},
    {"thumbnails", 0, OPTION_U32, SCORE | STORED | IMAGE, AT(thumbnails), 0, THUMBS_MOST,
     RESULTS("N", "so many of the worst frames in it, 0 to 50 (default: 5, of images 20)")},
    {"plot", 0, OPTION_ADD, SCORE | STORED, .call = add_plot,
     RESULTS("FILE.svg|FILE.png", "each score over the frames")},
    {"xpsnr-log", 0, OPTION_ADD, SCORE | STORED, .least = REPORT_XPSNR, .call = add_output,
     RESULTS("FILE", "what ffmpeg's xpsnr=stats_file=FILE writes, with -m xpsnr")},
    {"precision", 0, OPTION_CALL, SCORE | STORED | IMAGE | VMAF | BDRATE, .call = parse_precision,
     RESULTS("N|max", "decimals (default: 6); max reads back exactly")},
    {"reproducible", 0, OPTION_FLAG, ALL, AT(reproducible),
     RESULTS(NULL, "leave the frame rate out of reports, so that equal runs write equal bytes")},
    {"force", 0, OPTION_FLAG, ALL | ALIGN, AT(force), RESULTS(NULL, "overwrite files that assay did not write")},
    {"fail-under", 0, OPTION_ADD, SCORE | STORED | IMAGE | VMAF, .call = add_gate,
     RESULTS("KEY[.POOL]=V", "exit 1 when a figure is beyond V")},
    {"fail-over", 0, OPTION_ADD, SCORE | STORED | IMAGE | VMAF, .least = 1, .call = add_gate,
     RESULTS("KEY[.POOL]=V", NULL)},
    {"allow-reversed-gates", 0, OPTION_FLAG, SCORE | STORED | IMAGE | VMAF, AT(reversed_gates),
     RESULTS(NULL, "gates that pass what is worse, as --fail-over vmaf=90, are refused otherwise")},
    {"heatmap", 0, OPTION_STRING, SCORE | IMAGE | VMAF, AT(heatmap),
     RESULTS("DIR", "pictures of where the pairs differ, of the metrics that have a map (docs/maps.md)")},
    {"heatmap-values", 0, OPTION_FLAG, SCORE | VMAF, AT(heatmap_values),
     RESULTS(NULL, "with --heatmap: the numbers of each map, too, as .npy")},
    {"frames-worst", 0, OPTION_CALL, SCORE | VMAF, .call = worst_parse,
     RESULTS("N[:KEY]", "with --heatmap: the N worst frames alone, by a score")},
    {"shard", 0, OPTION_STRING, SCORE, AT(shard), RESULTS("FILE", "write this part's result for 'assay merge'")},
    {"print-request", 0, OPTION_PICK, SCORE, AT(action), ACTION_PRINT_REQUEST,
     RESULTS(NULL, "print the request that 'assay run' takes for the same, and score nothing")},
    {"recursive", 'R', OPTION_FLAG, IMAGE, AT(recursive), INPUTS(NULL, "folders within the two folders, too")},
    {"backends", 0, OPTION_CALL, PARITY, .call = parse_backends,
     MACHINE("LIST", "NAME[:DEVICE]; the device of cpu is an instruction set: cpu:scalar,cpu,vulkan:1")},
    {"quiet", 'q', OPTION_FLAG, ALL | ALIGN | DIFF | LIBVMAF, AT(quiet),
     RESULTS(NULL, "no table, notices or progress")},
    {"verbose", 0, OPTION_FLAG, SCORE | IMAGE, AT(verbose),
     RESULTS(NULL, "why -m all leaves out each metric that a pair does not allow")},
    {"progress", 0, OPTION_FLAG, SCORE | IMAGE | VMAF | BDRATE, AT(progress),
     RESULTS(NULL, "a line a minute where standard error is no terminal")},
    {"no-progress", 0, OPTION_FLAG, ALL, AT(no_progress), RESULTS(NULL, "no progress line")},
    {"list-devices", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_DEVICES,
     MACHINE(NULL, "backends and their devices")},
    {"list-devices-json", 0, OPTION_PICK, VIDEO, AT(action), ACTION_LIST_DEVICES_JSON, MACHINE(NULL, NULL)},
    {"dump-graph", 0, OPTION_FLAG, SCORE | VMAF, AT(dump_graph),
     MACHINE(NULL, "the passes that run on each frame, and their memory")},
    {"dump-memory", 0, OPTION_FLAG, SCORE | VMAF, AT(dump_memory), MACHINE(NULL, NULL)},
    {"dump-stage", 0, OPTION_ADD, SCORE | VMAF, .call = stage_parse,
     MACHINE("PASS:FRAME[=FILE]", "write what a pass made of a frame, as .npy or .pfm (names: --dump-graph)")},
    {"help", 0, OPTION_PICK, ALL | ALIGN | DIFF, AT(action), ACTION_HELP, OTHER(NULL, "this text")},
    {"version", 'v', OPTION_PICK, VIDEO | LIBVMAF, AT(action), ACTION_VERSION, OTHER(NULL, "the version")},
    {"list-options-json", 0, OPTION_PICK, SCORE, AT(action), ACTION_LIST_OPTIONS,
     OTHER(NULL, "the options of all commands, for programs")},
    /* of the front of libvmaf's command alone; its help and docs/vmaf.md have their texts */
    {"model", 'm', OPTION_ADD, LIBVMAF, .call = vmaf_model, .argument = "MODEL"},
    {"feature", 0, OPTION_ADD, LIBVMAF, .call = vmaf_feature, .argument = "NAME"},
    {"output", 'o', OPTION_STRING, LIBVMAF, AT(vmaf.output), .argument = "FILE"},
    {"xml", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_XML},
    {"json", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_JSON},
    {"csv", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_CSV},
    {"sub", 0, OPTION_PICK, LIBVMAF, AT(vmaf.kind), REPORT_SUB},
    {"threads", 0, OPTION_U32, LIBVMAF, AT(q.config.threads), 0, 1024, .argument = "N"},
    {"subsample", 0, OPTION_U64, LIBVMAF, AT(q.every), 0, CLI_COUNTS, .argument = "N"},
    {"frame-cnt", 0, OPTION_ADD, LIBVMAF, .call = parse_frame_cnt, .argument = "N"},
    {"cpumask", 'c', OPTION_ADD, LIBVMAF, .call = vmaf_mask, .argument = "BITS"},
    {"gpumask", 0, OPTION_ADD, LIBVMAF, .least = 1, .call = vmaf_mask, .argument = "BITS"},
    {"aom-ctc", 0, OPTION_ADD, LIBVMAF, .call = vmaf_preset, .argument = "v1.0"},
    {"nflx-ctc", 0, OPTION_ADD, LIBVMAF, .least = 1, .call = vmaf_preset, .argument = "v1.0"},
    {"no-prediction", 'n', OPTION_FLAG, LIBVMAF, AT(vmaf.no_prediction)},
};

/* FORMS: options of a field at most. */
enum { TAKEN = sizeof taken / sizeof taken[0], OWN = sizeof own / sizeof own[0], FORMS = 4 };
static struct option row[FORMS * FIELDS_MOST + ALLOWS + OWN];
static struct option_list table = {.option = row};

static void add_field(uint32_t number, const struct field *f)
{
    static const char inputs[] = "Inputs";
    unsigned t = 0;
    while (t < TAKEN && text_word(taken[t].fields, f->name) < 0)
        t++;
    for (unsigned i = 0; i < FORMS && t < TAKEN; i++) {
        const unsigned side = i & 1;
        const char *name = i < 2 ? f->option[side] : f->also[side];
        const bool joined = side && f->option[0];
        if (name)
            row[table.n++] = (struct option){
                .name = name, .letter = i < 2 ? f->letter[side] : 0, .kind = OPTION_ADD, .field = f->name,
                .commands = i < 2 ? taken[t].commands[side] : taken[t].also, .words = f->words, .call = field_parse,
                .least = number << 1 | side, .argument = f->argument, .section = f->section ? f->section : inputs,
                .help = joined ? NULL : f->help, .fallback = f->fallback, .hidden = i > 1};
    }
}

static void add_allow(unsigned what)
{
    static char name[ALLOWS][24];
    snprintf(name[what], sizeof name[what], "allow-%s", allow_name[what]);
    row[table.n++] = (struct option){
        .name = name[what], .kind = OPTION_FLAG, .field = "allow", .commands = takers_of_allow(what),
        .offset = offsetof(struct cli, q.allow) + what * sizeof(bool), .section = "Inputs",
        .help = field_allow[what]};
}

static bool is_of_run(const struct option *o)
{
    return o->commands & SCORE && !o->field && o->section && strcmp(o->section, "Inputs") &&
           strcmp(o->section, "Metrics") && o->kind != OPTION_PICK;
}

const struct option_list *cli_options(void)
{
    const struct field *f;
    if (!table.n) {
        for (uint32_t i = 0; (f = field_at(i)); i++)
            add_field(i, f);
        for (unsigned i = 0; i < ALLOWS; i++)
            add_allow(i);
        for (unsigned i = 0; i < OWN; i++) {
            row[table.n] = own[i];
            row[table.n++].commands |= is_of_run(&own[i]) ? OPTION_RUN : 0;
        }
    }
    return &table;
}
