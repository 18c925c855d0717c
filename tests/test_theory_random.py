"""The RS saddle point on random problems, against closed forms of the averages and the iterated equations."""

import numpy as np
import pytest
from closed_forms import closed_forms

from sparsegdf import L0, L1, MCP, SCAD, ElasticNet, solve_rs
from sparsegdf.theory.single_body import Averages


def random_problem(rng):
    """A penalty with random parameters, alpha in 0.1 .. 3, eta over five decades, mean and variance."""

    def log_uniform(low, high):
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    penalty = [
        L1(),
        ElasticNet(eta2=log_uniform(1e-3, 3)),
        L0(),
        SCAD(a=1 + log_uniform(0.1, 20), lam=log_uniform(0.05, 5)),
        MCP(a=log_uniform(0.1, 20), lam=log_uniform(0.05, 5)),
    ][rng.integers(5)]
    problem = {"alpha": log_uniform(0.1, 3), "mean": float(rng.normal()), "variance": log_uniform(0.1, 10)}
    return penalty, problem, log_uniform(1e-3, 1e2)


def test_random_problems():
    """The equations at the given eta, agreement by delta, continuity in eta, on 2400 problems."""
    rng, branches, second, checked, jumps = np.random.default_rng(0), [], 0, 0, 0
    for _ in range(2400):
        penalty, problem, eta = random_problem(rng)
        alpha, s2 = problem["alpha"], problem["variance"] + problem["mean"] ** 2
        s = solve_rs(penalty, eta=eta, **problem)
        text = f"{penalty} {problem} eta = {eta}: {s}"
        branches.append(s.branch)
        assert s.converged and s.residual <= 1e-10 and s.eta == eta, text
        if s.branch != "S1":
            assert s.df == 1, text
            continue
        means = closed_forms(penalty, s.Q_hat, eta, s.chi_hat)
        if means is not None:
            checked += 1
            response, square = means
            assert abs(response / alpha - s.chi) <= 1e-10 * max(s.chi, 1), text
            assert abs((s2 + square / alpha) / (1 + s.chi) ** 2 / s.chi_hat - 1) <= 1e-10, text
        if 1e-200 < s.delta < 0.999 * min(1, 1 / alpha):
            by_delta = solve_rs(penalty, delta=s.delta, **problem)
            if abs(by_delta.eta / eta - 1) > 1e-6:
                by_delta = solve_rs(penalty, delta=s.delta, beyond_turning=True, **problem)
                second += 1
            assert (by_delta.eta, by_delta.df, by_delta.Q) == pytest.approx((s.eta, s.df, s.Q), rel=1e-5), text
        near = solve_rs(penalty, eta=eta * (1 - 1e-7), **problem)
        if abs(near.df - s.df) > 1e-4:
            jumps += 1
            assert at_a_fold(penalty, s, s2, alpha), text
    assert branches.count("S1") > 1500 and len(set(branches)) == 3 and checked > 1400 and second > 0 and jumps < 5


def at_a_fold(penalty, s, s2, alpha):
    """Whether S1 turns in eta at this point: its two equations at fixed eta are nearly dependent there."""

    def equations(v, Q_hat):
        got = Averages(penalty.segments(np.array([Q_hat]), np.array([s.eta])), np.array([v * Q_hat**2]))
        return np.array([v - s2 - got.square[0] / alpha, 1 - Q_hat - Q_hat * got.response[0] / alpha])

    v, step = s.Q + s2, 1e-6
    there = equations(v, s.Q_hat)
    slopes = np.array([equations(v * (1 + step), s.Q_hat) - there, equations(v, s.Q_hat * (1 + step)) - there]) / step
    return abs(np.linalg.det(slopes)) < 0.02 * np.prod(np.linalg.norm(slopes, axis=1))


def test_s1_is_where_the_iterated_equations_lead():
    """Damped iteration from the empty model: if it converges, it is at this point; for S2 and S3 it diverges."""
    rng, outcomes = np.random.default_rng(9), []
    for _ in range(60):
        penalty, problem, eta = random_problem(rng)
        alpha, s2 = problem["alpha"], problem["variance"] + problem["mean"] ** 2
        found, Q, chi = solve_rs(penalty, eta=eta, **problem), 0.0, 0.0
        for _ in range(4000):
            Q_hat = 1 / (1 + chi)
            got = Averages(penalty.segments(np.array([Q_hat]), np.array([eta])), np.array([(Q + s2) * Q_hat**2]))
            move = np.array([got.square[0] / alpha - Q, got.response[0] / alpha - chi])
            Q, chi = Q + 0.3 * move[0], chi + 0.3 * move[1]
            if max(Q / s2, chi) > 1e6 or (np.abs(move) < 1e-9 * np.array([s2 + Q, 1 + chi])).all():
                break
        away = max(Q / s2, chi) > 1e6
        outcomes.append((found.branch, away))
        if found.branch == "S1" and not away:
            assert (found.Q, found.chi) == pytest.approx((Q, chi), rel=1e-4, abs=1e-8), f"{penalty} {problem} {eta}"
        else:
            # S1 beyond the AT line repels the iteration.
            assert away and (found.branch != "S1" or found.at > 1), f"{penalty} {problem} eta = {eta}"
    assert outcomes.count(("S1", False)) > 30 and len({branch for branch, away in outcomes if away}) > 1
