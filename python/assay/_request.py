# SPDX-License-Identifier: BSD-2-Clause
"""Requests: what is compared with what, and how."""
from __future__ import annotations

import ctypes
import json
import operator
import os
import weakref
from typing import Any, Dict, Iterable, List, Sequence, Tuple, Type, Union, cast

from ._errors import UsageError
from ._fields import OF_REQUEST, OF_SIDES, Input, RequestFields, Side, Value
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
    """What is compared with what, and how. A request does not change. It can be pickled."""
    __doc__ = f"{__doc__}\n\n    {(RequestFields.__init__.__doc__ or '').strip()}\n    "
    handle: int

    def _take(self, reference: Side, encodes: Union[Side, Sequence[Side]], values: Dict[str, Value]) -> None:
        several = (list(encodes) if isinstance(encodes, Sequence) and not isinstance(encodes, (str, bytes))
                   else [cast(Side, encodes)])
        self._parse(json.dumps(put({
            "assay": "request/1", "reference": _side(reference), "encodes": [_side(side) for side in several]},
            OF_REQUEST, values), ensure_ascii=False))

    def _parse(self, said: str) -> None:
        handle = ctypes.c_void_p()
        written = data(said)
        call(C.assay_request_parse, ctypes.byref(handle), written, len(written))
        self.handle = cast(int, handle.value)
        self.uses_gpu = _uses_gpu(json.loads(said))
        weakref.finalize(self, _close, self.handle)

    @classmethod
    def from_json(cls: Type["Request"], said: str) -> "Request":
        """The request of a JSON text (docs/run.md of assay describes it)."""
        request = cls.__new__(cls)
        request._parse(said)
        return request

    def to_json(self) -> str:
        """The request as JSON, without fields that were not stated."""
        return owned(C.assay_request_text(self.handle))

    def to_dict(self) -> Dict[str, Any]:
        """The object of `to_json`."""
        return cast(Dict[str, Any], json.loads(self.to_json()))

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return Request.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"Request.from_json({json.dumps(self.to_dict())!r})"


def _side(side: Side) -> Dict[str, Any]:
    if not isinstance(side, Input):
        side = Input(side)
    if not isinstance(side.file, (str, bytes, os.PathLike)):
        raise UsageError(f"a side is a path or an Input, not {type(side.file).__name__}")
    return put({"file": os.fsdecode(side.file)}, OF_SIDES, side.values)


def _uses_gpu(request: Dict[str, Any]) -> bool:
    device = request.get("device", {})
    return bool(device.get("backend", "cpu") != "cpu" or device.get("hwdec", "off") != "off")
