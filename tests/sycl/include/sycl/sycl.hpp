/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enough of SYCL 2020 for a C++ compiler to build the module sycl for the host, where there is no SYCL. Memory of
 * devices is the host's. The items of a work-group are coroutines that run one after the other up to the next barrier
 * (tests/cuda/emulator.c), and the last work-group comes first. Commands of a queue run only when somebody waits for
 * them, and queues run in the order that is the least expected, so that memory given back too early, and order that
 * nothing asks for, show. Any call can be made to fail (fake_sycl.h). The runtime writes to std::cout, as AdaptiveCpp
 * does.
 */
#ifndef ASSAY_TESTS_SYCL_HPP
#define ASSAY_TESTS_SYCL_HPP

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/emulate.h"
#include "sycl/fake_sycl.h"

namespace sycl {

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <int D> struct range {
    size_t size[2];
    range(size_t a, size_t b = 1) : size{a, b} {}
};
template <int D> struct nd_range {
    range<D> global, local;
    nd_range(range<D> g, range<D> l) : global(g), local(l) {}
};

struct group {};
inline void group_barrier(group) { emulated_barrier(); }

template <int D> struct nd_item {
    size_t groups;
    group get_group() const { return group(); }
    size_t get_group(int axis) const { return axis ? blockIdx.x : blockIdx.y; }
    size_t get_group_range(int) const { return groups; }
    size_t get_local_id(int axis) const { return axis ? threadIdx.x : 0; }
};

template <int D> struct item {
    size_t id[2];
    size_t get_id(int axis) const { return id[axis]; }
};

template <typename T, typename F> inline T bit_cast(F from)
{
    T to;
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
    return to;
}
inline uint32_t clz(uint32_t v) { return v ? (uint32_t)__builtin_clz(v) : 32; }

enum class memory_scope { work_group, device };
enum class memory_order { relaxed };
namespace access {
enum class address_space { local_space, global_space };
}
template <typename T, memory_order, memory_scope, access::address_space> struct atomic_ref {
    T &at;
    explicit atomic_ref(T &v) : at(v) {}
    T fetch_add(T v) const
    {
        const T before = at;
        at = before + v;
        return before;
    }
    T fetch_or(T v) const
    {
        const T before = at;
        at = before | v;
        return before;
    }
};

/* ---- devices ----------------------------------------------------------------------------------------------------- */

namespace info {
namespace platform { struct name {}; }
namespace device {
struct name {};
struct driver_version {};
struct global_mem_size {};
struct max_mem_alloc_size {};
struct local_mem_size {};
struct max_work_group_size {};
}
namespace event_profiling {
struct command_start {};
struct command_end {};
}
}
enum class backend { cuda, omp };
enum class aspect { usm_device_allocations, usm_host_allocations };

struct platform {
    template <typename> std::string get_info() const { return "stand-in"; }
};

struct device {
    unsigned number = 0;
    bool other = false; /* one that the module has no kernels for */

    static std::vector<device> get_devices();
    platform get_platform() const { return platform(); }
    backend get_backend() const { return other ? backend::omp : backend::cuda; }
    bool is_cpu() const { return other || fake_sycl.software; }
    bool has(aspect) const { return fake_sycl.usm; }
    template <typename I> auto get_info() const
    {
        if constexpr (std::is_same_v<I, info::device::name>)
            return (other ? "Other " : "Stand-in ") + std::to_string(number);
        else if constexpr (std::is_same_v<I, info::device::driver_version>)
            return std::string("1");
        else if constexpr (std::is_same_v<I, info::device::local_mem_size>)
            return (uint64_t)fake_sycl.local_bytes;
        else if constexpr (std::is_same_v<I, info::device::max_work_group_size>)
            return (size_t)1024;
        else
            return (uint64_t)fake_sycl.memory;
    }
};

struct context {
    device of;
    explicit context(const device &);
};

void *aligned_alloc_host(size_t alignment, size_t bytes, const context &);
void *aligned_alloc_device(size_t alignment, size_t bytes, const device &, const context &);
void free(void *memory, const context &);

/* ---- queues ------------------------------------------------------------------------------------------------------ */

namespace property {
namespace queue {
struct in_order {};
struct enable_profiling {};
}
}
struct property_list {
    bool ordered = false, profiled = false;
    property_list() {}
    explicit property_list(property::queue::in_order) : ordered(true) {}
    property_list(property::queue::in_order, property::queue::enable_profiling) : ordered(true), profiled(true) {}
};

struct commands; /* of a queue */

struct event {
    std::shared_ptr<commands> of;
    size_t position = 0; /* commands of the queue up to this one */

    void finish() const;
    uint64_t time(bool end) const;
    template <typename I> uint64_t get_profiling_info() const
    {
        return time(std::is_same_v<I, info::event_profiling::command_end>);
    }
};

struct handler {
    std::vector<event> after;
    std::function<void()> work;
    std::vector<std::shared_ptr<std::vector<uint64_t>>> local;

    void depends_on(const std::vector<event> &events) { after = events; }
    template <typename F> void single_task(F kernel) { work = kernel; }

    /* Items that wait for nothing. */
    template <typename K, typename F> void parallel_for(const range<2> &over, F kernel)
    {
        fake_sycl.alone++;
        work = [=] {
            for (size_t y = over.size[0]; y-- > 0;)
                for (size_t x = over.size[1]; x-- > 0;)
                    kernel(item<2>{{y, x}});
        };
    }

    template <typename K, typename F> void parallel_for(const nd_range<2> &over, F kernel)
    {
        const unsigned items = (unsigned)over.local.size[1];
        const size_t across = over.global.size[1] / items, down = over.global.size[0];
        const auto memory = local;
        fake_sycl.grouped++;
        work = [=] {
            struct call {
                const F *kernel;
                nd_item<2> item;
            } const c = {&kernel, {across}};
            for (size_t y = down; y-- > 0;)
                for (size_t x = across; x-- > 0;) {
                    for (const auto &m : memory)
                        std::memset(m->data(), 0xa5, m->size() * sizeof(uint64_t));
                    emulate_block([](const void *p) { (*((const call *)p)->kernel)(((const call *)p)->item); }, &c,
                                  (unsigned)x, (unsigned)y, items);
                }
        };
    }
};

template <typename T, int D> struct local_accessor {
    std::shared_ptr<std::vector<uint64_t>> memory;

    local_accessor(range<D> n, handler &h)
        : memory(std::make_shared<std::vector<uint64_t>>((n.size[0] * sizeof(T) + 7) / 8))
    {
        h.local.push_back(memory);
    }
    T &operator[](size_t i) const { return ((T *)memory->data())[i]; }
};

struct queue {
    context from;
    bool ordered;
    std::shared_ptr<commands> own;

    queue(const context &, const device &, const property_list &properties);
    event add(std::function<void()> work, const std::vector<event> &after);
    bool is_in_order() const { return ordered; }
    context get_context() const { return from; }
    device get_device() const { return from.of; }
    event memcpy(void *to, const void *from, size_t bytes, const std::vector<event> &after = {})
    {
        return add([=] { std::memcpy(to, from, bytes); }, after);
    }
    event memset(void *to, int value, size_t bytes, const std::vector<event> &after)
    {
        return add([=] { std::memset(to, value, bytes); }, after);
    }
    template <typename G> event submit(G group)
    {
        handler h;
        group(h);
        return add(h.work, h.after);
    }
    void wait_and_throw();
};

}

#endif
