# SPDX-License-Identifier: BSD-2-Clause
"""Keyword arguments, made by tools/python_fields.py of the table of a request's fields (src/run). Not to be edited."""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, BinaryIO, Callable, Dict, Iterable, Literal, Optional, Sequence, Tuple, Union)

if TYPE_CHECKING:
    from ._frames import Source
    from ._results import Results

VERSION = "0.2.0"

Path = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]
File = Union[Path, bytes, bytearray, memoryview, BinaryIO]
Texts = Union[str, Iterable[str]]
Value = Union[None, str, int, Iterable[str]]
Progress = Callable[[int, int, float], object]

FormatWord = Literal[
    "auto", "coded", "raw"]
CompareWord = Literal[
    "frames", "pictures"]
AssumeWord = Literal[
    "srgb"]
PairWord = Literal[
    "number", "time"]
AllowWord = Literal[
    "size", "length", "rate", "range", "depth", "format", "sar", "field-order", "rotation", "colour", "alpha",
    "damage", "playlist"]
ScaleWord = Literal[
    "bicubic", "lanczos", "bilinear", "spline"]
ScaleSitingWord = Literal[
    "centre", "tag"]
RgbMatrixWord = Literal[
    "bt709", "bt601"]
RgbRangeWord = Literal[
    "limited", "full"]
BackendWord = Literal[
    "cpu", "cuda", "vulkan", "opengl", "sycl", "auto"]
CpuWord = Literal[
    "scalar", "sse4", "avx2", "avx512", "avx512vnni", "neon"]
HwdecWord = Literal[
    "off", "auto", "cuda"]

# By keyword: the field's name, and its type.
OF_SIDES: Dict[str, Tuple[str, str]] = {
    "file": ("file", "text"),
    "name": ("name", "text"),
    "format": ("format", "text"),
    "skip": ("skip", "integer"),
    "crop": ("crop", "text"),
    "colour": ("colour", "text"),
    "raw_width": ("raw.width", "integer"),
    "raw_height": ("raw.height", "integer"),
    "raw_pixel_format": ("raw.pixel_format", "text"),
    "raw_bit_depth": ("raw.bit_depth", "integer"),
}
OF_REQUEST: Dict[str, Tuple[str, str]] = {
    "compare": ("compare", "text"),
    "assume": ("assume", "text"),
    "metrics": ("metrics", "list"),
    "pair": ("pair", "text"),
    "first": ("first", "integer"),
    "frames": ("frames", "integer"),
    "every": ("every", "integer"),
    "allow": ("allow", "list"),
    "scale": ("scale.filter", "text"),
    "scale_to": ("scale.to", "text"),
    "scale_siting": ("scale.siting", "text"),
    "tolerance_absolute": ("tolerance.absolute", "text"),
    "tolerance_relative": ("tolerance.relative", "text"),
    "rgb_matrix": ("rgb_matrix", "text"),
    "rgb_range": ("rgb_range", "text"),
    "backend": ("device.backend", "text"),
    "device": ("device.name", "text"),
    "threads": ("device.threads", "integer"),
    "cpu": ("device.cpu", "text"),
    "hwdec": ("device.hwdec", "text"),
    "in_flight": ("device.in_flight", "integer"),
    "tile": ("device.tile", "text"),
    "strip": ("device.strip", "integer"),
}


class Input:
    """A side of a comparison: a file, and how it is read.

    Args:
        file: the path of a video, an image or raw pictures.
        name: what reports call an encode. Default: that of the file, without its folder and ending.
        format: whether the file has a header ("coded") or is raw. One of auto, coded, raw. Default: raw where raw is
            given, else auto, which looks.
        skip: frames that are left out in front. 0 to 999999999999999. Default: 0.
        crop: the part of the pictures that is compared, WxH+X+Y. Default: the whole.
        colour: what the colours are, "bt2020-pq,limited". Default: as tagged.
        raw_width: columns of raw pictures. 1 to 65535.
        raw_height: rows of raw pictures. 1 to 65535.
        raw_pixel_format: of raw pictures, "yuv420p10le".
        raw_bit_depth: of raw pictures whose pixel format states none. 8 to 16.
    """

    def __init__(self, file: File, *,
                 name: Optional[str] = None, format: Optional[FormatWord] = None, skip: Optional[int] = None,
                 crop: Optional[str] = None, colour: Optional[str] = None, raw_width: Optional[int] = None,
                 raw_height: Optional[int] = None, raw_pixel_format: Optional[str] = None,
                 raw_bit_depth: Optional[int] = None) -> None:
        self.values: Dict[str, Value] = {
            "name": name, "format": format, "skip": skip, "crop": crop, "colour": colour, "raw_width": raw_width,
            "raw_height": raw_height, "raw_pixel_format": raw_pixel_format, "raw_bit_depth": raw_bit_depth}
        self.file = file

    def __repr__(self) -> str:
        stated = "".join(f", {key}={value!r}" for key, value in self.values.items() if value is not None)
        return f"Input({self.file!r}{stated})"


