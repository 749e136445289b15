# SPDX-License-Identifier: BSD-2-Clause
"""Many pairs on the workers of a `distributed.Client`: the three steps of `assay batch` (docs/batch.md).

The list is planned where the client is, tasks are done by the workers, and their parts are put together here. All of
them see one folder by one name. What is in that folder is what is done: neither a future nor a worker holds anything
that is lost with it.
"""
from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import InternalError, UsageError, error_of
from ._kept import read
from ._program import program
from ._results import Results

__all__ = ["Job", "score"]

_signals = 128  # a process that a signal has ended: 128 and its number
_lasting = (2, 3, 5)  # exit codes of wrong options and files: another attempt ends in the same way
_slowest = 15.0  # seconds between two looks at tasks that others do


@dataclass(frozen=True)
class Job:
    """A pair of the list, and what became of it.

    Attributes:
        reference, distorted: as listed.
        status: "ok", "gate" (scored, and a gate failed) or "failed".
        reason: why it failed, or which gates did.
        exit_code: that of the command.
        results: the exact results; None where it failed.
    """
    reference: str
    distorted: str
    status: str
    reason: str
    exit_code: int
    results: Optional[Results]


def _batch(words: Sequence[str], given: Optional[str] = None) -> Tuple[int, str, List[str]]:
    """Calls `assay batch`: its exit code, its output, and its lines on standard error."""
    done = subprocess.run([program(), "batch", *words], input=given, capture_output=True, check=False,
                          encoding="utf-8", errors="backslashreplace")
    code = done.returncode if done.returncode >= 0 else _signals - done.returncode
    return code, done.stdout, [line.removeprefix("assay: ") for line in done.stderr.splitlines()]


def _work(folder: str, task: int) -> Tuple[int, str, bool]:
    """Does a task, on a worker: the exit code, the last line, and whether somebody else is doing it."""
    code, _, lines = _batch(["--work", folder, "--task", str(task), "--jobs", "1", "--no-progress"])
    return code, lines[-1] if lines else "", any("being done by others" in line for line in lines)


