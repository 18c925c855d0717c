"""Degrees of freedom estimated from samples, with standard errors."""
