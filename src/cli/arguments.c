/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. Long names take dashes or underscores; -h is the height, as in `vmaf`. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "host/numbers.h"

const char *const allow_name[ALLOWS] = {"size", "length", "rate", "range", "depth", "format", "sar", "field-order",
                                        "rotation", "unpaired"};
const char *const cli_command_name[COMMANDS] = {"", "merge", "parity", "image"};

enum option_id {
    OPT_REFERENCE, OPT_DISTORTED, OPT_WIDTH, OPT_HEIGHT, OPT_LAYOUT, OPT_DEPTH, OPT_METRIC, OPT_FEATURE, OPT_FRAMES,
    OPT_EVERY, OPT_FIRST, OPT_SKIP_REF, OPT_SKIP_DIS, OPT_JSON, OPT_XML, OPT_CSV, OPT_SUB, OPT_PRECISION, OPT_UNDER,
    OPT_OVER, OPT_THREADS, OPT_CPU, OPT_BACKEND, OPT_DEVICE, OPT_MATRIX, OPT_RANGE, OPT_SHARD, OPT_TILE, OPT_BAND,
    OPT_IN_FLIGHT,
    OPT_DUMP_STAGE, OPT_BACKENDS, OPT_HEATMAP, OPT_ASSUME, OPT_HWDEC, OPT_ALLOW, /* + enum allow */
    OPT_FLAGS = OPT_ALLOW + ALLOWS, OPT_QUIET = OPT_FLAGS, OPT_NO_PROGRESS, OPT_REPRODUCIBLE, OPT_DUMP_GRAPH,
    OPT_DUMP_MEMORY, OPT_HELP, OPT_VERSION, OPT_LIST_METRICS, OPT_LIST_JSON,
    OPT_LIST_DEVICES, OPT_LIST_DEVICES_JSON,
};

static const struct option_name names[] = {
    {"reference", 'r', OPT_REFERENCE}, {"distorted", 'd', OPT_DISTORTED}, {"width", 'w', OPT_WIDTH},
    {"height", 'h', OPT_HEIGHT}, {"pixel-format", 'p', OPT_LAYOUT}, {"bitdepth", 'b', OPT_DEPTH},
    {"metric", 'm', OPT_METRIC}, {"metrics", 0, OPT_METRIC}, {"feature", 0, OPT_FEATURE},
    {"frames", 'n', OPT_FRAMES}, {"frame-cnt", 0, OPT_FRAMES}, {"every", 0, OPT_EVERY}, {"subsample", 0, OPT_EVERY},
    {"first", 0, OPT_FIRST}, {"skip-ref", 0, OPT_SKIP_REF}, {"frame-skip-ref", 0, OPT_SKIP_REF},
    {"skip-dis", 0, OPT_SKIP_DIS}, {"frame-skip-dist", 0, OPT_SKIP_DIS}, {"json", 0, OPT_JSON}, {"xml", 0, OPT_XML},
    {"csv", 0, OPT_CSV}, {"sub", 0, OPT_SUB}, {"precision", 0, OPT_PRECISION}, {"fail-under", 0, OPT_UNDER},
    {"fail-over", 0, OPT_OVER}, {"threads", 't', OPT_THREADS}, {"cpu", 0, OPT_CPU}, {"backend", 0, OPT_BACKEND},
    {"device", 0, OPT_DEVICE}, {"matrix", 0, OPT_MATRIX}, {"range", 0, OPT_RANGE}, {"shard", 0, OPT_SHARD},
    {"tile", 0, OPT_TILE}, {"band", 0, OPT_BAND}, {"in-flight", 0, OPT_IN_FLIGHT}, {"dump-stage", 0, OPT_DUMP_STAGE},
    {"backends", 0, OPT_BACKENDS}, {"heatmap", 0, OPT_HEATMAP}, {"assume", 0, OPT_ASSUME}, {"hwdec", 0, OPT_HWDEC},
    {"allow-size", 0, OPT_ALLOW + ALLOW_SIZE}, {"allow-length", 0, OPT_ALLOW + ALLOW_LENGTH},
    {"allow-rate", 0, OPT_ALLOW + ALLOW_RATE}, {"allow-range", 0, OPT_ALLOW + ALLOW_RANGE},
    {"allow-depth", 0, OPT_ALLOW + ALLOW_DEPTH}, {"allow-format", 0, OPT_ALLOW + ALLOW_FORMAT},
    {"allow-sar", 0, OPT_ALLOW + ALLOW_SAR}, {"allow-field-order", 0, OPT_ALLOW + ALLOW_FIELD_ORDER},
    {"allow-rotation", 0, OPT_ALLOW + ALLOW_ROTATION}, {"allow-unpaired", 0, OPT_ALLOW + ALLOW_UNPAIRED},
    {"quiet", 'q', OPT_QUIET}, {"no-progress", 0, OPT_NO_PROGRESS}, {"reproducible", 0, OPT_REPRODUCIBLE},
    {"dump-graph", 0, OPT_DUMP_GRAPH}, {"dump-memory", 0, OPT_DUMP_MEMORY}, {"help", 0, OPT_HELP},
    {"version", 'v', OPT_VERSION}, {"list-metrics", 0, OPT_LIST_METRICS}, {"list-metrics-json", 0, OPT_LIST_JSON},
    {"list-devices", 0, OPT_LIST_DEVICES}, {"list-devices-json", 0, OPT_LIST_DEVICES_JSON},
};

