/* SPDX-License-Identifier: BSD-2-Clause */
/* The `assay` command: what the user asked for, and the steps that do it. Results are exit codes' negatives
 * (assay.h). */
#ifndef ASSAY_CLI_CLI_H
#define ASSAY_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "host/suggest.h"
#include "results/bdrate.h"
#include "results/encode.h"
#include "results/file.h"
#include "report/report.h"
#include "run/pair.h"

enum { CLI_GATES = 64, CLI_OUTPUTS = 16, CLI_STAGES = 64, CLI_BACKENDS = 8, CLI_MODELS = 32,
       CLI_POINTS = 64, CLI_SETTINGS = 160 };

struct cli_output {
    enum report_kind kind;
    const char *path;
};

/* What the first word asks for. */
enum cli_command { COMMAND_SCORE, COMMAND_MERGE, COMMAND_PARITY, COMMAND_IMAGE, COMMAND_DIFF, COMMAND_VMAF,
                   COMMAND_BDRATE, COMMAND_ALIGN, COMMAND_REPORT, COMMANDS };
extern const char *const cli_command_name[COMMANDS]; /* "" of scoring */

/* --dump-stage PASS:FRAME[=FILE] */
struct cli_stage {
    char pass[64];
    uint64_t frame;
    const char *file; /* NULL: PASS-FRAME.npy */
};

/* One of --backends: NAME[:DEVICE], the device of a CPU being its instruction set. */
struct cli_backend {
    char text[64]; /* as given */
    char name[32], device[32];
};

/* What runs: the command, or what an option asks for in its place. */
enum cli_action { ACTION_SCORE, ACTION_PRINT_REQUEST, ACTION_LIST_OPTIONS, ACTION_HELP,
                  ACTION_VERSION, ACTION_LIST_METRICS, ACTION_LIST_METRICS_JSON,
                  ACTION_LIST_DEVICES, ACTION_LIST_DEVICES_JSON };

/* What `assay vmaf` asks for beyond scoring. */
struct cli_vmaf {
    const char *output;  /* the report; NULL: none */
    int kind;            /* of it: enum report_kind */
    bool no_prediction;  /* the features of the models, and not their scores */
    bool common_depth;   /* a side of fewer bits is brought to the depth of the other */
    uint32_t cpu_mask;   /* instruction sets not to use, in libvmaf's bits */
    struct cli_model {
        char name[128];    /* of its scores */
        const char *label; /* version or path, as given */
    } model[CLI_MODELS];
    uint32_t models;
    const char *feature[REQUEST_METRICS]; /* as metrics of assay */
    uint32_t features;
    char text[CLI_MODELS * 1200]; /* of the models as metrics */
    size_t used;                  /* of `text` */
};

/* What `assay bdrate` asks for. */
struct cli_bdrate {
    int curve; /* whose files follow: 0 none, 1 the anchor, 2 the test */
    struct cli_point {
        const char *path;
        const char *encode; /* of a report on several: "ENCODE" or "ENCODE@KBPS"; NULL: none is named */
        size_t length;      /* bytes of `encode` in front of @KBPS */
        double kbps;        /* as given; NaN: not given */
    } point[2][CLI_POINTS];
    uint32_t points[2];
    const char *name[2]; /* of the curves, which differ */
    struct gate figure[ENCODE_FIGURES]; /* scores that are compared */
    uint32_t figures;
    bool named;                         /* the user named them */
    bool method[BDRATE_METHODS];
};

/* A field of the request as the command line states it. */
struct cli_setting {
    const struct field *field;
    const char *text;
    unsigned side;   /* of a field of sides: that of its option */
    uint32_t encode; /* 0: of all encodes; else number of the one, from 1, of which it is: "2=TEXT" */
};

