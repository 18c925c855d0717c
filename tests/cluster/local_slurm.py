"""A real SLURM with two nodes, n1 and n2, on this Debian machine: as root, without systemd.

Everything is kept in /run/sparsegdf-slurm but the configuration, which SLURM wants in /etc/slurm/slurm.conf (the plugin
that runs the steps of a job drops SLURM_CONF). A machine that has a SLURM of its own is left alone. By hand:

    python tests/cluster/local_slurm.py start      # then sinfo, sbatch, squeue as on any cluster
    python tests/cluster/local_slurm.py stop
"""

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HOME = Path("/run/sparsegdf-slurm")
CONF = Path("/etc/slurm/slurm.conf")
MARK = "# Written by tests/cluster/local_slurm.py, which also removes it."
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "munged", "mungekey")
PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
NODES = ("n1", "n2")

# SlurmdTimeout: a dead node is noticed in half a minute, not in the usual five.
# MinJobAge: squeue remembers every job of a test.
TEMPLATE = """\
{mark}
ClusterName=sparsegdf-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
EnforcePartLimits=ALL
SlurmdTimeout=10
KillWait=5
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[17001-17002] CPUs=2 RealMemory=8000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE
"""


def lock():
    """To be held while the cluster is up: one at a time on a machine. Gone with the process that holds it."""
    file = open("/run/sparsegdf-slurm.lock", "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def start():
    """A cluster with both nodes idle and no job. What an earlier start left behind, as after a crash, is ended first."""
    if os.getuid():
        raise SystemExit(f"This wants root: it installs Debian's SLURM and writes {CONF}.")
    if CONF.exists() and not CONF.read_text().startswith(MARK):
        raise SystemExit(f"{CONF} belongs to another SLURM; this wants a machine without one.")
    stop()
    _install()
    for folder in ("state", *NODES):
        (HOME / folder).mkdir(parents=True)
    host = socket.gethostname().split(".")[0]
    CONF.parent.mkdir(exist_ok=True)
    CONF.write_text(TEMPLATE.format(mark=MARK, home=HOME, host=host))

    # An authentication service of its own: one that already runs here stays untouched.
    files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid", "log-file": "munged.log"}
    _run("mungekey", "--create", f"--keyfile={HOME}/munge.key")
    _run("munged", "--force", f"--seed-file={HOME}/munged.seed", *(f"--{o}={HOME}/{f}" for o, f in files.items()))
    _run("slurmctld")
    for node in NODES:
        _run("slurmd", "-N", node)
    for node in NODES:
        _wait_until_idle(node, 60)


def stop():
    """End what start() began, and the jobs, by process id."""
    _end("slurmctld")  # first, or it would start the next job
    for node in NODES:
        _kill(_job_processes(node))
        _end(node)
    _end("munged")
    shutil.rmtree(HOME, ignore_errors=True)
    if CONF.exists() and CONF.read_text().startswith(MARK):
        CONF.unlink()


def kill_node(node):
    """What a power cut does: the node's daemon, its job steps and every process of its jobs are gone at once."""
    _kill([int((HOME / f"{node}.pid").read_text()), *_job_processes(node)])


@contextmanager
def away(seconds):
    """The controller is gone for a while, as when it restarts; jobs go on."""
    back = time.monotonic() + seconds
    _end("slurmctld")
    try:
        yield
        time.sleep(max(0, back - time.monotonic()))
    finally:
        _run("slurmctld")


def drain(node, yes=True):
    """The node finishes its jobs and gets no new ones."""
    _run("scontrol", "update", f"nodename={node}", f"state={'drain' if yes else 'resume'}", "reason=test")


def hold(job):
    _run("scontrol", "hold", job)


def release(job):
    _run("scontrol", "release", job)


def limit(job, minutes):
    """Give a job another time limit."""
    _run("scontrol", "update", f"jobid={job}", f"timelimit={minutes}")


def freeze(job):
    """Stop every process of a job: it lasts until somebody ends it."""
    stopped = None
    while stopped != (stopped := _processes_of(job)):  # one may just have started another
        for pid in stopped:
            _signal(pid, signal.SIGSTOP)


def squeue(*options, form="%i"):
    """The jobs of the cluster, one line each, in squeue's own format."""
    return _run("squeue", "--noheader", f"--format={form}", *options).splitlines()


def scancel(job):
    _run("scancel", job)


def running(*nodes, step="*"):
    """Numbers of the jobs that run now: a step (the batch script, or 0: its first srun) has a socket on its node."""
    sockets = (file for node in nodes or NODES for file in HOME.glob(f"{node}/{node}_*.{step}"))
    return [re.search(r"_(\d+)", file.name).group(1) for file in sockets]


def _install():
    if all(shutil.which(program) for program in PROGRAMS):
        return
    install = ("apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES)
    try:
        _run(*install)
    except RuntimeError:  # the lists of packages are old, or not there at all
        _run("apt-get", "update")
        _run(*install)


def _run(*command):
    # Into a file, not a pipe: a daemon may keep its end open, and reading a pipe would wait for it.
    with tempfile.TemporaryFile("w+") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        done = subprocess.run(command, **streams, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, timeout=300)
        output.seek(0)
        text = output.read()
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {done.returncode}:\n{text}")
    return text


def _wait_until_idle(node, seconds):
    end = time.monotonic() + seconds
    while (state := _run("sinfo", "--noheader", f"--nodes={node}", "--format=%T").strip()) != "idle":
        if time.monotonic() > end:
            raise TimeoutError(f"{node} is '{state}' after {seconds} s; see the logs in {HOME}")
        time.sleep(0.2)


def _processes_of(job):
    """Process ids of what a job runs, without SLURM's own."""
    mark = f"SLURM_JOB_ID={job}".encode()
    return {
        int(file.parent.name) for file in Path("/proc").glob("[0-9]*/environ") if mark in _read(file).split(b"\0")
    }


def commands(job):
    """The command lines of what a job runs, in one."""
    return b" ".join(_read(Path(f"/proc/{pid}/cmdline")) for pid in _processes_of(job))


def _job_processes(node):
    """Process ids of the job steps on `node` and of all that they run."""
    jobs = {match.group(1) for file in HOME.glob(f"{node}/*") if (match := re.match(rf"{node}_(\d+)\.", file.name))}
    marks = {b"SLURM_CLUSTER_NAME=sparsegdf-test", f"SLURMD_NODENAME={node}".encode()}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        step = re.match(rb"slurmstepd: \[(\d+)\.", _read(folder / "cmdline"))
        if step.group(1).decode() in jobs if step else marks <= set(_read(folder / "environ").split(b"\0")):
            found.append(int(folder.name))
    return found


def _read(file):
    """The content of a file of /proc; nothing when the process has ended."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _end(name):
    """Ask the daemon with this pid file to end; insist after 10 s."""
    try:
        pid = int((HOME / f"{name}.pid").read_text())
    except (OSError, ValueError):
        return
    command = Path(f"/proc/{pid}/cmdline")
    if os.path.basename(_read(command).split(b"\0")[0]) not in (b"slurmd", b"slurmctld", b"munged"):
        return  # it has ended, and its number may belong to another program by now
    os.kill(pid, signal.SIGTERM)
    for _ in range(50):
        if not _read(command):
            return
        time.sleep(0.2)
    _kill([pid])


def _kill(pids):
    for pid in pids:
        _signal(pid, signal.SIGKILL)


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    {"start": start, "stop": stop}[sys.argv[1]]()
