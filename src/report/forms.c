/* SPDX-License-Identifier: BSD-2-Clause */
/* Every form of a report by its number. */
#include "report/reporter.h"

static const struct {
    const struct report_form *form;
    enum file_form file;
    report_joint *joint;
    const char *of_one; /* without `joint` */
} kinds[] = {
    [REPORT_JSON] = {&report_form_json, FILE_JSON, joint_json, NULL},
    [REPORT_XML] = {&report_form_xml, FILE_XML, NULL, "--xml"},
    [REPORT_CSV] = {&report_form_csv, FILE_CSV, joint_csv, NULL},
    [REPORT_SUB] = {&report_form_sub, FILE_SUB, NULL, "--sub"},
    [REPORT_PLOT] = {&report_form_plot, FILE_SVG, joint_plot, NULL},
    [REPORT_PLOT_PNG] = {&report_form_plot_png, FILE_PNG, joint_plot_png, NULL},
    [REPORT_HTML] = {&report_form_html, FILE_HTML, joint_html, NULL},
    [REPORT_XPSNR] = {&report_form_xpsnr, FILE_LOG, NULL, "--xpsnr-log"},
};

int reporter_open(struct reporter **out, enum report_kind kind, const char *path, int precision,
                  const struct stored *x, struct assay_error *e)
{
    uint32_t column;
    if (kind == REPORT_XPSNR && !scores_column(&x->scores, "xpsnr_y", &column))
        return assay_fail(e, ASSAY_EUSAGE, "--xpsnr-log needs the metric xpsnr (-m xpsnr)");
    return reporter_open_form(out, kinds[kind].form, path, precision, x, e);
}

int reporter_write(enum report_kind kind, const char *path, int precision, const struct stored *x,
                   struct assay_error *e)
{
    struct reporter *r;
    TRY(reporter_open(&r, kind, path, precision, x, e));
    for (uint64_t row = 0; row < x->scores.rows; row++)
        if (reporter_frame(r, &x->scores, row, e)) {
            reporter_abandon(&r);
            return e->code;
        }
    return reporter_finish(&r, x, e);
}

int reporter_open_joint(struct reporter **out, enum report_kind kind, const char *path, int precision,
                        struct assay_error *e)
{
    return reporter_begin(out, &(struct reporter){.form = kinds[kind].form, .joint = kinds[kind].joint,
                                                  .precision = precision}, path, e);
}

int reporter_finish_joint(struct reporter **r, const struct stored *encode, uint32_t encodes, struct assay_error *e)
{
    (*r)->joint(*r, encode, encodes);
    return reporter_close(r, e);
}

enum file_form report_file_form(enum report_kind kind)
{
    return kinds[kind].file;
}

const char *report_of_one(enum report_kind kind)
{
    return kinds[kind].of_one;
}
