#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The recipes of docs/scale.md, as they stand there: GNU parallel over ssh, to an sshd of the test's own that three
names of hosts lead to; Kubernetes' manifest, through kubectl's types, and its container's command for each index; the
call of AWS Batch, through the client's check of parameters, and its command for each index. The bytes are those of one
run."""
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from command import PROGRAM, SKIP, main
from test_batch_steps import StepsCase

TOOLS = {name: shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in
         ("sshd", "ssh", "ssh-keygen", "parallel", "kubectl", "aws")}
for tool, where in TOOLS.items():
    if not where or os.geteuid():
        print(f"skipped: {tool} is not installed" if not where else "skipped: sshd starts sessions as root alone")
        sys.exit(SKIP)

PAGE = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
SSHD = """Port {port}
ListenAddress 127.0.0.1
HostKey {dir}/host
AuthorizedKeysFile {dir}/user.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PidFile {dir}/sshd.pid
MaxStartups 100
SetEnv PATH={path}
"""
SSH = """Host host1 host2 host3
HostName 127.0.0.1
Port {port}
IdentityFile {dir}/user
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""


def block(says):
    """The text of the first block of the page behind these words."""
    lines = PAGE[PAGE.index(says):].splitlines()
    if any(line.startswith("```") for line in lines[:6]):
        first = next(i for i, line in enumerate(lines) if line.startswith("```"))
        return "\n".join(lines[first + 1:lines.index("```", first + 1)]) + "\n"
    first = next(i for i, line in enumerate(lines) if line.startswith("    "))
    last = next(i for i in range(first, len(lines)) if not lines[i].startswith("    "))
    return "\n".join(line[4:] for line in lines[first:last]) + "\n"


class Recipes(StepsCase):
    def setUp(self):
        super().setUp()
        (self.dir / "bin").mkdir()
        (self.dir / "bin/assay").symlink_to(os.path.realpath(PROGRAM))
        self.path = f"{self.dir}/bin:{os.environ['PATH']}"

    def shell(self, text, **env):
        return subprocess.run(["/bin/bash", "-e", "-c", text], cwd=self.dir, text=True, capture_output=True,
                              timeout=600, check=False, env={**os.environ, "PATH": self.path, **env})

    def hosts(self):
        """Starts sshd. Returns the environment in which host1, host2 and host3 lead to it."""
        own = self.dir / "ssh"
        own.mkdir()
        os.makedirs("/run/sshd", exist_ok=True)
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        for name in ("host", "user"):
            subprocess.run([TOOLS["ssh-keygen"], "-q", "-t", "ed25519", "-N", "", "-f", own / name], check=True)
        (own / "sshd.conf").write_text(SSHD.format(port=port, dir=own, path=self.path), encoding="utf-8")
        (own / "ssh.conf").write_text(SSH.format(port=port, dir=own), encoding="utf-8")
        daemon = subprocess.Popen([TOOLS["sshd"], "-D", "-e", "-f", own / "sshd.conf"], stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        env = {"PARALLEL_SSH": f"ssh -F {own}/ssh.conf", "HOME": str(own)}
        for _ in range(100):
            if not subprocess.run(["ssh", "-F", own / "ssh.conf", "host1", "true"], check=False,
                                  stderr=subprocess.DEVNULL).returncode:
                return env
            time.sleep(0.1)
        self.fail("sshd does not answer")

    def gate(self, done):
        """The list has a gate that fails: that is the code of what collects, and of no other step."""
        self.assertEqual(done.returncode, 1, done)

    def here(self, text):
        return text.replace("/shared/F", f"{self.dir}/F").replace("summary.csv", "s.csv")

    def equal(self):
        got = self.take()
        self.assertEqual(sorted(got), sorted(self.want))
        for name, data in self.want.items():
            self.assertEqual(got[name], data, name)

    def test_parallel(self):
        self.long()
        env = self.hosts()
        plan, work, collect = self.here(block("**GNU parallel over ssh.**")).splitlines()
        done = self.shell(f"{plan} --task-seconds 0.002\n{work}\n{collect}", **env)
        self.gate(done)
        self.equal()
        shutil.rmtree(self.dir / "F")
        self.plan()
        each = self.here(block("or a task for each call")).replace("seq 0 99", f"seq 0 {self.tasks - 1}")
        self.assertGreater(self.tasks, 3)
        # A host that fails does not matter: its tasks move.
        env["PARALLEL_SSH"] = self.fails_on("host2", env["PARALLEL_SSH"])
        done = self.shell(each, **env)
        self.assertEqual(done.returncode, 0, done)
        self.same()

    def fails_on(self, host, ssh):
        path = self.dir / "bin/ssh-but-one"
        path.write_text(f'#!/bin/bash\nfor word; do [ "$word" != {host} ] || exit 255; done\nexec {ssh} "$@"\n',
                        encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def each_index(self, words, name):
        """Does a command for each index as an engine that sets this variable, in any order, and one of them twice."""
        for index in [*reversed(range(self.tasks)), 0]:
            words_here = [word.replace("/videos/F", f"{self.dir}/F") for word in words]
            done = self.shell(shlex.join(words_here), **{name: str(index)})
            self.assertEqual(done.returncode, 0, done)
        self.same()

    def test_kubernetes(self):
        manifest = self.dir / "job.yaml"
        manifest.write_text(block("**Kubernetes.**"), encoding="utf-8")

        def through(*words):
            done = self.shell(shlex.join(["kubectl", *words, "--local", "-f", str(manifest), "-o", "json"]))
            self.assertEqual(done.returncode, 0, done)
            return json.loads(done.stdout)

        def has(known, given, at=""):
            """All that the manifest says is there in what Kubernetes' types know of it."""
            if isinstance(given, dict):
                for key, value in given.items():
                    self.assertIn(key, known, at)
                    has(known[key], value, f"{at}.{key}")
            elif isinstance(given, list):
                self.assertEqual(len(known), len(given), at)
                for i, value in enumerate(given):
                    has(known[i], value, f"{at}[{i}]")
            elif not at.endswith(".image"):
                self.assertEqual(known, given, at)

        def stated():
            found = through("annotate", "assay-") # the manifest as JSON
            found["metadata"].pop("annotations")
            return found

        given = stated()
        has(through("set", "image", "work=another"), given)
        manifest.write_text(block("**Kubernetes.**").replace("completionMode", "completionsMode"), encoding="utf-8")
        with self.assertRaises(AssertionError): # a member that Kubernetes does not know goes missing
            has(through("set", "image", "work=another"), stated())
        self.long()
        self.plan()
        container, = given["spec"]["template"]["spec"]["containers"]
        self.each_index(container["command"], "JOB_COMPLETION_INDEX")

    def test_aws(self):
        call = block("**AWS Batch.**")
        done = self.shell(f"{call.rstrip()} --generate-cli-skeleton output", AWS_DEFAULT_REGION="us-east-1")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("jobId", json.loads(done.stdout))
        done = self.shell(f"{call.rstrip()} --generate-cli-skeleton output".replace("size=", "sizes="),
                          AWS_DEFAULT_REGION="us-east-1")
        self.assertNotEqual(done.returncode, 0, done)
        command = next(word for word in shlex.split(call) if word.startswith("command="))
        self.long()
        self.plan()
        self.each_index(command.removeprefix("command=").split(","), "AWS_BATCH_JOB_ARRAY_INDEX")


if __name__ == "__main__":
    main()
