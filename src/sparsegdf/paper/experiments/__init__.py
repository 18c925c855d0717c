"""The computations of the paper and our own, from samples to tables."""
