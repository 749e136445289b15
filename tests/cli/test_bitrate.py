# SPDX-License-Identifier: BSD-2-Clause
"""The bitrate of the encode that was scored: bytes of its video and how long it is shown."""
import functools
import json
import os
import shutil
import subprocess
import unittest
from fractions import Fraction

from command import DIS, INPUT, PASS, REF, Case, main, y4m

HAVE = shutil.which("ffmpeg") and shutil.which("ffprobe") and os.environ.get("ASSAY_LIBAV")
FIELDS = ("distorted_video_bytes", "distorted_duration_s", "distorted_bitrate_kbps")
FRAMES = 300


@functools.cache
def source():
    return y4m(64, 48, frames=FRAMES, rate="30000:1001")


class Bitrate(Case):
    def block(self, *args, code=PASS, **how):
        result = self.run_assay("-q", "-m", "psnr", "--json", "-", *args, **how)
        self.assertEqual(result.code, code, result)
        return json.loads(result.out)["assay"]

    def rate(self, *args, **how):
        block = self.block(*args, **how)
        return tuple(block[name] for name in FIELDS)

    def expect(self, rate, size, duration):
        """Bytes and a duration in seconds, as an exact fraction."""
        self.assertEqual(rate[0], size)
        self.assertEqual(rate[1], float(duration))
        self.assertAlmostEqual(rate[2], float(size * 8 / Fraction(1000) / duration), delta=1e-12 * rate[2])

    def test_y4m_is_as_large_as_its_file(self):
        self.expect(self.rate(REF, DIS), os.path.getsize(DIS), Fraction(8, 30))
        self.assertEqual(self.block(REF, DIS)["distorted_bitrate_of"], "file")
        self.assertNotIn("kbit/s", self.passes("-m", "psnr", REF, DIS).out)

    def test_a_file_that_ends_before_its_frames_were_asked_for(self):
        for frames, first in ((9, 0), (6, 3), (1000, 0)):
            self.assertEqual(self.rate("--frames", frames, "--first", first, REF, DIS), self.rate(REF, DIS))

    def test_not_known(self):
        nothing = (None, None, None)
        self.assertEqual(self.rate("--frames", 3, REF, DIS), nothing)
        self.assertEqual(self.rate("--frames", 8, REF, DIS), nothing) # nobody has looked for a ninth one
        self.assertEqual(self.rate(*self.pair(rate="0:0")), nothing)
        raw = self.write("d.yuv", y4m(noise=2).split(b"\n", 1)[1].replace(b"FRAME\n", b""))
        self.assertEqual(self.rate("-w", 32, "-h", 24, "-p", "yuv420p", "-b", 8, raw, raw), nothing)
        with open(DIS, "rb") as file:
            data = file.read()
        read, write = os.pipe()
        feeder = subprocess.Popen(["cat", DIS], stdout=write)
        os.close(write)
        self.assertEqual(self.rate(REF, "-", stdin=read), nothing)
        os.close(read)
        feeder.wait()
        cut = self.write("cut.y4m", data[:-1000])
        self.assertEqual(self.rate(REF, cut, code=INPUT), nothing)


