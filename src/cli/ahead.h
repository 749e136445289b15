/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading ahead: each side of the pair has threads of its own, which read several pictures further than the scores are. A side that is
 * read at positions has more than one where the machine has the processors. */
#ifndef ASSAY_CLI_AHEAD_H
#define ASSAY_CLI_AHEAD_H

#include "cli/cli.h"

enum {
    AHEAD_READERS = 4,               /* threads of a side, at most */
    AHEAD_DEFAULT = 3,               /* pairs that are asked for and not yet finished, when each side has one thread */
    AHEAD_PAIRS = AHEAD_READERS + 1, /* the most of them */
};

/* How many pairs to have asked for and not yet finished: 2 to AHEAD_PAIRS. */
unsigned ahead_pairs(const struct pair *p);

struct ahead;

/* Borrows the pair: nobody else reads from it until ahead_close. */
int ahead_open(struct ahead **out, struct pair *p, struct assay_error *e);

/* Asks for the next picture of both sides, into to[side], or to pass over it (NULL). */
void ahead_ask(struct ahead *a, const struct pair_place to[2]);

/* Waits for the pair that was asked for first. got[side]: 1 read, 0 that side has ended. Negative after a failure, the reference's
 * first; nothing is read behind one. */
int ahead_finish(struct ahead *a, int got[2], struct assay_error *e);

/* Ends the threads. Whatever they still wait for is abandoned: the pair's inputs are not read after that. */
void ahead_close(struct ahead **a);

#endif
