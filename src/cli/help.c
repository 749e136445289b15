/* SPDX-License-Identifier: BSD-2-Clause */
/* What --help prints, of each command: its own words, and between them the lines of its options. */
#include <string.h>

#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "cli/options.h"

static const struct {
    const char *name, *head, *tail;
    unsigned takers;                   /* bits of enum cli_command, of the options that it lists; 0: all of `options` */
    const struct option_list *options; /* NULL: those of cli_options */
} commands[] = {
    {"",
     "assay REFERENCE DISTORTED [options]     score a pair of videos\n"
     "assay REFERENCE ENCODE ENCODE ...       score up to 16 encodes of one reference at once, a row for each\n"
     "assay image REF DIS | REFDIR DISDIR     are the images the same, and if not, how far apart?\n"
     "assay merge PART.json ... [--json FILE] join the parts that --shard wrote\n"
     "assay report SCORES.json --html FILE ...  other forms of the results that --json wrote\n"
     "assay parity REFERENCE DISTORTED --backends cpu,vulkan   find the first difference between backends\n"
     "assay align REF DIS                     are the frames of the two sides shifted, dropped or repeated?\n"
     "assay diff A.json B.json                do two reports have the same bits, and what else differs?\n"
     "assay bdrate --anchor A... --test B...  how much rate does an encoder save at equal quality? (BD-rate)\n"
     "assay batch JOBS.csv [options]          score all pairs of a list, several at once; goes on after a kill\n"
     "assay probe FILE ... [--json FILE]      what assay sees in each file, and what keeps it from being compared\n"
     "assay run REQUEST.json [options]        score what a request asks for (docs/run.md)\n"
     "assay doctor [--backend B] [--json]     test every device, bit for bit\n"
     "assay vmaf -r REF -d DIS [options]      libvmaf's command: its options, reports and scores\n"
     "assay help COMMAND                      the options of image, vmaf, merge, report, parity, align, diff, bdrate,\n"
     "                                        batch, probe, run or doctor\n"
     "assay --list-metrics, assay help METRIC   metrics, their options and what they write\n"
     "assay --list-devices                    backends and their devices\n"
     "\n"
     "Inputs: Y4M, raw pictures (with -w -h -p -b), images (x_%04d.png: numbered ones), and what FFmpeg decodes; '-' is\n"
     "standard input. TIME is 12.5s, 1:30 or 0:01:30.5. Of several encodes K=VALUE is a value of number K alone: --crop-dis\n"
     "2=1920x800+0+140. Results: a table on standard output, and reports; in their paths {name} or {number} makes one for\n"
     "each encode.\n",
     "\n"
     "Exit: 0 pass, 1 a gate failed, 2 usage, 3 input, 4 device, 5 the inputs do not match, 6 internal;\n"
     "stopped by a signal, 128 and its number (130: Ctrl-C), with reports of what was scored.\n"
     "assay(1) is the manual page.\n", 1 << COMMAND_SCORE, NULL},
    {"image",
     "usage: assay image REFERENCE DISTORTED [options]\n"
     "       assay image REFERENCE-FOLDER DISTORTED-FOLDER [options]\n"
     "       assay image REFERENCE FOLDER [options]              the reference with each image of the folder\n"
     "Mean squared error, PSNR, the largest difference and how many pixels differ, per channel. Alpha is compared apart.\n"
     "PNG, JPEG, WebP, AVIF, JPEG XL and TIFF as browsers read them, upright; what else FFmpeg decodes.\n"
     "OpenEXR and PFM as floats: the largest relative difference and values that are not finite, too.\n"
     "Files of two folders are paired by name. Without gates images that differ are no failure. A gate's limit may be in\n"
     "percent of the picture's pixels: diff_pixels=1%.\n",
     "Exit: 0 compared, 1 a gate failed, 3 an image can't be read, 5 sizes, channels or names do not match.\n",
     1 << COMMAND_IMAGE, NULL},
    {"vmaf",
     "usage: assay vmaf -r REFERENCE -d DISTORTED [options]      or as 'vmaf', a link to assay\n"
     "The options, reports, names and exit codes of libvmaf's command, with its scores. docs/vmaf.md has the differences.\n"
     "  -r, --reference FILE, -d, --distorted FILE   Y4M, raw video, and what FFmpeg decodes\n"
     "  -w, --width N, -h, --height N, -p, --pixel_format 420|422|444, -b, --bitdepth 8|10|12|16\n"
     "                     any of these: both sides are raw, and all four are needed (-h is the height)\n"
     "  -m, --model version=V|path=FILE[:name=N][:disable_clip][:enable_transform][:FEATURE.OPTION=VALUE]\n"
     "                     again for more models; default version=vmaf_v0.6.1. version=v1: the model of VMAF v1 for the\n"
     "                     pictures' size and rate (vmaf_v1.0.16_3d0h, _5d0h, _1d5h_2160, _3d0h_2160, _hfr_3d0h, ...)\n"
     "  --feature NAME[=OPTION=VALUE:...]   again for more features\n"
     "  -n, --no_prediction   the features of the models, not their scores\n"
     "  -o, --output FILE  --xml (default), --json, --csv, --sub\n"
     "  --frame_cnt N, --frame_skip_ref N, --frame_skip_dist N, --subsample N, --threads N\n"
     "  --aom_ctc v1.0, --nflx_ctc v1.0   models and features of common test conditions\n"
     "  --cpumask BITS     instruction sets not to use; --gpumask is accepted. The scores stay the same\n"
     "  -q, --quiet        nothing on standard error but failures    -v, --version\n"
     "assay's own: --backend, --device, --cpu, --precision, --reproducible, --hwdec, --heatmap, --frames-worst,\n"
     "  --allow-size, --allow-depth, --allow-format, --list-metrics, --list-devices, and\n"
     "  --fail-under KEY[.POOL]=V, --fail-over KEY[.POOL]=V   exit 1 when a figure is beyond V\n"
     "  --allow-reversed-gates   gates that pass what is worse, as --fail-over vmaf=90, are refused otherwise\n"
     "Exit: 0 scored, 1 usage, 255 any other failure; with a gate as 'assay': 1 a gate failed, 2 usage, ...\n",
     "", 1 << COMMAND_VMAF, NULL},
    {"merge",
     "usage: assay merge PART.json ... [options]\n"
     "Joins the parts of a run that --shard wrote, in any order. The reports have the bytes of one run over everything.\n"
     "  assay --frames 1000 --shard a.json ref.mkv dis.mkv\n"
     "  assay --first 1000 --shard b.json ref.mkv dis.mkv\n"
     "  assay merge a.json b.json --json whole.json\n", "", 1 << COMMAND_MERGE, NULL},
    {"report",
     "usage: assay report SCORES.json [options]\n"
     "Writes other forms of the results that --json wrote, of one encode or of several, and prints their table. Of a report\n"
     "with --precision max they have the bytes that the run would have written; the page has no pictures of frames.\n"
     "  assay --precision max --json scores.json ref.mkv dis.mkv\n"
     "  assay report scores.json --html page.html --csv scores.csv\n",
     "Exit: 0 written, 1 a gate failed, 3 no such report.\n", 1 << COMMAND_REPORT, NULL},
    {"parity",
     "usage: assay parity REFERENCE DISTORTED --backends A,B[,...] [options]\n"
     "Compares every intermediate plane, total and extremum of the same frames on several backends, bit for bit. Stops at\n"
     "the first frame that differs and names its pass, plane and pixel. Without -m all metrics that the pair allows take\n"
     "part.\n",
     "Exit: 0 equal, 1 a difference.\n", 1 << COMMAND_PARITY, NULL},
    {"align",
     "usage: assay align REFERENCE DISTORTED [options]\n"
     "Finds which distorted frame shows which reference frame, from the mean luma of 12 x 8 blocks: the offset between the\n"
     "two sides, and frames that are dropped or repeated, with the confidence from 0 to 1. It is certain from 0.5\n"
     "on.\n",
     "Exit: 0 the frames are pairs already, 1 they are shifted, dropped or repeated, 3 a file can't be read,\n"
     "5 not certain.\n", 1 << COMMAND_ALIGN, NULL},
    {"diff",
     "usage: assay diff A.json B.json [-q]\n"
     "Compares two reports that --json wrote: whether any score's bits differ and where, and what else does: inputs,\n"
     "options, frames, times, version. Reports of any precision hold a digest of each score's bits; those of\n"
     "--precision max show every frame that differs.\n",
     "Exit: 0 the same scores of the same frames with the same bits, 1 a difference in them, 3 no such report.\n",
     1 << COMMAND_DIFF, NULL},
    {"bdrate",
     "usage: assay bdrate --anchor A1 A2 A3 A4 ... --test B1 B2 B3 B4 ... [options]\n"
     "Compares two rate-distortion curves of one reference: the mean difference of the rates at equal scores (BD-rate, in\n"
     "%; negative: the test needs less), and of the scores at equal rates (BD-PSNR, for instance).\n"
     "A point is a JSON report of assay or libvmaf, or a video that is scored first. Of a report on several encodes each\n"
     "is a point, and FILE:ENCODE is one of them. FILE@KBPS gives the bitrate in kbit/s where the report has none.\n"
     "Options of inputs, metrics and the machine are for videos.\n",
     "Exit: 0 compared, 2 a score or a bitrate is missing, 3 a file can't be read, 5 the curves can't be compared: other\n"
     "references or options, no overlap, equal rates, a score that does not rise with the rate.\n", 1 << COMMAND_BDRATE,
     NULL},
    {"batch",
     "usage: assay batch JOBS.csv [options]     ('-': the list comes from standard input)\n"
     "Scores each pair of a list as 'assay REFERENCE DISTORTED OPTIONS' does, and writes one summary.\n"
     "The list is CSV. Its first line names the columns: reference and distorted; the long names of options of scoring\n"
     "(metric, scale, frames, json, ...), whose cells are values, or yes and no; and options, which holds any options.\n"
     "An empty cell and '-' are the default. Paths are relative to the folder of the list.\n"
     "  reference,distorted,metric,json\n"
     "  ref.mkv,a.mp4,\"vmaf,psnr\",a.json\n"
     "  ref.mkv,b.mp4,-,-\n",
     "Exit: 0 all jobs passed, 1 a gate of a job failed; otherwise that of the first job in the list that failed (2 to\n"
     "6), or 2, 3 or 6 for a mistake in the list, before the first job; stopped by a signal, 128 and its number.\n",
     0, &batch_option_list},
    {"probe",
     "usage: assay probe FILE ... [options]\n"
     "What assay sees in each file: reader, format, size, range, colour, rate, frames; how it differs from the first one,\n"
     "and why it would be refused beside it.\n",
     "Exit: 0 all can be compared with the first one, 3 a file can't be read, 5 a file would be refused.\n", 0,
     &cli_probe_options},
    {"run",
     "usage: assay run REQUEST.json [options]\n"
     "Scores what a request asks for: a JSON file with the reference, the encodes, each with its own crop, frames to leave\n"
     "out, colour and raw form, and the metrics (docs/run.md). Options say what becomes of the scores.\n",
     "Exit: as for scoring.\n", 1 << COMMAND_SCORE, NULL},
    {"doctor",
     "usage: assay doctor [options]\n"
     "Tests every primitive and every kernel of every device against the scalar C kernels, bit for bit.\n",
     "Exit: 0 everything passed, 4 something failed: such a device is refused when it is used.\n", 0,
     &cli_doctor_options},
};
enum { HELPS = sizeof commands / sizeof commands[0] };

