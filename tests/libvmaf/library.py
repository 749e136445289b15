# SPDX-License-Identifier: BSD-2-Clause
"""libvmaf.so.3 through ctypes: what the tests of the library share. The library's path is in $LIBVMAF."""
import ctypes as C
import contextlib
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import DIS, REF  # noqa: E402

ERROR, WARNING, INFO = 1, 2, 3
XML, JSON, CSV, SUB = 1, 2, 3, 4
MIN, MAX, MEAN, HARMONIC = 1, 2, 3, 4
YUV420, YUV422, YUV444, GREY = 1, 2, 3, 4
DEVICE = 1
REFUSED = -22


class Configuration(C.Structure):
    _fields_ = [("log_level", C.c_int), ("n_threads", C.c_uint), ("n_subsample", C.c_uint), ("cpumask", C.c_uint64),
                ("gpumask", C.c_uint64)]


class Picture(C.Structure):
    _fields_ = [("pix_fmt", C.c_int), ("bpc", C.c_uint), ("w", C.c_uint * 3), ("h", C.c_uint * 3),
                ("stride", C.c_ssize_t * 3), ("data", C.c_void_p * 3), ("ref", C.c_void_p), ("priv", C.c_void_p)]


class ModelConfig(C.Structure):
    _fields_ = [("name", C.c_char_p), ("flags", C.c_uint64)]


class CollectionScore(C.Structure):
    _fields_ = [("type", C.c_int), ("bagging", C.c_double), ("stddev", C.c_double), ("low", C.c_double),
                ("high", C.c_double)]


def load(path=None):
    lib = C.CDLL(path or os.environ["LIBVMAF"])
    lib.vmaf_version.restype = C.c_char_p
    lib.vmaf_init.argtypes = [C.c_void_p, Configuration]
    lib.vmaf_import_feature_score.argtypes = [C.c_void_p, C.c_char_p, C.c_double, C.c_uint]
    for name in ("model_destroy", "model_collection_destroy"):
        getattr(lib, "vmaf_" + name).restype = None
    for name in ("close", "model_destroy", "model_collection_destroy", "use_features_from_model",
                 "use_features_from_model_collection", "use_feature", "read_pictures", "score_at_index",
                 "feature_score_at_index", "score_pooled", "feature_score_pooled", "write_output", "picture_alloc",
                 "picture_unref", "score_pooled_model_collection"):
        getattr(lib, "vmaf_" + name).argtypes = {
            "close": [C.c_void_p], "model_destroy": [C.c_void_p], "model_collection_destroy": [C.c_void_p],
            "use_features_from_model": [C.c_void_p] * 2, "use_features_from_model_collection": [C.c_void_p] * 2,
            "use_feature": [C.c_void_p, C.c_char_p, C.c_void_p],
            "read_pictures": [C.c_void_p] * 3 + [C.c_uint],
            "score_at_index": [C.c_void_p] * 3 + [C.c_uint],
            "feature_score_at_index": [C.c_void_p, C.c_char_p, C.c_void_p, C.c_uint],
            "score_pooled": [C.c_void_p, C.c_void_p, C.c_int, C.c_void_p, C.c_uint, C.c_uint],
            "score_pooled_model_collection": [C.c_void_p, C.c_void_p, C.c_int, C.c_void_p, C.c_uint, C.c_uint],
            "feature_score_pooled": [C.c_void_p, C.c_char_p, C.c_int, C.c_void_p, C.c_uint, C.c_uint],
            "write_output": [C.c_void_p, C.c_char_p, C.c_int],
            "picture_alloc": [C.c_void_p, C.c_int, C.c_uint, C.c_uint, C.c_uint],
            "picture_unref": [C.c_void_p]}[name]
    return lib


class Video:
    """Frames of a Y4M file of 4:2:0 and 8 bits, as planes."""

    def __init__(self, path):
        head, *frames = pathlib.Path(path).read_bytes().split(b"FRAME\n")
        size = {tag[:1]: int(tag[1:]) for tag in head.split()[1:] if tag[:1] in b"WH"}
        self.w, self.h = size[b"W"], size[b"H"]
        half = (self.w + 1) // 2, (self.h + 1) // 2
        self.sizes = [(self.w, self.h), half, half]
        self.frames = []
        for data in frames:
            planes = []
            for w, h in self.sizes:
                planes.append(data[:w * h])
                data = data[w * h:]
            self.frames.append(planes)


