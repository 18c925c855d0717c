"""One BLAS thread during a call of the package, and the caller's number of threads before and after."""

import os
import subprocess
import sys
from textwrap import dedent
from time import perf_counter

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import sparsegdf
from sparsegdf.estimators.bootstrap import bootstrap_coefficients
from sparsegdf.solvers.direct import stationary_points
from sparsegdf.threads import one_blas_thread

RNG = np.random.default_rng(0)
A, y = RNG.normal(size=(20, 6)), RNG.normal(size=20)
L1, ETAS = sparsegdf.L1(), [1.0, 0.5]


def blas_threads():
    """The number of threads of each BLAS in this process: NumPy's and SciPy's."""
    found = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert found
    return set(found)


@pytest.fixture(autouse=True)
def caller_with_two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


class Watched:
    """A matrix that records the number of BLAS threads when it is read."""

    def __init__(self, error=None):
        self.seen, self.error = [], error

    shape, ndim = A.shape, 2

    def __array__(self, dtype=None, copy=None):
        self.seen.append(blas_threads())
        if self.error:
            raise self.error
        return A.astype(dtype or float)


def fit_noting(noted):
    def fit(mu):
        np.asarray(noted)
        return np.stack([mu, mu], axis=1)

    return fit


ENTRIES = {
    "select": lambda W: sparsegdf.select(W, y, L1),
    "stationary_path": lambda W: sparsegdf.stationary_path(W, y, L1, ETAS),
    "stationary_points": lambda W: stationary_points(W, y, L1, ETAS),
    "belief_propagation": lambda W: sparsegdf.belief_propagation(W, y, L1, ETAS),
    "best_subsets": lambda W: sparsegdf.best_subsets(W, y, 3),
    "swap_search": lambda W: sparsegdf.swap_search(W, y, 3, 2, 0),
    "linear_stability": lambda W: sparsegdf.linear_stability(W, np.zeros(6), np.zeros(6), np.ones(6)),
    "bootstrap_coefficients": lambda W: bootstrap_coefficients(fit_noting(W), np.eye(y.size), y, 4),
}
each_entry = pytest.mark.parametrize("call", ENTRIES.values(), ids=ENTRIES)


@each_entry
def test_one_thread_during_the_call_and_two_again_after(call):
    matrix = Watched()
    call(matrix)
    assert matrix.seen and all(seen == {1} for seen in matrix.seen)
    assert blas_threads() == {2}


@each_entry
def test_an_error_puts_the_threads_back_too(call):
    matrix = Watched(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        call(matrix)
    assert matrix.seen[0] == {1}
    assert blas_threads() == {2}


def test_the_estimator_of_scikit_learn_fits_on_one_thread():
    class Noting(sparsegdf.L1):
        seen = []  # noqa: RUF012  (of the class: scikit-learn compares the instances)

        def segments(self, Q_hat, eta):
            self.seen.append(blas_threads())
            return super().segments(Q_hat, eta)

    sparsegdf.SparseRegressor(penalty=Noting()).fit(A, y)
    assert Noting.seen and all(seen == {1} for seen in Noting.seen)
    assert blas_threads() == {2}


def run(code):
    """The output of `code` in a process that starts with two BLAS threads."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    done = subprocess.run(
        [sys.executable, "-c", f"{PREAMBLE}\n{dedent(code)}"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


PREAMBLE = """
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from threadpoolctl import threadpool_info
from sparsegdf.solvers.best_subset import best_subsets
from sparsegdf.threads import one_blas_thread

def threads():
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
"""


def test_python_threads_that_overlap_leave_the_old_number_behind():
    """In any order of leaving: a thread that saw one BLAS thread on entering must not restore that number."""
    out = run("""
        steps = [Barrier(2, timeout=30) for _ in range(3)]

        def first():
            with one_blas_thread:
                steps[0].wait()
                steps[1].wait()
            steps[2].wait()

        def second():
            steps[0].wait()
            with one_blas_thread:
                print(threads())
                steps[1].wait()
                steps[2].wait()
                with one_blas_thread:
                    print(threads())

        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(first), pool.submit(second)]:
                done.result()
            print(threads())
        with one_blas_thread:
            print(threads())
        print(threads())
    """)
    assert out == ["1", "1", "2", "1", "2"]


def test_a_call_inside_a_call_costs_microseconds():
    """threadpoolctl's own limits search the libraries of the process anew, which takes most of a millisecond."""
    with one_blas_thread:
        start = perf_counter()
        for _ in range(1000):
            with one_blas_thread:
                pass
        assert (perf_counter() - start) / 1000 < 5e-5


def test_the_blas_of_scipy_is_held_whoever_is_called_first():
    """NumPy and SciPy bring a BLAS each; best_subsets alone uses that of NumPy only."""
    out = run("""
        best_subsets(np.eye(2), np.ones(2), 1)
        import scipy.linalg
        print(threads())
        with one_blas_thread:
            print(threads())
    """)
    assert out == ["2", "1"]


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(UserWarning, match="A fits y exactly") as caught:
        sparsegdf.select(A, A[:, 0] * 2.0, L1)
    assert {warning.filename for warning in caught} == {__file__}
