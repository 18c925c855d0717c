"""Predictor matrices of the paper, and the one sample (A, y) that a name stands for.

A sample is a function of (root seed, design and its parameters, M, N, index) alone: any chunking of the indices,
any number of cores and every penalty see the same bytes.
"""

import hashlib
import json

import numpy as np

from sparsegdf.checks import require_number


def _unit_columns(A):
    return A / np.linalg.norm(A, axis=0)


def iid(M, N, rng):
    """Independent Gaussian entries of variance 1/M."""
    return rng.standard_normal((M, N)) / np.sqrt(M)


def ar1(M, N, c, rng):
    """Example 1: Gaussian columns with correlation c^|i-j| between columns i and j, normalised to unit length.

    A_i = c A_{i-1} + sqrt(1 - c^2) eps_i is that process, so no N x N covariance is ever factorised.
    """
    c = require_number("ar1 c", c, at_least=-1, at_most=1)
    if abs(c) == 1:
        raise ValueError(f"ar1 c = {c:g} is out of range (allowed: -1 < c < 1)")
    A = np.sqrt(1 - c**2) * rng.standard_normal((M, N))
    A[:, 0] /= np.sqrt(1 - c**2)  # the first column has no past, and variance 1 like the others
    for i in range(1, N):
        A[:, i] += c * A[:, i - 1]
    return _unit_columns(A)


def block(M, N, T, rng):
    """Example 2: three blocks of T columns Z_k + eps_i share one Gaussian vector Z_k each (correlation 1/2 within
    a block), the other N - 3T columns are independent; all are normalised to unit length.
    """
    if T != int(T) or not 1 <= T < (N - 1) / 3:
        raise ValueError(f"block T = {T!r} is out of range (allowed: an integer, 1 <= T < (N-1)/3 = {(N - 1) / 3:g})")
    T = int(T)
    Z = rng.standard_normal((M, 3))
    A = rng.standard_normal((M, N))
    A[:, : 3 * T] += np.repeat(Z, T, axis=1)
    return _unit_columns(A)


DESIGNS = {"iid": iid, "ar1": ar1, "block": block}


def sample_of(block, M, N, index, seed, *, mean, variance):
    """The sample (A, y) of a design block {kind, parameters}, as a configuration spells it."""
    parameters = {key: value for key, value in block.items() if key != "kind"}
    return sample(block["kind"], parameters, M, N, index, seed, mean=mean, variance=variance)


def sample(design, params, M, N, index, seed, mean=0.0, variance=1.0):
    """The sample (A, y) called `index`: A from DESIGNS[design](M, N, **params, rng=...), y_mu ~ N(mean, variance)."""
    if design not in DESIGNS:
        raise ValueError(f"design = {design!r} is not a design (allowed: {', '.join(DESIGNS)})")
    variance = require_number("variance", variance, at_least=0)
    # Numbers are spelled as floats, so that T = 125 and T = 125.0 name the same sample.
    name = [design, {key: float(value) for key, value in params.items()}, int(M), int(N), int(index)]
    digest = hashlib.sha256(json.dumps(name, sort_keys=True).encode()).digest()
    words = tuple(int(word) for word in np.frombuffer(digest, dtype="<u4"))
    rng = np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=words))
    A = DESIGNS[design](M, N, **params, rng=rng)
    return A, mean + np.sqrt(variance) * rng.standard_normal(M)
