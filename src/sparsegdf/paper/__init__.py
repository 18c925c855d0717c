"""The reproduction of the paper: everything that only it needs."""
