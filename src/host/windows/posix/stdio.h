/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/windows/posix/posix.h"
#include_next <stdio.h>
