"""Where the workflow reaches past the interface of Snakemake: only with the versions that were tried."""

import logging
import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import ClassVar

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "workflow"))
import hooks
import retries

import tracking


def test_the_lock_has_the_versions_that_were_tried():
    lock = (ROOT / "requirements.lock").read_text()
    for package, tried in hooks.TRIED.items():
        assert f"{package}=={tried}." in lock
        assert hooks.untried(package) is None


@pytest.mark.parametrize("local", [True, False])
def test_with_another_version_nothing_is_reached_for_and_the_run_is_told(monkeypatch, caplog, tmp_path, local):
    monkeypatch.setitem(hooks.TRIED, "snakemake", "9.2")
    executor, limiter = SimpleNamespace(), object()
    scheduler = SimpleNamespace(_executor=executor, _local_executor=executor, job_rate_limiter=limiter)
    hooks.install(SimpleNamespace(scheduler=scheduler, local_exec=local), logging.getLogger("test"))
    assert f"snakemake {version('snakemake')} was not tried with this workflow (9.2 was;" in caplog.text
    assert "Ctrl-C may leave jobs" in caplog.text
    assert vars(executor) == {} and scheduler.job_rate_limiter is limiter
    (tmp_path / "table.csv").touch()  # of nobody
    assert tracking.untracked([tmp_path], state=tmp_path / "state") == []
    monkeypatch.setitem(hooks.TRIED, "snakemake", ".".join(version("snakemake").split(".")[:2]))
    assert len(tracking.untracked([tmp_path], state=tmp_path / "state")) == 1


def test_another_slurm_plugin_is_told_too(monkeypatch, caplog):
    monkeypatch.setitem(hooks.TRIED, "snakemake-executor-plugin-slurm", "2.7")
    executor = type("Executor", (), {"__module__": "snakemake_executor_plugin_slurm"})()
    hooks.install(
        SimpleNamespace(scheduler=SimpleNamespace(_executor=executor), local_exec=False), logging.getLogger("test")
    )
    assert "a controller of SLURM that is away may hang the run" in caplog.text and vars(executor) == {}


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
