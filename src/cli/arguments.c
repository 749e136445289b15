/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. -h takes the height, as in `vmaf`. As the only argument, or for a command without a height, it asks
 * for help. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/worst.h"

const char *const cli_command_name[COMMANDS] = {"", "merge", "parity", "image", "diff", "vmaf", "bdrate",
                                              "align", "report"};

static int unfit(enum cli_command command, const char *option, struct assay_error *e)
{
    const int length = (int)(option[1] == '-' ? strcspn(option, "=") : 2);
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
    for (unsigned i = COMMAND_SCORE + 1; *hint && i < COMMANDS; i++)
        if (!strcmp(first, cli_command_name[i]))
            return assay_fail(e, ASSAY_EUSAGE, "a command stands first: assay %s ... (assay --help)", first);
    return *hint ? assay_fail(e, ASSAY_EUSAGE, "no command is called '%s'%s (assay --help)", first, hint) : ASSAY_OK;
}

/* Videos are files; folders of images have a command of their own. */
static int check_folders(const struct cli *c, struct assay_error *e)
{
    const char *folder = c->q.path[0];
    for (uint32_t i = 1; folder && !is_folder(folder); i++)
        folder = request_input(&c->q, i);
    if (!folder || c->command == COMMAND_IMAGE || c->command == COMMAND_DIFF)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "'%s' is a folder: 'assay image REFERENCE-FOLDER DISTORTED-FOLDER' compares the "
                      "images in two folders, 'assay batch' scores pairs of videos from a list", folder);
}

static int check_stdin(const struct cli *c, struct assay_error *e)
{
    unsigned pipes = 0;
    for (uint32_t i = 0; i <= c->q.encodes; i++)
        pipes += !strcmp(request_input(&c->q, i), "-");
    return pipes < 2 ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "only one of the %s can be standard input",
                                             c->q.encodes > 1 ? "inputs" : "two inputs");
}

/* -w, -h, -p and -b are given together or not at all, and only where a side may be raw. */
static int check_raw(const struct cli *c, struct assay_error *e)
{
    const bool wanted = c->q.form[0] == FORM_RAW || c->q.form[1] == FORM_RAW;
    TRY(input_raw_depth(&c->q.raw[0], "the format of -p", "-b", e));
    if ((request_described(&c->q, 0) || wanted) && !input_raw_whole(&c->q.raw[0]))
        return assay_fail(e, ASSAY_EUSAGE, "raw input needs all four of -w, -h, -p and -b (-b is in names such as "
                          "yuv420p10le)");
    if (request_described(&c->q, 0) && c->q.form[0] == FORM_CODED && c->q.form[1] == FORM_CODED)
        return assay_fail(e, ASSAY_EUSAGE, "-w, -h, -p and -b describe raw input, and neither side is raw");
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
    if ((c->worst.frames || c->heatmap_values) && !c->heatmap)
        return assay_fail(e, ASSAY_EUSAGE, "%s of --heatmap, which is missing", c->worst.frames
                          ? "--frames-worst chooses the frames" : "--heatmap-values writes the numbers");
    if (c->worst.frames && c->shard)
        return assay_fail(e, ASSAY_EUSAGE,
                          "--frames-worst needs the scores of the whole run, and --shard writes a part of one");
    return ASSAY_OK;
}

static int check_align(const struct cli *c, struct assay_error *e)
{
    if (c->command == COMMAND_SCORE && c->search && !c->q.align.wish)
        return assay_fail(e, ASSAY_EUSAGE, "--search is for --align auto");
    for (uint32_t i = 0; c->q.align.wish && i <= c->q.encodes; i++)
        if (!strcmp(request_input(&c->q, i), "-"))
            return assay_fail(e, ASSAY_EUSAGE, "--align auto reads inputs twice, and one of them is standard input");
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
    if (c->command == COMMAND_REPORT)
        return c->parts == 1 ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "one report that --json wrote is needed: assay "
                                                     "report SCORES.json --html PAGE.html (assay report --help)");
    if (c->command == COMMAND_DIFF && !(c->q.path[0] && c->q.path[1]))
        return assay_fail(e, ASSAY_EUSAGE, "diff needs two reports that --json wrote: assay diff A.json B.json");
    if (c->progress && c->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "--progress and --no-progress contradict each other");
    TRY(request_check_options(&c->q, c->q.first || moment_given(c, "first"), e));
    if (c->command == COMMAND_BDRATE) {
        TRY(moment_refuse(c, e));
        return check_raw(c, e);
    }
    if (c->command == COMMAND_VMAF && !(c->q.path[0] && c->q.path[1]))
        return assay_fail(e, ASSAY_EUSAGE, "the %s is required: -%s (assay vmaf --help)",
                          c->q.path[0] ? "distorted video" : "reference",
                          c->q.path[0] ? "d/--distorted" : "r/--reference");
    if (!c->q.path[0] || !c->q.path[1]) {
        const char *const align = c->command == COMMAND_ALIGN ? "align " : "";
        TRY(not_command(c, e));
        return assay_fail(e, ASSAY_EUSAGE, "two inputs are needed: assay %sREFERENCE DISTORTED (assay %s--help)", align,
                          align);
    }
    if (c->command == COMMAND_PARITY && c->backends < 2)
        return assay_fail(e, ASSAY_EUSAGE, "parity needs at least two of them: --backends cpu,vulkan");
    for (uint32_t i = 0; c->command == COMMAND_SCORE && i <= c->q.encodes; i++)
        TRY(moment_no_file(request_input(&c->q, i), e));
    TRY(check_stdin(c, e));
    TRY(moment_check(c, e));
    TRY(check_folders(c, e));
    if (c->q.encodes > 1 && access(c->q.path[0], F_OK) && strcmp(c->q.path[0], "-"))
        TRY(not_command(c, e));
    TRY(check_worst(c, e));
    TRY(check_align(c, e));
    return check_raw(c, e);
}