struct cli {
    enum cli_command command; /* options that another command has are refused */
    enum cli_action action;
    struct request q;         /* what is compared, and how; of a ladder's encode its own */
    struct cli_setting setting[CLI_SETTINGS];
    uint32_t settings;
    bool last_counts;         /* of the option that is set: given again, as for getopt */
    bool compares;            /* an option says what is compared, or asks for something in place of scores */
    bool all_or_none;         /* an encode of a ladder that fails ends the run */
    const struct request *each;   /* of `assay run`: the requests of the encodes, and their names; else NULL */
    const char *const *each_name; /* NULL in it: the file's */
    enum { MIX_NONE, MIX_FIRST, MIX_LATER } mix; /* of a ladder's encode: whether others of it may have other scores, as
                                                  * they are scored in a later or in an earlier run */
    struct cli_output output[CLI_OUTPUTS];
    uint32_t outputs;
    struct gate gate[CLI_GATES];
    uint32_t gates;
    bool reversed_gates; /* they may be against their score's direction */
    const char *shard;
    int precision;       /* of reports and table: decimals, REPORT_SHORTEST, or CLI_PRECISION_DEFAULT */
    bool quiet, verbose, progress, no_progress, reproducible, dump_graph, dump_memory;
    bool recursive; /* folders inside the two folders are compared too */
    bool heatmap_values; /* --heatmap writes the numbers of maps, too */
    bool force; /* overwrite files that assay did not write */
    struct cli_stage stage[CLI_STAGES];
    uint32_t stages;
    struct cli_backend backend[CLI_BACKENDS];
    uint32_t backends;
    const char *heatmap; /* folder for pictures of where the pairs differ */
    struct {
        uint64_t frames; /* --frames-worst; 0: not given */
        const char *key; /* the score that chooses them; NULL: the first one with better and worse values */
    } worst;
    uint32_t thumbnails; /* of the worst frames, in an HTML report */
    char **part;         /* of `assay merge` and `report`; of `run` the request. No output takes the place of one */
    uint32_t parts;
    uint32_t search;     /* offsets that are looked at, in frames either way; 0: as many as usual */
    struct cli_vmaf vmaf; /* of `assay vmaf` */
    struct cli_bdrate bdrate; /* of `assay bdrate` */
    bool only_scores;     /* another command asks for the scores: no table, and nothing is said of them */
    bool in_batch;        /* assay batch has this report or merge made: a signal is its own, and ends no writing */
};
enum { CLI_PRECISION_DEFAULT = -2 };
#define CLI_COUNTS (UINT64_MAX / 16) /* the largest number of frames of an option */

/* Parses the arguments behind the program's name, or behind the command's. *c points into argv, and lists of metrics
 * are cut there. */
int cli_parse(struct cli *c, enum cli_command command, int argc, char **argv, struct assay_error *e);
/* Sets which planes the session keeps: those that outputs and metrics ask for. */
void cli_choose_planes(struct cli *c);
/* An option of scoring, "--name". Fails as cli_parse where scoring has no such option. */
struct cli_option {
    bool takes_value;
    bool of_request; /* it sets a field of the request */
    char *value;     /* within the argument; NULL: it stands behind it, if it takes one */
};
int cli_option(char *argument, struct cli_option *o, struct assay_error *e);
/* All options of the commands whose arguments cli_parse takes. LIBVMAF: one of libvmaf's command, whose names may be
 * cut short as by getopt. RUN: one that `assay run` takes, since it says what becomes of the scores. */
struct option_list;
const struct option_list *cli_options(void);
enum { OPTION_LIBVMAF = 1 << COMMANDS, OPTION_RUN = 2 << COMMANDS };
/* Prints the help of a command, or of scoring for "". False where no command has that name. */
bool cli_help(const char *command, FILE *out);
/* Prints the options of all commands as JSON. */
void cli_list_options(void);
/* Offers the names of all commands. */
void cli_offer_commands(struct suggestion *like);

/* Reports, table and gates of a run. Where the run is incomplete, its description says why. results_finish returns 0, 1
 * when a gate failed, or a negative code. */
struct cli_results {
    struct reporter *reporter[CLI_OUTPUTS]; /* NULL: it can't be written */
    struct assay_error failed;              /* why the first of these can't be written */
};

/* ---- gates.c: which scores they may be on ---- */

/* The names of an encode's scores, or, for NULL, of a session's keys, and of the encode's aggregates in the session,
 * which is started or planned. The caller frees both lists, also after a failure. */
int cli_gate_names(struct gate_names *n, const struct scores *s, const assay_session *session, uint32_t encode,
                   struct assay_error *e);
