/* SPDX-License-Identifier: BSD-2-Clause */
/* assay doctor: the whole self-test of every device, or of one. */
#include <stdlib.h>
#include <string.h>

#include "catalogue/examine.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "executors/open.h"
#include "host/cpu.h"
#include "host/text.h"
#include "results/json_write.h"
#include "selftest/primitives.h"
#include "selftest/prove.h"
#include "selftest/record.h"

enum { DEVICES = 64 };

/* A device of the list, or a backend without a device. */
struct seen {
    char backend[32], missing[256];
    unsigned number;
    bool usable, wanted;
};

struct doctor {
    const char *backend, *device, *level; /* as named, or NULL */
    bool json, help;
    struct seen seen[DEVICES];
    unsigned devices;
    struct sink out;
    struct json list; /* what is written to `out`, with json */
    bool any_written;
    unsigned failed; /* devices */
};

/* What is opened for the tests of one device. */
struct patient {
    const struct executor_ops *ops;
    struct executor_config config;
};

static int open_patient(void *opaque, struct executor **out, struct assay_error *e)
{
    const struct patient *p = opaque;
    return executor_open(out, p->ops, &p->config, e);
}

/* ---- one device as text ------------------------------------------------------------------------------------------ */

/* The results of a family follow one another, because its kernels do. */
static unsigned family_end(unsigned first)
{
    unsigned end = first + 1;
    while (end < KERNEL_VARIANTS && !strcmp(assay_kernel_info[end].family, assay_kernel_info[first].family))
        end++;
    return end;
}

/* A kernel is not tested when everything that it could read was written by a kernel that failed. */
static const char *outcome(const struct selftest_result *result)
{
    return result->state == SELFTEST_PASSED ? "passed" : result->state == SELFTEST_FAILED ? "failed" : "not tested";
}

static void write_family(struct sink *s, const struct selftest_result *result, unsigned first, unsigned end)
{
    const char *family = assay_kernel_info[first].family;
    char types[64] = "";
    unsigned failed = 0, passed = 0;
    for (unsigned i = first; i < end; i++) {
        text_append(types, sizeof types, "%s%s", *types ? " " : "", graph_type_name(assay_kernel_info[i].sample));
        failed += result[i].state == SELFTEST_FAILED;
        passed += result[i].state == SELFTEST_PASSED;
    }
    sink_format(s, "  %-9s %-18s %-20s %s\n", primitive_is(first) ? "primitive" : "kernel", family, types,
                failed ? "FAILED" : passed == end - first ? "passed" : "not tested");
    for (unsigned i = first; i < end; i++)
        if (result[i].state == SELFTEST_FAILED || (result[i].state == SELFTEST_NOT_RUN && (failed || passed)))
            sink_format(s, "            %s: %s\n", assay_kernel_info[i].name,
                        *result[i].text ? result[i].text : outcome(&result[i]));
}

static void write_text(struct doctor *d, const struct executor *x, unsigned number, const char *ignored,
                       const struct selftest_result *result, unsigned failed)
{
    struct sink *s = &d->out;
    sink_format(s, "%s%s %u: %s\n", d->any_written ? "\n" : "", x->ops->name, number, x->device);
    if (x->driver[0])
        sink_format(s, "  driver    %s\n", x->driver);
    if (x->ops->needs)
        sink_format(s, "  needs     %s\n", x->ops->needs());
    if (x->notice[0])
        sink_format(s, "  notice    %s\n", x->notice);
    if (*ignored)
        sink_format(s, "  record    ignored: %s\n", ignored);
    for (unsigned i = 0; i < KERNEL_VARIANTS; i = family_end(i))
        write_family(s, result, i, family_end(i));
    sink_format(s, "  %u kernels, %u failed%s\n", (unsigned)KERNEL_VARIANTS, failed,
                failed ? ": this device is refused" : "");
}

/* ---- one device as JSON ------------------------------------------------------------------------------------------ */