static int parse_word(const char *what, const char *text, const char *const *words, const int *values, int *out,
                      struct assay_error *e)
{
    char list[200] = "";
    for (unsigned i = 0; words[i]; i++) {
        if (!strcmp(text, words[i])) {
            *out = values[i];
            return ASSAY_OK;
        }
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, words[i], sizeof list - strlen(list) - 1);
    }
    return assay_fail(e, ASSAY_EUSAGE, "%s takes %s, not '%s'", what, list, text);
}

static int add_metric(struct cli *c, const char *text, struct assay_error *e)
{
    if (!strcmp(text, "all")) {
        c->all_metrics = true;
        return ASSAY_OK;
    }
    if (!*text)
        return assay_fail(e, ASSAY_EUSAGE, "a metric's name is missing");
    if (c->metrics == CLI_METRICS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d metrics", CLI_METRICS);
    c->metric[c->metrics++] = text;
    return ASSAY_OK;
}

/* "a,b=x:y,c": cut at the commas in a copy that lives as long as the options. */
static int add_metrics(struct cli *c, const char *text, struct assay_error *e)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(sizeof(char *) + size);
    if (!copy)
        return assay_fail_memory(e, "the options");
    memcpy(copy, &c->memory, sizeof(char *)); /* a list: each block starts with the one before */
    c->memory = copy;
    copy = memcpy(copy + sizeof(char *), text, size);
    int rc = ASSAY_OK;
    while (!rc && copy) {
        char *comma = strchr(copy, ',');
        if (comma)
            *comma++ = 0;
        rc = add_metric(c, copy, e);
        copy = comma;
    }
    return rc;
}

void cli_free(struct cli *c)
{
    while (c->memory) {
        char *block = c->memory;
        memcpy(&c->memory, block, sizeof(char *));
        free(block);
    }
    free(c->part);
    c->part = NULL;
}

static int add_output(struct cli *c, enum report_kind kind, const char *path, struct assay_error *e)
{
    if (c->outputs == CLI_OUTPUTS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d reports", CLI_OUTPUTS);
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!strcmp(c->output[i].path, path))
            return assay_fail(e, ASSAY_EUSAGE, "two reports would both be written to '%s'", path);
    c->output[c->outputs++] = (struct cli_output){kind, path};
    return ASSAY_OK;
}

static int add_gate(struct cli *c, const char *text, bool over, struct assay_error *e)
{
    if (c->gates == CLI_GATES)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d gates", CLI_GATES);
    return gate_parse(&c->gate[c->gates++], text, over, e);
}

static int parse_precision(struct cli *c, const char *text, struct assay_error *e)
{
    uint64_t decimals = 0;
    if (!strcmp(text, "max")) {
        c->precision = REPORT_SHORTEST;
        return ASSAY_OK;
    }
    const int rc = option_count("--precision", text, strlen(text), 0, 17, &decimals, e);
    c->precision = (int)decimals;
    return rc;
}

