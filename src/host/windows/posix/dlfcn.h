/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/windows/late/dlfcn.h"
#include "host/windows/posix/posix.h"
