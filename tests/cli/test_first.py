# SPDX-License-Identifier: BSD-2-Clause
"""--first, --skip-ref and --skip-dis pass over pictures without decoding them, and what follows has the scores of a run
over all frames."""
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from command import INPUT, Case, main
from h264 import video

HAVE = shutil.which("ffmpeg") and shutil.which("ffprobe") and os.environ.get("ASSAY_LIBAV")
FRAMES = 330
X264 = ["-c:v", "libx264", "-preset", "veryfast", "-threads", "2"]
X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params"]
FILES = {
    "a.mp4": [*X264, "-g", "30", "-bf", "3"],
    "open.mp4": [*X264, "-g", "24", "-bf", "3", "-x264-params", "open-gop=1:b-pyramid=strict"],
    "b.mkv": [*X264, "-g", "25", "-bf", "2"],
    "repeated.mkv": [*X264, "-g", "25", "-bf", "2", "-x264-params", "repeat-headers=1", "-bsf:v", "h264_mp4toannexb"],
    "refresh.mp4": [*X264, "-g", "25", "-x264-params", "intra-refresh=1"],
    "one.mp4": [*X264, "-g", "9999"],
    "c.ts": [*X264, "-g", "40", "-bf", "3"],
    "d.flv": [*X264, "-g", "40", "-bf", "3"],
    "e.avi": [*X264, "-g", "40", "-bf", "0"],
    "f.mp4": [*X265, "log-level=none:keyint=32:bframes=4", "-tag:v", "hvc1"],
    "g.mkv": [*X265, "log-level=none:keyint=32:bframes=4"],
    "closed.mov": [*X265, "log-level=none:keyint=32:bframes=4:no-open-gop=1", "-tag:v", "hev1"],
    "h.webm": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "40", "-lag-in-frames", "16",
               "-auto-alt-ref", "1"],
    "i.webm": ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "40"],
    "j.mkv": ["-c:v", "ffv1", "-level", "3", "-g", "10"],
    "k.mov": ["-c:v", "prores_ks", "-profile:v", "0", "-pix_fmt", "yuv422p10le"],
    "l.mkv": ["-c:v", "mpeg2video", "-g", "12", "-bf", "2"],
    "m.mp4": ["-c:v", "mpeg4", "-g", "20", "-bf", "2"],
}


