/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exact/harness.h"
#include "executors/cpu/cpu.h"

static int usage(FILE *out)
{
    fprintf(out, "usage: assay_bench [options] [REF DIS]\n"
            "  Without files: made-up 4:2:0 frames, 1080p 8 and 10 bit, 4K 8 bit.\n"
            "  --kernels --metrics --memory  only these parts\n"
            "  --only PREFIX    only the metrics (\"all\": all at once) and kernels whose names start with this\n"
            "  --set A,B,...    what \"all\" stands for; options of metrics as in assay -m, without commas\n"
            "  --level LEVEL    only this instruction set\n"
            "  --rounds N       the least time of N rounds counts (5)\n"
            "  --json FILE      the figures for programs\n");
    return out == stdout ? 0 : 2;
}

static int parse(struct bench_options *o, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *const name = argv[i], *const value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(name, "--kernels"))
            o->kernels = true;
        else if (!strcmp(name, "--metrics"))
            o->metrics = true;
        else if (!strcmp(name, "--memory"))
            o->memory = true;
        else if (!value)
            return -1;
        else if (i++, !strcmp(name, "--only"))
            o->only = value;
        else if (!strcmp(name, "--set"))
            o->set = value;
        else if (!strcmp(name, "--level"))
            o->level = value;
        else if (!strcmp(name, "--json"))
            o->json = value;
        else if (strcmp(name, "--rounds") || !(o->rounds = (unsigned)strtoul(value, NULL, 10)))
            return -1;
    }
    if (argc - i != 0 && argc - i != 2)
        return -1;
    o->ref = i < argc ? argv[i] : NULL;
    o->dis = i < argc ? argv[i + 1] : NULL;
    if (!o->kernels && !o->metrics && !o->memory) {
        o->metrics = true;
        o->kernels = o->memory = !o->ref;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct results r;
    struct bench_options o = {.rounds = 5};
    const char *one_level[2] = {0};
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return usage(stdout);
    if (parse(&o, argc, argv))
        return usage(stderr);
    r.level = runnable_levels();
    if (o.level) {
        if (!cpu_kernels_by_name(o.level)) {
            fprintf(stderr, "assay_bench: this CPU or this build has no instruction set '%s'\n", o.level);
            return 4;
        }
        one_level[0] = o.level;
        r.level = one_level;
    }
    int rc = ASSAY_OK;
    if (o.memory) /* first, while this process is small: its child starts with its pages */
        rc = bench_memory(&r, o.set);
    if (!rc && o.kernels)
        rc = bench_kernels(&r, &o);
    if (!rc && o.kernels)
        print_kernels(&r);
    if (!rc && o.metrics)
        rc = bench_metrics(&r, &o);
    if (!rc && o.metrics)
        print_metrics(&r);
    if (!rc && o.memory)
        printf("Peak memory, all metrics at once, one thread, 1920x1080, 8 bit: %.1f MB\n",
               (double)r.peak_kb * 1024e-6);
    if (!rc && o.json)
        rc = write_json(&r, o.json);
    free(r.kernel);
    return rc ? -rc : r.different ? 1 : 0;
}
