"""Where samples (A, y) come from: one file per design, and the ensemble that draws them."""
