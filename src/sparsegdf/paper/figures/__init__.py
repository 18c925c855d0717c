"""One module per figure and table: base.py says what is in it."""
