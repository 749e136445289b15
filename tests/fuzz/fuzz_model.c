/* SPDX-License-Identifier: BSD-2-Clause */
/* A file behind `-m vmaf=path=...`. One that is taken predicts; a refusal is one line that begins with the path. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/model.h"

static void predict(struct model *m)
{
    static const double values[] = {0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e-300, 37.5};
    double feature[MODEL_FEATURES], score[1 + MODEL_MEMBERS + MODEL_FIGURES];
    for (unsigned round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < m->features; i++)
            feature[i] = values[(i + round) % (sizeof values / sizeof values[0])];
        model_set(m, round & 1, round & 2);
        model_predict(m, feature, score);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct assay_error e = {0};
    struct model *m;
    const int rc = model_parse(&m, "m.json", (const char *)data, size, &e);
    if (!rc) {
        if (!m->features || m->features > MODEL_FEATURES || m->members > MODEL_MEMBERS)
            abort();
        predict(m);
    } else if (m || rc != ASSAY_EINPUT || strncmp(e.text, "m.json: ", 8) || strchr(e.text, '\n')) {
        abort();
    }
    model_free(&m);
    return 0;
}
