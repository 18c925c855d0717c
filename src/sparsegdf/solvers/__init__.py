"""Fixed points of one (A, y): belief propagation, the direct solver, best subsets."""
