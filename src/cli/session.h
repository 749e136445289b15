/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of the library, with the errors of the command. */
#ifndef ASSAY_CLI_SESSION_H
#define ASSAY_CLI_SESSION_H

#include "host/error.h"

/* Takes over why a call on a session failed; `rc` is what the call returned, 0 too. */
int cli_failed(const assay_session *s, int rc, struct assay_error *e);

/* assay_session_new; *s is NULL after a failure. */
int cli_session(assay_session **s, const assay_config *config, struct assay_error *e);

#endif
