/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plugin of QEMU's user mode (version 1 of its interface): how many instructions a program runs, in all and by
 * function. bench/arm_counts.sh builds it and compares two programs. Debian has no header of the interface, so its
 * functions are declared here.
 *
 * It writes to the file that COUNT_OUT names: "total N", then a line "N FUNCTION" for each function, the largest first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int add, void *to, uint64_t n);
extern void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id, void *), void *opaque);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
extern const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = 1;

enum { MOST = 20000 };
static struct function {
    char name[96];
    uint64_t n;
} function[MOST];
static unsigned functions;

/* A block is of the function in which it begins. All that there is no more room for is of the first one. */
static struct function *function_of(const char *name)
{
    unsigned i = 0;
    while (i < functions && strncmp(function[i].name, name, sizeof function[i].name - 1) != 0)
        i++;
    if (i == MOST)
        return &function[0];
    if (i == functions)
        snprintf(function[functions++].name, sizeof function[i].name, "%s", name);
    return &function[i];
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &function_of(name ? name : "?")->n, qemu_plugin_tb_n_insns(tb));
}

static int more_first(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->n < y->n) - (x->n > y->n);
}

static void ended(plugin_id id, void *opaque)
{
    const char *path = getenv("COUNT_OUT");
    FILE *out = path ? fopen(path, "w") : NULL;
    uint64_t total = 0;
    (void)id, (void)opaque;
    if (!out) {
        fprintf(stderr, "arm_counts: COUNT_OUT names no file that can be written\n");
        return;
    }
    qsort(function, functions, sizeof *function, more_first);
    for (unsigned i = 0; i < functions; i++)
        total += function[i].n;
    fprintf(out, "total %" PRIu64 "\n", total);
    for (unsigned i = 0; i < functions; i++)
        fprintf(out, "%" PRIu64 " %s\n", function[i].n, function[i].name);
    fclose(out);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int arguments, char **argument)
{
    (void)info, (void)arguments, (void)argument;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
