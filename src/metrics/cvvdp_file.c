/* SPDX-License-Identifier: BSD-2-Clause */
/* Displays of the user's own: a file in the JSON of the reference program's display_models.json. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "metrics/cvvdp_display.h"
#include "models/model.h"

static const struct {
    const char *name;
    int curve;
    bool wide;
} spaces[] = {
    {"sRGB", CURVE_SRGB, false},         {"BT.709", CURVE_SRGB, false},    {"BT.709-linear", CURVE_LINEAR, false},
    {"BT.2020-PQ", CURVE_PQ, true},      {"BT.2020-HLG", CURVE_HLG, true}, {"BT.2020-linear", CURVE_LINEAR, true},
};

static int cvvdp_take_space(struct cvvdp_display *d, const char *name, struct assay_error *e)
{
    for (unsigned i = 0; name && i < sizeof spaces / sizeof spaces[0]; i++)
        if (!strcmp(name, spaces[i].name)) {
            d->curve = spaces[i].curve;
            d->wide = spaces[i].wide;
            return ASSAY_OK;
        }
    return assay_fail(e, ASSAY_EINPUT, "cvvdp: the display %s has the colour space '%.40s', and cvvdp takes sRGB, "
                      "BT.709, BT.709-linear, BT.2020-PQ, BT.2020-HLG and BT.2020-linear", d->name, name ? name : "");
}

/* Numbers of a display; other members, such as its full name, say nothing of its light. */
static const struct {
    const char *key;
    size_t offset;
    double unit;
} members[] = {
    {"viewing_distance_meters", offsetof(struct cvvdp_display, distance), 1.0},
    {"viewing_distance_inches", offsetof(struct cvvdp_display, distance), 0.0254},
    {"diagonal_size_inches", offsetof(struct cvvdp_display, diagonal), 1.0},
    {"diagonal_size_meters", offsetof(struct cvvdp_display, diagonal), 1.0 / 0.0254},
    {"fov_diagonal", offsetof(struct cvvdp_display, fov), 1.0},
    {"max_luminance", offsetof(struct cvvdp_display, peak), 1.0},
    {"min_luminance", offsetof(struct cvvdp_display, black), 1.0},
    {"contrast", offsetof(struct cvvdp_display, contrast), 1.0},
    {"E_ambient", offsetof(struct cvvdp_display, ambient), 1.0},
    {"k_refl", offsetof(struct cvvdp_display, reflectivity), 1.0},
    {"exposure", offsetof(struct cvvdp_display, exposure), 1.0},
    {"pixels_per_degree", offsetof(struct cvvdp_display, ppd), 1.0},
};

static int cvvdp_take_member(void *opaque, const char *key, const char *text, const double *number, unsigned n,
                             struct assay_error *e)
{
    struct cvvdp_display *d = opaque;
    if (!strcmp(key, "colorspace"))
        return cvvdp_take_space(d, text, e);
    if (!strcmp(key, "resolution")) {
        if (n != 2)
            return assay_fail(e, ASSAY_EINPUT, "cvvdp: the display %s: resolution is two numbers", d->name);
        d->across = number[0];
        d->down = number[1];
    }
    for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(key, members[i].key))
            continue;
        if (n != 1 || text || !(number[0] >= 0.0 && number[0] <= 1e9))
            return assay_fail(e, ASSAY_EINPUT, "cvvdp: the display %s: %s is a number from 0 to 1e9", d->name, key);
        const double v = number[0] * members[i].unit;
        memcpy((char *)d + members[i].offset, &v, sizeof v);
    }
    return ASSAY_OK;
}

int cvvdp_display_read(const char *name, const char *path, struct cvvdp_display *d, struct assay_error *e)
{
    const double none = (double)NAN;
    *d = (struct cvvdp_display){.curve = CURVE_SRGB, .distance = none, .diagonal = none, .fov = none, .peak = none,
                                .contrast = none, .black = none, .reflectivity = 0.005, .exposure = 1.0, .ppd = none};
    snprintf(d->name, sizeof d->name, "%s", name);
    TRY(model_members(path, name, cvvdp_take_member, d, e));
    if (!(d->exposure > 0.0))
        return assay_fail(e, ASSAY_EINPUT, "cvvdp: the display %s has an exposure of 0", d->name);
    return ASSAY_OK;
}
