"""How long a run will still take."""

import time
from statistics import mean


class TimeLeft:
    """The work that is left over the number of cores.

    `expected` has the seconds of each job by its number, None where they are not known. Once jobs have ended, what
    they took corrects what was expected of the rest, and stands for what is not known: of the same rule, else of any.
    """

    def __init__(self, expected, cores, clock=time.monotonic):
        self.expected, self.cores, self.clock = dict(expected), cores, clock
        self.running, self.rules, self.took = {}, {}, {}

    def begin(self, job, rule):
        if job in self.expected:  # the others are targets, which only stand for files
            self.running[job], self.rules[job] = self.clock(), rule

    def end(self, job):
        if job in self.running:
            self.took[job] = self.clock() - self.running.pop(job)

    def count(self):
        """How many of the jobs have ended, and how many there are."""
        return len(self.took.keys() & self.expected.keys()), len(self.expected)

    def seconds(self):
        """Seconds until the end, None while nothing is known of a job that is left."""
        known = [job for job in self.took if self.expected.get(job)]
        factor = sum(self.took[job] for job in known) / sum(self.expected[job] for job in known) if known else 1.0
        left = [job for job in self.expected if job not in self.took]
        work = [self._work(job, factor) for job in left]
        if None in work:
            return None
        now = self.clock()
        rest = [
            max(seconds - (now - self.running[job]), 0) if job in self.running else seconds
            for job, seconds in zip(left, work, strict=True)
        ]
        return max(sum(rest) / self.cores, max(rest, default=0))

    def _work(self, job, factor):
        if (seconds := self.expected[job]) is not None:
            return factor * seconds
        same = [took for other, took in self.took.items() if self.rules.get(other) == self.rules.get(job, "")]
        return mean(same or self.took.values()) if self.took else None


def in_words(seconds):
    """Such as 0.4 s, 34 s, 12 min, 3.2 h."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5970 else f"{seconds / 3600:.1f} h"
