"""A progress bar on stderr for what takes long."""

from tqdm import tqdm

_PATIENCE = 5  # seconds without a bar


def with_bar(rows, what, total, progress):
    """Iterate over `rows` with a bar: at once, never, or with None after five seconds and on a terminal only."""
    if progress is None:
        return tqdm(rows, what, total, disable=None, delay=_PATIENCE)
    return tqdm(rows, what, total, disable=not progress)
