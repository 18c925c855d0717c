"""Mutation test of the library: it inserts small faults one at a time, and a test has to find each of them.

    python tests/mutants.py            200 mutants, drawn with a fixed seed (`make mutants`)
    python tests/mutants.py --only theory/roots.py --count 30

A mutant is one change in the syntax tree: an arithmetic operator, a comparison (negated), a constant, a boolean, a sign.
Docstrings, messages, annotations, decorators and the style of plots are not changed. Each mutant runs in a copy of
the tree with its own cache of compiled code, on the test files that TESTS names for its module, until the first
failure. One that takes far too long counts as killed. Each result is appended to .mutants/results.jsonl at once, so a
stopped run can be continued. A survivor is tried again when its tests have changed. equivalent_mutants.yaml lists the
mutants that change nothing a test could check, each with the reason.
"""

import argparse
import ast
import copy
import hashlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src/sparsegdf"
FOLDER = ROOT / ".mutants"
PARTS = ("src", "tests", "config", "reference", "pyproject.toml")

# The test files of each module, most effective first. A folder stands for all its modules that are not listed.
TESTS = {
    "checks.py": "checks select bp_stability subsets penalties",
    "registry.py": "penalties designs",
    "threads.py": "threads",
    "penalties": "penalties classic theory",
    "ensembles": "designs",
    "theory": "theory roots predictors spectra theory_random",
    "theory/s1_branch.py": "theory roots predictors spectra chain theory_random",
    "theory/one_step_rsb.py": "l0_rsb",
    "theory/prediction_error.py": "prediction_error",
    "theory/predictors.py": "predictors spectra chain",
    "theory/chain.py": "chain chain_minimum predictors",
    "theory/chain_minimum.py": "chain_minimum chain",
    "theory/chain_curve.py": "chain predictors",
    "theory/effective_fraction.py": "predictors chain cavity",
    "ensembles/limits.py": "spectra predictors designs chain",
    "solvers/belief_propagation.py": "bp solvers",
    "solvers/plain_bp.py": "bp",
    "solvers/fixed_points.py": "stationary bp",
    "solvers/direct.py": "stationary dof solvers",
    "solvers/settle.py": "stationary walk dof solvers",
    "solvers/walk.py": "walk stationary dof solvers",
    "solvers/cholesky.py": "cholesky stationary dof",
    "solvers/variances.py": "variances stationary",
    "solvers/stability.py": "bp_stability",
    "solvers/best_subset.py": "subsets",
    "estimators": "dof moments bootstrap",
    "estimators/cavity.py": "cavity",
    "progress.py": "select audit",
    "selection": "select select_weights criteria noise select_df",
    "selection/refine.py": "refine select criteria",
    "selection/tall.py": "tall select",
    "selection/select_command.py": "cli_select cli cli_data",
    "selection/penalty_options.py": "cli cli_select",
    "selection/weight_options.py": "cli_select cli_data select_weights",
    "selection/printing.py": "cli_select cli",
    "selection/audit.py": "audit",
    "selection/criteria.py": "criteria select",
    "selection/cross_validation.py": "noise criteria",
    "selection/command_line.py": "cli cli_select",
    "selection/data_files.py": "cli_data cli_select cli",
    "selection/plot.py": "plot cli_select",
    "selection/predicted.py": "plot cli",
    "selection/regressor.py": "regressor",
}
COSMETIC = {
    "linewidth",
    "alpha",
    "figsize",
    "zorder",
    "linestyle",
    "height_ratios",
    "dpi",
    "bbox_to_anchor",
    "indent",
    "strict",
}
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
COMPARISONS = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    module: str  # below src/sparsegdf
    line: int
    before: str  # the source lines that change, joined
    after: str
    text: str  # the module as a whole
    place: int = 1  # among changes that read the same

    @property
    def name(self):
        """The name of the mutant, which does not depend on line numbers."""
        return f"{self.module}: {self.before} -> {self.after}" + (f" #{self.place}" if self.place > 1 else "")

    def __str__(self):
        return f"{self.module}:{self.line}: {self.before}  ->  {self.after}"


def mutants_of(module):
    """Every mutant of one module, in the order of the source."""
    source, seen = (SOURCE / module).read_text(), Counter()
    for node in nodes(ast.parse(source)):
        for changed in changes(node):
            mutant = mutated(module, source, node, changed)
            seen[mutant.name] += 1
            yield replace(mutant, place=seen[mutant.name])


def nodes(tree):
    """The nodes that may be changed."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.keyword) and node.arg in COSMETIC:
            continue
        node = copy.copy(node)
        for part in ("annotation", "returns", "decorator_list"):
            if getattr(node, part, None):
                setattr(node, part, [] if part == "decorator_list" else None)
        yield node
        yield from nodes(node)


def changes(node):
    """The changed forms of one node."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) if type(op) in OPERATORS:
            yield with_(node, op=OPERATORS[type(op)]())
        case ast.Compare(ops=ops):
            for k, op in enumerate(ops):
                yield with_(node, ops=[*ops[:k], COMPARISONS[type(op)](), *ops[k + 1 :]])
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            # A slightly larger tolerance makes no difference, so it becomes a million times larger.
            yield ast.Constant(1.0 if value == 0 else value * 1e6 if value < 1e-5 else value * 2)


