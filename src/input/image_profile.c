/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICC profiles that consist of a curve and three primaries (ICC.1, "three-component matrix-based"), and profiles of
 * grey that consist of a curve. Only their numbers are read. Their names are not used, and no pixel is converted by
 * them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/colour.h"
#include "host/digest.h"
#include "host/exact_math.h"
#include "input/image_decoder.h"

enum { HEADER = 128, TAG = 12, COMPONENTS = 3 };

struct profile {
    const unsigned char *data;
    size_t size;
    const char *refusal; /* why assay can't express the profile */
};

/* A curve in the form of ICC.1's function type 4: (a X + b)^g + e for X >= d, c X + f below. */
struct curve {
    double g, a, b, c, d, e, f;
};

static uint32_t number(const struct profile *p, size_t at, unsigned bytes)
{
    return at > p->size || p->size - at < bytes ? 0 : (uint32_t)big_endian(p->data + at, bytes);
}

static double fixed(const struct profile *p, size_t at)
{
    return (int32_t)number(p, at, 4) / 65536.0;
}

/* The position of a tag's data, which has at least `least` bytes. 0: there is no such tag. */
static size_t find_tag(const struct profile *p, const char *name, size_t least)
{
    const uint32_t tags = number(p, HEADER, 4);
    for (uint32_t i = 0; i < tags && HEADER + 4 + (size_t)TAG * (i + 1) <= p->size; i++) {
        const size_t at = HEADER + 4 + (size_t)TAG * i, to = number(p, at + 4, 4), size = number(p, at + 8, 4);
        if (!memcmp(p->data + at, name, 4))
            return to <= p->size && size <= p->size - to && size >= least ? to : 0;
    }
    return 0;
}

static bool is_type(const struct profile *p, size_t at, const char *type)
{
    return !memcmp(p->data + at, type, 4);
}

/* ---- curves ---- */

static double curve_at(const struct curve *c, double x)
{
    const double base = c->a * x + c->b;
    const double v = x < c->d ? c->c * x + c->f : assay_pow(base > 0.0 ? base : 0.0, c->g) + c->e;
    return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v;
}

static const struct curve srgb = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045, 0, 0};
static const struct curve bt709 = {1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081, 0, 0};

/* A table of values stands for the function that is within a quarter of an 8-bit step of all its entries, and of the
 * middle between two of them, if any is: two entries are a straight line. */
enum { TABLE_STEPS = 4 * 255 };

static double table_entry(const struct profile *p, size_t at, uint64_t i)
{
    return number(p, at + 12 + 2 * (size_t)i, 2) / 65535.0;
}

static bool table_is(const struct profile *p, size_t at, uint32_t n, const struct curve *c)
{
    for (uint64_t i = 0; i <= 2 * ((uint64_t)n - 1); i++) {
        const double x = (double)i / (2.0 * (n - 1)),
                     y = (table_entry(p, at, i / 2) + table_entry(p, at, (i + 1) / 2)) / 2.0;
        if (fabs(curve_at(c, x) - y) > 1.0 / TABLE_STEPS)
            return false;
    }
    return true;
}

/* The power, rounded to 1/1000, whose curve goes through the middle of a table. */
static struct curve power_of_table(const struct profile *p, size_t at, uint32_t n)
{
    const uint32_t i = n / 2;
    const double x = (double)i / (n - 1), y = table_entry(p, at, i);
    const bool inside = x > 0.0 && x < 1.0 && y > 0.0 && y < 1.0;
    return (struct curve){.g = inside ? assay_round(assay_log(y) / assay_log(x) * 1000.0) / 1000.0 : 0.0, .a = 1.0};
}

