/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

void cli_help(FILE *out)
{
    fputs(
        "assay REFERENCE DISTORTED [options]     score a pair of videos or images\n"
        "assay merge PART.json ... [--json FILE] join the parts that --shard wrote\n"
        "assay --list-metrics                    metrics, their options and what they write\n"
        "\n"
        "Inputs: Y4M, raw planar YUV (with -w -h -p -b), and what FFmpeg decodes; '-' is standard input.\n"
        "  -r, --reference FILE, -d, --distorted FILE   the same as the two positions\n"
        "  -w, --width N  -h, --height N  -p, --pixel-format 400|411|420|422|444  -b, --bitdepth 8..16\n"
        "  -n, --frames N     score at most N frames        --every N     score every N-th frame\n"
        "  --skip-ref N, --skip-dis N                       leave out the first N frames\n"
        "  --first N          start at pair N of the run (for parts, with --frames and --shard)\n"
        "  --allow-size, -length, -rate, -range, -depth, -format, -sar, -field-order, -rotation\n"
        "                     compare although the inputs differ in this\n"
        "  --matrix bt709|bt601, --range full|limited       luma of RGB, for metrics that need luma\n"
        "\n"
        "Metrics:\n"
        "  -m, --metric LIST  psnr,float_ssim=enable_lcs=true,... or all (default: psnr,float_ssim,float_ms_ssim)\n"
        "\n"
        "Results: a table on standard output, and\n"
        "  --json FILE, --xml FILE, --csv FILE, --sub FILE  reports in libvmaf's shapes ('-': standard output)\n"
        "  --precision N|max  decimals (default 6); max reads back exactly\n"
        "  --reproducible     leave the frame rate out of reports, so that equal runs write equal bytes\n"
        "  --fail-under KEY[.POOL]=V, --fail-over KEY[.POOL]=V   exit 1 when a figure is beyond V\n"
        "  --shard FILE       write this part's result for 'assay merge'\n"
        "  -q, --quiet        no table, notices or progress  --no-progress  no progress line\n"
        "\n"
        "Machine (never changes a score):\n"
        "  -t, --threads N    --cpu scalar|sse4|avx2|avx512|neon   --backend NAME   --device N|NAME\n"
        "  --in-flight N      --tile WxH    --dump-graph    --dump-memory\n"
        "\n"
        "Exit: 0 pass, 1 a gate failed, 2 usage, 3 input, 4 device, 5 the inputs do not match, 6 internal;\n"
        "stopped by a signal, 128 and its number (130: Ctrl-C), with reports of what was scored.\n"
        "assay(1) is the manual page.\n", out);
}