/* Refuses gates against the direction of a score that metrics write by that name. Needs no input. */
int cli_gates_direction(const struct cli *c, struct assay_error *e);
/* Refuses (ASSAY_EUSAGE) gates on scores that the metrics have for no kind of pictures; *bad is the first one. */
int cli_gates_possible(const struct cli *c, const struct gate *gate, uint32_t gates, const struct gate **bad,
                       struct assay_error *e);

FILE *results_stream(const struct cli *c); /* of table and gates: standard error when a report takes standard output */

/* Called before anything is opened. Refuses to write a file over an input, and, without --force, over a file that assay
 * did not write. */
int results_spared(const struct cli *c, struct assay_error *e);
int results_spare(const struct cli *c, const char *path, enum file_form form, struct assay_error *e); /* one file */

/* Whether two paths lead to one file or folder that is there; whether a path leads to a folder. */
bool same_file(const char *a, const char *b);
bool is_folder(const char *path);

/* The decimals of a report of a kind: --precision, or its default. */
int results_precision(const struct cli *c, enum report_kind kind);

/* Checks the gates against the scores, whose directions are known, and the aggregates of an encode of the session,
 * which is started or planned. Opens the reports. */
int results_open(struct cli_results *r, const struct cli *c, const assay_session *session, uint32_t encode,
                 const struct stored *x, struct assay_error *e);
/* Hands a row to the reports. A report that can't be written is given up, and results_finish says so. Fails when no
 * output is left that takes scores, or when the report on standard output can't be written: its reader has gone. */
int results_frame(struct cli_results *r, const struct cli *c, const struct scores *s, uint64_t row,
                  struct assay_error *e);
int results_finish(struct cli_results *r, const struct cli *c, const struct stored *x, struct assay_error *e);
/* Reports, table and gates of stored results, with the session that was planned for them. `no_videos`: why there are no
 * pictures of the worst frames; NULL: nobody shows the frames. Returns what results_finish returns. */
int results_stored(const struct cli *c, const assay_session *session, struct stored *x, const char *no_videos,
                   struct assay_error *e);
void results_close(struct cli_results *r);

/* ---- reports on several encodes: those of `c` whose paths have no place for a name ---- */

int ladder_reports_open(struct cli_results *r, const struct cli *c, struct assay_error *e);
/* Writes them, the table and the gates, where an encode has scores. Sets the exit codes of encodes whose gates fail,
 * and returns 1 then. */
int ladder_reports_finish(struct cli_results *r, const struct cli *c, const char *reference,
                          struct stored *entry, uint32_t n, struct assay_error *e);

/* ---- being stopped (signals.c) ---- */

/* Ends the reading of all inputs of the command. */
extern struct input_stop cli_stop;
/* The first SIGINT, SIGTERM or SIGHUP sets cli_stop. One that comes half a second later kills. `drops`: nothing is kept
 * of what is being written, so that the first one ends waits for its reader, too. */
void signals_catch(bool drops);
int signals_why(void); /* the signal's number, or 0 */
/* The failure of a run that a signal ended. It replaces any failure that the signal caused. The exit code is 128 plus
 * the signal's number, as in a shell. */
int signals_stopped(struct assay_error *e);

/* Scores all encodes of the command line (score/ladder.c). Those that a session can score together share a run, and the
 * reference is read once for them. One that fails does not keep the others from being scored. Returns the result of
 * the first that failed, else 1 when a gate failed. */
int cli_score(const struct cli *c, struct assay_error *e);
/* The same, whose results can be asked for, whatever it returns, until they are closed. */
struct ladder;
int ladder_score(struct ladder **l, const struct cli *c, struct assay_error *e);
const struct stored *ladder_results(const struct ladder *l, uint32_t encode);
void ladder_close(struct ladder **l);
int cli_merge(const struct cli *c, struct assay_error *e);
int cli_parity(const struct cli *c, struct assay_error *e);
int cli_image(const struct cli *c, struct assay_error *e);
int cli_diff(const struct cli *c, struct assay_error *e);
int cli_vmaf(const struct cli *c, struct assay_error *e);
int cli_bdrate(const struct cli *c, struct assay_error *e);
int cli_align(const struct cli *c, struct assay_error *e);
int cli_report(const struct cli *c, struct assay_error *e);

/* Refuses what several encodes can't have together. Called behind the last option. */
int ladder_check(const struct cli *c, struct assay_error *e);
/* Whether a path has a place for the encode's name or number (results.c); the path with the name of results, and the
 * number from 1, in their places, in the memory of the results. */
