/* SPDX-License-Identifier: BSD-2-Clause */
/* The stand-in for the SYCL runtime: devices, memory, queues whose commands wait. */
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

/* ASSAY_STAND_IN=processor: its devices say that they are processors. */
static bool processor()
{
    const char *const kind = std::getenv("ASSAY_STAND_IN");
    return kind && std::string(kind) == "processor";
}

struct fake_sycl fake_sycl = {2, 1, processor(), true, (size_t)1 << 30, 64 << 10, 0, 0, nullptr, 0, 0, 0,
                              false};

namespace sycl {

/* One thread at a time; a command that runs inside a call may make others run. */
static std::recursive_mutex everything;
static std::map<void *, size_t> allocated;
static uint64_t now;
static std::vector<commands *> queues;

struct commands {
    struct command {
        std::function<void()> work;
        std::vector<event> after;
        uint64_t begun, ended;
    };
    std::vector<command> all;
    size_t finished = 0;
    bool profiled = false;

    commands() { queues.push_back(this); }
    ~commands()
    {
        fake_sycl.lost |= finished < all.size();
        queues.erase(std::find(queues.begin(), queues.end(), this));
    }
    void finish(size_t end)
    {
        while (finished < end) {
            command &c = all[finished];
            for (const event &e : c.after)
                e.finish();
            c.begun = ++now;
            c.work();
            c.ended = ++now;
            c.work = nullptr;
            c.after.clear();
            finished++;
        }
    }
};

/* Words in AdaptiveCpp's manner: of calls, of its own threads and at the end. */
static void warn(const char *when)
{
    std::cout << "\033[;35m[AdaptiveCpp Warning] \033[0m"
              << "words " << when << ",\nsecond line" << std::endl;
}
static struct farewell {
    ~farewell() { warn("at the end"); }
} farewell;

static void called(const char *name)
{
    if (++fake_sycl.calls != fake_sycl.fail_at)
        return;
    fake_sycl.failed = name;
    throw std::runtime_error(std::string(name) + " fails as asked\nsecond line");
}

#define CALLED \
    const std::lock_guard<std::recursive_mutex> held(everything); \
    called(__func__)

std::vector<device> device::get_devices()
{
    CALLED;
    std::cout << "words without a prefix" << std::endl;
    warn("in a call");
    std::thread(warn, "of a thread").join();
    std::vector<device> all(fake_sycl.others + fake_sycl.devices);
    for (unsigned i = 0; i < all.size(); i++) {
        all[i].other = i < fake_sycl.others;
        all[i].number = all[i].other ? i : i - fake_sycl.others;
    }
    return all;
}

context::context(const device &d) : of(d)
{
    CALLED;
}

static void *allocate(size_t alignment, size_t bytes)
{
    void *const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!memory)
        return nullptr;
    std::memset(memory, 0xa5, bytes);
    allocated[memory] = bytes;
    fake_sycl.allocations++;
    return memory;
}

void *aligned_alloc_host(size_t alignment, size_t bytes, const context &)
{
    CALLED;
    return allocate(alignment, bytes);
}

void *aligned_alloc_device(size_t alignment, size_t bytes, const device &, const context &)
{
    CALLED;
    return allocate(alignment, bytes);
}

void free(void *memory, const context &)
{
    const std::lock_guard<std::recursive_mutex> held(everything);
    if (!allocated.erase(memory))
        std::abort();
    fake_sycl.allocations--;
    std::free(memory);
}

void event::finish() const
{
    if (of)
        of->finish(position);
}

uint64_t event::time(bool end) const
{
    CALLED;
    finish();
    if (!of || !of->profiled)
        throw std::logic_error("the queue takes no times");
    const commands::command &c = of->all[position - 1];
    return end ? c.ended : c.begun;
}

queue::queue(const context &c, const device &, const property_list &properties)
    : from(c), ordered(properties.ordered)
{
    CALLED;
    warn("in a call");
    own = std::make_shared<commands>();
    own->profiled = properties.profiled;
}

event queue::add(std::function<void()> work, const std::vector<event> &after)
{
    CALLED;
    own->all.push_back({std::move(work), after, 0, 0});
    event e;
    e.of = own;
    e.position = own->all.size();
    return e;
}

/* Queues that nothing orders run in any order: all others run first, the newest one before the older ones. */
void queue::wait_and_throw()
{
    CALLED;
    for (size_t i = queues.size(); i-- > 0;)
        if (queues[i] != own.get())
            queues[i]->finish(queues[i]->all.size());
    own->finish(own->all.size());
}

}
