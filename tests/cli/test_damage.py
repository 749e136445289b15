# SPDX-License-Identifier: BSD-2-Clause
"""--allow-damage: files with changed bytes are scored, and the frames that the decoder calls damaged are listed."""
import json
import os
import shutil
import subprocess
import unittest

from command import DIS, INPUT, REF, USAGE, Case, main

HAVE = shutil.which("ffmpeg") and shutil.which("ffprobe") and os.environ.get("ASSAY_LIBAV")
# Changed bytes of H.264 and HEVC may decode to other pictures without an error; HEVC can carry a sum of the samples.
CODECS = {
    "h264": ["-c:v", "libx264", "-g", "1", "-crf", "10"],
    "hevc": ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=1:hash=1", "-crf", "10"],
    "ffv1": ["-c:v", "ffv1", "-level", "3", "-slicecrc", "1", "-g", "1"],
}


@unittest.skipUnless(HAVE, "this build has no libav, or there is no ffmpeg program")
class Damage(Case):
    def make(self, name, *options):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", DIS, *options, name], cwd=self.dir, check=True,
                       stdin=subprocess.DEVNULL)
        return name

    def hurt(self, name, *packets):
        """A copy in which bytes in the middle of packets were changed."""
        probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pos,size",
                                "-of", "json", name], cwd=self.dir, check=True, capture_output=True)
        places = json.loads(probe.stdout)["packets"]
        data = bytearray((self.dir / name).read_bytes())
        for n in packets:
            # A packet's place is that of its block, whose header is a few bytes long.
            middle = int(places[n]["pos"]) + int(places[n]["size"]) // 2
            for i in range(middle, middle + 40):
                data[i] ^= 0x5a
        return self.write("hurt." + name, bytes(data))

    def report(self, *args):
        result = self.passes("-m", "psnr", "--no-progress", "--reproducible", "--json", "out.json", *args)
        return result, json.loads(self.read("out.json"))

    def test_damaged_frames_are_listed(self):
        for codec, options in CODECS.items():
            with self.subTest(codec=codec):
                whole = self.make(codec + ".mkv", *options)
                packets, listed = ((2, 4), "2, 4") if codec == "hevc" else ((2, 4, 5), "2, 4-5")
                hurt = self.hurt(whole, *packets)
                self.fails(INPUT, [hurt, "frame 2"], "-m", "psnr", REF, hurt)
                result, report = self.report("--allow-damage", REF, hurt)
                self.assertIn(f"damaged: {hurt}: {len(packets)} frames, scored as the decoder made them up: {listed}",
                              result.out)
                block = report["assay"]
                self.assertEqual([block["distorted_damaged_frames"], block["distorted_damaged"]],
                                 [len(packets), listed])
                self.assertEqual([block["reference_damaged_frames"], block["reference_damaged"]], [0, ""])
                self.assertEqual(block["allowed_differences"], "damage")
                self.assertIs(block["incomplete"], False)
                self.assertEqual(len(report["frames"]), 8)
                _, clean = self.report(REF, whole)
                for n, (a, b) in enumerate(zip(report["frames"], clean["frames"])):
                    self.assertEqual(a == b, n not in packets, n)
                self.assertEqual(self.report("--allow-damage", REF, hurt)[1]["frames"], report["frames"])

    def test_both_sides(self):
        hurt = self.hurt(self.make("a.mkv", *CODECS["h264"]), 0, 7)
        result, report = self.report("--allow-damage", hurt, hurt)
        self.assertEqual(result.out.count("damaged: hurt.a.mkv: 2 frames"), 2)
        self.assertEqual(report["assay"]["reference_damaged"], "0, 7")
        self.assertEqual(report["pooled_metrics"]["psnr_y"]["min"], 60)

    def test_whole_files(self):
        for codec, options in CODECS.items():
            with self.subTest(codec=codec):
                whole = self.make(codec + ".mkv", *options)
                result, report = self.report("--allow-damage", REF, whole)
                self.assertNotIn("damaged", result.out)
                self.assertEqual(report["assay"]["allowed_differences"], "")
                self.assertEqual(report["frames"], self.report(REF, whole)[1]["frames"])

    def test_zeros_that_fill_a_rate(self):
        """MPEG-1 and MPEG-2 of a constant rate have zeros behind each picture. They are no damage."""
        rate = ["-g", "1", "-r", "25", "-b:v", "20M", "-minrate", "20M", "-maxrate", "20M", "-bufsize", "2M"]
        for name, codec in (("a.ts", "mpeg2video"), ("a.mxf", "mpeg2video"), ("a.mpg", "mpeg1video")):
            whole = self.make(name, "-c:v", codec, *rate)
            self.passes("-q", "-m", "psnr", whole, whole)

    def test_frames_predicted_from_one_another(self):
        whole = self.make("a.mkv", "-c:v", "libx264", "-g", "8", "-bf", "2", "-crf", "10", "-threads", "1")
        hurt = self.hurt(whole, 1, 2, 3, 4, 5)
        first, report = self.report("--allow-damage", REF, hurt)
        self.assertIn("damaged: hurt.a.mkv: ", first.out)
        self.assertEqual(len(report["frames"]), 8)
        for _ in range(3):
            self.assertEqual(self.report("--allow-damage", REF, hurt)[1], report)

    def test_containers_without_times(self):
        """One damaged picture is one, where packets have no times or come in another order than pictures."""
        h264 = ["-c:v", "libx264", "-g", "8", "-slices", "4", "-b_strategy", "0", "-x264-params", "b-pyramid=0"]
        hevc = ["-c:v", "libx265", "-x265-params", "log-level=none:b-adapt=0:b-pyramid=0:hash=1"]
        # Packets of B-frames, of which no other frame is predicted.
        for options, packets, names in ((h264, (2, 3, 5), ("a.mp4", "a.avi", "a.h264")),
                                        (hevc, (2, 5), ("b.mp4", "b.hevc"))):
            whole = self.make(names[0], *options, "-bf", "2", "-crf", "10")
            probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pts", "-of", "json", whole],
                                   cwd=self.dir, check=True, capture_output=True)
            times = [int(p["pts"]) for p in json.loads(probe.stdout)["packets"]]
            shown = [sorted(times).index(t) for t in times]
            self.assertNotEqual(shown, sorted(shown))
            for name in names:
                if name != whole:
                    subprocess.run(["ffmpeg", "-v", "fatal", "-y", "-i", whole, "-c", "copy", name], cwd=self.dir,
                                   check=True, stdin=subprocess.DEVNULL)
                for packet in packets:
                    hurt = self.hurt(name, packet)
                    with self.subTest(name, packet=packet):
                        _, report = self.report("--allow-damage", "--allow-rate", REF, hurt)
                        block = report["assay"]
                        self.assertEqual([block["distorted_damaged_frames"], block["distorted_damaged"]],
                                         [1, str(shown[packet])])
                        self.assertEqual(len(report["frames"]), 8)

    def test_devices_do_not_say_what_is_damaged(self):
        self.refuses(USAGE, ["--allow-damage", "--hwdec off"], "--backend", "cuda", "--hwdec", "auto", "--allow-damage",
                     REF, DIS)


if __name__ == "__main__":
    main()
