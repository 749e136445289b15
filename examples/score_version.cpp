// SPDX-License-Identifier: BSD-2-Clause
// The library from C++: its version, and the metrics that it knows.
#include <assay/assay.h>
#include <cstdio>

int main()
{
    std::printf("assay %s\n", assay_version());
    for (uint32_t i = 0; assay_metric_name(i); i++)
        std::printf("%s: %s\n", assay_metric_name(i), assay_metric_summary(i));
    return 0;
}
