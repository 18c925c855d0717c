"""The claims of the paper, each with the computation that decides it. No verdict is typed by hand.

outcomes.py says how a number decides, verdict.py what follows from it. The claims stand in one module for each
section of the paper, registry.py lists them, coverage.yaml goes through the paper line by line, and findings.py has
the few facts behind the verdicts. document.py makes claims.json.
"""