@unittest.skipUnless(HAVE, "this build has no libav, or there are no programs ffmpeg and ffprobe")
class Coded(Bitrate):
    def ffmpeg(self, *args):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, args)], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)

    def packets(self, name):
        """Size, time, and duration of each packet of the video, by another program."""
        probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_packets", "-of", "json", name],
                               cwd=self.dir, capture_output=True, text=True, check=True)
        return json.loads(probe.stdout)["packets"]

    def size(self, name):
        return sum(int(p["size"]) for p in self.packets(name))

    def encode(self):
        self.write("ref.y4m", source())
        self.ffmpeg("-i", "ref.y4m", "-f", "lavfi", "-i", "anoisesrc=d=8", "-c:v", "libx264", "-bf", 3, "-g", 20, "-qp",
                    30, "-c:a", "aac", "a.mp4")

    def test_containers_of_the_same_packets(self):
        """Sound is no part of it, nor is what a container adds. Rounded times (Matroska) do not change the duration."""
        self.encode()
        duration = Fraction(FRAMES * 1001, 30000)
        for name in ("a.mp4", "a.mkv", "a.avi", "a.ts", "a.h264"):
            with self.subTest(name=name):
                if name != "a.mp4":
                    self.ffmpeg("-i", "a.mp4", "-c", "copy", *(["-an"] if name == "a.h264" else []), name)
                self.expect(self.rate("ref.y4m", name, "--allow-rate"), self.size(name), duration)
        self.assertEqual(self.size("a.mp4"), self.size("a.mkv"))
        table = self.passes("-m", "psnr", "ref.y4m", "a.mp4").out
        kbps = self.rate("ref.y4m", "a.mp4")[2]
        self.assertIn(f", {kbps:.1f} kbit/s\n", table)
        self.assertEqual(self.block("ref.y4m", "a.mp4")["distorted_bitrate_of"], "video track")

    def test_bare_streams_without_a_rate(self):
        """libav takes 25 frames a second for a bare stream that states no rate. Nobody has said so."""
        self.write("ref.y4m", source())
        self.ffmpeg("-i", "ref.y4m", "-c:v", "libx265", "-x265-params", "log-level=none:vui-timing-info=0", "a.hevc")
        self.ffmpeg("-i", "ref.y4m", "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", 8, "a.obu")
        for name in ("a.hevc", "a.obu"):
            block = self.block("ref.y4m", name)
            self.assertEqual((block["distorted_frame_rate"], block["distorted_bitrate_kbps"]), ("0/0", None), name)

    def test_parts_know_the_rate_of_the_whole(self):
        """Also those that found their first frame by the container's index."""
        self.encode()
        self.ffmpeg("-i", "a.mp4", "-c", "copy", "a.mkv")
        for name in ("a.mp4", "a.mkv"):
            with self.subTest(name=name):
                whole = self.rate("ref.y4m", name)
                self.assertEqual(self.rate("--first", 200, "ref.y4m", name), whole)
                self.assertEqual(self.rate("--frames", 50, "ref.y4m", name), (None, None, None))
                for first in (0, 200):
                    self.assertEqual(self.rate("--first", first, "--frames", 200 if first == 0 else 100, "--shard",
                                               f"{first}.json", "ref.y4m", name), whole)
                self.passes("merge", "-q", "0.json", "200.json", "--json", "merged.json", "--force")
                merged = json.loads(self.read("merged.json"))["assay"]
                self.assertEqual(tuple(merged[field] for field in FIELDS), whole)
                self.assertIn("kbit/s", self.passes("merge", "0.json", "200.json").out)

    def test_the_reference_ends_first(self):
        self.encode()
        self.write("short.y4m", y4m(64, 48, frames=20, rate="30000:1001"))
        self.assertEqual(self.rate("--allow-length", "short.y4m", "a.mp4"), self.rate("ref.y4m", "a.mp4"))

    def test_a_pipe(self):
        self.encode()
        self.ffmpeg("-i", "a.mp4", "-c", "copy", "a.mkv")
        feeder = subprocess.Popen(["cat", self.dir / "a.mkv"], stdout=subprocess.PIPE)
        self.assertEqual(self.rate("ref.y4m", "-", stdin=feeder.stdout), self.rate("ref.y4m", "a.mkv"))
        feeder.stdout.close()
        feeder.wait()

    def test_pictures_that_an_edit_list_hides(self):
        """Their packets are no part of the rate of what is shown."""
        self.encode()
        self.ffmpeg("-ss", 0.35, "-i", "a.mp4", "-an", "-c", "copy", "e.mp4")
        packets = self.packets("e.mp4")
        shown = [p for p in packets if "D" not in p["flags"]]
        self.assertLess(len(shown), len(packets))
        self.expect(self.rate("e.mp4", "e.mp4"), sum(int(p["size"]) for p in shown),
                    Fraction(len(shown) * 1001, 30000))

    def test_pictures_of_unlike_length(self):
        """The times of the container count where the frame rate does not fit them."""
        self.encode()
        late = r"select=not(between(n\,5\,7)),setpts=PTS+gt(N\,20)*0.5/TB"
        self.ffmpeg("-i", "a.mp4", "-an", "-vf", late, "-fps_mode", "vfr", "-enc_time_base", "1/90000", "-c:v",
                    "libx264", "-qp", 30, "v.mp4")
        packets = self.packets("v.mp4")
        base = Fraction(1, 90000)
        first = min(p["pts"] for p in packets)
        last = max(packets, key=lambda p: p["pts"])
        end = last["pts"] + last.get("duration", 3003)  # a picture of 30000/1001, in units of 1/90000 s
        probe = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=time_base", "-of",
                 "csv=p=0"]
        self.assertEqual(subprocess.run([*probe, "v.mp4"], cwd=self.dir, capture_output=True, text=True,
                                        check=True).stdout.strip(), "1/90000")
        self.assertNotEqual((end - first) * base, Fraction(len(packets) * 1001, 30000))
        self.expect(self.rate("--allow-length", "--allow-rate", "ref.y4m", "v.mp4"), self.size("v.mp4"),
                    (end - first) * base)

    def test_times_that_begin_anew(self):
        """Two streams of MPEG-TS, one behind the other, are shown for twice as long as one."""
        self.encode()
        self.ffmpeg("-i", "a.mp4", "-an", "-c", "copy", "a.ts")
        data, counters = bytearray((self.dir / "a.ts").read_bytes() * 2), {}
        for at in range(0, len(data), 188):  # packets count on
            track = data[at + 1] & 31, data[at + 2]
            counters[track] = (counters.get(track, -1) + (data[at + 3] >> 4 & 1)) & 15
            data[at + 3] = data[at + 3] & 0xf0 | counters[track]
        self.write("twice.ts", bytes(data))
        self.expect(self.rate("--allow-length", "--allow-rate", "ref.y4m", "twice.ts"), self.size("twice.ts"),
                    Fraction(2 * FRAMES * 1001, 30000))

    def test_pictures_that_avi_leaves_out(self):
        """AVI has an empty packet for a picture that stays. With B-frames it has times of decoding alone."""
        self.encode()
        for codec in (["libx264", "-bf", 3], ["mpeg4", "-bf", 2], ["mjpeg"]):
            self.ffmpeg("-i", "a.mp4", "-an", "-vf", r"select=not(eq(mod(n\,5)\,2))", "-fps_mode", "vfr", "-c:v",
                        *codec, "-pix_fmt", "yuv420p", "-color_range", "mpeg", "-strict", "unofficial", "left.avi")
            rate = self.rate("--allow-length", "--allow-colour", "ref.y4m", "left.avi")
            self.expect(rate, self.size("left.avi"), Fraction(FRAMES * 1001, 30000))


if __name__ == "__main__":
    main()
