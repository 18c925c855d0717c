"""Tables for readers: CSV at full precision, formatted Markdown and LaTeX."""

import pandas as pd

from sparsegdf.paper.tables import write_text


def write_readable(frame: pd.DataFrame, stem, caption, columns=None, math=()):
    """Write a table for readers: <stem>.csv at full precision, <stem>.md and <stem>.tex (booktabs) formatted.

    In the formatted files, strings are unchanged and floats have four digits. These files have only `columns`; the
    columns in `math` hold LaTeX formulas.
    """
    shown = frame[list(columns or frame.columns)]
    shown = shown.map(lambda value: f"{value:.4g}" if isinstance(value, float) else str(value))
    shown = shown.assign(**{name: [f"${cell}$" for cell in shown[name]] for name in math})
    write_text(frame.to_csv(index=False, lineterminator="\n"), f"{stem}.csv")
    write_text(_markdown(shown, caption), f"{stem}.md")
    write_text(_booktabs(shown, caption, math), f"{stem}.tex")


def _markdown(shown, caption):
    rows = [[cell.replace("|", r"\|") for cell in row] for row in [list(shown.columns), *shown.values.tolist()]]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([caption, "", lines[0], "|" + "---|" * shown.shape[1], *lines[1:]]) + "\n"


def _booktabs(shown, caption, math):
    lengths = shown.map(len).max()
    widths = [f"p{{{0.9 / shown.shape[1]:.2f}\\linewidth}}" if n > 30 else "l" for n in lengths]
    cells = shown.map(_latex).assign(**{name: shown[name] for name in math}).rename(columns=_latex)
    return cells.to_latex(index=False, caption=_latex(caption), column_format="".join(widths))


_LATEX = {c: "\\" + c for c in "_%&#${}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": "$<$", ">": "$>$", "|": "$|$", "≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "→": r"$\to$",
    "∞": r"$\infty$",
    "ℓ": r"$\ell$", "α": r"$\alpha$", "δ": r"$\delta$", "η": r"$\eta$", "λ": r"$\lambda$", "π": r"$\pi$",
    "θ": r"$\theta$", "κ": r"$\kappa$", "μ": r"$\mu$", "ν": r"$\nu$",
    "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$", "χ": r"$\chi$", "ω": r"$\omega$", "Σ": r"$\Sigma$",
    "\u0302": r"\^{}", "₀": "$_0$", "₁": "$_1$", "₂": "$_2$", "₃": "$_3$", "₄": "$_4$", "²": "$^2$",
    "⁴": "$^4$", "⁻": "$^-$", "¹": "$^1$", "½": r"$\frac12$",
}  # fmt: skip


def _latex(text):
    """Plain text as LaTeX, including Greek letters."""
    return "".join(_LATEX.get(character, character) for character in text)
