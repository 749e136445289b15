/* SPDX-License-Identifier: BSD-2-Clause */
/* What --help prints, of each command. */
#include <string.h>

#include "cli/cli.h"

#define DEVICE \
    "  -t, --threads N    --cpu scalar|sse4|avx2|avx512|avx512vnni|neon\n" \
    "  --backend cpu|cuda|vulkan|opengl|sycl|auto    --device N|NAME|N,N|all\n"

#define GATES "  --fail-under KEY[.POOL]=V, --fail-over KEY[.POOL]=V   exit 1 when a figure is beyond V\n" \
    "  --allow-reversed-gates   gates that pass what is worse, as --fail-over vmaf=90, are refused otherwise\n"

#define FORCE "  --force            overwrite files that assay did not write\n"

#define REPORTS \
    "  --json FILE, --xml FILE, --csv FILE, --sub FILE  reports in libvmaf's shapes ('-': standard output)\n" \
    "  --html FILE        an HTML page with tables, plots and the worst frames (docs/report.md)\n" \
    "  --xpsnr-log FILE   what ffmpeg's xpsnr=stats_file=FILE writes, with -m xpsnr\n" \
    "  --thumbnails N     so many of the worst frames in it, 0 to 50 (default 5)\n" \
    "  --plot FILE.svg|FILE.png   each score over the frames\n" \
    FORCE \
    "  --precision N|max  decimals (default 6); max reads back exactly\n" \
    "  --reproducible     leave the frame rate out of reports, so that equal runs write equal bytes\n" \
    GATES

#define QUIET \
    "  -q, --quiet        no table, notices or progress  --no-progress  no progress line\n" \
    "  --progress         a line a minute where standard error is no terminal\n"

#define RAW \
    "  -w, --width N  -h, --height N  -p, --pixel-format 420|yuv420p10le|nv12|...  -b, --bitdepth 8..16\n" \
    "                     of the inputs without a header    --ref-format, --dis-format auto|coded|raw\n"

