/* SPDX-License-Identifier: BSD-2-Clause */
/* What the public functions of assay.h share: they check arguments and forward to the engine. Those of gpu.h are in
 * src/images. */
#ifndef ASSAY_API_API_H
#define ASSAY_API_API_H

#include "engine/session.h"

static inline int api_usage(assay_session *s, const char *what)
{
    return assay_fail(&s->error, ASSAY_EUSAGE, "%s", what);
}

/* Each call starts with a clean error, so that assay_session_error speaks of the last one. `allowed` implies a
 * session. */
static inline int api_begin(assay_session *s, bool allowed, const char *otherwise)
{
    if (!s)
        return ASSAY_EUSAGE;
    s->error.code = 0;
    s->error.text[0] = 0;
    return allowed ? ASSAY_OK : api_usage(s, otherwise);
}

/* Whether keys, totals and planes are known. */
static inline bool api_planned(const assay_session *s)
{
    return s && s->configuration;
}

/* Whether there may be scores. */
static inline bool api_started(const assay_session *s)
{
    return s && s->started;
}

/* Whether it scores pictures. */
static inline bool api_scoring(const assay_session *s)
{
    return s && s->started && !s->finished;
}

#endif
