"""One module per figure, each with draw(...) -> bundle.Drawing."""
