"""Model selection on your own data, with the degrees of freedom of each model."""
