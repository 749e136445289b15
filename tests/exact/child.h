/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the test's own program again, for what may end a process. */
#ifndef ASSAY_TESTS_EXACT_CHILD_H
#define ASSAY_TESTS_EXACT_CHILD_H

#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <process.h>
#define CHILD_NOWHERE "NUL"
#else
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#define CHILD_NOWHERE "/dev/null"
#endif

enum { CHILD_STOPPED = -1 };

/* Its exit code, or CHILD_STOPPED: it aborted. What it writes on standard error goes to the file `errors`. */
static inline int child_run(const char *program, const char *what, const char *which, const char *errors)
{
    int code = 99;
    fflush(NULL);
#if defined(_WIN32)
    enum { ABORTED = 3 };
    const int before = _dup(2), to = _open(errors, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (before >= 0 && to >= 0 && !_dup2(to, 2))
        code = (int)_spawnl(_P_WAIT, program, "child", what, which, NULL);
    _dup2(before, 2);
    _close(before);
    _close(to);
    code = code == ABORTED ? CHILD_STOPPED : code;
#else
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        if (freopen(errors, "w", stderr))
            execl(program, program, what, which, (char *)NULL);
        _exit(99);
    }
    if (child > 0 && waitpid(child, &status, 0) == child)
        code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGABRT ? CHILD_STOPPED : 99;
#endif
    if (code > 1 || code < CHILD_STOPPED) {
        fprintf(stderr, "a child can't run, or ends in another way than it should: %d\n", code);
        exit(99);
    }
    return code;
}

#endif
