/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairs of assay image as lines of a CSV file (RFC 4180), with a column for each figure that any pair has. */
#include <inttypes.h>

#include "cli/image/image.h"
#include "results/sink.h"

static void put_pair(struct sink *s, const struct image_run *r, const struct image_pair *p)
{
    const int precision = r->cli->precision == CLI_PRECISION_DEFAULT ? 6 : r->cli->precision;
    char format[32];
    sink_csv_text(s, p->name);
    for (unsigned side = 0; side < 2; side++) {
        sink_text(s, ",");
        sink_csv_text(s, p->path[side]);
    }
    sink_format(s, ",%s,", image_result(r->cli, p));
    if (p->code)
        sink_text(s, ",,,");
    else
        sink_format(s, "%u,%u,%s,%d", p->format.width, p->format.height, input_format_name(&p->format, format),
                    (int)p->alpha);
    for (unsigned side = 0; side < 2; side++)
        if (p->code || !p->bytes[side]) {
            sink_text(s, ",,");
        } else {
            sink_format(s, ",%" PRIu64 ",", p->bytes[side]);
            sink_number(s, image_bits_per_pixel(p, side), precision);
        }
    for (uint32_t i = 0; i < r->keys; i++) {
        const double *v = image_figure(p, r->key[i]);
        sink_text(s, ",");
        if (v)
            sink_number(s, *v, precision);
    }
    sink_text(s, ",");
    sink_csv_text(s, p->error ? p->error : "");
    sink_text(s, "\n");
}

int image_csv(const struct image_run *r, const char *path, struct assay_error *e)
{
    struct sink s;
    TRY(sink_open(&s, path, e));
    sink_text(&s, "image,reference,distorted,result,width,height,format,alpha,reference_bytes,"
              "reference_bits_per_pixel,distorted_bytes,distorted_bits_per_pixel");
    for (uint32_t i = 0; i < r->keys; i++)
        sink_format(&s, ",%s", r->key[i]);
    sink_text(&s, ",error\n");
    for (uint32_t i = 0; i < r->done; i++)
        put_pair(&s, r, &r->pair[i]);
    return sink_close(&s, e);
}