static const struct { const char *name, *text; } commands[] = {
    {"",
     "assay REFERENCE DISTORTED [options]     score a pair of videos\n"
     "assay REFERENCE ENCODE ENCODE ...       score up to 16 encodes of one reference at once, a row for each\n"
     "assay image REF DIS | REFDIR DISDIR     are the images the same, and if not, how far apart?\n"
     "assay merge PART.json ... [--json FILE] join the parts that --shard wrote\n"
     "assay parity REFERENCE DISTORTED --backends cpu,vulkan   find the first difference between backends\n"
     "assay align REF DIS                     are the frames of the two sides shifted, dropped or repeated?\n"
     "assay diff A.json B.json                do two reports have the same bits, and what else differs?\n"
     "assay bdrate --anchor A... --test B...  how much rate does an encoder save at equal quality? (BD-rate)\n"
     "assay batch JOBS.csv [options]          score all pairs of a list, several at once; goes on after a kill\n"
     "assay bench [options]                   pairs a second, and where the time goes\n"
     "assay probe FILE ... [--json FILE]      what assay sees in each file, and what keeps it from being compared\n"
     "assay run REQUEST.json [options]        score what a request asks for (docs/run.md)\n"
     "assay doctor [--backend B] [--json]     test every device, bit for bit\n"
     "assay vmaf -r REF -d DIS [options]      libvmaf's command: its options, reports and scores\n"
     "assay help COMMAND                      the options of image, vmaf, merge, parity, align, bdrate, batch, bench,\n"
     "                                        probe, run or doctor\n"
     "assay --list-metrics, assay help METRIC   metrics, their options and what they write\n"
     "assay --list-devices                    backends and their devices\n"
     "\n"
     "Inputs: Y4M, raw pictures (with -w -h -p -b), and what FFmpeg decodes; '-' is standard input.\n"
     "  -r, --reference FILE, -d, --distorted FILE   the same as the two positions\n"
     RAW
     "  -n, --frames N|TIME   score at most N frames     --every N     score every N-th frame\n"
     "  --skip-ref N|TIME, --skip-dis N|TIME             leave out the first N frames. TIME: 12.5s, 1:30 or 0:01:30.5,\n"
     "                     by the file's frame rate\n"
     "  --pair number|time                               pair frames by their numbers, or by the times at which they are\n"
     "                     shown, where rates or timestamps differ (docs/pairing.md)\n"
     "  --align auto       find the offset between the two sides and leave out those frames (assay align); --search N:\n"
     "                     offsets up to N frames either way (default 120)\n"
     "  --ref-colour WORDS, --dis-colour WORDS           what codes stand for, where tags don't say it: bt709, bt2020-pq,\n"
     "                     p3, limited, ... (docs/colour.md)\n"
     "  --first N|TIME     start at pair N of the run (for parts, with --frames and --shard)\n"
     "  --allow-size, -length, -rate, -range, -depth, -format, -sar, -field-order, -rotation, -colour, -alpha\n"
     "                     compare although the inputs differ in this\n"
     "  --allow-damage     go on after pictures that the decoder says are damaged; they are counted and listed\n"
     "  --allow-playlist   read inputs that name other files: playlists of HLS, DASH and concat\n"
     "  --crop-ref WxH+X+Y, --crop-dis WxH+X+Y           compare this part of a side's pictures: width, height, and the\n"
     "                     first column and row, from 0, in luma samples of the file\n"
     "  --scale bicubic|lanczos|bilinear|spline          scale the distorted pictures to the reference's size, as ffmpeg's\n"
     "                     scale filter does with +accurate_rnd+bitexact; --scale-ref: the reference to theirs;\n"
     "                     --scale-to WxH: both to a size; --scale-siting centre|tag: where chroma lies\n"
     "  --matrix bt709|bt601, --range full|limited       luma of RGB, for metrics that need luma\n"
     "\n"
     "Metrics:\n"
     "  -m, --metric LIST  psnr,float_ssim=enable_lcs=true,... or all (default: vmaf,psnr,float_ms_ssim);\n"
     "                     --verbose: why all leaves out each metric that a pair does not allow\n"
     "\n"
     "Results: a table on standard output, and\n"
     REPORTS
     "                     of several encodes, {name} or {number} in a path makes a report for each; without, all but XML\n"
     "                     and SUB have all of them\n"
     "  --heatmap DIR      pictures of where the pairs differ, of the metrics that have a map (docs/maps.md)\n"
     "  --frames-worst N[:KEY]   with --heatmap: of the N worst frames alone, by a score\n"
     "  --shard FILE       write this part's result for 'assay merge'\n"
     QUIET
     "\n"
     "Machine (never changes a score):\n"
     DEVICE
     "  --hwdec off|auto|cuda   with --backend cuda: decode on the device (default off: damage would go unseen);\n"
     "                     auto where it can be, and says so\n"
     "  --in-flight N      --tile WxH    --strip ROWS    --dump-graph    --dump-memory\n"
     "  --dump-stage PASS:FRAME[=FILE.npy|.pfm]   write what a pass made of a frame (names: --dump-graph)\n"
     "\n"
     "Exit: 0 pass, 1 a gate failed, 2 usage, 3 input, 4 device, 5 the inputs do not match, 6 internal;\n"
     "stopped by a signal, 128 and its number (130: Ctrl-C), with reports of what was scored.\n"
     "assay(1) is the manual page.\n"},
    {"image",
     "usage: assay image REFERENCE DISTORTED [options]\n"
     "       assay image REFERENCE-FOLDER DISTORTED-FOLDER [options]\n"
     "       assay image REFERENCE FOLDER [options]              the reference with each image of the folder\n"
     "Mean squared error, PSNR, the largest difference and how many pixels differ, per channel. Alpha is compared apart.\n"
     "PNG, JPEG, WebP, AVIF, JPEG XL and TIFF as browsers read them, upright; what else FFmpeg decodes.\n"
     "OpenEXR and PFM as floats: the largest relative difference and values that are not finite, too.\n"
     "Files of two folders are paired by name. Without gates images that differ are no failure.\n"
     "  -R, --recursive    folders within the two folders, too    --allow-unpaired   leave out what one folder has alone\n"
     "  --allow-colour     compare codes that stand for different colours (profiles) as they are\n"
     "  --allow-alpha      an image without alpha is opaque    --allow-depth   8 bits times 257 are 16\n"
     "  -m, --metric LIST  more metrics, or all    --matrix bt709|bt601, --range full|limited   luma of RGB\n"
     "  --crop-ref WxH+X+Y, --crop-dis WxH+X+Y   compare this part of each image: width, height, first column and row\n"
     "  --abs-tolerance A, --rel-tolerance R   of OpenEXR and PFM: count pixels beyond both (beyond_tolerance)\n"
     "  --assume srgb      colour of images that say otherwise, for metrics of colour\n"
     "  --verbose          why -m all leaves out each metric that a pair does not allow\n"
     "  --json FILE, --csv FILE   the figures for programs ('-': standard output instead of the table)\n"
     "  --html FILE        a page: all pairs, the worst first, with sliders over the pictures and their difference\n"
     "  --thumbnails N     pictures of so many of the worst pairs in it, 0 to 50 (default 20)\n"
     FORCE
     "  --precision N|max  decimals (default 6); max reads back exactly\n"
     "  --fail-under psnr=40, --fail-over max_diff=2   exit 1 when a figure of a pair is beyond the value;\n"
     "                     diff_pixels=1%: of the picture's pixels\n"
     "  --allow-reversed-gates   gates that pass what is worse, as --fail-over psnr=40, are refused otherwise\n"
     "  --heatmap DIR      a picture of the differences of each pair that fails, or differs when there is no gate\n"
     QUIET
     DEVICE
     "Exit: 0 compared, 1 a gate failed, 3 an image can't be read, 5 sizes, channels or names do not match.\n"},
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
     GATES
     "Exit: 0 scored, 1 usage, 255 any other failure; with a gate as 'assay': 1 a gate failed, 2 usage, ...\n"},
    {"merge",
     "usage: assay merge PART.json ... [options]\n"
     "Joins the parts of a run that --shard wrote, in any order. The reports have the bytes of one run over everything.\n"
     "  assay --frames 1000 --shard a.json ref.mkv dis.mkv\n"
     "  assay --first 1000 --shard b.json ref.mkv dis.mkv\n"
     "  assay merge a.json b.json --json whole.json\n"
     REPORTS
     "  -q, --quiet        no table\n"},
    {"parity",
     "usage: assay parity REFERENCE DISTORTED --backends A,B[,...] [options]\n"
     "Compares every intermediate plane, total and extremum of the same frames on several backends, bit for bit. Stops at\n"
     "the first frame that differs and names its pass, plane and pixel.\n"
     "  --backends LIST    NAME[:DEVICE]; the device of cpu is an instruction set: cpu:scalar,cpu,vulkan:1\n"
     "  -m, --metric LIST  metrics (default: all that the pair allows)\n"
     "  -n, --frames N     at most N frames    --first N, --every N, --skip-ref N, --skip-dis N, --pair   as for scoring\n"
     RAW
     "  --matrix, --range, --allow-..., --scale...   as for scoring\n"
     "  --threads N        --tile WxH    --strip ROWS    --in-flight N\n"
     "  --json FILE        what differs, for programs\n"
     FORCE
     "  -q, --quiet        no text\n"
     "Exit: 0 equal, 1 a difference.\n"},
    {"align",
     "usage: assay align REFERENCE DISTORTED [options]\n"
     "Finds which distorted frame shows which reference frame, from the mean luma of 12 x 8 blocks: the offset between the\n"
     "two sides, and frames that are dropped or repeated, with the confidence from 0 to 1. It is certain from 0.5\n"
     "on.\n"
     "  --search N         offsets from -N to N frames (default 120)\n"
     "  -n, --frames N     look at the first N frames of each side    --skip-ref N, --skip-dis N   behind the first N\n"
     RAW
     "  --crop-ref WxH+X+Y, --crop-dis WxH+X+Y   look at a part of a side's pictures\n"
     "  --allow-damage     go on after pictures that the decoder says are damaged\n"
     "  --allow-playlist   read inputs that name other files: playlists of HLS, DASH and concat\n"
     "  --json FILE        what was found, for programs ('-': standard output instead of the text)\n"
     FORCE
     "  -q, --quiet        no text\n"
     "Exit: 0 the frames are pairs already, 1 they are shifted, dropped or repeated, 3 a file can't be read,\n"
     "5 not certain.\n"},
    {"diff",
     "usage: assay diff A.json B.json [-q]\n"
     "Compares two reports that --json wrote: whether any score's bits differ and where, and what else does: inputs,\n"
     "options, frames, times, version. Reports of any precision hold a digest of each score's bits; those of\n"
     "--precision max show every frame that differs.\n"
     "  -q, --quiet        no text\n"
     "Exit: 0 the same scores of the same frames with the same bits, 1 a difference in them, 3 no such report.\n"},
    {"bdrate",
     "usage: assay bdrate --anchor A1 A2 A3 A4 ... --test B1 B2 B3 B4 ... [options]\n"
     "Compares two rate-distortion curves of one reference: the mean difference of the rates at equal scores (BD-rate, in\n"
     "%; negative: the test needs less), and of the scores at equal rates (BD-PSNR, for instance).\n"
     "A point is a JSON report of assay or libvmaf, or a video that is scored first. Of a report on several encodes each\n"
     "is a point, and FILE:ENCODE is one of them. FILE@KBPS gives the bitrate in kbit/s where the report has none.\n"
     "  --anchor, --test   the files behind it are points of this curve, at least 4 of each, in any order\n"
     "  -m, --metric LIST  scores, KEY[.POOL] (default: vmaf, psnr_y and float_ms_ssim, as far as all points have them)\n"
     "  --method LIST      pchip (JCT-VC, JVET), akima, aom (AOM, libvmaf's bd_rate), cubic (Bjontegaard 2001; papers);\n"
     "                     default pchip,akima\n"
     "  --anchor-name, --test-name NAME   what tables and pages call the curves (default: anchor, test)\n"
     "  --json FILE, --csv FILE   the results for programs ('-': standard output instead of the table)\n"
     "  --html FILE        a page with the results and the curves\n"
     FORCE
     "  --precision N|max  decimals (default 6); max reads back exactly\n"
     "  -q, --quiet        no table, notices or progress\n"
     "To score videos:\n"
     "  -r, --reference FILE\n"
     "  --feature METRIC[=OPTIONS]   again for more metrics (default: those that write the scores of -m)\n"
     DEVICE
     RAW
     "  --every N, --skip-ref N, --skip-dis N, --pair, --allow-..., --scale..., --crop-..., --ref-colour, --hwdec, ...: as\n"
     "                     for scoring\n"
     "Exit: 0 compared, 2 a score or a bitrate is missing, 3 a file can't be read, 5 the curves can't be compared: other\n"
     "references or options, no overlap, equal rates, a score that does not rise with the rate.\n"},
    {"batch",
     "usage: assay batch JOBS.csv [options]     ('-': the list comes from standard input)\n"
     "Scores each pair of a list as 'assay REFERENCE DISTORTED OPTIONS' does, and writes one summary.\n"
     "The list is CSV. Its first line names the columns: reference and distorted; the long names of options of scoring\n"
     "(metric, scale, frames, json, ...), whose cells are values, or yes and no; and options, which holds any options.\n"
     "An empty cell and '-' are the default. Paths are relative to the folder of the list.\n"
     "  reference,distorted,metric,json\n"
     "  ref.mkv,a.mp4,\"vmaf,psnr\",a.json\n"
     "  ref.mkv,b.mp4,-,-\n"
     "  --summary FILE     CSV with a row for each job (default: standard output)\n"
     "  -j, --jobs N       pairs at once (default: as many as fill the processors; 2 on a GPU)\n"
     "  --state FILE       what is done; a run that was stopped or killed goes on there (default: JOBS.csv.state)\n"
     "  --force            overwrite a summary that assay did not write\n"
     "  -q, --quiet        no lines but for jobs that fail    --no-progress  no progress line\n"
     "  --progress         a line a minute where standard error is no terminal\n"
     "Exit: 0 all jobs passed, 1 a gate of a job failed; otherwise that of the first job in the list that failed (2 to\n"
     "6), or 2, 3 or 6 for a mistake in the list, before the first job; stopped by a signal, 128 and its number.\n"},
    {"bench",
     "usage: assay bench [options]\n"
     "       assay bench --compare A.json B.json\n"
     "Frame pairs per second, from pictures in memory to scores, and where the time goes. At least 8 different made-up\n"
     "pairs go round; every score is compared with the CPU's, bit for bit.\n"
     "  -m, --metric LIST   metrics that are scored together; again for another line (default: each one, then all)\n"
     "  --backend NAME --device N|NAME|N,N|all --threads N --cpu LEVEL --strip ROWS   as for scoring\n"
     "  --size WxH,...      pictures (default 1920x1080)\n"
     "  -b, --bitdepth N,...         8 to 16 (default 8)\n"
     "  -p, --pixel-format F,...     400 420 422 444 411 rgb (default 420)\n"
     "  --pairs N           different frame pairs, 8 to 256 (default 8, or what the devices hold)\n"
     "  --seconds S         how long a rate is measured (default 2)\n"
     "  --json FILE         the figures for programs ('-': standard output instead of the table)\n"
     FORCE
     "  --compare A B       how much faster each line of B is than that of A\n"
     "Columns: upload and passes are the time per pair in which the device copied and computed, idle that in which\n"
     "it did neither; alone is upload and passes with one frame in flight; host is the share of a frame's time that\n"
     "handing it over takes; link is the rate of the uploads as a part of a plain copy's; memory is what the passes\n"
     "read and write.\n"},
    {"probe",
     "usage: assay probe FILE ... [options]\n"
     "What assay sees in each file: reader, format, size, range, colour, rate, frames; how it differs from the first one,\n"
     "and why it would be refused beside it.\n"
     "  -w, --width N  --height N  -p, --pixel-format 420|yuv420p10le|...  -b, --bitdepth 8..16   of raw files\n"
     "  --allow-playlist   read files that name other files\n"
     "  --json FILE        the same for programs ('-': standard output instead of the text)\n"
     FORCE
     "Exit: 0 all can be compared with the first one, 3 a file can't be read, 5 a file would be refused.\n"},
    {"run",
     "usage: assay run REQUEST.json [options]\n"
     "Scores what a request asks for: a JSON file with the reference, the encodes, each with its own crop, frames to leave\n"
     "out, colour and raw form, and the metrics (docs/run.md). Options say what becomes of the scores.\n"
     REPORTS
     QUIET
     "  --plot, --heatmap, --frames-worst, --shard, --dump-stage, ...: as for scoring\n"
     "Exit: as for scoring.\n"},
    {"doctor",
     "usage: assay doctor [options]\n"
     "Tests every primitive and every kernel of every device against the scalar C kernels, bit for bit.\n"
     "  --backend NAME     only this backend    --device N|NAME   only this device of it\n"
     "  --cpu LEVEL        the instruction set of the CPU that is tested\n"
     "  --json             the results for programs\n"
     "Exit: 0 everything passed, 4 something failed: such a device is refused when it is used.\n"},
};
enum { HELPS = sizeof commands / sizeof commands[0] };

bool cli_help(const char *command, FILE *out)
{
    for (unsigned i = 0; i < HELPS; i++)
        if (!strcmp(commands[i].name, command)) {
            fputs(commands[i].text, out);
            return true;
        }
    return false;
}

void cli_offer_commands(struct suggestion *like)
{
    for (unsigned i = 0; i < HELPS; i++)
        suggest_offer(like, commands[i].name);
}
