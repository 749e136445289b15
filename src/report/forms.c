/* SPDX-License-Identifier: BSD-2-Clause */
/* Every form of a report by its number. */
#include "report/reporter.h"

static const struct {
    const struct report_form *form;
    enum file_form file;
    const char *of_one;
} kinds[] = {
    [REPORT_JSON] = {&report_form_json, FILE_JSON, NULL},
    [REPORT_XML] = {&report_form_xml, FILE_XML, "--xml"},
    [REPORT_CSV] = {&report_form_csv, FILE_CSV, NULL},
    [REPORT_SUB] = {&report_form_sub, FILE_SUB, "--sub"},
    [REPORT_PLOT] = {&report_form_plot, FILE_SVG, NULL},
    [REPORT_PLOT_PNG] = {&report_form_plot_png, FILE_PNG, NULL},
    [REPORT_HTML] = {&report_form_html, FILE_HTML, NULL},
    [REPORT_XPSNR] = {&report_form_xpsnr, FILE_LOG, "--xpsnr-log"},
};

int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct report_run *run, const struct scores *s, struct assay_error *e)
{
    uint32_t column;
    if (kind == REPORT_XPSNR && !scores_column(s, "xpsnr_y", &column))
        return assay_fail(e, ASSAY_EUSAGE, "--xpsnr-log needs the metric xpsnr (-m xpsnr)");
    return reporter_open_form(out, kinds[kind].form, path, precision, run, s, e);
}

int reporter_write(enum report_kind kind, const char *path, int precision, const struct report_run *run,
                   const struct scores *s, struct assay_error *e)
{
    struct reporter *r;
    TRY(reporter_open(&r, kind, path, precision, run, s, e));
    for (uint64_t row = 0; row < s->rows; row++)
        if (reporter_frame(r, s, row, e)) {
            reporter_abandon(&r);
            return e->code;
        }
    return reporter_finish(&r, s, run, e);
}

enum file_form report_file_form(enum report_kind kind)
{
    return kinds[kind].file;
}

const char *report_of_one(enum report_kind kind)
{
    return kinds[kind].of_one;
}
