/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "host/libvmaf.h"

/* Fails where standard output could not be written: a full disk, a closed pipe. */
static int flush_stdout(struct assay_error *e)
{
    if (fflush(stdout) || ferror(stdout))
        return assay_fail(e, ASSAY_EINTERNAL, "can't write to standard output");
    return ASSAY_OK;
}

static int (*const run[COMMANDS])(const struct cli *c, struct assay_error *e) = {cli_score, cli_merge, cli_parity,
                                                                                 cli_image, cli_diff, cli_vmaf,
                                                                                 cli_bdrate, cli_align, cli_report};

/* Those that parse their arguments themselves. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv, struct assay_error *e);
} apart[] = {{"batch", cli_batch}, {"probe", cli_probe}, {"run", cli_run_request}, {"doctor", cli_doctor}};

/* "help" and "help COMMAND", unless files of these names are to be compared. */
static bool asks_for_help(int argc, char **argv)
{
    return argc > 1 && !strcmp(argv[1], "help") && (argc == 2 || (argc == 3 && access("help", F_OK)));
}

static int help(const char *command, struct assay_error *e)
{
    char hint[SUGGEST_TEXT];
    if (cli_help(command, stdout))
        return ASSAY_OK;
    if (!cli_list_metric(command, stdout))
        return ASSAY_OK;
    struct suggestion like = suggest_for(command, strlen(command));
    cli_offer_commands(&like);
    cli_offer_metrics(&like);
    return assay_fail(e, ASSAY_EUSAGE, "no command and no metric is called '%s'%s (assay --help)", command,
                      suggest_text(&like, hint));
}

/* Runs a command with the arguments behind its name. */
static int act_on(enum cli_command command, int argc, char **argv, struct assay_error *e)
{
    static struct cli c; /* larger than a small stack */
    int rc = cli_parse(&c, command, argc, argv, e);
    const bool parsed = !rc;
    if (!rc)
        switch (c.action) {
        case ACTION_HELP: cli_help(cli_command_name[command], stdout); break;
        case ACTION_VERSION:
            if (c.q.libvmaf)
                fprintf(stderr, "%s\n", libvmaf_version());
            else
                printf("assay %s\n", assay_version());
            break;
        case ACTION_LIST_METRICS: rc = cli_list_metrics(&c, false, e); break;
        case ACTION_LIST_METRICS_JSON: rc = cli_list_metrics(&c, true, e); break;
        case ACTION_LIST_DEVICES: rc = cli_list_devices(c.q.config.backend, false, e); break;
        case ACTION_LIST_DEVICES_JSON: rc = cli_list_devices(c.q.config.backend, true, e); break;
        case ACTION_LIST_OPTIONS: cli_list_options(); break;
        default:
            rc = moment_resolve(&c, e);
            rc = rc ? rc : (c.action == ACTION_PRINT_REQUEST ? cli_print_request : run[command])(&c, e);
            break;
        }
    return c.q.libvmaf ? vmaf_exit(&c, parsed, rc) : rc;
}

static int act(int argc, char **argv, struct assay_error *e)
{
    if (argc > 0 && !strcmp(file_name(argv[0]), cli_command_name[COMMAND_VMAF])) /* called through a link */
        return act_on(COMMAND_VMAF, argc - 1, argv + 1, e);
    for (unsigned i = 0; argc > 1 && i < sizeof apart / sizeof apart[0]; i++)
        if (!strcmp(argv[1], apart[i].name))
            return apart[i].run(argc - 2, argv + 2, e);
    if (asks_for_help(argc, argv))
        return help(argc > 2 ? argv[2] : "", e);
    enum cli_command command = COMMAND_SCORE;
    for (unsigned i = COMMAND_SCORE + 1; argc > 1 && i < COMMANDS; i++)
        if (!strcmp(argv[1], cli_command_name[i]))
            command = (enum cli_command)i;
    const int skip = argc < 1 ? 0 : command ? 2 : 1;
    return act_on(command, argc - skip, argv + skip, e);
}

int main(int argc, char **argv)
{
    struct assay_error e = {0};
    int fd; /* A folder takes the number of each closed standard stream, so that no input or report gets it. */
    while ((fd = open("/", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0) /* Windows opens no folder */
        close(fd);
    /* Without these signals, writing to a closed pipe or beyond a file size limit fails with a message. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int rc = act(argc, argv, &e);
    if (rc == ASSAY_EINTERNAL && signals_why()) /* it ends what waits for a reader */
        rc = signals_stopped(&e);
    const int flushed = flush_stdout(&e);
    if (rc >= 0 && flushed)
        rc = flushed;
    if (rc < 0)
        fprintf(stderr, "assay: %s\n", e.text[0] ? e.text : "internal error without a message");
    return rc < 0 ? -rc : rc;
}