#define LADDER_NAME "{name}"
#define LADDER_NUMBER "{number}"
bool ladder_has_place(const char *path);
const char *ladder_fill(struct stored *s, const char *path, uint32_t number);
/* Sets the outputs that are one encode's own: of several, those with a place for it. */
int ladder_outputs(struct cli *own, const struct cli *c, struct stored *s, uint32_t number, bool several,
                   struct assay_error *e);

/* Those that `c` names as its inputs, or all. cli_list_metric: one; fails without a message where there is none. */
int cli_list_metrics(const struct cli *c, bool json, struct assay_error *e);
int cli_list_metric(const char *name, FILE *out);
void cli_offer_metrics(struct suggestion *like);
int cli_list_devices(const char *backend, bool json, struct assay_error *e);
int cli_run_request(int argc, char **argv, struct assay_error *e); /* the arguments behind "run" */
int cli_probe(int argc, char **argv, struct assay_error *e);       /* behind "probe" */
extern const struct option_list cli_probe_options, cli_doctor_options;
int cli_doctor(int argc, char **argv, struct assay_error *e); /* the arguments behind "doctor" */

/* ---- the front of libvmaf's command (vmaf/) ---- */

/* Options that do more than set a field: --model, --feature, --aom_ctc and --nflx_ctc, --cpumask and --gpumask. */
int vmaf_model(void *cli, char *text, uint64_t unused, struct assay_error *e);
int vmaf_feature(void *cli, char *text, uint64_t unused, struct assay_error *e);
int vmaf_preset(void *cli, char *text, uint64_t nflx, struct assay_error *e);
int vmaf_mask(void *cli, char *text, uint64_t gpu, struct assay_error *e);
/* Called behind the last option. Checks them, and makes of them what scoring takes. */
int vmaf_conclude(struct cli *c, struct assay_error *e);
/* The exit code of the front, as a negative code where that of scoring is one: 1 for usage and 255 for any other
 * failure, as libvmaf's command. With gates, and for signals, the code is assay's. */
int vmaf_exit(const struct cli *c, bool parsed, int rc);
/* The columns of a report in libvmaf's order: column[i] is the key of the session that stands there. Returns how many
 * there are: keys of models are left out with --no_prediction. */
uint32_t vmaf_columns(const struct cli *c, const assay_session *s, uint32_t *column);
/* Prints the models' scores to standard error, as libvmaf's command and ffmpeg's filter do. */
void vmaf_print_scores(const struct cli *c, const struct scores *s);

/* ---- arguments of `assay bdrate` (bdrate.c) ---- */

int bdrate_figures(void *cli, char *text, uint64_t unused, struct assay_error *e);
int bdrate_methods(void *cli, char *text, uint64_t unused, struct assay_error *e);
int bdrate_add(struct cli_bdrate *b, char *text, struct assay_error *e);
int bdrate_conclude(struct cli *c, struct assay_error *e);

/* ---- the metrics of a run (list.c) ---- */

/* Says which metrics a session leaves out. Of several that -m all asked for, only --verbose tells more than names.
 * `name`: of the encodes. */
void left_out_say(const struct cli *c, const struct left_out *l, const char *const *name, uint32_t names);

/* --frames-worst N[:KEY] (worst.c) */
int worst_parse(void *cli, char *text, uint64_t unused, struct assay_error *e);

/* ---- frames that lie shifted (align/align.c) ---- */

/* --align auto: finds the offset, adds it to the frames that are left out, and says so in a line. Refuses what one
 * offset can't make pairs of. */
int align_apply(struct cli *c, struct assay_error *e);
/* Behind a run with low scores: reads some frames around the worst one again, and prints a line where they certainly
 * lie shifted. */
void align_hint(const struct cli *c, const struct scores *s);

/* ---- planes as files (stages.c) ---- */

int stage_parse(void *cli, char *text, uint64_t unused, struct assay_error *e);
/* Called before the first frame. Checks that the passes exist and that their planes can be written. */
int stages_check(const struct cli *c, assay_session *s, struct assay_error *e);
/* Writes the planes that were asked for of `frame`, which was submitted last. */
int stages_write(const struct cli *c, assay_session *s, uint64_t frame, struct assay_error *e);
/* A plane of the frame that was submitted last, without gaps between its rows; the caller frees it in any case. */
int stages_read(assay_session *s, uint32_t index, const assay_plane *p, void **data, struct assay_error *e);
/* Called at the end. Fails where a frame whose planes were asked for was not scored. */
int stages_missing(const struct cli *c, const struct scores *scored, struct assay_error *e);