static bool read_table(struct profile *p, size_t at, struct curve *c)
{
    const uint32_t n = number(p, at + 8, 4);
    if (n > (p->size - at - 12) / 2) {
        p->refusal = "a curve that is cut off";
        return false;
    }
    *c = (struct curve){.g = n == 1 ? number(p, at + 12, 2) / 256.0 : 1.0, .a = 1.0};
    if (n < 2)
        return true;
    const struct curve power = power_of_table(p, at, n);
    const struct curve *const candidates[] = {&srgb, c, &bt709, &power};
    for (unsigned i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (table_is(p, at, n, candidates[i])) {
            *c = *candidates[i];
            return true;
        }
    p->refusal = "a curve by a table that is no function of ICC's";
    return false;
}

static bool read_parametric(struct profile *p, size_t at, struct curve *c)
{
    static const unsigned parameters[] = {1, 3, 4, 5, 7};
    const unsigned type = number(p, at + 8, 2);
    double v[7] = {0};
    if (type > 4 || p->size - at < 12 + 4 * (size_t)parameters[type]) {
        p->refusal = "a curve of a kind that ICC.1 does not have";
        return false;
    }
    for (unsigned i = 0; i < parameters[type]; i++)
        v[i] = fixed(p, at + 12 + 4 * (size_t)i);
    *c = (struct curve){v[0], type ? v[1] : 1.0, v[2], v[3], v[4], v[5], v[6]};
    if (type == 1 || type == 2) { /* the power begins where a X + b is 0; below it is 0, or the constant c */
        const double constant = type == 2 ? v[3] : 0.0;
        *c = (struct curve){v[0], v[1], v[2], 0.0, v[1] != 0.0 ? -v[2] / v[1] : 0.0, constant, constant};
        if (c->d < 0.0)
            c->d = 0.0;
    }
    return true;
}

static bool read_curve(struct profile *p, const char *name, struct curve *c)
{
    const size_t at = find_tag(p, name, 12);
    p->refusal = "no curves";
    if (!at || !(is_type(p, at, "curv") || is_type(p, at, "para")))
        return false;
    return is_type(p, at, "curv") ? read_table(p, at, c) : read_parametric(p, at, c);
}

/* Whether two curves differ by at most a tenth of an 8-bit step at every code of 10 bits. */
static bool same_curve(const struct curve *a, const struct curve *b)
{
    for (int i = 0; i <= 1023; i++)
        if (fabs(curve_at(a, i / 1023.0) - curve_at(b, i / 1023.0)) > 0.1 / 255)
            return false;
    return true;
}

/* ---- primaries ---- */

static bool read_colorants(struct profile *p, double to_bt709[9])
{
    static const char *const names[COMPONENTS] = {"rXYZ", "gXYZ", "bXYZ"};
    double xyz[9];
    for (unsigned c = 0; c < COMPONENTS; c++) {
        const size_t at = find_tag(p, names[c], 20);
        p->refusal = "tables of colours instead of primaries";
        if (!at || !is_type(p, at, "XYZ "))
            return false;
        for (unsigned i = 0; i < COMPONENTS; i++)
            xyz[3 * i + c] = fixed(p, at + 8 + 4 * (size_t)i);
    }
    primaries_of_profile(xyz, to_bt709);
    for (unsigned row = 0; row < COMPONENTS; row++) {
        double *v = to_bt709 + 3 * row;
        const double sum = v[0] + v[1] + v[2];
        p->refusal = "primaries that do not add up to white";
        if (!(fabs(sum - 1.0) < 0.01))
            return false;
        for (unsigned c = 0; c < COMPONENTS; c++) /* white stays white, whatever the profile's digits are */
            v[c] /= sum;
    }
    return true;
}

/* Whether two matrices are equal but for rounding: profiles round colorants to 4 digits, and the matrix triples that
 * error. */
static bool same_matrix(const double a[9], const double b[9])
{
    for (unsigned i = 0; i < 9; i++)
        if (!(fabs(a[i] - b[i]) < 0.0015))
            return false;
    return true;
}

void image_set_primaries(assay_format *f, const double to_bt709[9])
{
    static const struct { uint32_t code; enum colour_primaries set; } named[] = {
        {1, PRIMARIES_709}, {12, PRIMARIES_P3}, {9, PRIMARIES_2020}, {5, PRIMARIES_625}, {6, PRIMARIES_525}};
    f->primaries = IMAGE_TRANSFER_OTHER;
    memcpy(f->to_bt709, to_bt709, sizeof f->to_bt709);
    for (unsigned i = 0; i < sizeof named / sizeof named[0]; i++) {
        double matrix[9];
        if (primaries_to_bt709(&colour_chromaticities[named[i].set], matrix) && same_matrix(to_bt709, matrix)) {
            f->primaries = named[i].code;
            memset(f->to_bt709, 0, sizeof f->to_bt709);
            return;
        }
    }
}

/* ---- the whole ---- */

/* Reads the profile's description as printable ASCII. */
static void read_name(const struct profile *p, char *text, size_t size)
{
    const size_t at = find_tag(p, "desc", 28);
    const bool wide = at && is_type(p, at, "mluc");
    size_t from = at + 12, n = at ? number(p, at + 8, 4) : 0, used = 0;
    if (wide) {
        n = number(p, at + 20, 4) / 2;
        from = at + number(p, at + 24, 4);
    }
    for (size_t i = 0; i < n && used + 1 < size; i++) {
        const uint32_t v = number(p, from + (wide ? 2 * i : i), wide ? 2 : 1);
        if (!v)
            break;
        text[used++] = v >= 0x20 && v < 0x7f && v != '\'' ? (char)v : '?';
    }
    text[used] = '\0';
}

static bool read_curves(struct profile *p, bool grey, struct curve *c)
{
    static const char *const names[COMPONENTS] = {"rTRC", "gTRC", "bTRC"};
    struct curve other;
    if (!read_curve(p, grey ? "kTRC" : names[0], c))
        return false;
    for (unsigned i = 1; i < COMPONENTS && !grey; i++) {
        if (!read_curve(p, names[i], &other))
            return false;
        p->refusal = "another curve for each of R, G and B";
        if (!same_curve(c, &other))
            return false;
    }
    return true;
}

static bool read_profile(struct profile *p, bool grey, struct curve *c, double to_bt709[9])
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    p->refusal = "less than a profile's header";
    if (p->size < HEADER + 4)
        return false;
    p->refusal = grey ? "colours that are not grey" : "colours that are not RGB";
    if (memcmp(p->data + 16, grey ? "GRAY" : "RGB ", 4))
        return false;
    p->refusal = "tables of colours instead of primaries";
    if (find_tag(p, "A2B0", 8) || memcmp(p->data + 20, "XYZ ", 4))
        return false;
    memcpy(to_bt709, none, sizeof none);
    return read_curves(p, grey, c) && (grey || read_colorants(p, to_bt709));
}

