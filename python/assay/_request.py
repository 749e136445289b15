# SPDX-License-Identifier: BSD-2-Clause
"""Requests: what is compared with what, and how."""
from __future__ import annotations

import ctypes
import json
import operator
import os
import pathlib
import weakref
from typing import Any, Dict, Iterable, List, Sequence, Tuple, Type, Union, cast

from ._errors import AssayError, UsageError
from ._fields import OF_REQUEST, OF_SIDES, Input, RequestFields, Side, Value
from ._held import Held, is_held
from ._library import C, call, data, owned


def put(into: Dict[str, Any], fields: Dict[str, Tuple[str, str]], values: Dict[str, Value]) -> Dict[str, Any]:
    """Adds values by keyword to the object of a request; None states nothing."""
    for keyword, value in values.items():
        if value is None:
            continue
        name, kind = fields[keyword]
        *groups, last = name.split(".")
        at = into
        for group in groups:
            at = at.setdefault(group, {})
        if kind == "list":
            at[last] = texts(keyword, value)
        elif kind == "integer" and not isinstance(value, (str, bool)):
            at[last] = operator.index(cast(int, value))
        else:
            at[last] = value
    return into


def texts(keyword: str, value: Value) -> List[str]:
    """A list's members, of a text with commas or of texts."""
    members = value.split(",") if isinstance(value, str) else list(value) if isinstance(value, Iterable) else None
    if members is None or not all(isinstance(member, str) for member in members):
        raise UsageError(f"{keyword} is a list of texts")
    return members


def _close(handle: int) -> None:
    C.assay_request_close(ctypes.byref(ctypes.c_void_p(handle)))


class Request(RequestFields):
    """What is compared with what, and how. A request does not change. It can be pickled, unless a side is bytes or a
    file object, which it keeps open."""
    __doc__ = f"{__doc__}\n\n    {(RequestFields.__init__.__doc__ or '').strip()}\n    "
    handle: int
    held: Held

    def _take(self, reference: Side, encodes: Union[Side, Sequence[Side]], values: Dict[str, Value]) -> None:
        one = isinstance(encodes, (str, Input)) or is_held(encodes) or not isinstance(encodes, Sequence)
        several = [cast(Side, encodes)] if one else list(cast(Sequence[Side], encodes))
        self.held = Held()
        sides = [_side(reference, self.held, "the reference")]
        sides += [_side(side, self.held, "the encode" if len(several) == 1 else f"encode {number}", f"encode {number}")
                  for number, side in enumerate(several)]
        self._parse(json.dumps(put({"assay": "request/1", "reference": sides[0], "encodes": sides[1:]}, OF_REQUEST,
                                   values), ensure_ascii=False))

    def _parse(self, said: str) -> None:
        handle = ctypes.c_void_p()
        written = data(said)
        try:
            call(C.assay_request_parse, ctypes.byref(handle), written, len(written))
        except AssayError as error:
            error.args = (self.held.say(str(error)),)
            raise
        self.handle = cast(int, handle.value)
        self.uses_gpu = _uses_gpu(json.loads(said))
        weakref.finalize(self, _close, self.handle)

    @classmethod
    def from_json(cls: Type["Request"], said: str) -> "Request":
        """The request of a JSON text (docs/run.md of assay describes it)."""
        request = cls.__new__(cls)
        request.held = Held()
        request._parse(said)
        return request

    def to_json(self) -> str:
        """The request as JSON, without fields that were not stated."""
        return owned(C.assay_request_text(self.handle))

    def to_dict(self) -> Dict[str, Any]:
        """The object of `to_json`."""
        return cast(Dict[str, Any], json.loads(self.to_json()))

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        if self.held.shown:
            raise UsageError("a request of bytes or file objects can't be pickled: they are open here alone")
        return Request.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"Request.from_json({json.dumps(self.to_dict())!r})"


def _side(side: Side, held: Held, what: str, name: str = "") -> Dict[str, Any]:
    """The object of a side. `what` messages call one that has no name, and results `name`."""
    if not isinstance(side, Input):
        side = Input(side)
    if is_held(side.file):
        path = held.add(side.file, what)
        stated = {"name": pathlib.PurePath(held.say(path)).stem if held.say(path) != what else name} if name else {}
        return put({"file": path, **stated}, OF_SIDES, side.values)
    if not isinstance(side.file, (str, os.PathLike)):
        raise UsageError(f"a side is a path, bytes, a file object or an Input, not {type(side.file).__name__}")
    return put({"file": os.fsdecode(side.file)}, OF_SIDES, side.values)


def _uses_gpu(request: Dict[str, Any]) -> bool:
    device = request.get("device", {})
    return bool(device.get("backend", "cpu") != "cpu" or device.get("hwdec", "off") != "off")
