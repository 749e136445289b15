/* SPDX-License-Identifier: BSD-2-Clause */
/* The module sycl but for its kernels: the runtime's calls as C functions. */
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/sycl/launch.h"
#include "kernels/sycl/words.h"

extern "C" {
#include "kernels/module.h"
#include "kernels/sycl/module.h"
}
#include "kernels_digest.h"
#include "sycl_digest.h"

struct sycl_device {
    sycl::device device;
    sycl::context context;
    sycl::queue *application; /* NULL: the context is ours */
};

struct sycl_stream {
    const sycl_device *device;
    sycl::queue queue;
    std::vector<sycl::event> after; /* what the next command runs behind, beside the queue's own commands */
    sycl::event last, noted, mark[SYCL_MARKS];
    bool has_last, has_noted, wanted[SYCL_MARKS]; /* the mark is the next command */
};

extern const sycl_kernel *const assay_sycl_kernels[][SYCL_FORMS]; /* NULL: not in this build */

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* The first line of a message. */
static void put(char *to, size_t size, const std::string &text)
{
    std::snprintf(to, size, "%s", text.substr(0, text.find('\n')).c_str());
}

template <typename W> static bool try_(char *why, W work)
{
    const words_aside aside;
    try {
        work();
        return true;
    } catch (const std::exception &e) {
        put(why, SYCL_WHY, e.what());
    } catch (...) {
        put(why, SYCL_WHY, "an unknown exception");
    }
    return false;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* AdaptiveCpp lists every device that its runtime knows, also those that it compiled no kernels for. SYCL_BACKENDS has
 * an enumerator and a comma for each backend that it compiled for; without it the kernels are for all devices. */
static bool made_for(const sycl::device &d)
{
#ifdef SYCL_BACKENDS
    for (const sycl::backend made : {SYCL_BACKENDS})
        if (d.get_backend() == made)
            return true;
    return false;
#else
    (void)d;
    return true;
#endif
}

static std::vector<sycl::device> devices_made_for()
{
    std::vector<sycl::device> found;
    for (const sycl::device &d : sycl::device::get_devices())
        if (made_for(d))
            found.push_back(d);
    return found;
}

static bool count(unsigned *devices, char *why)
{
    return try_(why, [&] { *devices = (unsigned)devices_made_for().size(); });
}

/* The host's code and the kernels for processors are compiled with the same arguments. */
static void check_processor()
{
    bool can = true;
#if defined(__x86_64__) && defined(__SSE4_1__)
    can = can && __builtin_cpu_supports("sse4.1");
#endif
#if defined(__x86_64__) && defined(__AVX2__)
    can = can && __builtin_cpu_supports("avx2");
#endif
#if defined(__x86_64__) && defined(__AVX512BW__)
    can = can && __builtin_cpu_supports("avx512bw");
#endif
    if (!can)
        throw std::runtime_error("the module was built for a processor with more instructions than this one");
}

static void look_at(const sycl::device &d, sycl_facts *f)
{
    check_processor();
    *f = sycl_facts();
    put(f->name, sizeof f->name, d.get_info<sycl::info::device::name>());
    put(f->driver, sizeof f->driver, d.get_platform().get_info<sycl::info::platform::name>() + " " +
                                         d.get_info<sycl::info::device::driver_version>());
    f->software = d.is_cpu();
    f->tiles = d.is_cpu() && assay_sycl_kernels[0][SYCL_TILES];
    f->memory_kinds = d.has(sycl::aspect::usm_device_allocations) && d.has(sycl::aspect::usm_host_allocations);
    f->memory = d.get_info<sycl::info::device::global_mem_size>();
    f->largest = d.get_info<sycl::info::device::max_mem_alloc_size>();
    f->local_bytes = d.get_info<sycl::info::device::local_mem_size>();
    f->threads = d.get_info<sycl::info::device::max_work_group_size>();
}

static bool look(unsigned device, sycl_facts *facts, char *why)
{
    return try_(why, [&] { look_at(devices_made_for().at(device), facts); });
}

static bool open(unsigned device, sycl_device **out, char *why)
{
    return try_(why, [&] {
        const sycl::device found = devices_made_for().at(device);
        *out = new sycl_device{found, sycl::context(found), nullptr};
    });
}

static void check_order(const sycl::queue &queue)
{
    if (!queue.is_in_order())
        throw std::runtime_error("the application's queue is not in order");
}

static bool adopt(void *queue, sycl_device **out, sycl_facts *facts, char *why)
{
    return try_(why, [&] {
        sycl::queue *const q = (sycl::queue *)queue;
        check_order(*q);
        if (!made_for(q->get_device()))
            throw std::runtime_error("the module was made for " SYCL_TARGETS ", not for the queue's device");
        look_at(q->get_device(), facts);
        *out = new sycl_device{q->get_device(), q->get_context(), q};
    });
}

static void close(sycl_device *d)
{
    char why[SYCL_WHY];
    try_(why, [&] { delete d; });
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool allocate(sycl_device *d, bool of_host, size_t bytes, void **out, char *why)
{
    enum { ALIGNMENT = 64 };
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* some runtimes ask for it */
    return try_(why, [&] {
        *out = of_host ? sycl::aligned_alloc_host(ALIGNMENT, bytes, d->context)
                       : sycl::aligned_alloc_device(ALIGNMENT, bytes, d->device, d->context);
        if (!*out)
            throw std::bad_alloc();
    });
}

static void release(sycl_device *d, void *memory)
{
    char why[SYCL_WHY];
    try_(why, [&] { sycl::free(memory, d->context); });
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void code(unsigned kernel, sycl_form form, sycl_code *code)
{
    const sycl_kernel *k = assay_sycl_kernels[kernel][form];
    *code = {k->tile_w, k->tile_h, k->threads, k->local_words() * sizeof(uint64_t)};
}

static bool stream_make(sycl_device *d, bool timed, sycl_stream **out, char *why)
{
    return try_(why, [&] {
        const sycl::property::queue::in_order ordered;
        const sycl::property_list plain{ordered}, profiled{ordered, sycl::property::queue::enable_profiling()};
        *out = new sycl_stream{d, sycl::queue(d->context, d->device, timed ? profiled : plain), {}, {}, {}, {}, false,
                               false, {}};
    });
}

static void stream_drop(sycl_stream *s)
{
    char why[SYCL_WHY];
    try_(why, [&] { s->queue.wait_and_throw(); }); /* also after a failure: memory of its commands is freed next */
    try_(why, [&] { delete s; });
}

template <typename C> static bool command(sycl_stream *s, char *why, C start)
{
    return try_(why, [&] {
        s->last = start();
        s->has_last = true;
        s->after.clear();
        for (unsigned m = 0; m < SYCL_MARKS; m++)
            if (s->wanted[m]) {
                s->mark[m] = s->last;
                s->wanted[m] = false;
            }
    });
}

static bool copy(sycl_stream *s, void *to, const void *from, size_t bytes, char *why)
{
    return command(s, why, [&] { return s->queue.memcpy(to, from, bytes, s->after); });
}

static bool clear(sycl_stream *s, void *memory, size_t bytes, char *why)
{
    return command(s, why, [&] { return s->queue.memset(memory, 0, bytes, s->after); });
}

static bool launch(sycl_stream *s, unsigned kernel, sycl_form form, const sycl_args *args, bool watched, char *why)
{
    return command(s, why, [&] {
        return assay_sycl_kernels[kernel][form]->start(s->queue, *args, s->after, watched);
    });
}

static void note(sycl_stream *s)
{
    s->noted = s->last;
    s->has_noted = s->has_last;
}

static bool follow(sycl_stream *s, const sycl_stream *other, char *why)
{
    return try_(why, [&] {
        if (other->has_noted)
            s->after.push_back(other->noted);
    });
}

/* An empty kernel of an in-order queue ends when all before it has ended, and all behind it waits for it. */
struct milestone {
    void operator()() const {}
};

static sycl::event pass(sycl_stream *s, void *queue, const std::vector<sycl::event> &after)
{
    sycl::queue &q = queue ? *(sycl::queue *)queue : *s->device->application;
    check_order(q);
#if ACPP_ALLOW_INSTANT_SUBMISSION
    /* The runtime may still hold back commands that the application gave before. */
    q.get_context().AdaptiveCpp_runtime()->dag().flush_sync();
#endif
    return q.submit([&](sycl::handler &h) {
        h.depends_on(after);
        h.single_task(milestone());
    });
}

static bool arrive(sycl_stream *s, void *queue, char *why)
{
    return try_(why, [&] { s->after.push_back(pass(s, queue, {})); });
}

static bool depart(sycl_stream *s, void *queue, char *why)
{
    return try_(why, [&] { pass(s, queue, {s->last}); });
}

static void mark(sycl_stream *s, unsigned mark)
{
    if (mark % 2 == 0)
        s->wanted[mark] = true;
    else
        s->mark[mark] = s->last;
}

static bool times(sycl_stream *s, uint64_t at[SYCL_MARKS], char *why)
{
    return try_(why, [&] {
        for (unsigned m = 0; m < SYCL_MARKS; m += 2) {
            at[m] = s->mark[m].get_profiling_info<sycl::info::event_profiling::command_start>();
            at[m + 1] = s->mark[m + 1].get_profiling_info<sycl::info::event_profiling::command_end>();
        }
    });
}

static bool wait(sycl_stream *s, char *why)
{
    return try_(why, [&] { s->queue.wait_and_throw(); });
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static const sycl_interface interface = {
    SYCL_NEEDS, count, look, open, adopt, close, allocate, release, code, stream_make, stream_drop, copy, clear, launch,
    note, follow, arrive, depart, mark, times, wait,
};

extern "C" {
extern __attribute__((visibility("default"))) const module MODULE_SYMBOL;
const module MODULE_SYMBOL = {KERNEL_DIGEST, SYCL_DIGEST, &interface};
}
