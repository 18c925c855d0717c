"""One module per figure and table; base.py describes what it contains."""
