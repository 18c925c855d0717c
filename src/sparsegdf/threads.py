"""One BLAS thread during a call: the matrices here are small, and threads that wait for each other cost far more."""

from contextlib import ContextDecorator
from functools import cache
from threading import RLock, get_ident

import scipy.linalg  # noqa: F401  it has a BLAS of its own, to be loaded before _controller() looks for them
from threadpoolctl import ThreadpoolController


@cache
def _controller():
    """The BLAS libraries of this process. To find them takes milliseconds, to use them microseconds."""
    return ThreadpoolController().select(user_api="blas")


class _OneBlasThread(ContextDecorator):
    """The outermost call sets one BLAS thread and puts the old number back, also after an error; calls inside count.

    The number belongs to the process: of Python threads that call at the same time the first one sets it for all, and
    the others have the old number again once its call has ended.
    """

    def __init__(self):
        self._lock, self._owner, self._depth, self._limits = RLock(), None, 0, None

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            return  # another Python thread has set it
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
