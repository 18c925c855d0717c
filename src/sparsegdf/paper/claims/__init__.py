"""What the paper claims, each statement with the computation that decides it. No verdict is typed by hand.

verdict.py says what a claim and a verdict are; theory.py, simulation.py and l0.py are the claims.
"""
