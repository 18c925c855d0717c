"""Tables on disk: parquet for data, CSV / Markdown / LaTeX for readers. Written atomically, read with a check."""

import hashlib
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

DIGEST = b"sparsegdf.digest"


class DamagedTable(Exception):
    """A cached parquet file that cannot be read back as it was written."""


@contextmanager
def atomic(path):
    """A temporary path beside `path` that takes its place on success and disappears on any failure."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        with open(name, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_table(frame: pd.DataFrame, path):
    """Write a DataFrame as parquet with a digest of its content; the same frame always gives the same bytes."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**table.schema.metadata, DIGEST: _digest(table.to_pandas())})
    with atomic(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def read_table(path) -> pd.DataFrame:
    """Read what write_table wrote; a truncated or altered file raises DamagedTable with its path and the remedy."""
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        frame = table.to_pandas()
        # Page checksums miss what a changed footer says of the pages: types, lengths, names.
        if (table.schema.metadata or {}).get(DIGEST) != _digest(frame):
            raise pa.ArrowInvalid("its content is not what was written")
    except FileNotFoundError:
        raise
    except Exception as error:  # a changed footer can make the reader fail anywhere
        raise DamagedTable(
            f"{path} is damaged ({error}); to make it again give the same command with: --forcerun {path}"
        ) from error
    return frame


def _digest(frame):
    """SHA-256 of the names, types and values of a DataFrame."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return hashlib.sha256(repr(list(frame.dtypes.items())).encode() + rows.tobytes()).hexdigest().encode()


def read_tables(paths) -> pd.DataFrame:
    """Chunks of one table, one below the other."""
    return pd.concat([read_table(path) for path in paths], ignore_index=True)


def write_text(text, path):
    """Write a text file atomically."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_readable(frame: pd.DataFrame, stem, caption, columns=None, math=()):
    """A table for readers: <stem>.csv at full precision, <stem>.md and <stem>.tex (booktabs) as formatted.

    Columns of strings are taken as they are, floats are shown with four digits. The formatted ones have only
    `columns`; those in `math` hold LaTeX formulas.
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
    def line(cells, plain=()):
        return (
            " & ".join(cell if name in plain else _latex(cell) for name, cell in zip(shown, cells, strict=True))
            + r" \\"
        )

    lengths = shown.map(len).max()
    widths = [f"p{{{0.9 / shown.shape[1]:.2f}\\linewidth}}" if n > 30 else "l" for n in lengths]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(caption)}}}",
            r"\begin{tabular}{" + "".join(widths) + "}",
            r"\toprule",
            line(shown.columns),
            r"\midrule",
            *(line(row, math) for row in shown.values.tolist()),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


_LATEX = {c: "\\" + c for c in "_%&#${}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": "$<$", ">": "$>$", "|": "$|$", "≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "→": r"$\to$",
    "∞": r"$\infty$",
    "ℓ": r"$\ell$", "α": r"$\alpha$", "δ": r"$\delta$", "η": r"$\eta$", "λ": r"$\lambda$", "π": r"$\pi$",
    "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$", "χ": r"$\chi$", "ω": r"$\omega$", "Σ": r"$\Sigma$",
    "\u0302": r"\^{}", "₀": "$_0$", "₁": "$_1$", "₂": "$_2$", "₄": "$_4$", "²": "$^2$", "⁻": "$^-$", "¹": "$^1$",
    "½": r"$\frac12$",
}  # fmt: skip


def _latex(text):
    """Plain text, Greek letters and all, as LaTeX."""
    return "".join(_LATEX.get(character, character) for character in text)
