/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/request.h"

const char *const allow_name[ALLOWS] = {"size", "length", "rate", "range", "depth", "format", "sar", "field-order",
                                        "rotation", "colour", "unpaired", "alpha", "damage"};
