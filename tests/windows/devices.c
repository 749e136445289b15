/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that uses libassay-0.dll: prints each backend with its device, or why it has none. */
#include <stdio.h>

#include <assay/assay.h>

static void show(void *opaque, const assay_device *device)
{
    (void)opaque;
    printf("%s: %s\n", device->backend, device->missing ? device->missing : device->name);
}

int main(void)
{
    char error[512];
    return -assay_list_devices(NULL, show, NULL, error, sizeof error);
}
