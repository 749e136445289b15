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
