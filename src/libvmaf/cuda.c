/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures in the memory of a CUDA context, as ffmpeg's filter libvmaf_cuda has them: the program copies luma into them
 * on the device, and it is scored where it lies. The program's copies and assay's kernels are on the default stream, so
 * that memory can be used again as soon as a pair was submitted.
 */
#include <errno.h>
#include <stdlib.h>

#include "executors/cuda/driver.h"
#include "libvmaf/context.h"
#include "libvmaf/log.h"

/* Device memory of a picture that was given back. */
struct cuda_block {
    struct cuda_block *next;
    cu_address address;
    size_t bytes;
};

/* It lives while a context has it, and while a picture of it is out. */
struct VmafCudaState {
    struct cu_driver driver;
    cu_context context;
    cu_device device;
    bool primary; /* the context is the device's primary one, which was retained here */
    pthread_mutex_t lock;
    unsigned uses;
    struct cuda_block *given_back;
};

enum { PITCH = 256 };

static int cuda_refuse(const VmafCudaState *s, cu_result r, const char *what)
{
    struct assay_error e = {0};
    cu_check(&s->driver, r, what, &e);
    return log_refuse("%s", e.text);
}

static void leave_context(const VmafCudaState *s)
{
    cu_context left;
    s->driver.context_pop(&left);
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

static int open_context(VmafCudaState *s, void *given)
{
    cu_result r;
    s->context = given;
    if (!given) {
        if ((r = s->driver.device_get(&s->device, 0)))
            return cuda_refuse(s, r, "looking for device 0");
        if ((r = s->driver.context_retain(&s->context, s->device)))
            return cuda_refuse(s, r, "opening the primary context");
        s->primary = true;
        return 0;
    }
    if ((r = s->driver.context_push(s->context)))
        return cuda_refuse(s, r, "entering the program's context");
    r = s->driver.context_device(&s->device);
    leave_context(s);
    return r ? cuda_refuse(s, r, "asking for the device of the program's context") : 0;
}

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    struct assay_error e = {0};
    if (!cu_state)
        return -EINVAL;
    *cu_state = NULL;
    VmafCudaState *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    const int rc = cu_driver_open(&s->driver, &e) ? log_refuse("%s", e.text) : open_context(s, cfg.cu_ctx);
    if (rc) {
        free(s);
        return rc;
    }
    pthread_mutex_init(&s->lock, NULL);
    *cu_state = s;
    return 0;
}

static void use(VmafCudaState *s)
{
    pthread_mutex_lock(&s->lock);
    s->uses++;
    pthread_mutex_unlock(&s->lock);
}