static int parse_tile(struct cli *c, const char *text, struct assay_error *e)
{
    const size_t n = strcspn(text, "x");
    if (!text[n])
        return assay_fail(e, ASSAY_EUSAGE, "--tile takes WxH, not '%s'", text);
    TRY(option_u32("--tile", text, n, 1, 65535, &c->config.tile_width, e));
    return option_u32("--tile", text + n + 1, strlen(text + n + 1), 1, 65535, &c->config.tile_height, e);
}

/* "a,b:c": the backends of `assay parity`. */
static int parse_backends(struct cli *c, const char *text, struct assay_error *e)
{
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

static int set_raw(struct cli *c, enum option_id id, const char *v, struct assay_error *e)
{
    static const char *const layouts[] = {"400", "420", "422", "444", "411", NULL};
    static const int layout_value[] = {ASSAY_LAYOUT_400, ASSAY_LAYOUT_420, ASSAY_LAYOUT_422, ASSAY_LAYOUT_444,
                                       ASSAY_LAYOUT_411};
    int layout = 0, rc;
    c->raw.raw = true;
    switch (id) {
    case OPT_WIDTH: c->raw_width = true; return option_u32("--width", v, strlen(v), 1, 65535, &c->raw.width, e);
    case OPT_HEIGHT: c->raw_height = true; return option_u32("--height", v, strlen(v), 1, 65535, &c->raw.height, e);
    case OPT_DEPTH: c->raw_depth = true; return option_u32("--bitdepth", v, strlen(v), 8, 16, &c->raw.bit_depth, e);
    default:
        c->raw_layout = true;
        rc = parse_word("--pixel-format", v, layouts, layout_value, &layout, e);
        c->raw.layout = (assay_layout)layout;
        return rc;
    }
}

static int set_value(struct cli *c, enum option_id id, const char *v, struct assay_error *e)
{
    static const char *const ranges[] = {"limited", "full", NULL};
    static const int range_value[] = {ASSAY_RANGE_LIMITED, ASSAY_RANGE_FULL};
    static const char *const hwdecs[] = {"off", "auto", "cuda", NULL};
    static const int hwdec_value[] = {HWDEC_OFF, HWDEC_AUTO, HWDEC_CUDA};
    static const char *const colours[] = {"srgb", NULL};
    static const int colour_value[] = {1};
    int word = 0, rc;
    switch (id) {
    case OPT_REFERENCE: c->path[0] = v; return ASSAY_OK;
    case OPT_DISTORTED: c->path[1] = v; return ASSAY_OK;
    case OPT_WIDTH: case OPT_HEIGHT: case OPT_LAYOUT: case OPT_DEPTH: return set_raw(c, id, v, e);
    case OPT_METRIC: return add_metrics(c, v, e);
    case OPT_FEATURE: return add_metric(c, v, e);
    case OPT_FRAMES: return option_count("--frames", v, strlen(v), 1, UINT64_MAX / 16, &c->frames, e);
    case OPT_EVERY: return option_count("--every", v, strlen(v), 1, UINT64_MAX / 16, &c->every, e);
    case OPT_FIRST: return option_count("--first", v, strlen(v), 0, UINT64_MAX / 16, &c->first, e);
    case OPT_SKIP_REF: return option_count("--skip-ref", v, strlen(v), 0, UINT64_MAX / 16, &c->skip[0], e);
    case OPT_SKIP_DIS: return option_count("--skip-dis", v, strlen(v), 0, UINT64_MAX / 16, &c->skip[1], e);
    case OPT_JSON: return add_output(c, REPORT_JSON, v, e);
    case OPT_XML: return add_output(c, REPORT_XML, v, e);
    case OPT_CSV: return add_output(c, REPORT_CSV, v, e);
    case OPT_SUB: return add_output(c, REPORT_SUB, v, e);
    case OPT_PRECISION: return parse_precision(c, v, e);
    case OPT_UNDER: case OPT_OVER: return add_gate(c, v, id == OPT_OVER, e);
    case OPT_THREADS: return option_u32("--threads", v, strlen(v), 1, 1024, &c->config.threads, e);
    case OPT_IN_FLIGHT: return option_u32("--in-flight", v, strlen(v), 1, 256, &c->config.frames_in_flight, e);
    case OPT_CPU: c->config.cpu_level = v; return ASSAY_OK;
    case OPT_BACKEND: c->config.backend = v; return ASSAY_OK;
    case OPT_DEVICE: c->config.device = v; return ASSAY_OK;
    case OPT_MATRIX: c->config.rgb_matrix = v; return ASSAY_OK;
    case OPT_RANGE:
        rc = parse_word("--range", v, ranges, range_value, &word, e);
        c->config.rgb_range = (assay_range)word;
        return rc;
    case OPT_SHARD: c->shard = v; return ASSAY_OK;
    case OPT_TILE: return parse_tile(c, v, e);
    case OPT_BAND: return option_u32("--band", v, strlen(v), 1, 65535, &c->config.band_height, e);
    case OPT_DUMP_STAGE: return stage_parse(c, v, e);
    case OPT_BACKENDS: return parse_backends(c, v, e);
    case OPT_HEATMAP:
        c->heatmap = v;
        c->config.keep_planes = 1;
        return ASSAY_OK;
    case OPT_HWDEC:
        rc = parse_word("--hwdec", v, hwdecs, hwdec_value, &word, e);
        c->hwdec = (enum hwdec_wish)word;
        return rc;
    case OPT_ASSUME:
        rc = parse_word("--assume", v, colours, colour_value, &word, e);
        c->assume_srgb = word != 0;
        return rc;
    default: return ASSAY_EINTERNAL;
    }
}

static void set_flag(struct cli *c, int id, enum cli_action *action)
{
    switch (id) {
    case OPT_QUIET: c->quiet = true; break;
    case OPT_NO_PROGRESS: c->no_progress = true; break;
    case OPT_REPRODUCIBLE: c->reproducible = true; break;
    case OPT_DUMP_GRAPH: c->dump_graph = true; break;
    case OPT_DUMP_MEMORY: c->dump_memory = true; break;
    case OPT_HELP: *action = ACTION_HELP; break;
    case OPT_VERSION: *action = ACTION_VERSION; break;
    case OPT_LIST_METRICS: *action = ACTION_LIST_METRICS; break;
    case OPT_LIST_JSON: *action = ACTION_LIST_METRICS_JSON; break;
    case OPT_LIST_DEVICES: *action = ACTION_LIST_DEVICES; break;
    case OPT_LIST_DEVICES_JSON: *action = ACTION_LIST_DEVICES_JSON; break;
    default: c->allow[id - OPT_ALLOW] = true; break;
    }
}

static bool among(int id, const int *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return true;
    return false;
}

/* Whether an option means something to a command. */
static bool fits(enum cli_command command, int id)
{
    /* What there is to choose once the scores are known. */
    static const int merge[] = {OPT_JSON, OPT_XML, OPT_CSV, OPT_SUB, OPT_PRECISION, OPT_UNDER, OPT_OVER, OPT_QUIET,
                                OPT_NO_PROGRESS, OPT_REPRODUCIBLE, OPT_HELP};
    static const int image[] = {OPT_REFERENCE, OPT_DISTORTED, OPT_METRIC, OPT_FEATURE, OPT_JSON, OPT_PRECISION,
                                OPT_UNDER, OPT_OVER, OPT_THREADS, OPT_CPU, OPT_BACKEND, OPT_DEVICE, OPT_MATRIX,
                                OPT_RANGE, OPT_TILE, OPT_BAND, OPT_HEATMAP, OPT_ASSUME, OPT_ALLOW + ALLOW_UNPAIRED,
                                OPT_QUIET, OPT_NO_PROGRESS, OPT_REPRODUCIBLE, OPT_HELP};
    /* Of scoring, but for what chooses one backend or shows results. */
    static const int not_parity[] = {OPT_XML, OPT_CSV, OPT_SUB, OPT_PRECISION, OPT_UNDER, OPT_OVER, OPT_CPU,
                                     OPT_BACKEND, OPT_DEVICE, OPT_SHARD, OPT_DUMP_GRAPH, OPT_DUMP_MEMORY,
                                     OPT_DUMP_STAGE, OPT_HEATMAP, OPT_HWDEC};
    static const int not_score[] = {OPT_BACKENDS, OPT_ASSUME, OPT_ALLOW + ALLOW_UNPAIRED};
    switch (command) {
    case COMMAND_MERGE: return among(id, merge, sizeof merge / sizeof *merge);
    case COMMAND_IMAGE: return among(id, image, sizeof image / sizeof *image);
    case COMMAND_PARITY:
        return id == OPT_BACKENDS ||
               (fits(COMMAND_SCORE, id) && !among(id, not_parity, sizeof not_parity / sizeof *not_parity));
    default: return !among(id, not_score, sizeof not_score / sizeof *not_score);
    }
}

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

static int check_all(const struct cli *c, struct assay_error *e)
{
    if (c->command == COMMAND_MERGE)
        return c->parts ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "merge needs the parts that --shard wrote");
    for (uint32_t i = 0; c->shard && i < c->outputs; i++)
        if (!strcmp(c->shard, c->output[i].path))
            return assay_fail(e, ASSAY_EUSAGE, "a report and the shard would both be written to '%s'", c->shard);
    if (!c->path[0] || !c->path[1])
        return assay_fail(e, ASSAY_EUSAGE, "two inputs are needed: assay REFERENCE DISTORTED (assay --help)");
    if (c->command == COMMAND_PARITY && c->backends < 2)
        return assay_fail(e, ASSAY_EUSAGE, "parity needs at least two of them: --backends cpu,vulkan");
    if (!strcmp(c->path[0], "-") && !strcmp(c->path[1], "-"))
        return assay_fail(e, ASSAY_EUSAGE, "only one of the two inputs can be standard input");
    if (c->raw.raw && !(c->raw_width && c->raw_height && c->raw_layout && c->raw_depth))
        return assay_fail(e, ASSAY_EUSAGE, "raw input needs all four of -w, -h, -p and -b");
    return ASSAY_OK;
}

