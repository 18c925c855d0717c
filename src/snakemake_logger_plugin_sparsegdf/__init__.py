"""What a run shows on a terminal: a line for each job that has ended, and a bar with the time left.

Snakemake finds this plugin by its name (`logger: sparsegdf` in profiles/default). Elsewhere than on a terminal, in a
dry run and with --verbose, Snakemake's own output is left as it is. Every detail is in .snakemake/log, in any case.
"""

import logging
import os
import sys
import time
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

from snakemake_logger_plugin_sparsegdf import command_line
from snakemake_logger_plugin_sparsegdf.time_left import TimeLeft, in_words

BAR = "{percentage:3.0f}% |{bar}| {n_fmt} of {total_fmt} jobs{postfix}"
# Of Snakemake's own messages that are neither events nor warnings.
SHOWN = ("Building DAG", "Nothing to be done", "Complete log", "Report created", "Unlocking", "Congratulations")


class LogHandler(LogHandlerBase):
    """Records reach it one by one, in a thread of Snakemake's, after the filter for --quiet."""

    def __post_init__(self):
        settings = self.common_settings
        detailed = settings.dryrun or settings.verbose or settings.debug_dag
        self.on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not detailed
        self.jobs, self.bar, self.left = {}, None, None

    def emit(self, record):
        if not self.on_terminal:
            return
        try:
            self._show(record)
        except Exception:
            self.handleError(record)

    def _show(self, record):
        event = getattr(record, "event", None)
        if hasattr(record, "expected"):  # what workflow/overview.py says when a run starts
            self.left = TimeLeft(record.expected, record.cores)
        if event == LogEvent.JOB_INFO:
            if record.output:  # a target only stands for the files of others
                self.jobs[record.jobid] = (_name(record), time.monotonic())
            if self.left:
                self.left.begin(record.jobid, record.rule_name)
        elif event == LogEvent.JOB_FINISHED:
            self._finished(record.job_id)
        elif event == LogEvent.PROGRESS:
            self._progress(*(self.left.count() if self.left else (record.done, record.total)))
        elif event == LogEvent.JOB_ERROR or record.levelno >= logging.WARNING or hasattr(record, "shown"):
            self._line(self.format(record))
            if hasattr(record, "expected"):
                self._progress(*self.left.count())
        elif event is None and str(record.msg).startswith(SHOWN):
            self._line(record.msg)

    def _finished(self, job):
        name, began = self.jobs.pop(job, (None, None))
        if name:
            self._line(f"{time.strftime('%H:%M:%S')}  {name}  ({in_words(time.monotonic() - began)})")
        if self.left:
            self.left.end(job)

    def _progress(self, done, total):
        if self.bar is None:
            self.bar = tqdm(total=total, bar_format=BAR, dynamic_ncols=True, leave=False, file=sys.stderr)
        self.bar.n = done
        seconds = self.left.seconds() if self.left else None
        self.bar.set_postfix_str(f"about {in_words(seconds)} left" if seconds else "", refresh=False)
        self.bar.refresh()
        if done == total:
            self.close_bar()

    def _line(self, text):
        tqdm.write(str(text), file=sys.stderr)

    def close_bar(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def close(self):
        self.close_bar()
        super().close()

    @property
    def writes_to_stream(self):
        return self.on_terminal

    writes_to_file = has_filter = has_formatter = needs_rulegraph = False


def _name(record):
    """A job in a few words: its rule and its wildcards; the rule `figure` goes without saying for figure2_gdf."""
    words = [str(value) for value in dict(record.wildcards or {}).values()]
    return " ".join(words if words and words[0].startswith(record.rule_name) else [record.rule_name, *words])


# Snakemake imports its plugins before it reads profiles and configuration files: nothing of ours comes earlier.
if "snakemake" in Path(sys.argv[0]).parts[-2:]:  # bin/snakemake, or snakemake/__main__.py
    command_line.check(sys.argv[1:])