class Context:
    """A context, with the pictures of a pair."""

    def __init__(self, lib, log=ERROR, threads=0, subsample=0, cpumask=0):
        self.lib, self.models, self.pointer = lib, [], C.c_void_p()
        self.rc = lib.vmaf_init(C.byref(self.pointer), Configuration(log, threads, subsample, cpumask, 0))

    def close(self):
        for model, collection in self.models:
            self.lib.vmaf_model_destroy(model)
            self.lib.vmaf_model_collection_destroy(collection)
        return self.lib.vmaf_close(self.pointer)

    def options(self, pairs):
        d = C.c_void_p()
        for key, value in pairs:
            self.lib.vmaf_feature_dictionary_set(C.byref(d), key.encode(), value.encode())
        return d

    def feature(self, name, *options):
        return self.lib.vmaf_use_feature(self.pointer, name.encode(), self.options(options))

    def model(self, version, name=None, flags=0, options=()):
        """A model or a collection, as libvmaf's command takes it. `options`: (feature, option, value)."""
        model, collection = C.c_void_p(), C.c_void_p()
        cfg = C.byref(ModelConfig(name.encode() if name else None, flags))
        if self.lib.vmaf_model_load(C.byref(model), cfg, version.encode()):
            self.lib.vmaf_model_collection_load(C.byref(model), C.byref(collection), cfg, version.encode())
        for feature, option, value in options:
            assert not self.lib.vmaf_model_feature_overload(model, feature.encode(), self.options([(option, value)]))
        rc = (self.lib.vmaf_use_features_from_model_collection(self.pointer, collection) if collection
              else self.lib.vmaf_use_features_from_model(self.pointer, model))
        assert not rc, version
        self.models.append((model, collection))
        return model

    def picture(self, planes, w, h, fmt=YUV420, bpc=8):
        pic = Picture()
        assert not self.lib.vmaf_picture_alloc(C.byref(pic), fmt, bpc, w, h)
        for i, data in enumerate(planes):
            width = pic.w[i] * (2 if bpc > 8 else 1)
            row = len(data) // pic.h[i] if not i or fmt in (YUV422, YUV444) else len(data) // ((h + 1) // 2)
            for y in range(pic.h[i]):
                C.memmove(pic.data[i] + y * pic.stride[i], data[y * row:y * row + width], width)
        return pic

    def read(self, ref, dis, index):
        """Pictures by their planes and size."""
        pics = [self.picture(*ref), self.picture(*dis)]
        rc = self.lib.vmaf_read_pictures(self.pointer, *[C.byref(p) for p in pics], index)
        for p in pics: # what a call took is cleared, so that this does nothing
            self.lib.vmaf_picture_unref(C.byref(p))
        return rc

    def sample(self, frames=None, skip=0):
        for i in frames if frames is not None else range(8 - skip):
            assert not self.read(*[(v.frames[i + skip], v.w, v.h) for v in sample()], i)

    def flush(self):
        return self.lib.vmaf_read_pictures(self.pointer, None, None, 0)

    def value(self, name, index):
        v = C.c_double(-1)
        return self.lib.vmaf_feature_score_at_index(self.pointer, name.encode(), C.byref(v), index), v.value

    def score(self, model, index):
        v = C.c_double(-1)
        return self.lib.vmaf_score_at_index(self.pointer, model, C.byref(v), index), v.value

    def pooled(self, model, method, low, high):
        v = C.c_double(-1)
        return self.lib.vmaf_score_pooled(self.pointer, model, method, C.byref(v), low, high), v.value

    def predict(self, last):
        """What libvmaf's command asks for before it writes a report."""
        for model, _ in self.models:
            assert not self.pooled(model, MEAN, 0, last)[0]
        for _, collection in self.models:
            if collection:
                assert not self.lib.vmaf_score_pooled_model_collection(self.pointer, collection, MEAN,
                                                                       C.byref(CollectionScore()), 0, last)

    def write(self, path, form):
        return self.lib.vmaf_write_output(self.pointer, os.fsencode(path), form)


_sample = []


def sample():
    if not _sample:
        _sample.extend([Video(REF), Video(DIS)])
    return _sample


@contextlib.contextmanager
def log():
    """The lines that go to standard error meanwhile."""
    lines, kept = [], os.dup(2)
    with tempfile.TemporaryFile() as f:
        os.dup2(f.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            f.seek(0)
            lines.extend(f.read().decode().splitlines())
