/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows' own header, and what the files of this folder share. */
#ifndef ASSAY_HOST_WINDOWS_WINDOWS_H
#define ASSAY_HOST_WINDOWS_WINDOWS_H

#define WIN32_LEAN_AND_MEAN
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

/* The UTF-16 of a text in UTF-8, or of a path, which the caller frees. NULL sets errno: no memory, or no UTF-8. */
wchar_t *wide(const char *text);
wchar_t *wide_path(const char *path);

/* The other way. */
char *narrow(const wchar_t *text);

/* Opens a file, or with FILE_FLAG_BACKUP_SEMANTICS a folder, that others may read, write, rename and remove meanwhile.
 * INVALID_HANDLE_VALUE sets errno. */
HANDLE open_handle(const char *path, DWORD access, DWORD create, DWORD flags);

/* Makes a handle a file of C, of bytes. The handle is closed with it, and after a failure (NULL). */
FILE *open_stream(HANDLE h, int flags, const char *mode);

/* The errno of an error of Windows. */
int error_number(DWORD error);

#endif