static int add_positional(struct cli *c, char *text, struct assay_error *e)
{
    if (c->command == COMMAND_MERGE) {
        c->part[c->parts++] = text;
        return ASSAY_OK;
    }
    for (unsigned i = 0; i < 2; i++)
        if (!c->path[i]) {
            c->path[i] = text;
            return ASSAY_OK;
        }
    return assay_fail(e, ASSAY_EUSAGE, "more than two inputs: '%s'", text);
}

int cli_parse(struct cli *c, enum cli_command command, int argc, char **argv, enum cli_action *action,
              struct assay_error *e)
{
    *c = (struct cli){.every = 1, .precision = CLI_PRECISION_DEFAULT, .command = command, .hwdec = HWDEC_OFF};
    *action = ACTION_SCORE;
    bool only_paths = false;
    if (command == COMMAND_MERGE && !(c->part = calloc((size_t)argc + 1, sizeof *c->part)))
        return assay_fail_memory(e, "the options");
    for (int i = 0; i < argc; i++) {
        char *a = argv[i];
        int rc = ASSAY_OK;
        if (only_paths || a[0] != '-' || !a[1]) {
            rc = add_positional(c, a, e);
        } else if (!strcmp(a, "--")) {
            only_paths = true;
        } else {
            const char *value;
            const int id = option_find(names, sizeof names / sizeof names[0], a, &value);
            const bool flag = id >= OPT_ALLOW;
            if (id < 0 || (flag && value))
                return assay_fail(e, ASSAY_EUSAGE,
                                  id < 0 ? "no option is called '%s' (assay --help)" : "'%s' takes no value", a);
            if (!fits(command, id))
                return unfit(command, a, e);
            TRY(flag ? ASSAY_OK : option_value(argc, argv, &i, &value, e));
            if (flag)
                set_flag(c, id, action);
            else
                rc = set_value(c, (enum option_id)id, value, e);
        }
        if (rc)
            return rc;
    }
    return *action == ACTION_SCORE ? check_all(c, e) : ASSAY_OK;
}
