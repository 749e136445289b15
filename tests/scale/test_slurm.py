#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""assay batch --engine slurm on a Slurm of this machine: munged, slurmctld and the slurmd of two nodes, with slots for
two tasks and two GPUs each, all with folders, keys and ports of the test's own. The bytes are those of one run,
whatever is killed or damaged. The GPUs are /dev/null and /dev/zero: Slurm hands out their numbers."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import GATE, MISMATCH, PROGRAM, SKIP, USAGE, main
from test_batch_steps import REPORTS, StepsCase

DAEMONS = {name: shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in
           ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "scontrol")}
for daemon, where in DAEMONS.items():
    if not where or os.geteuid():
        print(f"skipped: {daemon} is not installed" if not where else "skipped: slurmd starts tasks as root alone")
        sys.exit(SKIP)

OPTIONS = "--engine-options=--cpus-per-task=1 --mem=64"
CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=2
GresTypes=gpu
NodeName=n1 NodeHostName={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
NodeName=n2 NodeHostName={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(StepsCase):
    def setUp(self):
        super().setUp()
        self.own = self.dir / "slurm"
        for name in ("", "state", "spool", "spool/n1", "spool/n2"):
            (self.own / name).mkdir()
        os.chmod(self.dir, 0o755)  # munged wants folders that only their owner writes
        (self.own / "munge.key").write_bytes(os.urandom(128))
        os.chmod(self.own / "munge.key", 0o600)
        sockets = [socket.socket() for _ in range(3)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        host = socket.gethostname().split(".")[0]
        (self.own / "slurm.conf").write_text(CONF.format(dir=self.own, host=host, ports=ports), encoding="utf-8")
        (self.own / "gres.conf").write_text("NodeName=n1,n2 Name=gpu File=/dev/null,/dev/zero\n", encoding="utf-8")
        os.environ["SLURM_CONF"] = str(self.own / "slurm.conf")
        self.running = {}
        self.addCleanup(self.end)
        self.daemon("munged", "--foreground", "--force", f"--key-file={self.own}/munge.key",
                    f"--socket={self.own}/munge.socket", f"--pid-file={self.own}/munge.pid",
                    f"--log-file={self.own}/munge.log", f"--seed-file={self.own}/munge.seed")
        self.until(lambda: (self.own / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D")
        for node in ("n1", "n2"):
            self.daemon("slurmd", "-D", "-N", node)
        self.until(lambda: self.said("sinfo", "-h", "-N", "-o", "%N %t") == "n1 idle\nn2 idle\n", "two nodes")

    def daemon(self, name, *words):
        with open(self.own / f"{name}.out", "ab") as out:
            self.running[name + words[-1] if name == "slurmd" else name] = subprocess.Popen(
                [DAEMONS[name], *words], stdout=out, stderr=out, stdin=subprocess.DEVNULL)

    def end(self):
        self.said("scancel", "-u", "root")
        for name in ("slurmdn1", "slurmdn2", "slurmctld", "munged"):
            if name in self.running:
                self.running[name].terminate()
                try:
                    self.running[name].wait(timeout=20)
                except subprocess.TimeoutExpired:
                    self.running[name].kill()
                    self.running[name].wait()

    def said(self, *words):
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60).stdout

    def until(self, function, what, seconds=60):
        for _ in range(seconds * 10):
            if function():
                return
            time.sleep(0.1)
        logs = "\n".join(path.read_text(errors="replace")[-1500:] for path in self.own.glob("*.log"))
        self.fail(f"{what}: not within {seconds} s\n{logs}")

    def idle(self):
        """All jobs have left the queue."""
        self.until(lambda: not self.said("squeue", "-h", "-o", "%A").strip(), "an empty queue", 240)

    def submit(self, *words, code=None, gpus=0):
        options = OPTIONS + (f" --gres=gpu:{gpus}" if gpus else "")
        result = self.run_assay("batch", *words, "--engine", "slurm", options, "--summary", "s.csv")
        if code is not None:
            self.assertEqual(result.code, code, f"{result}\n{self.log()}")
        return result

    def log(self):
        path = self.dir / "F/slurm.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def equal(self):
        got = self.take()
        self.assertEqual(sorted(got), sorted(["s.csv", *REPORTS]), self.log())
        for name, data in self.want.items():
            self.assertEqual(got[name], data, name)

    def list_and_want(self, times=4):
        self.long(times)
        self.assertFalse((self.dir / "s.csv").exists())

    def begin(self, seconds="0.004", **how):
        return self.submit("jobs.csv", "--plan", "F", "--task-seconds", seconds, **how)

    def tasks_of(self, result):
        return int(result.err.split(" of ", 1)[1].split()[0])

    def pids(self, *words):
        """Processes of assay whose command line has the words."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if line[0] == os.path.realpath(PROGRAM).encode() and all(word.encode() in line for word in words):
                found.append(int(path.parent.name))
        return found

    def test_waits_and_has_the_bytes(self):
        self.list_and_want()
        result = self.submit("jobs.csv", "--state", "F", "--task-seconds", "0.004", "--jobs", "3", "--wait", code=GATE)
        self.assertIn("parts are done, 0 failed", result.err)
        self.equal()
        # What is missing is submitted, and no more: nothing but the job that collects, which makes the reports again.
        result = self.submit("--resume", "F", "--wait", code=GATE)
        self.assertRegex(result.err, r"0 of \d+ tasks are submitted")
        self.equal()
        part = sorted((self.dir / "F").glob("done/*/*.json"))[0]
        part.unlink()
        result = self.submit("jobs.csv", "--plan", "F", "--task-seconds", "0.004")
        self.assertEqual(result.code, 0, result)
        self.idle()
        self.equal()

    def test_killed_tasks_and_slurmd(self):
        """A task is killed, then slurmd, which is started again; what is missing then is submitted again."""
        self.list_and_want(24)
        result = self.begin("0.01", code=0)
        self.assertGreater(self.tasks_of(result), 4)
        self.until(lambda: self.pids("--work"), "a task")
        for pid in self.pids("--work")[:1]:
            os.kill(pid, signal.SIGKILL)
        self.until(lambda: self.pids("--work"), "another task")
        self.running["slurmdn1"].send_signal(signal.SIGKILL)
        self.running["slurmdn1"].wait()
        for pid in self.pids("--work")[:1]:
            os.kill(pid, signal.SIGKILL)
        time.sleep(2)
        self.daemon("slurmd", "-D", "-N", "n1")
        self.idle()
        missing = self.submit("--resume", "F", "--wait", code=GATE)
        self.assertNotRegex(missing.err, r"assay: 0 of \d+ tasks are submitted")
        self.equal()

    def test_nodes_and_gpus(self):
        """Tasks run on both nodes, several at once, and each sees one GPU: that which Slurm gave it."""
        self.list_and_want(24)
        seen, together = set(), 0
        result = self.begin("0.01", code=0, gpus=1)
        self.assertGreater(self.tasks_of(result), 4)
        for _ in range(3000):
            now = set() # a task has a process that scores beside the one that watches
            for pid in self.pids("--work", str(self.dir / "F")):
                try:
                    words = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                of = dict(word.decode().split("=", 1) for word in words if b"=" in word)
                if "SLURM_ARRAY_TASK_ID" in of:
                    now.add(tuple(of.get(name) for name in ("SLURM_ARRAY_TASK_ID", "SLURMD_NODENAME",
                                                            "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES")))
            together = max(together, len(now))
            seen |= now
            if not self.said("squeue", "-h", "-o", "%A").strip():
                break
        self.assertEqual({node for _, node, _, _ in seen}, {"n1", "n2"}, seen)
        self.assertEqual({gpu for _, _, gpu, _ in seen}, {"0", "1"}, seen)
        self.assertTrue(all(visible == given for _, _, given, visible in seen), seen)
        self.assertGreater(together, 1)
        self.equal()

    def test_damage_and_two_collectors(self):
        self.list_and_want()
        self.begin(code=0)
        self.idle()
        self.equal()
        for part in sorted((self.dir / "F").glob("done/*/*.json"))[::2]:
            part.write_bytes(part.read_bytes()[:-200])
        self.submit("--resume", "F", code=0)
        self.submit("--resume", "F", code=0)  # each with its job that collects; both do all that is left
        self.idle()
        self.equal()

    def test_a_changed_input(self):
        """One that is replaced between two parts: parts that are left fail for good, and a new plan does them anew."""
        self.list_and_want()
        self.plan("0.004")
        self.passes("batch", "--work", "F", "--task", "0")
        changed = bytearray((self.dir / "dis.y4m").read_bytes())
        changed[5000] ^= 1
        self.write("dis.y4m", bytes(changed))
        self.submit("--resume", "F", "--wait", code=MISMATCH)
        self.assertIn("an input has been changed since the plan was made", self.log())
        self.take()
        self.assertEqual(self.run_assay("batch", "jobs.csv", "-q", "--state", "two", "--summary", "s.csv").code, GATE)
        self.want = self.take()
        self.submit("jobs.csv", "--plan", "F", "--task-seconds", "0.004", "--wait", code=GATE)
        self.equal()

    def test_refused(self):
        self.list_and_want(1)
        for says, *words in [("--wait is for --engine", "jobs.csv", "--wait"),
                             ("--resume is for --engine", "--resume", "F"),
                             ("a step of this machine", "--work", "F", "--engine", "slurm"),
                             ("takes slurm, not 'none'", "jobs.csv", "--engine", "none"),
                             ("a quote is open", "jobs.csv", "--state", "F", "--engine", "slurm",
                              "--engine-options='x"),
                             ("--engine needs --state", "-", "--engine", "slurm")]:
            with self.subTest(says=says):
                result = self.run_assay("batch", *words)
                self.assertEqual(result.code, USAGE, result)
                self.assertIn(says, result.err)
        result = self.run_assay("batch", "jobs.csv", "--state", "F", "--engine", "slurm",
                                "--engine-options=--partition=none")
        self.assertEqual(result.code, 6, result)
        self.assertIn("sbatch has not taken the job", result.err)
        result = self.run_assay("batch", "jobs.csv", "--state", "F", "--engine", "slurm", env={"PATH": "/nowhere"})
        self.assertEqual(result.code, 6, result)
        self.assertIn("sbatch can't be called: No such file", result.err)


if __name__ == "__main__":
    main()
