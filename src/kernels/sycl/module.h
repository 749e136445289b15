/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of the module sycl: the SYCL build of the kernel texts, and the calls of the SYCL runtime that the
 * executor needs, as C functions. The module is C++, and nothing of C++ leaves it: exceptions end up as text in `why`.
 *
 * A function that can fail returns false and writes one line to why[SYCL_WHY]. A stream is an in-order queue; its
 * commands start when they are given.
 */
#ifndef ASSAY_KERNELS_SYCL_MODULE_H
#define ASSAY_KERNELS_SYCL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/dialect/sycl_args.h"

enum { SYCL_WHY = 256, SYCL_NAME = 128, SYCL_MARKS = 4 };

typedef struct sycl_device sycl_device;
typedef struct sycl_stream sycl_stream;

struct sycl_facts {
    char name[SYCL_NAME], driver[SYCL_NAME];
    bool software;     /* runs on the processor */
    bool tiles;        /* the module has SYCL_TILES for it */
    bool memory_kinds; /* has USM device and host allocations */
    uint64_t memory, largest;     /* bytes: of the device, of one allocation */
    uint64_t local_bytes, threads; /* of a work-group */
};

/* Of a kernel's code: with the usual and with the smaller schedule of GPUs; for processors, where an item is a tile. */
enum sycl_form { SYCL_FULL, SYCL_MINIMAL, SYCL_TILES, SYCL_FORMS };

struct sycl_code {
    uint32_t tile_w, tile_h, threads;
    uint64_t local_bytes;
};

struct sycl_interface {
    const char *needs; /* one line: the compiler and the runtime that the module was made with */

    bool (*count)(unsigned *devices, char *why);
    bool (*look)(unsigned device, struct sycl_facts *facts, char *why);
    bool (*open)(unsigned device, sycl_device **out, char *why);
    /* The device and the context of an application's sycl::queue, which is in order. */
    bool (*adopt)(void *queue, sycl_device **out, struct sycl_facts *facts, char *why);
    void (*close)(sycl_device *d);

    /* 64-byte aligned; memory of the host is page-locked where that makes a difference. */
    bool (*allocate)(sycl_device *d, bool of_host, size_t bytes, void **out, char *why);
    void (*release)(sycl_device *d, void *memory);

    void (*code)(unsigned kernel, enum sycl_form form, struct sycl_code *code);

    bool (*stream_make)(sycl_device *d, bool timed, sycl_stream **out, char *why);
    void (*stream_drop)(sycl_stream *s);
    bool (*copy)(sycl_stream *s, void *to, const void *from, size_t bytes, char *why);
    bool (*clear)(sycl_stream *s, void *memory, size_t bytes, char *why);
    /* `watched`: the command may be the one that `note`, `depart` or `mark` is about. */
    bool (*launch)(sycl_stream *s, unsigned kernel, enum sycl_form form, const struct sycl_args *args, bool watched,
                   char *why);
    /* `note` remembers the last command; what is given after `follow` runs behind what `other` noted. */
    void (*note)(sycl_stream *s);
    bool (*follow)(sycl_stream *s, const sycl_stream *other, char *why);
    /* `arrive`: what is given next runs behind the work that the application's queue has now. `depart`: work that the
     * queue gets later runs behind what was given. NULL: the queue that was adopted. */
    bool (*arrive)(sycl_stream *s, void *queue, char *why);
    bool (*depart)(sycl_stream *s, void *queue, char *why);
    /* Marks of a timed stream: an even one is the start of the next command, an odd one the end of the last. */
    void (*mark)(sycl_stream *s, unsigned mark);
    bool (*times)(sycl_stream *s, uint64_t at[SYCL_MARKS], char *why);
    bool (*wait)(sycl_stream *s, char *why);
};

#endif
