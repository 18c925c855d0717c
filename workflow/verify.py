"""`make verify`: the figures and tables of a finished run against reference/; fails if one has changed."""

import sys
from collections import Counter
from pathlib import Path

from sparsegdf.paper.verify import verify


def main(run="paper", reference="reference"):
    folder = Path(f"{run}_figures")
    if not folder.is_dir():
        sys.exit(f"{folder} does not exist: make the run first")
    if not any(Path(reference).glob("*.csv")):
        sys.exit(f"{reference}/ has no tables to compare with: restore it with git checkout {reference}")
    verdicts = verify(folder, reference, same_scale=run == "paper")
    for verdict in verdicts:
        print(f"{verdict.name:26} {verdict.word:13} {verdict.text}".rstrip())
        for note in verdict.notes:
            print(f"{'':26} {'':13} - {note}")
    print(", ".join(f"{count} {word}" for word, count in Counter(verdict.word for verdict in verdicts).items()))
    return any(verdict.failed for verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
