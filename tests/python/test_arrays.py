#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The package `assay` with numpy arrays: the scores of the command on the same pictures, and refusals by name."""
import signal
import threading
import unittest
import warnings

from common import DIS, REF, Case, command, pictures

import numpy as np

import assay
from assay._cuda import device_array, planes_on_device

METRICS = "vmaf,psnr=enable_apsnr=true,float_ms_ssim,xpsnr=fps=30"
REFERENCE, DISTORTED = pictures(REF), pictures(DIS)
FORMAT = assay.Format(352, 198, 8, "420", rate=(30, 1))


def frames(values, **keywords):
    return assay.Frames(values, **{"rate": (30, 1), **keywords})


def random(*shape, seed=1, top=256, dtype=np.uint8):
    return np.random.default_rng(seed).integers(0, top, shape).astype(dtype)


class Equal(Case):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore", assay.AssayWarning)
        self.addCleanup(warnings.resetwarnings)

    def test_a_session_has_the_commands_bits(self):
        with assay.Session(FORMAT, metrics=METRICS) as session:
            for pair in zip(REFERENCE, DISTORTED):
                session.submit(*pair)
            self.assertLess(len(session.results.frames), 8)
            session.flush()
            self.assertEqual(session.results[0].going, True)
        self.same(session.results[0], self.report("-m", METRICS, REF, DIS))
        self.assertTrue(np.isnan(session.results.times).all())
        self.assertEqual(session.results.pool("vmaf", "mean", 3, 4), session.results["vmaf"][3])
        self.assertEqual(session.results[0].fact("backend"), "cpu")
        self.fails(assay.UsageError, "", session.submit, REFERENCE[0], DISTORTED[0])
        self.fails(assay.UsageError, "", session.results.pool, "vmaf", "middle")
        self.fails(assay.UsageError, "reports are of files", session.results.to_json)

    def test_iterators_and_defaults(self):
        results = assay.score(frames(iter(REFERENCE)), frames(iter(DISTORTED)))
        self.same(results[0], self.report(REF, DIS))

    def test_bare_iterators(self):
        """Of pictures whose numbers say all: 8 bits of RGB."""
        a, b = random(3, 20, 40, 3), random(3, 20, 40, 3, seed=2)
        want = assay.score(assay.Frames(a), assay.Frames(b), metrics="diff,psnr")
        for sides in ((iter(a), iter(b)), ((picture for picture in a), [iter(b)]), (iter(a), assay.Frames(b))):
            found = assay.score(*sides, metrics="diff,psnr")
            self.assertEqual({key: list(found[key]) for key in found[0]}, {key: list(want[key]) for key in want[0]})
        with self.assertRaisesRegex(assay.MismatchError, "the lengths differ"):
            assay.score(iter(a), iter(b[:2]), metrics="diff")
        for wrap in (iter, lambda pictures: assay.Frames(iter(pictures))): # each picture would be one side's
            both = wrap(a)
            self.fails(assay.UsageError, "one iterator is two sides", assay.score, iter(b), [both, both])
        listed = assay.Frames(a)
        self.assertEqual(assay.score(listed, listed, metrics="diff")["max_diff"].tolist(), [0] * 3)

    def test_a_ladder(self):
        results = assay.score(frames(REFERENCE), [frames(DISTORTED, name="a"), frames(REFERENCE)], metrics="psnr,ssim")
        self.assertEqual([encode.name for encode in results], ["a", "encode 1"])
        self.same(results[0], self.report("-m", "psnr,ssim", REF, DIS))
        self.assertEqual(results[1]["psnr_y"].tolist(), [60] * 8)

    def test_all_metrics(self):
        """What "all" and "everything" stand for is what it is for files."""
        for metrics in ("all", "everything"):
            found = assay.score(frames(REFERENCE[:1]), frames(DISTORTED[:1]), metrics=metrics)
            self.assertEqual(list(found[0]), list(assay.score(REF, DIS, metrics=metrics, frames=1)[0]))

    def test_strides(self):
        """Rows that are apart, upside down, or whose samples are not next to each other."""
        whole = assay.score(frames(REFERENCE), frames(DISTORTED), metrics="psnr")["psnr_y"].tolist()
        forms = (lambda p: np.pad(p, ((0, 0), (3, 5)))[:, 3:-5], lambda p: np.ascontiguousarray(p[::-1])[::-1],
                 lambda p: np.repeat(p, 2, axis=1)[:, ::2], np.asfortranarray)
        for form in forms:
            moved = [tuple(form(plane) for plane in picture) for picture in DISTORTED]
            found = assay.score(frames(REFERENCE), frames(moved), metrics="psnr")["psnr_y"].tolist()
            self.assertEqual(found, whole)
        for depth, kind in ((8, np.uint8), (16, np.float32)):
            row, other = np.arange(9).astype(kind) / kind(9), np.ones((1, 9), kind)
            one = np.broadcast_to(row.astype(kind), (1, 9))
            self.assertEqual(one.strides[0], 0) # of one row the stride may be anything
            found = [assay.score(assay.Frames(a, bit_depth=depth), assay.Frames(other, bit_depth=depth),
                                 metrics="psnr")["psnr_y"].tolist() for a in (one, np.array(one))]
            self.assertEqual(found[0], found[1])

    def test_one_buffer_for_all_pictures(self):
        """A picture is copied before the next one is asked for."""
        def again():
            buffer = tuple(np.empty_like(plane) for plane in DISTORTED[0])
            for picture in DISTORTED:
                for into, plane in zip(buffer, picture):
                    into[:] = plane
                yield buffer
        self.assertEqual(assay.score(frames(REFERENCE), frames(again()), metrics="psnr")["psnr_y"].tolist(),
                         assay.score(frames(REFERENCE), frames(DISTORTED), metrics="psnr")["psnr_y"].tolist())

    def test_threads_wait_for_each_other(self):
        with assay.Session(assay.Format(64, 48, 8, "400"), metrics="psnr") as session:
            plane = np.zeros((48, 64), np.uint8)
            submit = [threading.Thread(target=lambda: [session.submit((plane,), (plane,)) for _ in range(60)])
                      for _ in range(4)]
            for thread in submit:
                thread.start()
            for thread in submit:
                thread.join()
            session.flush()
        self.assertEqual(session.results.frames.tolist(), list(range(240)))

    def test_maps(self):
        """A map is what its score is made of, for each encode, and equal pictures have a map of zeros."""
        form = assay.Format(352, 198, 8, "420")
        with assay.Session(form, metrics="float_ssim,diff,ssim", encodes=2, maps=True) as session:
            for ref, dis in zip(REFERENCE[:3], DISTORTED):
                session.submit(ref, dis, ref)
                maps, zeros = session.maps(), session.maps(1)
                for encode, says in ((2, "encode is 0 to 1"), (-1, "encode is 0 to 1"), ("x", "a whole number")):
                    self.fails(assay.UsageError, says, session.maps, encode)
                self.assertEqual({*maps}, {"diff", "ssim", "float_ssim"})
                self.assertEqual((maps["float_ssim"].dtype, maps["float_ssim"].shape), (np.float32, (188, 342)))
                largest = max(np.abs(a.astype(int) - b).max() for a, b in zip(ref[:1], dis))
                self.assertGreaterEqual(maps["diff"].max(), largest)
                self.assertTrue(all(not values.any() for values in zeros.values()), zeros)
                session.flush()
                score = session.results[0]["float_ssim"][-1]
                self.assertAlmostEqual(1 - float(maps["float_ssim"].mean(dtype=np.float64)), score, places=5)
        with assay.Session(form, metrics="diff") as session:
            session.submit(REFERENCE[0], DISTORTED[0])
            self.fails(assay.UsageError, "maps=True", session.maps)

    def test_channels(self):
        """An array with channels is its planes; PSNR of two of them is what numpy says."""
        a, b = random(48, 64, 3), random(48, 64, 3, seed=2)
        packed = assay.score(a, b, metrics="diff")
        planes = assay.score(assay.Frames(tuple(np.moveaxis(a, 2, 0)), layout="rgb"),
                             assay.Frames(tuple(np.moveaxis(b, 2, 0)), layout="rgb"), metrics="diff")
        self.assertEqual({k: v.tolist() for k, v in packed[0].items()}, {k: v.tolist() for k, v in planes[0].items()})
        self.assertEqual(packed["max_diff"][0], np.abs(a.astype(int) - b).max())
        self.assertEqual(packed["diff_pixels"][0], (a != b).any(axis=2).sum())
        video = assay.score(np.stack([a, b]), np.stack([b, b]), metrics="diff")
        self.assertEqual(video["diff_pixels"].tolist(), [packed["diff_pixels"][0], 0])
        grey = assay.score(a[:, :, 0], b[:, :, 0], metrics="diff")
        self.assertEqual(grey["diff_pixels"][0], (a[:, :, 0] != b[:, :, 0]).sum())

    def test_depths(self):
        a, b = (random(48, 64, seed=seed, top=1024, dtype=np.uint16) for seed in (1, 2))
        found = assay.score(assay.Frames(a, bit_depth=10), assay.Frames(b, bit_depth=10), metrics="diff")
        self.assertEqual(found["max_diff"][0], np.abs(a.astype(int) - b).max())
        # codes in the high bits, of which VMAF would say 100
        a[3, 4], b = 1023, a << 6
        self.fails(assay.InputError, "distorted: plane 0 holds the value 65472, but 10-bit samples end at 1023",
                   assay.score, assay.Frames(a, bit_depth=10), assay.Frames(b, bit_depth=10), metrics="diff")
        # floats are codes of 16 bits
        codes = random(48, 64, 3, top=65536, dtype=np.uint16)
        floats = (codes.astype(np.float64) / 65535).astype(np.float32)
        found = assay.score(codes_of(codes), codes_of(floats), metrics="diff")
        self.assertEqual(found["diff_pixels"][0], 0)
        floats[0, 0, 0] = np.nan
        floats[0, 1, 0] = 1.5
        self.fails(assay.InputError, "2 values are below 0, above 1 or not finite", assay.score, codes_of(codes),
                   codes_of(floats), metrics="diff")

    def test_light(self):
        """Floats of 32 bits are linear light: FLIP has the command's digits of the same picture as a file."""
        dice = np.random.default_rng(3)
        pair = [(dice.random((48, 64, 3)) * 4).astype(np.float32) for _ in range(2)]
        for name, picture in zip(("a.pfm", "b.pfm"), pair):
            (self.dir / name).write_bytes(b"PF\n64 48\n-1.0\n" + picture[::-1].tobytes())
        path = self.dir / "report.json"
        code, lines = command("image", "-q", "-m", "flip", "--precision", "max", "--json", path, self.dir / "a.pfm",
                              self.dir / "b.pfm")
        self.assertEqual(code, 0, lines)
        found = assay.score(*(assay.Frames(picture, bit_depth=32) for picture in pair), metrics="flip")
        self.assertIn(f'"flip": {float(found["flip"][0])!r}', path.read_text(encoding="utf-8"))
        broken = pair[0].copy()
        broken[3, 4, 1] = np.inf
        self.fails(assay.InputError, "", assay.score, assay.Frames(pair[0], bit_depth=32),
                   assay.Frames(broken, bit_depth=32), metrics="flip")
        self.fails(assay.InputError, "the reference: 1 samples are not finite, the first is in plane 1 at 4,3",
                   assay.score, assay.Frames(broken, bit_depth=32), assay.Frames(pair[0], bit_depth=32), metrics="flip")

    def test_what_may_differ(self):
        small = [tuple(plane[: (plane.shape[0] + 1) // 2, : plane.shape[1] // 2] for plane in picture)
                 for picture in DISTORTED]
        scaled = assay.score(frames(REFERENCE), frames(small, layout="420"), metrics="psnr", scale="bicubic")
        self.assertEqual(len(scaled["psnr_y"]), 8)
        low = assay.score(frames(REFERENCE), frames(small, layout="420"), metrics="psnr", scale="bicubic",
                          scale_to="distorted")
        self.assertNotEqual(low["psnr_y"].tolist(), scaled["psnr_y"].tolist())
        deep = [tuple(plane.astype(np.uint16) * 4 for plane in picture) for picture in REFERENCE]
        found = assay.score(frames(REFERENCE, range="limited"), frames(deep, bit_depth=10, range="limited"),
                            metrics="diff", allow="depth")
        self.assertEqual(found["diff_pixels"].tolist(), [0] * 8)
        short = assay.score(frames(REFERENCE), frames(DISTORTED[:5]), metrics="psnr", allow=["length"])
        self.assertEqual(len(short["psnr_y"]), 5)


def codes_of(codes):
    return assay.Frames(codes, bit_depth=16)


class Interface:
    """An array on a device, as far as its interface says."""

    def __init__(self, shape, samples="|u1", strides=None, address=4096, **more):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": samples, "strides": strides, "version": 3,
                                         "data": (address, False), **more}


class Lent:
    """An array of DLPack: numpy's, said to be on a device."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class OnDevice(Case):
    """What arrays of CUDA say of themselves; a device itself is tried by tests/python/check_cuda.py."""

    def test_interfaces(self):
        plain = device_array(Interface((4, 6), "<u2"), "it")
        self.assertEqual((plain.address, plain.shape, plain.strides, plain.stream), (4096, (4, 6), (12, 2), 0))
        self.assertEqual(device_array(Interface((4, 6), strides=(16, 1), stream=77), "it").stream, 77)
        self.assertEqual(device_array(Interface((4, 6), stream=1), "it").stream, 0)
        array = np.arange(24, dtype=np.uint16).reshape(4, 6)
        lent = device_array(Lent(array), "it")
        self.assertEqual((lent.address, lent.shape, lent.strides, lent.dtype), (array.ctypes.data, (4, 6), (12, 2),
                                                                                np.uint16))
        self.fails(assay.UsageError, "masked", device_array, Interface((4, 6), mask=1), "it")
        self.fails(assay.UsageError, "uint8 or uint16", device_array, Lent(np.zeros((4, 6), np.int64)), "it")

    def test_refused(self):
        plane, own = Interface((48, 64)), np.zeros((48, 64), np.uint8)
        self.fails(assay.UsageError, "bring them to one place", assay.score, (plane,), (own,), metrics="psnr")
        self.fails(assay.UsageError, "either on a device or in arrays", planes_on_device, (plane, own), "it")
        self.fails(assay.UsageError, "each channel", planes_on_device, Interface((48, 64, 3)), "it")
        for words in ({"backend": "cpu"}, {"device": "0"}, {"scale": "bicubic"}):
            self.fails(assay.UsageError, "scored there, as they are", assay.score, (plane,), (plane,), metrics="psnr",
                       **words)
        self.fails(assay.UsageError, "one encode at a time", assay.score, (plane,), [(plane,), (plane,)],
                   metrics="psnr")
        self.fails(assay.UsageError, "float32", assay.score, (Interface((48, 64), "<f4"),), (plane,), metrics="psnr")
        with self.assertRaises((assay.DeviceError, assay.UsageError)) as caught:  # no context of CUDA is current here
            assay.score((plane,), (plane,), metrics="psnr")
        self.assertRegex(str(caught.exception), "CUDA|cuda")


class Refused(Case):
    def refused(self, kind, line, reference, distorted, **keywords):
        self.fails(kind, line, assay.score, reference, distorted, **{"metrics": "psnr", **keywords})

    def test_differences_by_name(self):
        small = [tuple(plane[: (plane.shape[0] + 1) // 2, : plane.shape[1] // 2] for plane in DISTORTED[0])]
        deep = [tuple(plane.astype(np.uint16) for plane in picture) for picture in DISTORTED]
        mismatch = assay.MismatchError
        self.refused(mismatch, "the sizes differ, 352x198 and 176x99", frames(REFERENCE), frames(small, layout="420"))
        self.refused(mismatch, "encode 1: the sizes differ", frames(REFERENCE),
                     [frames(DISTORTED), frames(small, layout="420")])
        self.refused(mismatch, "bit depth", frames(REFERENCE), frames(deep, bit_depth=10))
        self.refused(mismatch, "range", frames(REFERENCE, range="limited"), frames(DISTORTED, range="full"))
        self.refused(mismatch, "transfer", frames(REFERENCE, transfer=1), frames(DISTORTED, transfer=16))
        grey = [picture[:1] for picture in DISTORTED]
        self.refused(mismatch, '4:2:0 against 4:0:0: only luma is compared; this needs allow="format"',
                     frames(REFERENCE), frames(grey))
        self.refused(mismatch, 'distorted has 5 frames, and the reference has more: allow="length"', frames(REFERENCE),
                     frames(DISTORTED[:5]))
        self.refused(mismatch, "encode 0 has 5 frames", frames(REFERENCE),
                     [frames(DISTORTED[:5]), frames(DISTORTED)], allow="length")

    def test_pictures(self):
        grey = np.zeros((48, 64), np.uint8)
        usage, broken = assay.UsageError, assay.InputError
        self.refused(usage, "state the bit_depth of uint16", grey.astype(np.uint16), grey)
        self.refused(usage, "state the bit_depth of float32, 16 or 32", grey.astype(np.float32), grey)
        self.refused(usage, "uint8 has a bit_depth of 8, not 10", assay.Frames(grey, bit_depth=10), grey)
        self.refused(usage, "uint8, uint16 or float32, not int64", grey.astype(np.int64), grey)
        self.refused(usage, "uint16 has a bit_depth of 9 to 16, not 17",
                     assay.Frames(grey.astype(np.uint16), bit_depth=17), grey)
        self.refused(usage, "\"444\" or \"rgb\": state the layout", (grey, grey, grey), grey)
        self.refused(usage, "of no single layout", (grey, grey[:3], grey[:3]), grey)
        self.refused(usage, "1, 3 or 4 planes, not 2", (grey, grey), grey)
        self.refused(usage, "1, 3 or 4 planes, not 0", assay.Frames(()), grey)
        self.refused(usage, "uint8, uint16 or float32, not >u2", grey.astype(">u2"), grey)
        mixed = assay.Frames((grey, grey.astype(np.uint16), grey), layout="444")
        self.refused(broken, "plane 1 is 64x48 of uint16, not 64x48 of uint8", mixed, mixed)
        self.refused(usage, "an array with 2 channels", np.zeros((48, 64, 2), np.uint8), grey)
        self.refused(usage, "of the shape (48, 64, 3, 1, 1)", np.zeros((1, 48, 64, 3, 1, 1), np.uint8), grey)
        self.refused(usage, "layout is one of unknown, 400", assay.Frames(grey, layout="nv12"), grey)
        self.refused(broken, "sizes are 1 to 65535", grey[:0], grey)
        self.refused(usage, "samples are masked", np.ma.MaskedArray(grey, grey == 0), grey)
        self.refused(broken, "there is no picture", assay.Frames([]), grey)
        changed = [DISTORTED[0], (DISTORTED[1][0], DISTORTED[1][1][:5], DISTORTED[1][2])]
        self.refused(broken, "frame 1 of distorted: plane 1 is 176x5 of uint8, not 176x99 of uint8",
                     frames(REFERENCE), frames(changed))
        rgb = grey[:, :, None].repeat(3, 2)
        self.refused(usage, "ssim", rgb, rgb, metrics="ssim")
        self.assertEqual(assay.score(rgb, rgb, metrics="ssim", rgb_matrix="bt709", rgb_range="limited", cpu="scalar",
                                     in_flight=2)["ssim"].tolist(), [1])

    def test_arguments(self):
        grey = np.zeros((48, 64), np.uint8)
        usage = assay.UsageError
        self.refused(usage, "a file and arrays can't be compared", REF, grey)
        self.refused(usage, "frames is of files", grey, grey, frames=3)
        self.refused(usage, "allow is one of length, depth, format, colour, not 'rate'", grey, grey, allow="rate")
        self.refused(usage, "rgb_range is one of unknown, limited, full, not 'half'", grey, grey, rgb_range="half")
        self.refused(usage, "scale_siting is one of centre, tag", grey, grey, scale_siting="left")
        self.refused(usage, "no instruction set is called 'mmx'", grey, grey, cpu="mmx")
        self.refused(usage, "scale_to needs scale", grey, grey, scale_to="48x48")
        self.refused(usage, "scale_to is 'reference'", grey, grey, scale="bicubic", scale_to="big")
        self.refused(usage, "psnrr", grey, grey, metrics="psnrr")
        self.refused(usage, "backend", grey, grey, backend="gpu")
        self.refused(usage, "device is a text, not 0", grey, grey, device=0)
        self.refused(usage, "metrics is a list of texts", grey, grey, metrics=3)
        # Numbers that a field of C would cut short.
        self.refused(usage, "threads is 0 to 4294967295, not 4294967297", grey, grey, threads=(1 << 32) + 1)
        self.refused(usage, "in_flight is 0 to 4294967295, not -1", grey, grey, in_flight=-1)
        self.refused(usage, "threads is a whole number, not '4'", grey, grey, threads="4")
        self.refused(usage, "rate is 0 to 4294967295, not -30", frames(grey, rate=(-30, 1)), grey)
        self.refused(usage, "rate is two whole numbers, not 30", frames(grey, rate=30), grey)
        self.fails(usage, "matrix is 0 to 255, not -1", assay.Format(2, 2, matrix=-1).shapes)
        self.fails(usage, "frame is 0 to 18446744073709551615, not -1", assay.Session(FORMAT, metrics="psnr").submit,
                   *REFERENCE[:2], frame=-1)
        for names in (["a"], ["a", "b", "c"], "ab"):
            self.fails(usage, "names has a text for each encode", assay.Session, FORMAT, encodes=2, names=names)
        self.fails(usage, "a pair has 1 distorted pictures, not 2", assay.Session(FORMAT, metrics="psnr").submit,
                   *REFERENCE[:3])
        self.fails(usage, "1 to 16 encodes", assay.Session, FORMAT, encodes=17)
        self.fails(usage, "bit_depth is 8 to 16, or 32 for float, not 7", assay.Format(2, 2, 7).shapes)
        self.fails(usage, "width is 1 to 65535, not 0", assay.Format(0, 2).shapes)

    def test_interrupt_keeps_what_is_scored(self):
        def interrupt(done, *_):
            if done == 5:
                signal.raise_signal(signal.SIGINT)
        error = self.fails(assay.Interrupted, "", assay.score, frames(REFERENCE), frames(DISTORTED), metrics="psnr",
                           progress=interrupt)
        self.assertEqual(len(error.results["psnr_y"]), 5)

    def test_a_failure_keeps_what_is_scored(self):
        def broken():
            yield from DISTORTED[:4]
            yield DISTORTED[0][:1]
        error = self.fails(assay.InputError, "frame 4 of distorted: 1 planes, not 3", assay.score, frames(REFERENCE),
                           frames(broken()), metrics="psnr")
        self.assertEqual(len(error.results["psnr_y"]), 4)
        self.assertIs(error.results.error, error)


if __name__ == "__main__":
    unittest.main()
