#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Simulates how an engine places the tasks of `assay batch` on nodes that fail, for docs/scale.md. Nothing is measured.

simulate_placement.py [--nodes N] [--tasks N] ...     a table row for each of the cases of the page, or for one case

A task takes a time around --seconds (lognormal, --spread). It is done by one slot of a node. Nodes fail at random,
each every --days on average, and take all their tasks with them; the engine notices after --notice seconds and starts
these from their beginning, and the node is back after --repair seconds. Tasks are killed alone, too (preemption, out
of memory), one of --kills. The engine starts --starts tasks a second at most. Where all tasks together would read more
than --storage GB/s, all of them are as much slower; a task reads --reads MB/s at full speed. What is done stays done:
that is assay's part. Equal arguments print equal bytes.
"""
import argparse
import heapq
import random

CASES = [  # (nodes, tasks, days, kills)
    (1000, 320_000, 1e9, 0), (1000, 320_000, 30, 1000), (1000, 320_000, 3, 100), (1000, 320_000, 0.25, 20),
    (10_000, 320_000, 30, 1000)]


def simulate(a):
    """Seconds to the last end, seconds of slots that were lost, tasks that were started again, when 99 % were done."""
    dice = random.Random(a.seed)
    wanted = a.nodes * a.slots * a.reads / 1000
    slower = max(1.0, wanted / a.storage)
    mean = a.seconds * slower
    free = [(node, 0) for node in range(a.nodes) for _ in range(a.slots)]  # (node, its life)
    life = [0] * a.nodes
    running = [{} for _ in range(a.nodes)]  # of each node: task: when it began
    again = []  # tasks that wait once more
    fresh, done, lost, restarts, next_start, most_done = 0, 0, 0.0, 0, 0.0, 0.0
    events, number = [], 0

    def push(when, kind, *what):
        nonlocal number
        number += 1
        heapq.heappush(events, (when, number, kind, what))

    def start(now):
        nonlocal fresh, next_start
        while free and (again or fresh < a.tasks):
            node, age = free.pop()
            if life[node] != age:
                continue
            if again:
                task = again.pop()
            else:
                task, fresh = fresh, fresh + 1
            begin = next_start = max(now, next_start + 1 / a.starts)
            took = dice.lognormvariate(-a.spread ** 2 / 2, a.spread) * mean
            running[node][task] = begin
            if a.kills and dice.random() < 1 / a.kills:
                push(begin + took * dice.random(), "killed", node, age, task)
            else:
                push(begin + took, "end", node, age, task)

    for node in range(a.nodes):
        push(dice.expovariate(1 / (a.days * 86400)), "fails", node)
    start(0.0)
    while done < a.tasks:
        now, _, kind, what = heapq.heappop(events)
        if kind in ("end", "killed"):
            node, age, task = what
            if life[node] != age:
                continue  # of a node that failed before
            began = running[node].pop(task)
            free.append((node, age))
            if kind == "end":
                done += 1
                most_done = now if done == a.tasks * 99 // 100 else most_done
            else:
                lost += now - began
                restarts += 1
                again.append(task)
        elif kind == "fails":
            node, = what
            life[node] += 1
            lost += sum(max(now - began, 0) for began in running[node].values())
            restarts += len(running[node])
            push(now + a.notice, "noticed", list(running[node]))
            running[node].clear()
            push(now + a.repair, "back", node)
        elif kind == "noticed":
            again.extend(what[0])
        else:
            node, = what
            free.extend((node, life[node]) for _ in range(a.slots))
            push(now + dice.expovariate(1 / (a.days * 86400)), "fails", node)
        start(now)
    return now, lost, restarts, most_done, slower


def row(a):
    end, lost, restarts, most_done, slower = simulate(a)
    ideal = a.tasks * a.seconds * slower / (a.nodes * a.slots)
    never = a.days > 1e6
    print(f"{a.nodes:6} {a.tasks:8} {'never' if never else f'{a.days:g}':>6} "
          f"{f'1 in {a.kills}' if a.kills else 'none':>10} {ideal / 3600:8.2f} {most_done / 3600:8.2f} "
          f"{end / 3600:8.2f} {restarts:9} {100 * lost / (a.tasks * a.seconds * slower):7.2f}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--nodes", type=int)
    p.add_argument("--tasks", type=int, default=320_000)
    p.add_argument("--slots", type=int, default=4, help="tasks of a node at once")
    p.add_argument("--seconds", type=float, default=600)
    p.add_argument("--spread", type=float, default=0.3)
    p.add_argument("--days", type=float, default=30)
    p.add_argument("--kills", type=int, default=1000, help="one task of so many is killed; 0: none")
    p.add_argument("--notice", type=float, default=300)
    p.add_argument("--repair", type=float, default=3600)
    p.add_argument("--starts", type=float, default=50)
    p.add_argument("--storage", type=float, default=1e9)
    p.add_argument("--reads", type=float, default=0)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    print(" nodes    tasks  fails,     killed   ideal,    99 %,     all,   started    lost,\n"
          "                  days                  hours    hours    hours     again      %")
    cases = [(a.nodes, a.tasks, a.days, a.kills)] if a.nodes else CASES
    for a.nodes, a.tasks, a.days, a.kills in cases:
        row(a)


if __name__ == "__main__":
    main()
