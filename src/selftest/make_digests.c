/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of the build: runs every case with the scalar C kernels and writes the hashes of the results as C.
 *
 *     make_digests OUTPUT.c
 */
#include <inttypes.h>
#include <stdio.h>

#include "host/fpenv.h"
#include "selftest/cases.h"
#include "selftest/trial.h"

static int write_set(FILE *out, unsigned kernel, unsigned set)
{
    struct recipe_pass pass;
    struct trial t;
    const enum recipe_result made = recipe_make(&pass, kernel, CASE_WIDTH, CASE_HEIGHT, CASE_BITS, set);
    if (made) {
        fprintf(stderr, "%s %s\n", assay_kernel_info[kernel].name, made == RECIPE_TOO_SMALL
                ? "can't run on the frames of the self-test: they are too small" : "has no recipe in src/selftest/recipes.c");
        return 1;
    }
    for (unsigned frame = 0; frame < CASE_FRAMES; frame++) {
        if (trial_init(&t, &pass, NULL)) {
            fprintf(stderr, "out of memory\n");
            return 1;
        }
        trial_fill(&t, &pass, case_pattern(frame), case_seed(frame));
        trial_expect(&t, &pass);
        fprintf(out, "%s0x%016" PRIx64 "u,", frame ? " " : "\n    ", trial_digest(&t, &pass));
        trial_free(&t);
    }
    return 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: make_digests OUTPUT.c\n");
        return 2;
    }
    struct assay_fpenv saved;
    int rc = 0;
    assay_fpenv_enter(&saved);
    fprintf(out, "/* Written by src/selftest/make_digests.c; do not edit. */\n#include \"selftest/cases.h\"\n\n");
    for (unsigned k = 0; !rc && k < KERNEL_VARIANTS; k++) {
        if (recipe_param_sets(k) > CASE_SETS) {
            fprintf(stderr, "%s has %u sets of parameters: raise CASE_SETS\n", assay_kernel_info[k].name, recipe_param_sets(k));
            rc = 1;
        }
        fprintf(out, "static const uint64_t digest_%s[] = {", assay_kernel_info[k].name);
        for (unsigned set = 0; !rc && set < recipe_param_sets(k); set++)
            rc = write_set(out, k, set);
        fprintf(out, "\n};\n");
    }
    fprintf(out, "\n#define DIGESTS(name) digest_##name,\n"
            "const uint64_t *const assay_selftest_digest[KERNEL_VARIANTS] = {KERNEL_EACH_VARIANT(DIGESTS)};\n");
    assay_fpenv_leave(&saved);
    const bool written = !ferror(out);
    if (fclose(out) || !written) {
        fprintf(stderr, "%s: can't be written\n", argv[1]);
        rc = 1;
    }
    return rc;
}
