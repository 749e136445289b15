# SPDX-License-Identifier: BSD-2-Clause
"""What a person at a terminal sees, and that it appears nowhere else."""
import subprocess
import time

from command import DIS, PROGRAM, REF, USAGE, Case, OnTerminal, main, y4m


class Terminal(Case):
    def on_terminal(self, *args, env=None):
        """Standard error as a terminal received it, while the video comes slowly through a pipe."""
        data = y4m(frames=40, noise=2)
        self.write("ref.y4m", y4m(frames=40))
        terminal = OnTerminal([PROGRAM, "-m", "psnr", *args, "ref.y4m", "-"], env=env, cwd=self.dir,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        run = terminal.run
        step = len(data) // 4
        for i in range(0, len(data), step):
            run.stdin.write(data[i:i + step])
            run.stdin.flush()
            time.sleep(0.15)
        run.stdin.close()
        table = run.stdout.read().decode()
        run.stdout.close()
        code, seen = terminal.finish()
        self.assertEqual(code, 0)
        return seen, table

    def test_progress(self):
        seen, table = self.on_terminal()
        self.assertIn("frames/s", seen)
        self.assertIn("psnr_y", table)
        self.assertNotIn("\x1b", table)
        # The line is gone when the table comes: what is left on the screen after the last carriage return is nothing.
        last = seen.replace("\x1b[K", "").rsplit("\r", 1)[-1]
        self.assertEqual(last.strip(), "")

    def test_no_color(self):
        colourful, _ = self.on_terminal(env={"NO_COLOR": ""})
        plain, _ = self.on_terminal(env={"NO_COLOR": "1"})
        dumb, _ = self.on_terminal(env={"TERM": "dumb"})
        for text in (plain, dumb):
            self.assertIn("frames/s", text)
            self.assertNotRegex(text, "\x1b\\[[0-9;]*m")
        self.assertRegex(colourful, "\x1b\\[[0-9;]*m")

    def test_total_of_files(self):
        """Known from the size, also of a Y4M file whose frames have parameters, where it is an estimate."""
        plain = y4m(frames=40)
        self.write("ref.y4m", plain)
        self.write("dis.y4m", y4m(frames=40, noise=1).replace(b"FRAME\n", b"FRAME Ip\n", 1))
        for files in (("ref.y4m", "dis.y4m"), ("ref.y4m", "-")):
            result = self.passes("-m", "psnr", "--progress", *files, input=plain, text=False)
            self.assertRegex(result.err.decode(), r"^assay: 1/40 frames +2 %  [0-9.]+ frames/s  [0-9:]+ left\n$")
        result = self.passes("-m", "psnr", "--progress", "ref.y4m", "dis.y4m", "--every", "3", "--first", "10")
        self.assertRegex(result.err, r"^assay: 1/10 frames ")
        self.refuses(USAGE, "--no-progress", "--progress", "--no-progress", "ref.y4m", "dis.y4m")

    def test_switched_off(self):
        for option in ("--no-progress", "--quiet"):
            seen, _ = self.on_terminal(option)
            self.assertEqual(seen, "")

    def test_nothing_of_it_in_a_file(self):
        result = self.passes("-m", "psnr", REF, DIS)
        self.assertEqual(result.err, "")
        self.assertNotIn("\x1b", result.out)
        self.assertNotIn("\r", result.out)

    def test_quiet(self):
        result = self.passes("-q", "-m", "psnr", REF, DIS)
        self.assertEqual((result.out, result.err), ("", ""))


if __name__ == "__main__":
    main()
