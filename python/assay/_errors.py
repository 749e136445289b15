# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions by kind. Their text is the line that the command prints."""
from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Type

from . import _abi

if TYPE_CHECKING:
    from ._results import Results


class AssayWarning(UserWarning):
    """A line that a user should know: what a metric took for granted, for example."""


class AssayError(Exception):
    """A failure of assay. The subclasses are the kinds.

    Attributes:
        exit_code: that of the command for this failure, 2 to 6.
        results: what was scored before it; None where nothing was.
    """
    exit_code = 6
    results: Optional["Results"] = None


class UsageError(AssayError, ValueError):
    """A wrong argument, an unknown metric, option or field, or a metric that the pair does not allow."""
    exit_code = 2


class InputError(AssayError):
    """A file or frame that can't be read, or is not what its header says."""
    exit_code = 3


class DeviceError(AssayError):
    """A backend or device that can't run."""
    exit_code = 4


class MismatchError(AssayError):
    """Two inputs that differ in length or kind."""
    exit_code = 5


class InternalError(AssayError):
    """No memory, an output that can't be written, or a fault of the library."""
    exit_code = 6


class Cancelled(AssayError):
    """A run that was cancelled. What was scored is in `results`."""
    exit_code = 130


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. What was scored is in `results`.

    Attributes:
        results: the scores up to then.
    """

    def __init__(self, results: "Results") -> None:
        super().__init__("interrupted")
        self.results = results


KINDS: Dict[int, Type[AssayError]] = {
    _abi.EUSAGE: UsageError, _abi.EINPUT: InputError, _abi.EDEVICE: DeviceError, _abi.EMISMATCH: MismatchError,
    _abi.EINTERNAL: InternalError, _abi.ECANCELLED: Cancelled}


def error_of(code: int, line: str) -> AssayError:
    """The exception of a failure of the library."""
    return KINDS.get(code, InternalError)(line)