static void write_kernels(struct json *j, const struct selftest_result *result)
{
    json_list(j, "kernels", JSON_LINES | JSON_HANG);
    for (unsigned i = 0; i < KERNEL_VARIANTS; i++) {
        json_object(j, NULL, JSON_ROW);
        json_text(j, "name", assay_kernel_info[i].name);
        json_bool(j, "primitive", primitive_is(i));
        json_text(j, "result", outcome(&result[i]));
        if (result[i].state == SELFTEST_FAILED)
            json_text(j, "difference", result[i].text);
        json_end(j);
    }
    json_end(j);
}

static void write_json(struct doctor *d, const struct executor *x, unsigned number, const char *ignored,
                       const struct selftest_result *result, unsigned failed)
{
    struct json *j = &d->list;
    unsigned passed = 0;
    for (unsigned i = 0; i < KERNEL_VARIANTS; i++)
        passed += result[i].state == SELFTEST_PASSED;
    json_object(j, NULL, JSON_ROW);
    json_text(j, "backend", x->ops->name);
    json_count(j, "number", number);
    json_text(j, "device", x->device);
    json_text(j, "driver", x->driver);
    json_text(j, "needs", x->ops->needs ? x->ops->needs() : "");
    json_text(j, "record_ignored", ignored);
    json_count(j, "passed", passed);
    json_count(j, "failed", failed);
    write_kernels(j, result);
    json_end(j);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static int examine(struct doctor *d, struct patient *p, unsigned number, struct assay_error *e)
{
    struct executor *x = NULL;
    struct selftest_result *result = calloc(KERNEL_VARIANTS, sizeof *result);
    const struct selftest_device device = {open_patient, p, .threads = true};
    unsigned failed = 0;
    int rc = result ? open_patient(p, &x, e) : assay_fail_memory(e, "the self-test");
    if (!rc)
        rc = catalogue_examine(&device, x->ops->modules != NULL, result, e);
    for (unsigned k = 0; !rc && k < KERNEL_VARIANTS; k++)
        failed += result[k].state == SELFTEST_FAILED;
    if (!rc) {
        const struct selftest_identity identity = selftest_identity_of(x);
        struct selftest_record r;
        char ignored[CACHE_WHY];
        selftest_record_load(&r, &identity, ignored);
        selftest_remember(x, result, 0);
        (d->json ? write_json : write_text)(d, x, number, ignored, result, failed);
        d->any_written = true;
        d->failed += failed != 0;
    }
    if (x)
        x->ops->close(&x);
    free(result);
    return rc;
}

/* Devices are collected first: some can't be opened while they are listed. */
static void collect(void *opaque, const assay_device *device)
{
    struct doctor *d = opaque;
    if (d->devices == DEVICES)
        return;
    struct seen *s = &d->seen[d->devices++];
    *s = (struct seen){.number = device->number, .usable = device->usable};
    snprintf(s->backend, sizeof s->backend, "%s", device->backend);
    snprintf(s->missing, sizeof s->missing, "%s", device->missing ? device->missing : "");
    s->wanted = !device->missing && (!d->device || device_name_matches(d->device, device->number, device->name));
}

/* Counts a device that can't be examined as failed. */
static void cannot(struct doctor *d, const struct seen *s, const char *why)
{
    d->failed++;
    if (d->json) {
        json_object(&d->list, NULL, JSON_ROW);
        json_text(&d->list, "backend", s->backend);
        json_count(&d->list, "number", s->number);
        json_text(&d->list, "error", why);
        json_end(&d->list);
    } else {
        sink_format(&d->out, "%s%s %u: %s\n", d->any_written ? "\n" : "", s->backend, s->number, why);
    }
    d->any_written = true;
}

static int examine_all(struct doctor *d, struct assay_error *e)
{
    for (unsigned i = 0; i < d->devices; i++) {
        const struct seen *s = &d->seen[i];
        char number[16];
        struct assay_error why = {0};
        if (!s->wanted || (!s->usable && !d->device))
            continue;
        snprintf(number, sizeof number, "%u", s->number);
        /* The list was made from the names of these backends. */
        struct patient p = {executor_find(s->backend), {.device = number, .level = d->level}};
        const int rc = examine(d, &p, s->number, &why);
        if (rc == ASSAY_EDEVICE)
            cannot(d, s, why.text);
        else if (rc)
            return assay_fail(e, rc, "%s", why.text);
    }
    return ASSAY_OK;
}

/* Backends without devices, and devices that are none for us. */
static void write_missing(struct doctor *d)
{
    bool any = false;
    for (unsigned i = 0; i < d->devices; i++) {
        const struct seen *s = &d->seen[i];
        const char *why = s->missing[0] ? s->missing : s->usable ? NULL : "lacks something that every kernel needs";
        if (!why || (s->wanted && d->device))
            continue;
        if (d->json) {
            json_object(&d->list, NULL, JSON_ROW);
            json_text(&d->list, "backend", s->backend);
            json_text(&d->list, "reason", why);
            json_end(&d->list);
        } else {
            sink_format(&d->out, "%s%s: not available: %s\n", any || !d->any_written ? "" : "\n", s->backend, why);
        }
        any = true;
    }
}

/* Fails where the backend or the device that was named is not there. */
static int check_named(const struct doctor *d, struct assay_error *e)
{
    bool wanted = false;
    for (unsigned i = 0; i < d->devices; i++) {
        if (d->backend && d->seen[i].missing[0])
            return assay_fail(e, ASSAY_EDEVICE, "%s", d->seen[i].missing);
        wanted |= d->seen[i].wanted;
    }
    if (wanted || !d->device)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "%s: no device '%s' (assay --list-devices)", d->backend, d->device);
}

