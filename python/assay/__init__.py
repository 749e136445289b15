# SPDX-License-Identifier: BSD-2-Clause
"""assay measures how far a distorted video or image is from its reference, with the same bits on every device.

    import assay
    results = assay.score("source.mkv", "encode.mp4", metrics="vmaf,psnr")
    results["vmaf"]                     # a numpy array with a value for each frame
    results.pool("vmaf", "perc5")       # and one figure of them
    results.worst("vmaf")               # the numbers of the worst frames
"""
from ._align import Alignment, align
from ._errors import (AssayError, AssayWarning, Cancelled, DeviceError, InputError, InternalError, Interrupted,
                      MismatchError, UsageError)
from ._fields import VERSION as __version__
from ._fields import Input, score
from ._format import Format
from ._frames import Frames
from ._kept import Comparison, Rates, bdrate, compare, merge, read
from ._maps import maps
from ._request import Request
from ._results import Encode, Results
from ._run import Event, Run, probe
from ._session import Session

__all__ = ["Alignment", "AssayError", "AssayWarning", "Cancelled", "Comparison", "DeviceError", "Encode", "Event",
           "Format", "Frames", "Input", "InputError", "InternalError", "Interrupted", "MismatchError", "Rates",
           "Request", "Results", "Run", "Session", "UsageError", "__version__", "align", "bdrate", "compare",
           "maps", "merge", "probe", "read", "score"]
