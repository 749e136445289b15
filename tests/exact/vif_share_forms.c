/* SPDX-License-Identifier: BSD-2-Clause */
/* Both forms of kernels/vif_share.h, for one case at a time. SABOTAGE replaces the constant that libvmaf adds to the
 * divisor. */
#include "exact/vif_share.h"

#define LANES 1
#define TILE_W 16 /* the header wants a tile; none is used here */
#define TILE_H 16
#include "kernels/dialect/c.h"

#ifdef SABOTAGE
#undef VIF_EPSILON
#define VIF_EPSILON SABOTAGE
#define FORMS vif_share_sabotaged
#else
#define FORMS vif_share_right
#endif

#include "kernels/exact.h"
#include "kernels/vif_share.h"

static struct vif_share_result result(vif_shares r)
{
    return (struct vif_share_result){.rest = r.rest, .kept = r.kept, .sure = any_(r.sure)};
}

static struct vif_share_result exact(struct vif_share_case c, double limit)
{
    return result(vif_share_exact(c.s1, c.s2, c.s12, limit));
}

static struct vif_share_result quick(struct vif_share_case c, int whole_limit)
{
    return result(vif_share_quick(c.s1, c.s2, c.s12, whole_limit));
}

const struct vif_share_forms FORMS = {exact, quick};
