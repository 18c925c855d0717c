"""One module per figure, each with draw(...) -> (matplotlib figure, the plotted numbers)."""
