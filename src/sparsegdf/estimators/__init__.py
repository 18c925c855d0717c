"""Degrees of freedom from samples, with their errors."""
