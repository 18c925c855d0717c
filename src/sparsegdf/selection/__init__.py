"""One's own data: choose a model and know its degrees of freedom."""
