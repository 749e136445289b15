# SPDX-License-Identifier: BSD-2-Clause
"""Several threads that read one input, against one thread and against one processor: the same scores, and the same
words about the same damage.

$ASSAY_MANY is the command as it is on a machine of many processors (many_readers.c); $ASSAY has as
many threads as this machine.
"""
import json
import os
import random
import subprocess

from command import INPUT, MISMATCH, PASS, PROGRAM, Case, main

MANY = os.environ["ASSAY_MANY"]
WIDTH, HEIGHT, FRAMES = 2048, 1024, 12 # of grey pictures of 2 MB
SAMPLES = WIDTH * HEIGHT


def alone():
    """Leaves a process one processor, where a pair is read when the one before it is scored."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Readers(Case):
    @classmethod
    def setUpClass(cls):
        cls.noise = random.Random(7).randbytes(SAMPLES * 2 + 4096)

    def frames(self, side, depth=8):
        """Pictures that are all different."""
        if depth == 8:
            return [self.noise[64 * i + side:64 * i + side + SAMPLES] for i in range(FRAMES)]
        low = bytes(range(256)) * (SAMPLES // 256)
        pictures = []
        for i in range(FRAMES):
            words = bytearray(2 * SAMPLES)
            words[::2] = self.noise[64 * i + side:64 * i + side + SAMPLES]
            words[1::2] = low.translate(bytes((v + i) % 4 for v in range(256)))
            pictures.append(bytes(words))
        return pictures

    def y4m(self, name, frames, depth=8, lines=()):
        """A file; `lines` are FRAME lines that are others than the plain one, by frame."""
        head = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Cmono{'' if depth == 8 else depth}\n".encode()
        lines = dict(lines)
        return self.write(name, head + b"".join(lines.get(i, b"FRAME\n") + data for i, data in enumerate(frames)))

    def both(self, code, *args):
        """What both programs said, which is the same, and the same on one processor."""
        said = []
        options = ["-m", "psnr=enable_mse=true", "--json", "out.json", "--precision", "max", "--reproducible",
                   "--threads", "2"]
        for program, before in ((PROGRAM, None), (PROGRAM, alone), (MANY, None)):
            (self.dir / "out.json").unlink(missing_ok=True)
            done = subprocess.run([program, *options, *args], cwd=self.dir, capture_output=True, text=True,
                                  timeout=1200, check=False, preexec_fn=before,
                                  env={**os.environ, "ASSAY_MOST_READS": str(self.dir / "most")})
            report = self.read("out.json") if (self.dir / "out.json").exists() else ""
            said.append((done.returncode, done.stdout, done.stderr, report))
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])
        self.assertEqual(said[0][0], code, said[0][:3])
        self.assertGreater(int(self.read("most").split()[0]), 2, "one thread of each side at a time")
        return said[0]

    def test_scores(self):
        ref = self.y4m("ref.y4m", self.frames(0))
        dis = self.y4m("dis.y4m", self.frames(1),
                       lines={0: b"FRAME Ip\n", 5: b"FRAME X" + b"x" * 900 + b"\n", 11: b"FRAME I?\n"})
        self.both(PASS, ref, dis)
        self.both(PASS, ref, dis, "--every", "3")
        self.both(PASS, ref, dis, "--skip-ref", "2", "--skip-dis", "1", "--allow-length")
        self.both(PASS, ref, dis, "--first", "1", "--frames", "9")
        for name, side in (("ref.yuv", 0), ("dis.yuv", 1)):
            self.write(name, b"".join(self.frames(side)))
        self.both(PASS, "ref.yuv", "dis.yuv", "-w", str(WIDTH), "-h", str(HEIGHT), "-p", "400", "-b", "8")

    def test_one_processor(self):
        """It reads pairs of files one at a time, and pairs of a pipe ahead: their writer may run elsewhere."""
        ref = self.y4m("ref.y4m", self.frames(0))
        with subprocess.Popen(["cat", ref], cwd=self.dir, stdout=subprocess.PIPE) as pipe:
            for dis, expected in ((ref, 1), ("-", 4)):
                done = self.run_assay("-m", "psnr", "--dump-memory", ref, dis, stdin=pipe.stdout, preexec_fn=alone)
                self.assertEqual(done.code, PASS, done.err)
                self.assertIn(f"bytes, {expected} in flight", done.out)
        # Pairs by time, several encodes and pictures of a page are read in one slot, too.
        dis = self.y4m("dis.y4m", self.frames(1))
        for how in ([dis, "--pair", "time"], [dis, ref], [dis, "--html", "page.html", "--force"]):
            said = []
            for before in (None, alone):
                done = self.run_assay("-q", "-m", "psnr,motion", "--csv", "out.csv", ref, *how, preexec_fn=before)
                self.assertEqual(done.code, PASS, done.err)
                said.append((done.err, self.read("out.csv")))
            self.assertEqual(said[0], said[1])

    def test_lengths(self):
        ref = self.y4m("ref.y4m", self.frames(0))
        dis = self.y4m("dis.y4m", self.frames(1)[:7], lines={2: b"FRAME Ip\n"})  # a length that no header states
        _, _, err, _ = self.both(MISMATCH, ref, dis)
        self.assertIn("dis.y4m ends after 7 frames, ref.y4m goes on", err)

    def test_written_to(self):
        """A file that is written to while it is read. The reference comes through a pipe, which holds less than what is
        put into it first: once that is there, both inputs are open."""
        frames, others = self.frames(0), self.frames(1)
        whole = (self.dir / self.y4m("whole.y4m", frames)).read_bytes()
        begin = len(whole) // 3
        grows, changed = ["--frames", "5"], b"dis.y4m: changed while it was read, and its frames may be of two contents"
        for size, options, expected in ((len(whole), [], INPUT), (len(whole) // 3, [], INPUT), (0, [], PASS),
                                        (len(whole), ["--allow-damage"], PASS), (-1, grows, INPUT),
                                        (-1, [*grows, "--allow-damage"], PASS), (0, ["--allow-damage"], PASS)):
            name = self.y4m("dis.y4m", others)
            os.utime(self.dir / name, (1, 1)) # long ago
            args = [PROGRAM, "-m", "psnr", "--json", "out.json", "--force", *options, "-", name]
            program = subprocess.Popen(args, cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            program.stdin.write(whole[:begin])
            program.stdin.flush()
            if size:
                with open(self.dir / name, "r+b") as out: # in place, or behind its end, as an encoder does
                    out.seek(0, 0 if size > 0 else 2)
                    out.write(whole[:size] if size > 0 else b"FRAME\n" + frames[0])
            else: # another file of this name
                os.replace(self.dir / self.y4m("new.y4m", frames), self.dir / name)
            text, err = program.communicate(whole[begin:])
            with self.subTest(size=size, options=options):
                self.assertEqual(program.returncode, expected, err)
                self.assertEqual(changed + b" (--allow-damage scores them)" in err, expected == INPUT, err)
                report = json.loads(self.read("out.json"))
                self.assertIs(report["assay"]["incomplete"], expected == INPUT)
                noticed = size != 0 and expected == PASS
                self.assertEqual(b"damaged: " + changed in text, noticed, text)
                self.assertEqual([report["assay"].get("distorted_changed", False), "reference_changed" in
                                  report["assay"], report["assay"]["allowed_differences"]],
                                 [noticed, False, "damage" if noticed else ""])
                self.assertEqual(len(report["frames"]), 5 if "--frames" in options else FRAMES)

    def test_reference_that_is_written_to(self):
        """As a distorted file: here that one comes through the pipe."""
        data = (self.dir / self.y4m("dis.y4m", self.frames(1))).read_bytes()
        begin = len(data) // 3
        for options, expected, at_once in (([], INPUT, False), (["--allow-damage"], PASS, False), ([], INPUT, True)):
            name = self.y4m("ref.y4m", self.frames(0))
            os.utime(self.dir / name, (1, 1)) # long ago
            program = subprocess.Popen([PROGRAM, "-m", "psnr", "--json", "out.json", "--force", *options, name, "-"],
                                       cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            program.stdin.write(data[:begin])
            program.stdin.flush()
            with open(self.dir / name, "r+b") as out:
                out.write(data)
            if at_once: # in the second in which the file was made
                os.utime(self.dir / name, ns=(1000000001, 1000000001))
            text, err = program.communicate(data[begin:])
            with self.subTest(options=options, at_once=at_once):
                self.assertEqual(program.returncode, expected, err)
                self.assertIn(b"ref.y4m: changed while it was read", err if expected == INPUT else text)
                block = json.loads(self.read("out.json"))["assay"]
                self.assertEqual([block["incomplete"], block.get("reference_changed", False), "distorted_changed" in
                                  block], [expected == INPUT, expected == PASS, False])

    def test_damage(self):
        ref, frames = self.y4m("ref.y4m", self.frames(0)), self.frames(1)
        self.y4m("cut.y4m", frames[:8] + [frames[8][:1000]])
        self.y4m("line.y4m", frames, lines={6: b"FROME\n"})
        self.y4m("long.y4m", frames, lines={9: b"FRAME " + b"x" * 2000 + b"\n"})
        for name, says in (("cut.y4m", "cut.y4m: frame 8: truncated after 1000 of 2097152 bytes"),
                           ("line.y4m", "line.y4m: frame 6: begins with 'FROME?' instead of FRAME"),
                           ("long.y4m", "long.y4m: frame 9: its FRAME line is longer than 1024 bytes")):
            with self.subTest(name):
                _, _, err, report = self.both(INPUT, ref, name)
                self.assertIn(says, err)
                self.assertIn('"incomplete": true', report)
                self.assertIn(says, self.both(INPUT, name, ref)[2])

    def test_samples_of_too_many_bits(self):
        ref, frames = self.y4m("ref.y4m", self.frames(0, 10), 10), self.frames(1, 10)
        for i in (7, 10): # the first of the two is named
            frames[i] = frames[i][:-1] + b"\x04"
        _, _, err, _ = self.both(INPUT, ref, self.y4m("dis.y4m", frames, 10))
        self.assertIn("dis.y4m: frame 7: plane Y holds the value 1", err)


if __name__ == "__main__":
    main()
