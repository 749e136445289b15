/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are opened late, by the names that they have here. */
#ifndef ASSAY_HOST_WINDOWS_LATE_DLFCN_H
#define ASSAY_HOST_WINDOWS_LATE_DLFCN_H

#define LATE_SYSTEM(elsewhere, windows) windows
#define LATE_MODULE(name) "assay-" name "-0.dll"

#define RTLD_NOW 0
#define RTLD_LAZY 0
#define RTLD_LOCAL 0
void *dlopen(const char *name, int flags);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
char *dlerror(void);

#endif
