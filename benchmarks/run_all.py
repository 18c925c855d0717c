"""Every comparison in one go, on one thread: `make bench`. Writes RESULTS.md, its pictures and results.json.

python benchmarks/run_all.py [--quick] [--out FOLDER]
"""

import argparse
import json
import time
from pathlib import Path

import bench_accuracy
import bench_bp
import bench_compile
import bench_growth
import bench_path
import bench_peak
import bench_r
import bench_selection
import bench_subsets
import bench_theory

from sparsegdf.paper.figures.bundle import commit
from sparsegdf.paper.tables import write_text
from timing import machine, markdown, run

HERE = Path(__file__).resolve().parent
MODULES = (
    bench_bp,
    bench_path,
    bench_accuracy,
    bench_subsets,
    bench_selection,
    bench_r,
    bench_theory,
    bench_growth,
    bench_peak,
    bench_compile,
)


def plain(frame):
    """Rows for JSON, which has no NaN."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def picture(comparison):
    return f"{comparison.name}.svg"


def page(record, sections):
    """RESULTS.md."""
    here = record["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in here["versions"].items())
    intro = [
        "# Benchmarks",
        "",
        "Made by `make bench`; not edited by hand. "
        + ("**A smoke run at small sizes: its numbers mean nothing.** " if record["quick"] else "")
        + "One thread (checked), CPU time of the process, compilation left out; project and peers take turns in one "
        "run. ms is the median, min and max the extremes; ratio is their time over ours, so above 1 the project is "
        "faster. KKT is the largest violation of stationarity by what was returned.",
        "",
        f"{here['cpu']}, {here['system']}, load {here['load']} at the start; {', '.join(here['blas'])}; {versions}. "
        f"Commit {record['commit']}, {record['minutes']:.1f} minutes.",
    ]
    for comparison, frame in sections:
        intro += [
            "",
            f"## {comparison.title}",
            "",
            comparison.how,
            "",
            comparison.reading(frame),
            "",
            *([f"![{comparison.title}]({picture(comparison)})", ""] if comparison.draw else []),
            markdown(frame),
        ]
    return "\n".join(intro) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--out", type=Path, help="default: benchmarks/, with --quick results/bench_quick/")
    arguments = parser.parse_args()
    folder = arguments.out or (HERE.parent / "results/bench_quick" if arguments.quick else HERE)
    begin = time.monotonic()
    record = {"quick": arguments.quick, "commit": commit(), "machine": machine()}
    sections = []
    for comparison in (c for module in MODULES for c in module.COMPARISONS):
        print(f"{time.monotonic() - begin:5.0f} s  {comparison.title}", flush=True)
        frame = run(comparison, arguments.quick)
        sections.append((comparison, frame))
        print(f"         {comparison.reading(frame)}", flush=True)
    record["minutes"] = (time.monotonic() - begin) / 60
    tables = {
        comparison.name: {"reading": comparison.reading(frame), "rows": plain(frame)}
        for comparison, frame in sections
    }
    write_text(json.dumps(record | {"tables": tables}, indent=1, ensure_ascii=False) + "\n", folder / "results.json")
    for comparison, frame in sections:
        if comparison.draw:
            comparison.draw(frame, folder / picture(comparison))
    write_text(page(record, sections), folder / "RESULTS.md")
    print(f"{time.monotonic() - begin:5.0f} s  {folder / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
