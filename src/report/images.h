/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of comparing images, and its forms: CSV, JSON, a page, tables on a terminal. */
#ifndef ASSAY_REPORT_IMAGES_H
#define ASSAY_REPORT_IMAGES_H

#include "report/grid.h"
#include "report/report.h"

enum { IMAGE_KEYS = 512, IMAGE_VIEWS = 4 };

/* What is shown of a pair, in this order. A view without a size is not there. */
enum image_view { VIEW_REFERENCE, VIEW_DISTORTED, VIEW_MAP, VIEW_ALPHA };
struct image_shown {
    struct report_picture view[IMAGE_VIEWS];
    char label[IMAGE_VIEWS][96];
    char note[540]; /* how the views were made, or why there are none */
};

struct image_pair {
    char *name;             /* of the file in both folders, or of the distorted file */
    char *path[2];
    int code;               /* 0: compared; else why not, in `error` */
    char *error;
    assay_format format;
    char format_name[32];   /* "rgb24" */
    bool alpha;
    bool floats;
    bool codes;             /* codes are compared; false: they stand for different colours, only colours are compared */
    bool colour_unknown;    /* the pair was not compared because its colours are not known */
    char reader[2][96], colour[2][128];
    uint64_t bytes[2];      /* of the files; 0: not known, as of a pipe */
    uint64_t whole[2];      /* pixels of the files' pictures, of which a part may be compared */
    uint32_t orientation[2]; /* that the files state, and that was applied */
    uint32_t figures;       /* in this order: of the default metrics, of the user's metrics, of alpha */
    uint32_t first_other, first_alpha;
    const char **key;       /* borrowed from the list of all names */
    double *value;
    bool differs;           /* in any sample, alpha included */
    bool failed;            /* a gate */
    bool drawn;             /* a heatmap was written */
    double rank;            /* among those of its group in the page, the least is the worst; images_order sets it */
    char *notes;            /* lines of what was noticed; NULL: nothing */
    struct image_shown *shown; /* in the page, by itself; NULL: in its table alone */
};

/* Something in a folder that is not compared. */
struct image_left {
    char *path;
    const char *why; /* a constant */
    bool folder;     /* nothing in it is compared */
};

struct images {
    const char *path[2];    /* as the user named them */
    char crop[2][48];       /* the part that is compared; "": the whole */
    bool folders;           /* the distorted side is one */
    struct image_pair *pair;
    uint32_t pairs;
    uint32_t done;          /* pairs so far, compared or failed; where all broke off, the others are left out */
    const char *reason;     /* why `done` is not `pairs`, or NULL */
    char **only[2];         /* names of files that only this folder has, sorted */
    uint32_t alone[2];
    struct image_left *left;
    uint32_t lefts;
    char *key[IMAGE_KEYS];  /* the keys of all pairs so far */
    signed char direction[IMAGE_KEYS]; /* of assay.h, of each; ASSAY_NEUTRAL where no session has said it */
    uint32_t keys;
    char backend[32], device[128], driver[128]; /* that compared the images */
    char *configuration;    /* of the first pair that was compared; NULL: none was */
    const struct gate *gate;
    uint32_t gates;
    const double *tolerance; /* of floats, absolute and relative; NULL: none was asked for */
    int precision;          /* of figures, as in report_table */
    uint32_t shown;         /* pairs that the page of folders shows by themselves, at most */
};

void images_free(struct images *r);

/* ---- what the forms say (images.c) ---- */

/* The figure of a pair by its key, or NULL; and whether it has one above 0. */
const double *image_figure(const struct image_pair *p, const char *key);
bool image_figure_above(const struct image_pair *p, const char *key);
/* A gate is on the pair's figure, in percent of the picture's pixels where the limit is. A picture without alpha is
 * opaque. */
struct gate_result image_gate_judge(const struct image_pair *p, const struct gate *g);
/* Bits of a side's file for each pixel of its picture; 0: not known. */
double image_bits_per_pixel(const struct image_pair *p, unsigned side);
/* "equal", "differs", "pass", "FAIL" or "error" */
const char *image_result(const struct images *r, const struct image_pair *p);
/* "1920x1080 rgb24 with alpha" */
enum { IMAGE_KIND = 64 };
const char *image_kind(char text[IMAGE_KIND], const struct image_pair *p);
/* The lower one of the PSNR of the colours and the PSNR of alpha. PSNR ranks pairs of different size and depth. */
double image_least_psnr(const struct image_pair *p);

/* The pairs, counted by result. A pair that failed a gate is counted as equal or different too. */
struct image_count {
    uint32_t equal, differ, failed, errors, unpaired;
    const struct image_pair *worst; /* the pair of least PSNR that differs; NULL: none differs */
    double psnr;                    /* of `worst` */
};
struct image_count image_count(const struct images *r);
/* "3 equal, 1 differ, ...", at most IMAGE_COUNTS bytes */
enum { IMAGE_COUNTS = 160 };
void image_counts_text(const struct images *r, char text[IMAGE_COUNTS]);

int images_csv(const struct images *r, const char *path, struct assay_error *e);
int images_json(const struct images *r, const char *path, struct assay_error *e);

/* ---- the page (html_images.c) ---- */

/* A view is reduced to `most`, and one that takes more bytes without loss than `exact` is coded with loss. */
struct image_limits {
    uint32_t most[2];
    size_t exact;
};
extern const struct image_limits image_limits[2]; /* of two files; of folders */

/* The pairs as they stand in the page, the worst first; the caller frees the list. NULL: no memory. */
struct image_pair **images_order(const struct images *r, struct assay_error *e);
int images_html(const struct images *r, struct image_pair *const *order, const char *path, struct assay_error *e);

/* ---- tables on the terminal (images_table.c) ---- */

/* Prints the result of two files: a line per channel, then the figures of the user's metrics. */
void images_print(const struct images *r, FILE *out);
/* Prints the line of a pair of two folders when its result is known. The columns are named before the first line, and
 * again before a pair that has other figures. */
enum { IMAGE_OTHERS = 8, IMAGE_COLUMNS = 7 + IMAGE_OTHERS };
struct image_rows {
    const struct image_pair *shaped; /* the pair that named the columns; NULL: none yet */
    uint32_t others;                 /* columns of other metrics */
    struct grid_column column[IMAGE_COLUMNS];
};
void images_print_row(struct image_rows *t, const struct images *r, const struct image_pair *p, FILE *out);
/* Prints the files without a partner, the files and folders left out, and the counts. */
void images_print_end(const struct images *r, FILE *out);

#endif