Side = Union[File, Input]


class RequestFields:
    """The fields that a request has."""

    def __init__(self, reference: Side, encodes: Union[Side, Sequence[Side]], *,
                 compare: Optional[CompareWord] = None, assume: Optional[AssumeWord] = None,
                 metrics: Optional[Texts] = None, pair: Optional[PairWord] = None,
                 first: Optional[int] = None, frames: Optional[int] = None, every: Optional[int] = None,
                 allow: Optional[Union[AllowWord, Iterable[AllowWord]]] = None,
                 scale: Optional[ScaleWord] = None, scale_to: Optional[str] = None,
                 scale_siting: Optional[ScaleSitingWord] = None, tolerance_absolute: Optional[str] = None,
                 tolerance_relative: Optional[str] = None, rgb_matrix: Optional[RgbMatrixWord] = None,
                 rgb_range: Optional[RgbRangeWord] = None, backend: Optional[BackendWord] = None,
                 device: Optional[str] = None, threads: Optional[int] = None, cpu: Optional[CpuWord] = None,
                 hwdec: Optional[HwdecWord] = None, in_flight: Optional[int] = None,
                 tile: Optional[str] = None, strip: Optional[int] = None) -> None:
        """What is compared with what, and how. None stands for a field's default.

        Args:
            reference: a path; bytes, or a file object that is read from where it stands to its end; or an Input
                with one of these and how it is read.
            encodes: one of these, or a sequence of 16 at most.
            compare: frames of videos, or pictures with their colours, alpha and floats, as assay image takes them. One
                of frames, pictures. Default: frames.
            assume: colour of images that say otherwise, for metrics of colour. One of srgb. Default: as tagged.
            metrics: metrics with their options, "all", or "everything": slow ones, too. A list, or a text with commas.
                Default: vmaf, psnr and float_ms_ssim, as far as the pictures allow them; of assay image psnr and diff,
                of assay parity all.
            pair: by what frames are paired. One of number, time. Default: number.
            first: the first pair that is scored. 0 to 999999999999999. Default: 0.
            frames: how many pairs are scored at most. 1 to 999999999999999. Default: all.
            every: pairs whose number is a multiple of it are scored. 1 to 999999999999999. Default: 1.
            allow: differences between the sides that are not refused. A list, or a text with commas, of size, length,
                rate, range, depth, format, sar, field-order, rotation, colour, alpha, damage, playlist. Default: none.
            scale: by which pictures of another size are scaled. One of bicubic, lanczos, bilinear, spline. Default:
                none: sizes are equal.
            scale_to: the size that is compared, "reference", "distorted" or WxH. Default: reference.
            scale_siting: where chroma lies when it is scaled. One of centre, tag. Default: centre.
            tolerance_absolute: of floats: pixels beyond this and the relative one are counted (beyond_tolerance).
                Default: none.
            tolerance_relative: of floats: of the larger one of two samples. Default: none.
            rgb_matrix: by which metrics of luma take RGB. One of bt709, bt601. Default: none: they refuse it.
            rgb_range: of the luma that is made of RGB. One of limited, full. Default: full.
            backend: what computes. One of cpu, cuda, vulkan, opengl, sycl, auto. Default: cpu.
            device: number, part of a name, "0,2" or "all". Default: the first.
            threads: threads of the CPU that compute. 1 to 1024. Default: one for each processor.
            cpu: the instruction set of the CPU. One of scalar, sse4, avx2, avx512, avx512vnni, neon. Default: the best
                one.
            hwdec: where videos are decoded. One of off, auto, cuda. Default: off.
            in_flight: pairs that are read and scored at once. 1 to 256. Default: as many as keep the device busy.
            tile: the pieces that a frame is cut into, WxH.
            strip: rows that a CPU takes through all passes at once. 1 to 65535. Default: as few as keep every thread
                busy.
        """
        self._take(reference, encodes, {
            "compare": compare, "assume": assume, "metrics": metrics, "pair": pair, "first": first, "frames": frames,
            "every": every, "allow": allow, "scale": scale, "scale_to": scale_to, "scale_siting": scale_siting,
            "tolerance_absolute": tolerance_absolute, "tolerance_relative": tolerance_relative,
            "rgb_matrix": rgb_matrix, "rgb_range": rgb_range, "backend": backend, "device": device,
            "threads": threads, "cpu": cpu, "hwdec": hwdec, "in_flight": in_flight, "tile": tile, "strip": strip})

    def _take(self, reference: Side, encodes: Union[Side, Sequence[Side]], values: Dict[str, Value]) -> None:
        raise NotImplementedError


