/* SPDX-License-Identifier: BSD-2-Clause */
/* Scores one file, or several, against a reference, with progress. Ctrl-C ends it early; what is scored is shown. */
#include <assay/run.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static assay_run *run;

static void on_interrupt(int number)
{
    (void)number;
    assay_run_cancel(run);
}

static int fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return 1;
}

int main(int argc, char **argv)
{
    char why[512];
    assay_request *request;
    assay_event event;
    if (argc < 3)
        return fail("score_files REFERENCE ENCODE...");
    int rc = assay_request_new(&request, why, sizeof why);
    for (int side = 0; !rc && side + 1 < argc; side++)
        rc = assay_request_set(request, side, "file", argv[side + 1], why, sizeof why);
    rc = rc ? rc : assay_request_set(request, ASSAY_SIDE_ALL, "metrics", "psnr,vmaf", why, sizeof why);
    rc = rc ? rc : assay_run_start(&run, request, why, sizeof why);
    assay_request_close(&request);
    if (rc)
        return fail(why);
    signal(SIGINT, on_interrupt);
    while (assay_run_next(run, 100, &event) != ASSAY_EVENT_END)
        if (event.kind == ASSAY_EVENT_NOTE || (event.kind == ASSAY_EVENT_ENDED && event.result))
            fprintf(stderr, "%s\n", event.text);
        else if (event.kind == ASSAY_EVENT_PROGRESS)
            fprintf(stderr, "%llu of %llu\r", (unsigned long long)event.done, (unsigned long long)event.total);
    const assay_results *results = assay_run_results(run);
    for (uint32_t k = 0; k < assay_results_encodes(results); k++) {
        double vmaf, psnr;
        assay_results_pool(results, k, "vmaf", "mean", 0, UINT64_MAX, &vmaf);
        assay_results_pool(results, k, "psnr_y", "mean", 0, UINT64_MAX, &psnr);
        printf("%s: vmaf %.6f, psnr_y %.6f, %llu frames\n", assay_results_name(results, k), vmaf, psnr,
               (unsigned long long)assay_results_rows(results, k));
    }
    rc = event.result;
    assay_run_close(&run);
    return rc ? 1 : 0;
}
