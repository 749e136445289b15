/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of `assay image`: pairs of images, the worst first, their figures, and pictures of those that differ. */
#ifndef ASSAY_REPORT_HTML_IMAGES_H
#define ASSAY_REPORT_HTML_IMAGES_H

#include "report/report.h"
#include "results/sink.h"

enum { HTML_IMAGE_VIEWS = 4 };

/* The views of a pair, in this order. One without a size is not there. */
enum html_image_view { VIEW_REFERENCE, VIEW_DISTORTED, VIEW_MAP, VIEW_ALPHA };

struct html_image_pair {
    const char *name, *result;
    const char *error;       /* why it was not compared, or NULL */
    bool bad;                /* it failed or was not compared */
    char kind[64];           /* "1920x1080 rgb24 with alpha" */
    const char *path[2], *reader[2], *colour[2];
    uint64_t bytes[2];       /* of the files; 0: not known */
    double bits_per_pixel[2];
    uint32_t figures;
    const char *const *key;
    const double *value;
    bool drawn;              /* it is shown by itself, with pictures or a `note` that says why there are none */
    struct report_picture view[HTML_IMAGE_VIEWS];
    char label[HTML_IMAGE_VIEWS][96];
    char note[512];
};

struct html_image_gate {
    const struct gate *gate;
    uint32_t failed;         /* pairs */
};

struct html_images {
    const char *path[2];
    bool folders;
    const char *version;     /* of assay */
    const char *reason;      /* why the run is incomplete, or NULL */
    uint32_t planned;        /* pairs, of which `pairs` were reached */
    const char *counts;      /* of the results, in words */
    const char *order;       /* what the pairs are sorted by, in words */
    const char *pictures;    /* what pictures show, in words */
    const char *const *column; /* keys of the table of all pairs */
    uint32_t columns;
    const struct html_image_pair *pair; /* the worst first */
    uint32_t pairs;
    const struct html_image_gate *gate;
    uint32_t gates;
    const char *const *rest; /* lines on the files that were not compared */
    uint32_t rests;
    const struct report_field *field; /* options and the device; empty ones are left out */
    uint32_t fields;
    int precision;           /* of figures, as in report_table */
};

void html_images_write(struct sink *s, const struct html_images *page);

#endif
