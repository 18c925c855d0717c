"""The loop over samples that every experiment uses."""

import logging
import time

log = logging.getLogger(__name__)


def over_samples(ensemble, indices):
    """(index, A, y) for each of these samples of an ensemble; progress is logged."""
    started, total = time.monotonic(), len(indices)
    for done, index in enumerate(indices, start=1):
        yield index, *ensemble.sample(index)
        left = (time.monotonic() - started) / done * (total - done)
        log.info("sample %d (%d of %d), %.0f s left", index, done, total, left)
