"""Limit BLAS to one thread during a call: the matrices here are small, and more threads would only slow it down."""

from contextlib import ContextDecorator
from functools import cache
from threading import RLock, get_ident

import scipy.linalg  # noqa: F401  it has its own BLAS, which must be loaded before _controller() is called
from threadpoolctl import ThreadpoolController


@cache
def _controller():
    """The BLAS libraries of this process. Cached, since finding them takes milliseconds."""
    return ThreadpoolController().select(user_api="blas")


class _OneBlasThread(ContextDecorator):
    """The outermost call sets one BLAS thread and restores the old number at its end, also after an error.

    Nested calls are only counted. The number of BLAS threads belongs to the process. If several Python threads call
    at the same time, the first one sets the number for all, and the old number is back for all when that call ends.
    """

    def __init__(self):
        self._lock, self._owner, self._depth, self._limits = RLock(), None, 0, None

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            return  # another Python thread has set the number
        if self._depth == 0:
            self._limits = _controller().limit(limits=1)
            self._limits.__enter__()
            self._owner = get_ident()
        self._depth += 1

    def __exit__(self, *_):
        if self._owner != get_ident():
            return
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
            self._limits.__exit__(None, None, None)
        self._lock.release()


one_blas_thread = _OneBlasThread()