def _list_of(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as the text of a list. Paths begin in the current folder."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(columns)
    for row in rows:
        cells = [row.get(name, "") for name in columns]
        out.writerow([{True: "yes", False: "no"}[cell] if isinstance(cell, bool) else
                      "" if cell is None else os.fspath(cell) if isinstance(cell, os.PathLike) else str(cell)
                      for cell in cells])
    return text.getvalue()


def _plan(jobs: Union[str, "os.PathLike[str]", Sequence[Mapping[str, object]]], folder: str, seconds: float) -> None:
    how = ["--plan", folder, "--task-seconds", repr(float(seconds)), "-q"]
    if isinstance(jobs, (str, os.PathLike)):
        code, _, lines = _batch([*how, "--", os.fspath(jobs)])
    else:
        code, _, lines = _batch([*how, "-"], _list_of(jobs))
    if code:
        raise error_of(-code, lines[-1] if lines else "assay batch --plan failed")


def _keys(folder: str) -> Tuple[List[str], int]:
    """The names of the jobs' results, in the order of the list, and how many tasks there are."""
    with open(os.path.join(folder, "plan.jsonl"), encoding="utf-8") as file:
        heading: Dict[str, Any] = json.loads(file.readline())
        return [json.loads(line)["job"] for line in file], int(heading["tasks"])


def _done(folder: str) -> Tuple[int, int]:
    """How many parts are done, and how many there are."""
    code, out, lines = _batch(["--status", folder])
    if code:
        raise error_of(-code, lines[-1] if lines else "assay batch --status failed")
    words = out.splitlines()[0].removeprefix(f"{folder}: ").split()
    return int(words[0]), int(words[2])


def _run(client: Any, folder: str, attempts: int, progress: Optional[Callable[[int, int], None]]) -> str:
    """Has the tasks done. A task whose worker is lost, and one that fails in a way that may pass, is done again.
    Returns why some are not done, or ""."""
    tasks, lost, pause, told = _keys(folder)[1], 0, 0.25, time.monotonic()
    left, odd = list(range(tasks)), ""
    while left and lost < attempts:
        again, busy, why = [], False, ""
        before = _done(folder)
        futures = [client.submit(_work, folder, task, pure=False, key=f"assay-{os.urandom(8).hex()}-{task}")
                   for task in left]
        try:
            for task, future in zip(left, futures):
                try:
                    code, line, taken = future.result()
                except Exception as error:  # the worker was lost once too often, or can't run the command at all
                    code, line, taken = InternalError.exit_code, f"{type(error).__name__}: {error}", False
                busy = busy or taken
                if taken or code not in (0, *_lasting):
                    again.append(task)
                    why = why if taken else line
                odd = line if code in _lasting else odd
                if progress and time.monotonic() > told + 1:
                    progress(*_done(folder))
                    told = time.monotonic()
        finally:
            client.cancel([future for future in futures if not future.done()])
        left = again
        # A worker that was killed leaves its command, which goes on and holds its task: that is waited for.
        lost = 0 if busy or _done(folder) != before else lost + 1
        if left:
            time.sleep(pause)
            pause = min(2 * pause, _slowest)
    if progress:
        progress(*_done(folder))
    return (why or "others hold them") if left else odd


def _collect(folder: str) -> Tuple[List[Job], bool]:
    """Puts the parts together, writes the reports, and reads what there is. False: a part is missing, or damaged."""
    with tempfile.TemporaryDirectory(prefix="assay-") as own:
        path = os.path.join(own, "summary.csv")
        code, _, lines = _batch(["--collect", folder, "--summary", path, "-q"])
        if not os.path.exists(path):
            raise error_of(-code, lines[-1] if lines else "assay batch --collect failed")
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    found = []
    for key, row in zip(_keys(folder)[0], rows):
        scored = row["status"] in ("ok", "gate")
        results = read(os.path.join(folder, "done", key[:2], f"{key}.json")) if scored else None
        found.append(Job(row["reference"], row["distorted"], row["status"], row["reason"],
                         int(row["exit_code"] or 0), results))
    return found, all(job.status in ("ok", "gate", "failed") for job in found)


def score(client: Any, jobs: Union[str, "os.PathLike[str]", Sequence[Mapping[str, object]]], *,
          folder: Union[None, str, "os.PathLike[str]"] = None, task_seconds: float = 600, attempts: int = 4,
          progress: Optional[Callable[[int, int], None]] = None) -> List[Job]:
    """Scores a list of pairs on the workers of a `distributed.Client`, with the bits of one machine.

    A job that fails is in the list with its reason, and the others go on. A call that was broken off is made again: it
    goes on where it was.

    Args:
        client: a `distributed.Client`. Its workers have this package and the command, of one version, and see the
            inputs and the folder by the names that they have here. Each does one task at a time for each of its
            threads, and a task takes all processors that its worker may use: a worker with one thread on each machine
            is right.
        jobs: the path of a list (docs/batch.md), or mappings with the names of its columns: "reference", "distorted",
            "metric", "options". Paths of mappings begin in the current folder.
        folder: of the state, as of `assay batch`. None: LIST.state. Mappings need one.
        task_seconds: about how long a task takes four processors; long files are cut into so many.
        attempts: rounds in which nothing more gets done before this fails.
        progress: called with the parts that are done and all parts, at most once a second.

    Returns:
        A Job for each pair, in the order of the list. Their reports are written, and gates are checked.

    Raises:
        AssayError: the list is wrong, or tasks can't be done: with the command's line.
    """
    if folder is None:
        if not isinstance(jobs, (str, os.PathLike)):
            raise UsageError("a list that is no file needs a folder that all workers see: folder=")
        folder = f"{os.fspath(jobs)}.state"
    path = os.path.abspath(os.fspath(folder))
    _plan(jobs, path, task_seconds)
    for _ in range(2):  # again, where a part turns out to be damaged
        why = _run(client, path, attempts, progress)
        found, whole = _collect(path)
        if whole:
            return found
    raise InternalError(f"{path}: not all tasks could be done: {why}")
