/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-devices */
#include <inttypes.h>

#include "cli/cli.h"
#include "results/json_write.h"

static const char *state_word(const assay_device *d)
{
    return d->self_test == ASSAY_SELF_TEST_PASSED   ? "passed"
           : d->self_test == ASSAY_SELF_TEST_FAILED ? "failed" : "not yet run";
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

static void show_json(void *opaque, const assay_device *d)
{
    struct json *j = opaque;
    json_object(j, NULL, JSON_ROW);
    json_text(j, "backend", d->backend);
    if (d->missing) {
        json_text(j, "missing", d->missing);
    } else {
        json_count(j, "number", d->number);
        json_text(j, "device", d->name);
        json_text(j, "driver", d->driver);
        json_count(j, "memory", d->memory);
        json_bool(j, "software", d->software);
        json_bool(j, "usable", d->usable);
        json_text(j, "self_test", state_word(d));
        json_count(j, "kernels_passed", d->kernels_passed);
        json_count(j, "kernels", d->kernels);
    }
    json_end(j);
}

int cli_list_devices(const char *backend, bool json, struct assay_error *e)
{
    char why[512];
    int rc;
    if (!json) {
        rc = assay_list_devices(backend, show_text, stdout, why, sizeof why);
        return rc ? assay_fail(e, rc, "%s", why) : ASSAY_OK;
    }
    struct sink s;
    struct json j = {.sink = &s};
    if ((rc = sink_open(&s, "-", e)))
        return rc;
    json_list(&j, NULL, JSON_LINES);
    rc = assay_list_devices(backend, show_json, &j, why, sizeof why);
    json_end(&j);
    const int closed = sink_close(&s, e);
    return rc ? assay_fail(e, rc, "%s", why) : closed;
}