static int run(struct doctor *d, struct assay_error *e)
{
    char why[512];
    int rc = assay_list_devices(d->backend, collect, d, why, sizeof why);
    if (rc)
        return assay_fail(e, rc, "%s", why);
    if ((rc = check_named(d, e)) || (rc = sink_open(&d->out, "-", e)))
        return rc;
    d->list = (struct json){.sink = &d->out};
    if (d->json) {
        json_object(&d->list, NULL, JSON_ROW);
        json_list(&d->list, "devices", JSON_LINES | JSON_HANG);
    }
    rc = examine_all(d, e);
    if (d->json) {
        json_end(&d->list);
        json_break(&d->list);
        json_list(&d->list, "missing", JSON_LINES | JSON_HANG);
    }
    write_missing(d);
    if (d->json) {
        json_end(&d->list);
        json_end(&d->list);
    }
    const int closed = sink_close(&d->out, e);
    rc = rc ? rc : closed;
    if (!rc && d->failed)
        rc = assay_fail(e, ASSAY_EDEVICE, "%u device%s failed the self-test", d->failed, d->failed > 1 ? "s" : "");
    return rc;
}

#define AT(field) .offset = offsetof(struct doctor, field)
static const struct option options[] = {
    {"backend", 0, OPTION_STRING, AT(backend), MACHINE("NAME", "only this backend")},
    {"device", 0, OPTION_STRING, AT(device), MACHINE("N|NAME", "only this device of it")},
    {"cpu", 0, OPTION_STRING, AT(level), MACHINE("LEVEL", "the instruction set of the CPU that is tested")},
    {"json", 0, OPTION_FLAG, AT(json), RESULTS(NULL, "the results for programs")},
    {"help", 'h', OPTION_FLAG, AT(help)},
};
const struct option_list cli_doctor_options = {options, sizeof options / sizeof options[0],
                                               .help = "assay doctor --help"};

static int parse(struct doctor *d, int argc, char **argv, struct assay_error *e)
{
    TRY(option_parse(&cli_doctor_options, d, argc, argv, e));
    if (d->level && cpu_level_from_name(d->level) < 0)
        return assay_fail(e, ASSAY_EUSAGE, "doctor: no instruction set is called '%s'", d->level);
    if (d->level && d->backend && strcmp(d->backend, "cpu"))
        return assay_fail(e, ASSAY_EUSAGE, "doctor: --cpu names an instruction set of the CPU, not of %s", d->backend);
    return d->device && !d->backend ? assay_fail(e, ASSAY_EUSAGE, "doctor: --device needs its --backend") : ASSAY_OK;
}

int cli_doctor(int argc, char **argv, struct assay_error *e)
{
    struct doctor *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the examination");
    int rc = parse(d, argc, argv, e);
    if (!rc && d->help)
        cli_help("doctor", stdout);
    else if (!rc)
        rc = run(d, e);
    free(d);
    return rc;
}