static int add_positional(void *to, char *text, struct assay_error *e)
{
    struct cli *c = to;
    if (c->command == COMMAND_MERGE || c->command == COMMAND_REPORT) {
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
        return assay_fail(e, ASSAY_EUSAGE, "more than two inputs; the third is %s", text);
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
    const struct option_list *l = cli_options();
    for (const struct option *o = l->option; n > 2 && argument[1] == '-' && o < l->option + l->n; o++) {
        size_t i = 2;
        while (i < n && o->name[i - 2] == (argument[i] == '_' ? '-' : argument[i]))
            i++;
        if (i < n || !(o->commands & OPTION_LIBVMAF))
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
    const struct option *o = option_find(cli_options(), 1u << command, argument, value);
    if (!o && command == COMMAND_VMAF)
        o = abbreviated(argument);
    *found = o;
    if (!o)
        return option_unknown(cli_options(), 1u << command, argument, help, e);
    return o->commands >> command & 1 ? ASSAY_OK : unfit(command, argument, e);
}

int cli_option(char *argument, struct cli_option *found, struct assay_error *e)
{
    const struct option *o;
    char *value;
    TRY(find_option(COMMAND_SCORE, argument, &o, &value, e));
    *found = (struct cli_option){o->kind > OPTION_PICK, o->field, value};
    return ASSAY_OK;
}

/* Whether -h is the height of raw pictures. */
static bool reads_raw(enum cli_command command)
{
    char letter[] = "-h", *value;
    const struct option *o = option_find(cli_options(), 1u << command, letter, &value);
    return o && o->commands >> command & 1;
}

/* Sets the option that argv[*i] is, and moves *i to its value if that is the next argument. */
static int set_option(void *to, int argc, char **argv, int *i, struct assay_error *e)
{
    struct cli *c = to;
    const enum cli_command command = c->command;
    const struct option *o;
    char *value;
    struct assay_error unknown = {0};
    if (!strcmp(argv[*i], "-h") && !reads_raw(command)) {
        c->action = ACTION_HELP;
        return ASSAY_OK;
    }
    const int known = find_option(command, argv[*i], &o, &value, &unknown);
    if ((known || (argv[*i][1] != '-' && value)) && !access(argv[*i], F_OK)) /* "-dash.mp4" would be -d ash.mp4 */
        return assay_fail(e, ASSAY_EUSAGE, "'%s' begins like an option, and there is a file of this name: './%s' names "
                          "the file", argv[*i], argv[*i]);
    if (known)
        return assay_fail(e, known, "%s", unknown.text);
    const bool more = command == COMMAND_VMAF && o->kind <= OPTION_PICK && argv[*i][1] != '-' && value &&
                      argv[*i][2] != '='; /* "-n=" is refused: a flag takes no value */
    const enum cli_action before = c->action;
    c->compares = c->compares || !(o->commands & OPTION_RUN);
    c->last_counts = command == COMMAND_VMAF && o->commands & OPTION_LIBVMAF;
    TRY(option_set(c->last_counts ? NULL : cli_options(), o, c, argc, argv, i, more ? NULL : value, e));
    if (before && before != ACTION_HELP && c->action != before && c->action != ACTION_HELP && !c->last_counts)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' and an option in front of it contradict each other: each shows "
                          "something of its own in place of scores", argv[*i]);
    if (!more)
        return ASSAY_OK;
    *--value = '-'; /* "-nq" is "-n -q" */
    argv[*i] = value;
    return set_option(c, argc, argv, i, e);
}

void cli_choose_planes(struct cli *c)
{
    c->q.config.maps = c->heatmap && !c->worst.frames;
    c->q.config.keep_planes = c->q.config.maps || c->stages || plane_codes_wanted(c);
}

int cli_parse(struct cli *c, enum cli_command command, int argc, char **argv, struct assay_error *e)
{
    memset(c, 0, sizeof *c);
    c->q.every = 1;
    c->precision = CLI_PRECISION_DEFAULT;
    c->command = command;
    c->q.libvmaf = command == COMMAND_VMAF;
    c->q.may_pair = command == COMMAND_SCORE;
    c->part = argv;
    c->vmaf.kind = REPORT_XML;
    c->thumbnails = thumbs_default(command);
    if (argc == 1 && !strcmp(argv[0], "-h"))
        c->action = ACTION_HELP;
    else
        TRY(option_parse(&(struct option_list){.word = add_positional, .set = set_option}, c, argc, argv, e));
    c->q.encode[0] = c->q.path[1];
    c->q.encodes++;
    c->q.part = c->shard != NULL;
    c->q.seeks_shift = command == COMMAND_SCORE && !c->quiet && !c->shard;
    c->q.stop = &cli_stop;
    c->q.raw[1] = c->q.raw[0];
    if (c->action != ACTION_SCORE && c->action != ACTION_PRINT_REQUEST)
        return ASSAY_OK;
    TRY(check_all(c, e));
    TRY(command == COMMAND_VMAF ? vmaf_conclude(c, e) : command == COMMAND_BDRATE ? bdrate_conclude(c, e) : ASSAY_OK);
    TRY(settings_check(c, e));
    TRY(c->q.encodes > 1 ? ladder_check(c, e) : ASSAY_OK);
    cli_choose_planes(c);
    return ASSAY_OK;
}
