"""The numbers that decide a claim and are ours, not the paper's; each is changed, to see which verdicts depend on it.

Most were fixed when the data were known. So `decide` takes every verdict again with each choice that its check asks
for set to two other values, as a rule half and twice the value.
"""

from contextlib import contextmanager
from typing import NamedTuple


class Choice(NamedTuple):
    """The value in use, two others, and what it is."""

    value: float
    others: tuple[float, float]
    what: str


CHOICES = {
    "symbol": Choice(0.02, (0.01, 0.04), "two curves agree to this, the size of a plotted point on an axis up to 1"),
    "matters": Choice(0.01, (0.005, 0.02), "limits N → ∞, BP - RS at N = 1000 and GDF - Stein are zero to this"),
    "resolution": Choice(0.01, (0.005, 0.02), "two standard errors of 'no difference' are at most this"),
    "noise": Choice(1e-3, (1e-4, 1e-2), "the probability that noise alone contradicts a true claim"),
    "complete": Choice(0.99, (0.98, 0.995), "a level counts if this fraction of its samples has a fixed point"),
    "large": Choice(0.5, (0.4, 0.6), "'large δ' begins here"),
    "some": Choice(0.1, (0.05, 0.2), "df of SCAD is compared with δ above this δ: below, they are the same to noise"),
    "sparse": Choice(0.05, (0.025, 0.1), "undamped BP for l0 is judged above this δ"),
    "steps": Choice(1.1, (1.05, 1.2), "a ratio of steps beyond this is an effect on convergence"),
    "nearer": Choice(1.0, (0.5, 2.0), "RS 'approximates' if off by less than this times what δ is off"),
}

_changed, _asked = [{}], [set()]


@contextmanager
def choosing(**changed):
    """Set choices to other values for a while; gives the set of names that are asked for meanwhile."""
    _changed.append(changed)
    _asked.append(set())
    try:
        yield _asked[-1]
    finally:
        _changed.pop()
        _asked.pop()


def chosen(name) -> float:
    """The value of a choice."""
    _asked[-1].add(name)
    return _changed[-1].get(name, CHOICES[name].value)