def score(reference: Source, encodes: Union[Source, Sequence[Source]], *,
          compare: Optional[CompareWord] = None, assume: Optional[AssumeWord] = None,
          metrics: Optional[Texts] = None, pair: Optional[PairWord] = None, first: Optional[int] = None,
          frames: Optional[int] = None, every: Optional[int] = None,
          allow: Optional[Union[AllowWord, Iterable[AllowWord]]] = None, scale: Optional[ScaleWord] = None,
          scale_to: Optional[str] = None, scale_siting: Optional[ScaleSitingWord] = None,
          tolerance_absolute: Optional[str] = None, tolerance_relative: Optional[str] = None,
          rgb_matrix: Optional[RgbMatrixWord] = None, rgb_range: Optional[RgbRangeWord] = None,
          backend: Optional[BackendWord] = None, device: Optional[str] = None, threads: Optional[int] = None,
          cpu: Optional[CpuWord] = None, hwdec: Optional[HwdecWord] = None, in_flight: Optional[int] = None,
          tile: Optional[str] = None, strip: Optional[int] = None,
          progress: Union[bool, Progress] = False, check: bool = True) -> Results:
    """Scores one encode, or several, against a reference.

    None stands for a field's default. A line that a user should know is an AssayWarning. Ctrl-C ends the run early and
    raises Interrupted, whose `results` has what was scored.

    Args:
        reference: a path; bytes, or a file object that is read from where it stands to its end; an Input with one of
            these and how it is read; Frames, an iterator of pictures, or a picture as arrays of numpy or of CUDA: a
            tuple of planes (height, width), or one array (height, width, channels).
        encodes: one of these, or a list of 16 at most.
        compare: frames of videos, or pictures with their colours, alpha and floats, as assay image takes them. One of
            frames, pictures. Default: frames.
        assume: colour of images that say otherwise, for metrics of colour. One of srgb. Default: as tagged.
        metrics: metrics with their options, "all", or "everything": slow ones, too. A list, or a text with commas.
            Default: vmaf, psnr and float_ms_ssim, as far as the pictures allow them; of assay image psnr and diff, of
            assay parity all.
        pair: by what frames are paired. One of number, time. Default: number.
        first: the first pair that is scored. 0 to 999999999999999. Default: 0.
        frames: how many pairs are scored at most. 1 to 999999999999999. Default: all.
        every: pairs whose number is a multiple of it are scored. 1 to 999999999999999. Default: 1.
        allow: differences between the sides that are not refused. A list, or a text with commas, of size, length, rate,
            range, depth, format, sar, field-order, rotation, colour, alpha, damage, playlist. Default: none.
        scale: by which pictures of another size are scaled. One of bicubic, lanczos, bilinear, spline. Default: none:
            sizes are equal.
        scale_to: the size that is compared, "reference", "distorted" or WxH. Default: reference.
        scale_siting: where chroma lies when it is scaled. One of centre, tag. Default: centre.
        tolerance_absolute: of floats: pixels beyond this and the relative one are counted (beyond_tolerance). Default:
            none.
        tolerance_relative: of floats: of the larger one of two samples. Default: none.
        rgb_matrix: by which metrics of luma take RGB. One of bt709, bt601. Default: none: they refuse it.
        rgb_range: of the luma that is made of RGB. One of limited, full. Default: full.
        backend: what computes. One of cpu, cuda, vulkan, opengl, sycl, auto. Default: cpu.
        device: number, part of a name, "0,2" or "all". Default: the first.
        threads: threads of the CPU that compute. 1 to 1024. Default: one for each processor.
        cpu: the instruction set of the CPU. One of scalar, sse4, avx2, avx512, avx512vnni, neon. Default: the best one.
        hwdec: where videos are decoded. One of off, auto, cuda. Default: off.
        in_flight: pairs that are read and scored at once. 1 to 256. Default: as many as keep the device busy.
        tile: the pieces that a frame is cut into, WxH.
        strip: rows that a CPU takes through all passes at once. 1 to 65535. Default: as few as keep every thread busy.
        progress: True writes a line to standard error. A function gets the pairs that are done, how many there are
            (0: not known) and how many are done a second.
        check: False keeps the failure of an encode in its `error` and raises nothing.

    Returns:
        the scores, by encode: arrays of float64 of the shape (frames,).

    Raises:
        AssayError: of the kind of the first failure of an encode, with what was scored in its `results`.
    """
    from ._scoring import score_values
    return score_values(reference, encodes, {
        "compare": compare, "assume": assume, "metrics": metrics, "pair": pair, "first": first, "frames": frames,
        "every": every, "allow": allow, "scale": scale, "scale_to": scale_to, "scale_siting": scale_siting,
        "tolerance_absolute": tolerance_absolute, "tolerance_relative": tolerance_relative, "rgb_matrix": rgb_matrix,
        "rgb_range": rgb_range, "backend": backend, "device": device, "threads": threads, "cpu": cpu, "hwdec": hwdec,
        "in_flight": in_flight, "tile": tile, "strip": strip}, progress, check)