/* --heatmap: draws each map that a metric of the session names, of an encode's frame that was submitted last, as
 * FOLDER/STEM.MAP.png. heatmaps_folder makes the folder where there is none. It fails in a build that writes no PNG. */
int heatmaps_folder(const char *folder, struct assay_error *e);
int heatmaps_check(const struct cli *c, assay_session *s, struct assay_error *e);
int heatmaps_write(const struct cli *c, assay_session *s, uint32_t encode, const char *stem, struct assay_error *e);

/* ---- files that options of metrics ask for (stages.c) ---- */

struct plane_codes_file {
    assay_plane_file of;
    char *path;
    FILE *stream;
    size_t samples; /* of a frame */
    uint64_t at;    /* the frame that would be written at the stream's position */
};

struct plane_codes {
    struct plane_codes_file *file;
    uint32_t files;
    size_t most;    /* samples of the largest plane */
    float *plane;
    uint8_t *code;
};

/* Whether a metric's text asks for files: the session needs to keep its planes then. */
bool plane_codes_wanted(const struct cli *c);
/* Makes the folders and begins the files of a session that was started. Unless `force`, refuses to overwrite files. */
int plane_codes_open(struct plane_codes *c, const struct cli *cli, assay_session *s, struct assay_error *e);
/* Writes a frame, which was submitted last. */
int plane_codes_write(struct plane_codes *c, assay_session *s, uint64_t frame, struct assay_error *e);
/* Closes the files, which stay as they are. Fails where one could not be written. */
int plane_codes_close(struct plane_codes *c, struct assay_error *e);

/* ---- what the command line says of a request (settings.c) ---- */

/* Notes that an option has set a field. */
int setting_add(struct cli *c, const struct field *f, unsigned side, uint32_t encode, const char *text,
                struct assay_error *e);
/* Takes a value of one encode alone, "2=VALUE", and sets *text to NULL then. `what`: the option. */
int setting_of_encode(struct cli *c, const struct field *f, unsigned side, const char *what, char **text,
                      struct assay_error *e);
/* Refuses values for encodes that are not there, and half a description of raw pictures. */
int settings_check(const struct cli *c, struct assay_error *e);
/* Sets in the request of encode `number`, from 0, what was given for it alone. *name becomes its name, if there is
 * one. */
int settings_apply(const struct cli *c, uint32_t number, struct request *q, const char **name, struct assay_error *e);
/* The request as JSON, which the caller frees; and printed. */
int cli_request_text(const struct cli *c, char **text, struct assay_error *e);
int cli_print_request(const struct cli *c, struct assay_error *e);

/* ---- a request and options of outputs (settings.c) ---- */

struct assay_request;
/* Parses `options` and the paths of a request as a command line of scoring. *line holds it, for the caller to free. */
int cli_parse_asked(struct cli *c, const struct request *q, int options, char **option, char ***line,
                    struct assay_error *e);
/* Makes the request what the parsed command line scores. */
void cli_take_asked(struct cli *c, struct assay_request *asked);

/* ---- times in the place of numbers of frames (moments.c) ---- */

/* Of an option whose value is a number or a time: sets *frames to the number. A time stays in the settings, and
 * moment_resolve makes a number of it. */
int moment_parse(const char *what, const char *text, uint64_t least, uint64_t *frames, struct assay_error *e);
/* Whether a field was given as a time; NULL: any. */
bool moment_given(const struct cli *c, const char *field);
/* Refuses an input that is a time and no file. */
int moment_no_file(const char *text, struct assay_error *e);
int moment_refuse(const struct cli *c, struct assay_error *e); /* all times */
/* Refuses times where no file is there to tell its frame rate. */
int moment_check(const struct cli *c, struct assay_error *e);
/* Makes numbers of the times, by the frame rates of the files, which are opened for it. Called before a command
 * runs. */
int moment_resolve(struct cli *c, struct assay_error *e);

#endif
