/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/windows/posix/posix.h"
