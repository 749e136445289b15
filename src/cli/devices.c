/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-devices */
#include <inttypes.h>

#include "cli/cli.h"
#include "results/sink.h"

static const char *state_word(const assay_device *d)
{
    return d->self_test == ASSAY_SELF_TEST_PASSED   ? "passed"
           : d->self_test == ASSAY_SELF_TEST_FAILED ? "failed"
                                                    : "not yet run";
}

static void show_text(void *opaque, const assay_device *d)
{
    FILE *out = opaque;
    if (d->missing) {
        fprintf(out, "%-7s -  %s\n", d->backend, d->missing);
        return;
    }
    fprintf(out, "%-7s %u  %s", d->backend, d->number, d->name);
    if (d->driver[0])
        fprintf(out, "; driver %s", d->driver);
    if (d->memory)
        fprintf(out, "; %" PRIu64 " MiB", d->memory >> 20);
    if (d->software)
        fputs("; software", out);
    if (!d->usable)
        fputs("; can't be used", out);
    else
        fprintf(out, "; self-test %s", state_word(d));
    if (d->self_test == ASSAY_SELF_TEST_PASSED && d->kernels_passed < d->kernels)
        fprintf(out, " (%u of %u kernels so far)", d->kernels_passed, d->kernels);
    fputc('\n', out);
}

struct json_list {
    struct sink out;
    bool any;
};

static void show_json(void *opaque, const assay_device *d)
{
    struct json_list *l = opaque;
    struct sink *s = &l->out;
    sink_json_member(s, l->any ? ",\n  {" : "[\n  {", "backend", d->backend);
    l->any = true;
    if (d->missing) {
        sink_json_member(s, ", ", "missing", d->missing);
    } else {
        sink_format(s, ", \"number\": %u", d->number);
        sink_json_member(s, ", ", "device", d->name);
        sink_json_member(s, ", ", "driver", d->driver);
        sink_format(s, ", \"memory\": %" PRIu64 ", \"software\": %s, \"usable\": %s, \"self_test\": \"%s\"", d->memory,
                    d->software ? "true" : "false", d->usable ? "true" : "false", state_word(d));
        sink_format(s, ", \"kernels_passed\": %u, \"kernels\": %u", d->kernels_passed, d->kernels);
    }
    sink_text(s, "}");
}

int cli_list_devices(const char *backend, bool json, struct assay_error *e)
{
    char why[512];
    int rc;
    if (!json) {
        rc = assay_list_devices(backend, show_text, stdout, why, sizeof why);
        return rc ? assay_fail(e, rc, "%s", why) : ASSAY_OK;
    }
    struct json_list list = {0};
    if ((rc = sink_open(&list.out, "-", e)))
        return rc;
    rc = assay_list_devices(backend, show_json, &list, why, sizeof why);
    sink_text(&list.out, list.any ? "\n]\n" : "[]\n");
    const int closed = sink_close(&list.out, e);
    return rc ? assay_fail(e, rc, "%s", why) : closed;
}
