"""The reproduction of the paper, and all code that only the reproduction needs."""
