/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/session.h"

int session_failed(const assay_session *s, int rc, struct assay_error *e)
{
    return rc ? assay_fail(e, rc, "%s", assay_session_error(s)) : ASSAY_OK;
}

int session_make(assay_session **s, const assay_config *config, struct assay_error *e)
{
    char text[256];
    const int rc = assay_session_new(s, config, text, sizeof text);
    return rc ? assay_fail(e, rc, "%s", text) : ASSAY_OK;
}

int session_refuse_files(assay_session *s, struct assay_error *e)
{
    assay_plane_file of;
    const bool none = assay_session_plane_file(s, 0, &of);
    return none ? ASSAY_OK : assay_fail(e, ASSAY_EUSAGE, "this command writes no files of planes, so heatmaps_path=%s "
                                        "is not for it", of.folder);
}