def with_(node, **parts):
    node = copy.copy(node)
    for name, value in parts.items():
        setattr(node, name, value)
    return node


def mutated(module, source, node, changed):
    """The mutant with `changed` in place of `node`. Line numbers stay the same up to the change."""
    lines = source.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1
    new = ast.unparse(changed)
    new = new if isinstance(node, ast.AugAssign) else f"({new})"
    old_lines = b"".join(lines[first : last + 1])
    new_lines = lines[first][: node.col_offset] + new.encode() + lines[last][node.end_col_offset :]
    text = b"".join([*lines[:first], new_lines, *lines[last + 1 :]]).decode()
    before, after = (" ".join(part.decode().split()) for part in (old_lines, new_lines))
    return Mutant(module, node.lineno, before, after, text)


def tests_of(module):
    names = TESTS.get(module) or TESTS[module.split("/")[0]]
    return [file for name in names.split() if (file := ROOT / f"tests/test_{name}.py").exists()]


def digest(*files):
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


class Copy:
    """A copy of the tree for one worker, with its own numba cache."""

    def __init__(self, folder, of=ROOT):
        self.folder, self.cache = folder, folder / "numba"
        for part in PARTS:
            shutil.rmtree(folder / part, ignore_errors=True)
            if (of / part).is_dir():
                shutil.copytree(of / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
            else:
                shutil.copy2(of / part, folder / part)
        if of is ROOT:
            for file in (folder / "src").rglob("*.py"):
                if b"njit" in file.read_bytes():
                    age = file.stat().st_mtime_ns
                    file.write_text(padded(file.read_text()))
                    os.utime(file, ns=(age, age))
        elif (of / "numba").exists():
            # Numba names its cache folder by the digest of the path of the source folder.
            for source in {file.parent for file in (folder / "src").rglob("*.py")}:
                old, new = (cache_of(tree / source.relative_to(folder)) for tree in (of, folder))
                if (of / "numba" / old).exists():
                    shutil.copytree(of / "numba" / old, self.cache / new, dirs_exist_ok=True)

    def run(self, tests, cache, limit=3600):
        """(passed, seconds, the test that failed). The limit is of CPU time; on a busy machine it takes longer to pass."""
        environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(cache),
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # they take half a second to import
        }  # fmt: skip
        files = [self.folder / "tests" / test.name for test in tests]
        options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
        limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', f"{limit:.0f}"]
        began = time.monotonic()
        process = subprocess.Popen(
            [*limited, sys.executable, "-m", "pytest", *options, *files],
            cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            text, _ = process.communicate(timeout=5 * limit)
            failed = [line.split(" ")[1] for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
            why = failed[0] if failed else text[-300:]
        except subprocess.TimeoutExpired:
            why = f"no end in {5 * limit:.0f} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            why = f"no end in {limit:.0f} s of CPU time"
        return process.returncode == 0, time.monotonic() - began, why

    def limits(self, tests):
        """The CPU seconds for the mutants of each module, from its test files on the unchanged code, which have to pass."""
        kept = FOLDER / "seconds.json"
        seconds = json.loads(kept.read_text()) if kept.exists() else {}
        source = digest(*sorted(SOURCE.rglob("*.py")))
        keys = {file: f"{source} {digest(file)}" for files in tests.values() for file in files}
        for file, key in keys.items():
            if key not in seconds:
                passed, seconds[key], why = self.run([file], self.cache)
                if not passed:
                    sys.exit(f"{file.name}: fails without a mutant: {why}")
                kept.write_text(json.dumps(seconds))
                print(f"{seconds[key]:4.0f} s  {file.name} without a mutant", flush=True)
        return {module: 60 + 3 * sum(seconds[keys[file]] for file in files) for module, files in tests.items()}

    def try_(self, mutant, tests, limit):
        """(killed, seconds, the test that failed)."""
        file = self.folder / "src/sparsegdf" / mutant.module
        original, times, cache = file.read_bytes(), file.stat(), self.cache
        stale = compiled_again(original.decode(), mutant.line)
        if stale:
            cache = self.folder / "numba-of-the-mutant"
            shutil.rmtree(cache, ignore_errors=True)
            patterns = [f"{file.stem}.{name}-*" for name in stale]
            patterns += [f"{other.stem}.*" for other in importers(file)]
            shutil.copytree(self.cache, cache, ignore=shutil.ignore_patterns(*patterns))
        try:
            file.write_text(padded(mutant.text, len(original)) if b"njit" in original else mutant.text)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            passed, seconds, why = self.run(tests, cache, limit)
        finally:
            file.write_bytes(original)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        return not passed, seconds, why


def padded(text, size=None):
    """The text, padded to this length with a comment at its end.

    Numba identifies compiled code by the size and the time of the source file. Both are kept the same for every
    mutant, so that only the functions of compiled_again are compiled again.
    """
    size = len(text.encode()) + 1000 if size is None else size
    return text + "#" * (size - len(text.encode()))


def compiled_again(source, line):
    """The compiled functions of a module that a change in this line affects: its own function and its callers.

    None of them if the line is plain Python, all if it is outside of functions.
    """
    parts = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    compiled = {node.name: node for node in parts if any("njit" in ast.unparse(d) for d in node.decorator_list)}
    own = {node.name for node in parts if node.lineno <= line <= node.end_lineno}
    if not own:
        return set(compiled)
    names = {name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for name, node in compiled.items()}
    reached = own & compiled.keys()
    while more := {name for name in compiled if names[name] & reached} - reached:
        reached |= more
    return reached


def importers(file):
    """The modules beside this one that import from it: their compiled functions may call those of this one."""
    own = f"from sparsegdf.{file.parent.name}.{file.stem} import"
    return [other for other in file.parent.glob("*.py") if own in other.read_text(encoding="utf-8")]


def cache_of(folder):
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="modules whose path below src/sparsegdf begins with this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    places = sorted(
        str(file.relative_to(SOURCE))
        for part in {key.split("/")[0] for key in TESTS}
        for file in ([SOURCE / part] if part.endswith(".py") else (SOURCE / part).glob("*.py"))
    )
    everything = [m for place in places if place.startswith(options.only) for m in mutants_of(place)]
    # Mutants are drawn by the digest of their name, so the choice does not depend on code elsewhere.
    drawn = sorted(everything, key=lambda m: hashlib.sha256(f"{options.seed} {m.name}".encode()).digest())
    drawn = drawn[: options.count]
    equivalent = {
        f"{module}: {entry['before']} -> {entry['after']}"
        for module, entries in (yaml.safe_load((ROOT / "tests/equivalent_mutants.yaml").read_text()) or {}).items()
        for entry in entries
    }
    for name in sorted(equivalent - {mutant.name for mutant in everything}):
        if name.startswith(options.only):
            print(f"equivalent_mutants.yaml has a mutant that is none any more: {name}")
    tried = [mutant for mutant in drawn if mutant.name not in equivalent]
    print(f"{len(everything)} mutants, {len(drawn)} drawn, {len(drawn) - len(tried)} of them known to be equivalent")

    FOLDER.mkdir(exist_ok=True)
    record = FOLDER / "results.jsonl"
    done = {}
    for line in record.read_text().splitlines() if record.exists() else []:
        result = json.loads(line)
        if result["source"] == digest(SOURCE / result["module"]):
            if result["killed"] or result["tests"] == digest(*tests_of(result["module"])):
                done[result["name"]] = result
    left = [mutant for mutant in tried if mutant.name not in done]
    if left:
        run_all(left, done, record, options.jobs)

    killed = [mutant for mutant in tried if done[mutant.name]["killed"]]
    survived = [mutant for mutant in tried if not done[mutant.name]["killed"]]
    for mutant in sorted(survived, key=str):
        print(f"SURVIVED {mutant}")
    print(f"{len(killed)} of {len(tried)} killed ({len(killed) / max(len(tried), 1):.1%}), {len(survived)} survived")


def run_all(left, done, record, jobs):
    """Try the remaining mutants in parallel, and write each result at once."""
    tests = {module: tests_of(module) for module in {mutant.module for mutant in left}}
    digests = {module: {"source": digest(SOURCE / module), "tests": digest(*tests[module])} for module in tests}
    idle, lock = queue.SimpleQueue(), threading.Lock()
    first = Copy(FOLDER / "0")
    limits = first.limits(tests)
    for tree in [first, *(Copy(FOLDER / str(k), of=first.folder) for k in range(1, jobs))]:
        idle.put(tree)
    with ThreadPoolExecutor(jobs) as pool:

        def one(mutant):
            tree = idle.get()
            killed, seconds, why = tree.try_(mutant, tests[mutant.module], limits[mutant.module])
            idle.put(tree)
            with lock, open(record, "a") as file:
                result = {
                    "name": mutant.name,
                    "module": mutant.module,
                    "killed": killed,
                    "by": why,
                    "seconds": seconds,
                }
                done[mutant.name] = result | digests[mutant.module]
                file.write(json.dumps(done[mutant.name]) + "\n")
                print(f"{'killed  ' if killed else 'SURVIVED'} {seconds:4.0f} s  {mutant}", flush=True)

        list(pool.map(one, sorted(left, key=lambda mutant: limits[mutant.module])))  # the quick ones first


if __name__ == "__main__":
    main()