@unittest.skipUnless(HAVE, "this build has no libav, or there is no ffmpeg program")
class First(Case):
    def make(self, name, *options, source=None):
        source = source or ["-f", "lavfi", "-i", "testsrc2=size=80x64:rate=25"]
        subprocess.run(["ffmpeg", "-v", "error", "-y", *source, "-frames:v", str(FRAMES), "-pix_fmt", "yuv420p",
                        *options, name], cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
        return name

    def scores(self, *args, **how):
        done = self.passes("-q", "-m", "psnr=enable_mse=true", "--precision", "max", "--json", "-", *args, **how)
        return {f["frameNum"]: f["metrics"] for f in json.loads(done.out)["frames"]}

    def test_scores_are_those_of_reading_through(self):
        for name, options in FILES.items():
            with self.subTest(name=name):
                dis = self.make(name, *options)
                # Against one picture all the time, each frame has a score of its own.
                self.make("still.y4m", "-vf", "loop=loop=-1:size=1")
                extra = ["--allow-depth", "--allow-format"]
                whole = self.scores(*extra, "still.y4m", dis)
                self.assertEqual(len(whole), FRAMES)
                for first in (100, 200, 224, 257, FRAMES - 1):
                    after = {n: m for n, m in whole.items() if n >= first}
                    self.assertEqual(self.scores(*extra, "--first", first, "still.y4m", dis), after, first)
                skipped = self.scores(*extra, "--allow-length", "--skip-dis", "250", "still.y4m", dis)
                self.assertEqual(list(skipped.values()), [whole[n] for n in range(250, FRAMES)])

    def hurt(self, name):
        """A copy whose frames 90 to 93 are damaged."""
        probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pos,size",
                                "-of", "json", name], cwd=self.dir, check=True, capture_output=True)
        data = bytearray((self.dir / name).read_bytes())
        for packet in json.loads(probe.stdout)["packets"][90:94]:
            middle = int(packet["pos"]) + int(packet["size"]) // 2
            for i in range(middle, middle + min(60, int(packet["size"]) // 3)):
                data[i] ^= 0x5a
        return self.write("hurt." + name, bytes(data))

    def test_what_is_passed_over_is_not_decoded(self):
        """Damage before the first frame that is needed goes unseen; reading through ends at it."""
        for name in ("a.mp4", "b.mkv", "f.mp4", "j.mkv", "c.ts"):
            with self.subTest(name=name):
                self.make("ref.y4m")
                whole = self.make(name, *FILES[name])
                expected = self.scores("--first", "250", "ref.y4m", whole)
                self.assertEqual(self.scores("--first", "250", "ref.y4m", self.hurt(name)), expected)

    def test_dropped_frames(self):
        """Behind a frame that was dropped a time is shorter than the one before it, as that of a field. The parameters
        of H.264 say whether there are fields, whatever its profile is."""
        vfr = ["-vf", "select='not(eq(mod(n,10),3))'", "-fps_mode", "passthrough"]
        self.make("ref.mkv", *vfr, "-c:v", "ffv1")
        for name, more in (("a.mp4", []), ("b.mkv", ["-profile:v", "baseline"]),
                           ("d.flv", ["-profile:v", "main"]), ("a.mov", ["-pix_fmt", "yuv444p"]),
                           ("repeated.mkv", FILES["repeated.mkv"][-4:])):
            with self.subTest(name=name):
                dis = self.make(name, *vfr, *X264, "-g", "25", "-bf", "0" if "baseline" in more else "2", *more)
                run = ["--allow-rate", "--allow-format", "--first", "250", "ref.mkv"]
                self.assertEqual(self.scores(*run, self.hurt(name)), self.scores(*run, dis))
                if name[2:] in ("mp4", "mov"):
                    self.assertRegex(self.passes("probe", dis).out, rf"frames +{FRAMES}\n")

    def test_pipe(self):
        self.make("ref.y4m")
        name = self.make("b.mkv", *FILES["b.mkv"])
        expected = self.scores("--first", "250", "ref.y4m", name)
        with open(self.dir / name, "rb") as stream:
            pipe = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
            self.assertEqual(self.scores("--first", "250", "ref.y4m", "-", stdin=pipe.stdout), expected)
            pipe.stdout.close()
            pipe.wait()

    def test_behind_the_end(self):
        for name in ("a.mp4", "b.mkv"):
            self.make(name, *FILES[name])
            self.fails(INPUT, "", "-m", "psnr", "--first", FRAMES + 100, name, name)
            self.fails(INPUT, "", "-m", "psnr", "--first", FRAMES, name, name)

    def test_frames_of_uneven_times(self):
        """Half of the frames left out, some at a time: numbers are not times."""
        vfr = ["-vf", "select='not(mod(floor(n/7),2))',setpts=PTS", "-fps_mode", "passthrough"]
        self.make("ref.mkv", *vfr, "-c:v", "ffv1")
        for name in ("a.mp4", "b.mkv"):
            dis = self.make(name, *vfr, *FILES[name])
            whole = self.scores("--allow-rate", "ref.mkv", dis)
            for first in (200, 260):
                self.assertEqual(self.scores("--allow-rate", "--first", first, "ref.mkv", dis),
                                 {n: m for n, m in whole.items() if n >= first})

    def test_times_that_begin_anew(self):
        """Two streams of MPEG-TS, one behind the other: the times of the second one are those of the first one."""
        data, counters = bytearray((self.dir / self.make("c.ts", *FILES["c.ts"])).read_bytes() * 2), {}
        for at in range(0, len(data), 188):  # packets count on
            track = data[at + 1] & 31, data[at + 2]
            counters[track] = (counters.get(track, -1) + (data[at + 3] >> 4 & 1)) & 15
            data[at + 3] = data[at + 3] & 0xf0 | counters[track]
        (self.dir / "twice.ts").write_bytes(data)
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1", "-frames:v", str(2 * FRAMES))
        whole = self.scores("--allow-rate", "still.y4m", "twice.ts")
        self.assertEqual(len(whole), 2 * FRAMES)
        for first in (200, FRAMES + 20, FRAMES + 100, 2 * FRAMES - 10):
            self.assertEqual(self.scores("--allow-rate", "--first", first, "still.y4m", "twice.ts"),
                             {n: m for n, m in whole.items() if n >= first}, first)

    def test_pictures_that_are_hidden(self):
        """HEVC leaves out pictures in front of a broken link, and where a random access point says so."""
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1")
        for name, more, kind, at, bits in (("f.mp4", "", 20, 0, 16 << 1), ("g.mkv", "", 20, 0, 16 << 1),
                                           ("f.mp4", ":no-open-gop=1", 19, 2, 0xc0)):
            options = [o + more if "keyint" in o else o for o in FILES[name]]
            data = bytearray((self.dir / self.make(name, *options)).read_bytes())
            starts = [m.end() for m in re.finditer(rb"\0\0..(?=[%c%c]\x01[\x80-\xff])" % (kind << 1, kind + 1 << 1),
                                                   data, re.DOTALL)]
            data[starts[3] + at] = bits | (data[starts[3] + at] & 0x3f if at else 0)
            self.write(name, bytes(data))
            whole = self.scores("--allow-length", "still.y4m", name)
            self.assertTrue(FRAMES - 5 <= len(whole) < FRAMES, len(whole))
            for first in (150, 240, 300):
                with self.subTest(name=name, kind=kind, first=first):
                    self.assertEqual(self.scores("--allow-length", "--first", first, "still.y4m", name),
                                     {n: m for n, m in whole.items() if n >= first})

    def test_layers(self):
        """A packet of VP9 in layers shows a picture of each. Here each pair of pictures is one packet."""
        name = self.make("a.ivf", *FILES["h.webm"][:6], "-g", "1", "-lag-in-frames", "0", "-auto-alt-ref", "0")
        data, pictures, at = (self.dir / name).read_bytes(), [], 32
        while at < len(data):
            size, = struct.unpack_from("<I", data, at)
            pictures.append(data[at + 12:at + 12 + size])
            at += 12 + size
        layered = data[:24] + struct.pack("<II", FRAMES // 2, 0)
        for i in range(FRAMES // 2):
            a, b = pictures[2 * i:2 * i + 2]
            packet = a + b + struct.pack("<BIIB", 0xd9, len(a), len(b), 0xd9)
            layered += struct.pack("<IQ", len(packet), i) + packet
        self.write(name, layered)
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1")
        whole = self.scores("--allow-rate", "still.y4m", name)
        self.assertEqual(len(whole), FRAMES)
        for first in (140, FRAMES - 20):
            self.assertEqual(self.scores("--allow-rate", "--first", first, "still.y4m", name),
                             {n: m for n, m in whole.items() if n >= first}, first)

    def test_hidden_frames_in_packets_of_their_own(self):
        """Frames that are not shown lie in one packet with the next one that is. Tools take such packets apart."""
        for step in ("1", "2"): # in one alone it makes none
            one = self.make("a.ivf", "-c:v", "libvpx-vp9", "-cpu-used", "5", "-g", "50", "-lag-in-frames", "25",
                            "-auto-alt-ref", "1", "-pass", step)
        data, frames, at = (self.dir / one).read_bytes(), [], 32
        while at < len(data):
            size, = struct.unpack_from("<I", data, at)
            packet, at = data[at + 12:at + 12 + size], at + 12 + size
            count, width = (packet[-1] & 7) + 1, (packet[-1] >> 3 & 3) + 1
            index = 2 + count * width
            if packet[-1] & 0xe0 != 0xc0 or packet[-index] != packet[-1]:
                count, index = 1, 0
            begin = 0
            for i in range(count):
                end = len(packet) - index
                if i + 1 < count:
                    sizes = len(packet) - index + 1 + i * width
                    end = begin + int.from_bytes(packet[sizes:sizes + width], "little")
                frames.append(packet[begin:end])
                begin = end
        self.assertGreater(len(frames), FRAMES)
        self.write(one, data[:24] + struct.pack("<II", len(frames), 0) + b"".join(
            struct.pack("<IQ", len(frame), i) + frame for i, frame in enumerate(frames)))
        two = self.make("a.mkv", "-c:v", "libaom-av1", "-cpu-used", "8", "-g", "50", "-lag-in-frames", "25",
                        "-bsf:v", "av1_frame_split")
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1")
        for name in (one, two):
            whole = self.scores("--allow-rate", "still.y4m", name)
            self.assertEqual(len(whole), FRAMES)
            for first in (170, 240, FRAMES - 10):
                with self.subTest(name=name, first=first):
                    self.assertEqual(self.scores("--allow-rate", "--first", first, "still.y4m", name),
                                     {n: m for n, m in whole.items() if n >= first})

    def test_frames_that_are_hidden_later_on(self):
        """Behind the packets that are looked at first, and behind one where the decoder can start."""
        for name, lag in (("a.mkv", "0"), ("b.mkv", "25")):
            self.make(name, "-c:v", "libaom-av1", "-cpu-used", "8", "-g", "100", "-lag-in-frames", lag)
        self.write("list", b"file a.mkv\nfile b.mkv\n")
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1", "-frames:v", str(2 * FRAMES))
        for name in ("c.mkv", "c.mp4"):
            self.make(name, "-frames:v", "999", "-c", "copy", "-bsf:v", "av1_frame_split",
                      source=["-f", "concat", "-i", "list"])
            whole = self.scores("--allow-rate", "still.y4m", name)
            self.assertEqual(len(whole), 2 * FRAMES)
            for first in (240, 370, 600):
                with self.subTest(name=name, first=first):
                    self.assertEqual(self.scores("--allow-rate", "--first", first, "still.y4m", name),
                                     {n: m for n, m in whole.items() if n >= first})

    def test_parameters_that_change(self):
        """Two streams of H.264 with other offsets of chroma. The second one's parameters are a tag of FLV, or stand
        before its first picture alone, of MP4 whose head should have them all, too."""
        def tags(data, later, at=13):
            while at < len(data):
                end = at + 15 + int.from_bytes(data[at + 1:at + 4], "big")
                time = int.from_bytes(data[at + 4:at + 7], "big") + later
                if data[at] == 9 and data[at + 12] < 2: # neither of sound nor the end of pictures
                    yield data[at:at + 4] + time.to_bytes(3, "big") + data[at + 7:end]
                at = end
        data = [(self.dir / self.make(name, *X264, "-g", "30", "-bf", "0", "-x264-params", f"chroma-qp-offset={offset}",
                                      "-flvflags", "no_duration_filesize")).read_bytes()
                for name, offset in (("a.flv", -9), ("b.flv", 9))]
        start = data[0][:13] + b"".join(tags(data[0], 0))
        tag, picture, *rest = tags(data[1], 40 * FRAMES)
        units, at = b"", 22
        for _ in ("of the sequence", "of the pictures"): # its size of two bytes, the unit, how many follow
            end = at + 2 + int.from_bytes(tag[at:at + 2], "big")
            units, at = units + b"\0\0" + tag[at:end], end + 1
        body = picture[11:16] + units + picture[16:-4]
        inside = picture[:1] + len(body).to_bytes(3, "big") + picture[4:11] + body + (len(body) + 11).to_bytes(4, "big")
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1", "-frames:v", str(2 * FRAMES))
        for name, second in (("tag.flv", [tag, picture]), ("inside.flv", [inside]), ("inside.mp4", None)):
            if second:
                self.write(name, start + b"".join([*second, *rest]))
            else:
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", "inside.flv", "-c", "copy", name], cwd=self.dir,
                               check=True, stdin=subprocess.DEVNULL)
            whole = self.scores("still.y4m", name)
            self.assertEqual(len(whole), 2 * FRAMES)
            for first in (250, 370, 600):
                with self.subTest(name=name, first=first):
                    self.assertEqual(self.scores("--first", first, "still.y4m", name),
                                     {n: m for n, m in whole.items() if n >= first})

    def test_empty_samples(self):
        """Of MP4 and MOV they stand for dropped frames, and are none."""
        name, empty = self.make("k.mov", *FILES["k.mov"]), range(100, 103)
        data = bytearray((self.dir / name).read_bytes())
        probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pos,size", "-of", "json", name],
                               cwd=self.dir, check=True, capture_output=True)
        packets = [(int(p["pos"]), int(p["size"])) for p in json.loads(probe.stdout)["packets"]]
        sizes, chunks = data.index(b"stsz") + 16, data.index(b"stco") + 12
        lost = [packets[n] for n in empty]
        for n in empty:
            struct.pack_into(">I", data, sizes + 4 * n, 0)
        for n in range(struct.unpack_from(">I", data, chunks - 4)[0]):
            at, = struct.unpack_from(">I", data, chunks + 4 * n)
            struct.pack_into(">I", data, chunks + 4 * n, at - sum(size for place, size in lost if place < at))
        pictures = data.index(b"mdat") - 4
        struct.pack_into(">I", data, pictures, struct.unpack_from(">I", data, pictures)[0] - sum(s for _, s in lost))
        for place, size in reversed(lost):
            del data[place:place + size]
        self.write(name, bytes(data))
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1", "-frames:v", str(FRAMES - len(empty)))
        extra = ["--allow-depth", "--allow-format"]
        whole = self.scores(*extra, "still.y4m", name)
        self.assertEqual(len(whole), FRAMES - len(empty))
        self.assertEqual(self.scores(*extra, "--first", 250, "still.y4m", name),
                         {n: m for n, m in whole.items() if n >= 250})

    def test_pictures_and_fields(self):
        """In H.264 whose pictures are fields in part, a field is a packet of its own."""
        stream, plain = video(FRAMES, lambda n: n % 3 == 1, keys=20)
        self.write("a.264", stream)
        self.write("ref.y4m", plain)
        ends = "setts=ts=if(eq(N\\,0)\\,0\\,PREV_OUTPTS+PREV_OUTDURATION)"
        for name in ("a.mkv", "a.mp4", "a.ts"):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", "a.264", "-c", "copy", "-bsf:v", ends, name],
                           cwd=self.dir, check=True, stdin=subprocess.DEVNULL)
            with self.subTest(name=name):
                scores = self.scores("--allow-rate", "--first", 250, "ref.y4m", name)
                self.assertEqual({n: m["psnr_y"] for n, m in scores.items()}, {n: 60 for n in range(250, FRAMES)})

    def test_equal_times(self):
        """Matroska counts milliseconds: of 2000 frames a second, two have each time."""
        source = ["-f", "lavfi", "-i", "testsrc2=size=80x64:rate=2000"]
        dis = self.make("fast.mkv", "-c:v", "ffv1", "-g", "10", source=source)
        self.make("still.y4m", "-vf", "loop=loop=-1:size=1", source=source)
        whole = self.scores("--allow-rate", "still.y4m", dis)
        for first in (150, 200, 201, 202, 203):
            self.assertEqual(self.scores("--allow-rate", "--first", first, "still.y4m", dis),
                             {n: m for n, m in whole.items() if n >= first}, first)


@unittest.skipUnless(HAVE, "this build has no libav, or there is no ffmpeg program")
class Pipes(Case):
    def test_index_at_the_end(self):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25",
                        "-frames:v", "60", "-c:v", "libx264", "-qp", "1", "a.mp4"], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)
        with open(self.dir / "a.mp4", "rb") as stream:
            pipe = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
            self.refuses(INPUT, ["stdin", "give the file's name"], "a.mp4", "-", stdin=pipe.stdout)
            pipe.stdout.close()
            pipe.wait()
        # A file as standard input can be read from its end.
        with open(self.dir / "a.mp4", "rb") as stream:
            self.passes("-m", "psnr", "a.mp4", "-", stdin=stream)


if __name__ == "__main__":
    main()
