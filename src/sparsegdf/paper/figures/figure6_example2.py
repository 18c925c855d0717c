"""Figure 6: the same as figure 5, on the design of Example 2."""

from sparsegdf.paper.figures.figure5_example1 import Figure5


class Figure6(Figure5):
    """Fixed points on predictors in correlated blocks."""

    target = "paper_figures"
    shows = "the same on predictors with blocks of correlated columns (Example 2)"
    made_of = "1000 samples each, and the RS theory of the design"
