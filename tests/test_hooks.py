"""Where the workflow reaches past the interface of Snakemake: only with the versions that are known."""

import logging
import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import ClassVar

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "workflow"))
import retries
import snakemake_internals
from snakemake_internals import SLURM_PLUGIN, UnknownVersion, extend, require_known


def test_the_lock_has_versions_that_are_known():
    require_known(version("snakemake"))
    assert f"{SLURM_PLUGIN}=={snakemake_internals.SLURM_PLUGINS}." in (ROOT / "requirements.lock").read_text()


@pytest.mark.parametrize("other", ["9.10.1", "10.0", "11.2"])
def test_another_snakemake_is_refused(other):
    with pytest.raises(UnknownVersion, match=f"from 9.11 up to, not including, 10; this is {other}"):
        require_known(other)


class Executor:
    """The part of an executor that is extended."""

    def run_job(self, job): ...
    def run_jobs(self, jobs): ...
    def cancel(self): ...
    def report_job_submission(self, info): ...
    def report_job_success(self, info): ...
    def report_job_error(self, info): ...
    async def check_active_jobs(self, jobs): ...
    def _report_job_error_threadsafe(self, info, msg): ...


@pytest.mark.parametrize("known, patient", [("2.8", True), ("2.7", False)])
def test_another_slurm_plugin_is_told_and_not_extended(monkeypatch, caplog, known, patient):
    monkeypatch.setattr(snakemake_internals, "SLURM_PLUGINS", known)
    executor = type("Executor", (Executor,), {"__module__": "snakemake_executor_plugin_slurm"})()
    scheduler = SimpleNamespace(_executor=executor, _local_executor=Executor())
    extend(SimpleNamespace(scheduler=scheduler, local_exec=False), logging.getLogger("test"))
    assert ("check_active_jobs" in vars(executor)) == patient and "run_jobs" in vars(executor)
    told = f"{SLURM_PLUGIN} {version(SLURM_PLUGIN)} is not known here (2.7 is;" in caplog.text
    assert told == (not patient)


class Timer:
    """Of threading, but time passes when the test says so."""

    all: ClassVar = []

    def __init__(self, pause, function, arguments):
        self.pause, self.fire = pause, lambda: function(*arguments)
        self.all.append(self)

    def start(self):
        pass


def test_retries_wait_longer_and_longer_and_not_after_the_end(monkeypatch):
    begun, ended = [], []
    monkeypatch.setattr(retries.threading, "Timer", Timer)
    executor = SimpleNamespace(run_jobs=begun.extend, cancel=lambda: ended.append(True))
    retries.wait_before_retries(executor, logging.getLogger("test"), pauses=(10, 60))
    jobs = [SimpleNamespace(attempt=attempt, output=["x"]) for attempt in (1, 2, 3, 4)]
    executor.run_jobs(jobs)
    assert begun == jobs[:1] and [timer.pause for timer in Timer.all] == [10, 60, 60]
    Timer.all[0].fire()
    assert begun == jobs[:2]
    executor.cancel()
    Timer.all[1].fire()
    assert begun == jobs[:2] and ended == [True]