static void free_state(VmafCudaState *s)
{
    const bool entered = !s->driver.context_push(s->context);
    while (s->given_back) {
        struct cuda_block *block = s->given_back;
        s->given_back = block->next;
        if (entered) /* else the program's context is gone, and its memory with it */
            s->driver.memory_free(block->address);
        free(block);
    }
    if (entered)
        leave_context(s);
    if (s->primary)
        s->driver.context_release(s->device);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void cuda_forget(VmafCudaState **state)
{
    VmafCudaState *s = *state;
    *state = NULL;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    const bool last = --s->uses == 0;
    pthread_mutex_unlock(&s->lock);
    if (last)
        free_state(s);
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    if (!vmaf || !cu_state)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    VmafCudaState *before = vmaf->format.width ? NULL : vmaf->cuda;
    const int rc = vmaf->format.width ? log_refuse("a CUDA state is imported before the first picture") : 0;
    if (!rc) {
        use(cu_state);
        vmaf->cuda = cu_state;
    }
    pthread_mutex_unlock(&vmaf->lock);
    cuda_forget(&before);
    return rc;
}

int cuda_device(const VmafContext *v)
{
    return v->cuda->device;
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static bool in_device_memory(enum VmafCudaPicturePreallocationMethod method)
{
    return method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE;
}

static bool in_host_memory(enum VmafCudaPicturePreallocationMethod method)
{
    return method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST ||
           method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    VmafPicture described;
    size_t bytes;
    const enum VmafCudaPicturePreallocationMethod method = cfg.pic_prealloc_method;
    if (!vmaf)
        return -EINVAL;
    if (method != VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) {
        if (!in_device_memory(method) && !in_host_memory(method))
            return log_refuse("pictures for CUDA are in no memory with number %d", (int)method);
        if (picture_describe(&described, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w,
                             cfg.pic_params.h, PITCH, &bytes))
            return log_refuse("pictures for CUDA have no such size, format or depth");
    }
    pthread_mutex_lock(&vmaf->lock);
    const int rc = in_device_memory(method) && !vmaf->cuda ? log_refuse("no CUDA state was imported") : 0;
    if (!rc)
        vmaf->cuda_pool = cfg;
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

/* Takes a block of exactly this size that was given back. NULL: there is none. */
static struct cuda_block *take_block(VmafCudaState *s, size_t bytes)
{
    pthread_mutex_lock(&s->lock);
    struct cuda_block **at = &s->given_back;
    while (*at && (*at)->bytes != bytes)
        at = &(*at)->next;
    struct cuda_block *block = *at;
    if (block)
        *at = block->next;
    pthread_mutex_unlock(&s->lock);
    return block;
}

static int make_block(VmafCudaState *s, size_t bytes, struct cuda_block **out)
{
    struct cuda_block *block = calloc(1, sizeof *block);
    cu_result r = block ? s->driver.context_push(s->context) : 0;
    if (!block)
        return -ENOMEM;
    if (!r) {
        r = s->driver.memory_alloc(&block->address, bytes);
        leave_context(s);
    }
    if (r) {
        free(block);
        return cuda_refuse(s, r, "allocating a picture");
    }
    block->bytes = bytes;
    *out = block;
    return 0;
}

/* What a picture's memory belongs to. */
struct cuda_owner {
    VmafCudaState *state;
    struct cuda_block *block;
};

static void give_back(struct picture_memory *m)
{
    struct cuda_owner *owner = m->owner;
    VmafCudaState *s = owner->state;
    pthread_mutex_lock(&s->lock);
    owner->block->next = s->given_back;
    s->given_back = owner->block;
    pthread_mutex_unlock(&s->lock);
    free(owner);
    cuda_forget(&s);
}

static int fetch_from_device(VmafCudaState *s, const VmafCudaPictureConfiguration *c, VmafPicture *pic)
{
    VmafPicture made;
    struct picture_memory memory = {.on_device = true, .release = give_back};
    struct cuda_owner *owner = calloc(1, sizeof *owner);
    int rc = owner ? picture_describe(&made, c->pic_params.pix_fmt, c->pic_params.bpc, c->pic_params.w,
                                      c->pic_params.h, PITCH, &memory.bytes)
                   : -ENOMEM;
    if (rc) {
        free(owner);
        return rc;
    }
    *owner = (struct cuda_owner){s, take_block(s, memory.bytes)};
    if (!owner->block && (rc = make_block(s, memory.bytes, &owner->block))) {
        free(owner);
        return rc;
    }
    memory.owner = owner;
    memory.samples = (void *)(uintptr_t)owner->block->address;
    use(s);
    rc = picture_lend(&made, &memory);
    if (rc)
        give_back(&memory);
    else
        *pic = made;
    return rc;
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    if (!vmaf || !pic)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    const VmafCudaPictureConfiguration c = vmaf->cuda_pool;
    int rc = -EINVAL;
    if (in_device_memory(c.pic_prealloc_method))
        rc = fetch_from_device(vmaf->cuda, &c, pic);
    else if (in_host_memory(c.pic_prealloc_method))
        rc = vmaf_picture_alloc(pic, c.pic_params.pix_fmt, c.pic_params.bpc, c.pic_params.w, c.pic_params.h);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

/* ---- the session ------------------------------------------------------------------------------------------------- */

/* Luma is all that programs copy to the device, so the pictures are grey here, and metrics of chroma refuse them. */
static assay_format luma_of(const VmafContext *v)
{
    assay_format f = v->format;
    f.layout = ASSAY_LAYOUT_400;
    return f;
}

static void describe_pair(const assay_format *luma, const VmafPicture *const pic[2], assay_gpu_image image[2])
{
    for (unsigned side = 0; side < 2; side++)
        image[side] = (assay_gpu_image){
            .kind = ASSAY_GPU_CUDA,
            .cuda = {.format = luma, .plane = {(uint64_t)(uintptr_t)pic[side]->data[0]},
                     .pitch = {(size_t)pic[side]->stride[0]}}};
}

int cuda_session_start(VmafContext *v, const VmafPicture *ref, const VmafPicture *dist)
{
    char error[512];
    const assay_format luma = luma_of(v);
    assay_gpu_image image[2];
    assay_gpu_handles handles = {.kind = ASSAY_GPU_CUDA};
    if (!v->cuda)
        return context_fail(v, "pictures in device memory need a CUDA state");
    handles.cuda.context = v->cuda->context;
    describe_pair(&luma, (const VmafPicture *[2]){ref, dist}, image);
    if (assay_gpu_open(&v->gpu, &handles, error, sizeof error))
        return context_fail(v, "%s", error);
    if (assay_session_start_gpu(v->session, v->gpu, &image[0], &image[1], NULL))
        return context_fail(v, "%s (of pictures in device memory luma is scored)", assay_session_error(v->session));
    return 0;
}

int cuda_session_submit(VmafContext *v, uint64_t pair, VmafPicture *ref, VmafPicture *dist)
{
    const assay_format luma = luma_of(v);
    assay_gpu_image image[2];
    describe_pair(&luma, (const VmafPicture *[2]){ref, dist}, image);
    if (assay_session_submit_gpu(v->session, pair, &image[0], &image[1]))
        return context_fail(v, "%s", assay_session_error(v->session));
    return vmaf_picture_unref(ref) | vmaf_picture_unref(dist);
}
