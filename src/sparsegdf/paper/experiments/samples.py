"""The one loop over samples, whatever is measured on them."""

import logging
import time

log = logging.getLogger(__name__)


def over_samples(ensemble, indices):
    """(index, A, y) for each of these samples of an ensemble; the log says how far it is."""
    started, total = time.monotonic(), len(indices)
    for done, index in enumerate(indices, start=1):
        yield index, *ensemble.sample(index)
        left = (time.monotonic() - started) / done * (total - done)
        log.info("sample %d (%d of %d), %.0f s left", index, done, total, left)