static const struct option_list *options_of(unsigned i)
{
    return commands[i].options ? commands[i].options : cli_options();
}

static void print_options(unsigned i, FILE *out)
{
    static const char *const sections[] = {"Inputs", "Metrics", "Results", "Machine", "Other"};
    const bool scoring = !*commands[i].name, run = !strcmp(commands[i].name, "run");
    for (unsigned s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        if (scoring)
            fprintf(out, "\n%s%s:\n", sections[s], strcmp(sections[s], "Machine") ? "" : " (never changes a score)");
        option_help(options_of(i), run ? OPTION_RUN : commands[i].takers, sections[s], out);
    }
}

bool cli_help(const char *command, FILE *out)
{
    for (unsigned i = 0; i < HELPS; i++)
        if (!strcmp(commands[i].name, command)) {
            fputs(commands[i].head, out);
            if (commands[i].takers != 1 << COMMAND_VMAF) /* whose words have them */
                print_options(i, out);
            fputs(commands[i].tail, out);
            return true;
        }
    return false;
}

void cli_list_options(void)
{
    struct sink s = {.file = stdout};
    struct json j = {.sink = &s};
    json_list(&j, NULL, JSON_LINES);
    for (unsigned i = 0; i < HELPS; i++) {
        json_object(&j, NULL, JSON_LINES);
        json_text(&j, "command", commands[i].name);
        json_list(&j, "options", JSON_LINES);
        option_json(options_of(i), commands[i].takers, &j);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
}

void cli_offer_commands(struct suggestion *like)
{
    for (unsigned i = 0; i < HELPS; i++)
        suggest_offer(like, commands[i].name);
}