/* Sets the transfer function to a curve: by H.273's code if there is one, else as a power, else by parameters. False:
 * these are out of range. */
static bool set_curve(assay_format *f, const struct curve *c)
{
    static const struct curve linear = {.g = 1.0, .a = 1.0};
    const struct curve power = {.g = c->g, .a = 1.0};
    const double v[7] = {c->g, c->a, c->b, c->c, c->d, c->e, c->f};
    f->gamma = 0;
    f->transfer = same_curve(c, &srgb) ? 13 : same_curve(c, &linear) ? 8 : IMAGE_TRANSFER_OTHER;
    if (f->transfer != IMAGE_TRANSFER_OTHER)
        return true;
    if (c->g >= 0.125 && c->g <= 8.0 && same_curve(c, &power)) {
        f->gamma = (uint32_t)assay_round(100000.0 / c->g);
        return true;
    }
    for (unsigned i = 1; i < 7; i++)
        if (!(fabs(v[i]) <= 2.0))
            return false;
    memcpy(f->curve, v, sizeof v);
    return c->g >= 0.125 && c->g <= 8.0 && c->d >= 0.0 && c->d <= 1.0 && c->a + c->b <= 2.0;
}

void image_apply_icc(struct image *image)
{
    struct profile p = {.data = image->icc, .size = image->icc_size};
    const bool grey = image->format.layout == ASSAY_LAYOUT_400;
    assay_format *f = &image->format;
    struct curve c;
    double to_bt709[9];
    char name[64] = "";
    if (!image->icc)
        return;
    f->transfer = f->primaries = IMAGE_TRANSFER_OTHER;
    if (p.size >= HEADER + 4)
        read_name(&p, name, sizeof name);
    snprintf(image->colour, sizeof image->colour, "ICC profile '%s'", name);
    bool known = read_profile(&p, grey, &c, to_bt709);
    if (known && !(known = set_curve(f, &c)))
        p.refusal = "a curve whose parameters are out of range";
    if (known) {
        image_set_primaries(f, to_bt709);
        return;
    }
    f->gamma = 0;
    memset(f->curve, 0, sizeof f->curve);
    image->icc_fingerprint = digest_of(image->icc, image->icc_size);
    snprintf(image->unknown_colour, sizeof image->unknown_colour, "its ICC profile '%s' has %s", name, p.refusal);
}
