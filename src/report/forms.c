/* SPDX-License-Identifier: BSD-2-Clause */
/* Every form of a report by its number. */
#include "report/reporter.h"

int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct report_run *run, const struct scores *s, struct assay_error *e)
{
    static const struct report_form *const forms[] = {
        [REPORT_JSON] = &report_form_json,
        [REPORT_XML] = &report_form_xml,
        [REPORT_CSV] = &report_form_csv,
        [REPORT_SUB] = &report_form_sub,
        [REPORT_PLOT] = &report_form_plot,
        [REPORT_PLOT_PNG] = &report_form_plot_png,
        [REPORT_HTML] = &report_form_html,
        [REPORT_XPSNR] = &report_form_xpsnr,
    };
    uint32_t column;
    if (kind == REPORT_XPSNR && !scores_column(s, "xpsnr_y", &column))
        return assay_fail(e, ASSAY_EUSAGE, "--xpsnr-log needs the metric xpsnr (-m xpsnr)");
    return reporter_open_form(out, forms[kind], path, precision, run, s, e);
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
    static const enum file_form forms[] = {
        [REPORT_JSON] = FILE_JSON, [REPORT_XML] = FILE_XML, [REPORT_CSV] = FILE_CSV, [REPORT_SUB] = FILE_SUB,
        [REPORT_PLOT] = FILE_SVG, [REPORT_PLOT_PNG] = FILE_PNG, [REPORT_HTML] = FILE_HTML, [REPORT_XPSNR] = FILE_LOG,
    };
    return forms[kind];
}
