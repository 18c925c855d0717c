"""The claims of the paper, each with the computation that decides it. No verdict is typed by hand.

verdict.py defines claims and verdicts; theory.py, simulation.py and l0.py contain the claims.
"""
