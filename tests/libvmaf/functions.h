/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a libvmaf.so.3 that is opened at run time: this one, or libvmaf's own. */
#ifndef TESTS_LIBVMAF_FUNCTIONS_H
#define TESTS_LIBVMAF_FUNCTIONS_H

#include <dlfcn.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>
#include <stdlib.h>
#include <string.h>

#define EACH_FUNCTION(X) \
    X(version) X(init) X(close) X(use_feature) X(use_features_from_model) X(use_features_from_model_collection) \
    X(import_feature_score) X(read_pictures) X(score_at_index) X(score_at_index_model_collection) \
    X(feature_score_at_index) X(score_pooled) X(score_pooled_model_collection) X(feature_score_pooled) \
    X(preallocate_pictures) X(fetch_preallocated_picture) X(write_output) X(picture_alloc) X(picture_unref) \
    X(model_load) X(model_load_from_path) X(model_feature_overload) X(model_destroy) X(model_collection_load) \
    X(model_collection_load_from_path) X(model_collection_feature_overload) X(model_collection_destroy) \
    X(feature_dictionary_set) X(feature_dictionary_free)

/* libvmaf has them where it was built with CUDA. */
#define EACH_CUDA_FUNCTION(X) \
    X(cuda_state_init) X(cuda_import_state) X(cuda_preallocate_pictures) X(cuda_fetch_preallocated_picture)

static struct functions {
#define MEMBER(name) __typeof__(vmaf_##name) *name;
    EACH_FUNCTION(MEMBER)
    EACH_CUDA_FUNCTION(MEMBER)
#undef MEMBER
} vmaf;

static inline void open_functions(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *address;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
#define LOAD(name) \
    address = dlsym(library, "vmaf_" #name); \
    memcpy(&vmaf.name, &address, sizeof address);
#define NEED(name) \
    LOAD(name) \
    if (!vmaf.name) { \
        fprintf(stderr, "%s has no vmaf_" #name "\n", path); \
        exit(2); \
    }
    EACH_FUNCTION(NEED)
    EACH_CUDA_FUNCTION(LOAD)
#undef LOAD
#undef NEED
}

/* ---- the sample pair: Y4M of 4:2:0 and 8 bits ---- */

struct video {
    unsigned w, h, frames;
    unsigned char *data; /* the file */
    const unsigned char *frame[64];
};

static inline size_t plane_bytes(const struct video *v, unsigned plane)
{
    return plane ? (size_t)((v->w + 1) / 2) * ((v->h + 1) / 2) : (size_t)v->w * v->h;
}

static inline void video_read(struct video *v, const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END))
        size = ftell(f);
    *v = (struct video){.data = size > 0 ? malloc((size_t)size + 1) : NULL};
    if (!v->data || fseek(f, 0, SEEK_SET) || fread(v->data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        exit(2);
    }
    fclose(f);
    v->data[size] = 0;
    const char *w = strstr((char *)v->data, " W"), *h = strstr((char *)v->data, " H");
    v->w = (unsigned)atoi(w + 2);
    v->h = (unsigned)atoi(h + 2);
    const unsigned char *at = (unsigned char *)strchr((char *)v->data, '\n') + 1, *end = v->data + size;
    const size_t bytes = plane_bytes(v, 0) + 2 * plane_bytes(v, 1);
    while (at + 6 + bytes <= end && v->frames < 64) {
        at = (const unsigned char *)memchr(at, '\n', 128) + 1;
        v->frame[v->frames++] = at;
        at += bytes;
    }
}

/* Fills what the picture says that it has, as programs do. */
static inline void video_fill(const struct video *v, unsigned frame, VmafPicture *pic)
{
    const unsigned char *from = v->frame[frame % v->frames];
    for (unsigned p = 0; p < 3; p++) {
        const unsigned width = p ? (v->w + 1) / 2 : v->w;
        for (unsigned y = 0; y < pic->h[p]; y++)
            memcpy((char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p], from + (size_t)y * width, pic->w[p]);
        from += plane_bytes(v, p);
    }
}

static inline int read_pair(VmafContext *context, const struct video *ref, const struct video *dis, unsigned frame,
                            unsigned index)
{
    VmafPicture pic[2];
    const struct video *const side[2] = {ref, dis};
    for (unsigned i = 0; i < 2; i++) {
        if (vmaf.picture_alloc(&pic[i], VMAF_PIX_FMT_YUV420P, 8, side[i]->w, side[i]->h))
            return -1;
        video_fill(side[i], frame, &pic[i]);
    }
    const int rc = vmaf.read_pictures(context, &pic[0], &pic[1], index);
    for (unsigned i = 0; i < 2; i++)
        if (pic[i].ref) /* a call that failed took nothing */
            vmaf.picture_unref(&pic[i]);
    return rc;
}

#endif
