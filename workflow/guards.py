"""Errors for command lines that Snakemake accepts but that would not do what was meant."""

import argparse
from difflib import get_close_matches
from pathlib import Path

import yaml
from snakemake.cli import get_argument_parser
from snakemake.utils import update_config

from sparsegdf.paper.config.messages import unknown


class GuardError(Exception):
    """The message says what is wrong with the command line, and what to do."""


def require_profile(arguments, basedir):
    """Raise GuardError if the command line `arguments` name a workflow profile that Snakemake would not find.

    Snakemake would ignore it and run everything on the login node. A misspelt --profile is an error of its own.
    """
    name = _option("--workflow-profile", arguments)
    if name in (None, "none"):  # none: not even profiles/default
        return
    profiles = Path(basedir) / "profiles"
    # Where Snakemake looks.
    if not any(path.exists() for path in (Path(name), Path("profiles") / name, profiles / name)):
        there = [f"profiles/{file.parent.name}" for file in sorted(profiles.glob("*/config.yaml"))]
        near = [f"Did you mean {path}? " for path in get_close_matches(f"profiles/{Path(name).name}", there, 1, 0.5)]
        raise GuardError(
            f"There is no profile '{name}'. Snakemake would ignore the option and run everything on this machine. "
            f"{''.join(near)}Known profiles: {', '.join(there)}."
        )


def require_targets(arguments, known, hidden):
    """Raise GuardError if the command line asks for a target that is no path and neither `known` nor `hidden`."""
    for target in get_argument_parser().parse_known_args(arguments)[0].targets:
        if "/" not in target and "." not in target and target not in known and target not in hidden:
            raise GuardError(f"'{target}': {unknown('target', target, known)}")


def require_triggers(arguments):
    """Raise GuardError if the command line leaves out one of the rerun triggers that stale results are found by.

    `code` is not among them: it looks at the age of a script. What a script does is in its params.
    """
    triggers = _option("--rerun-triggers", arguments, nargs="+")
    missing = {"mtime", "params", "input"} - set(triggers or ())
    if triggers and missing:
        raise GuardError(
            f"--rerun-triggers without {' and '.join(sorted(missing))}: stale results would pass as fresh. Leave the "
            "option out: profiles/default has the right ones."
        )


def require_work(arguments):
    """Raise GuardError if the command line lets old or unfinished files pass as fresh."""
    given = get_argument_parser().parse_known_args(arguments)[0]
    for name in ("touch", "ignore_incomplete"):
        if getattr(given, name):
            raise GuardError(
                f"--{name.replace('_', '-')}: stale results would pass as fresh. Leave the option out: a file that "
                "is touched and not changed reruns nothing, and what a killed run left is made again."
            )


def require_records(arguments, backend):
    """Raise GuardError if Snakemake would lose its record of a file, not write it, or write it to another place.

    `--drop-metadata` leaves the record of the file that was there before; a database (`backend`) knows no older file.
    """
    given = get_argument_parser().parse_known_args(arguments)[0]
    lost = [f"--{name.replace('_', '-')}" for name in ("cleanup_metadata", "drop_metadata") if getattr(given, name)]
    lost += [f"--persistence-backend {backend}"] * (backend != "file")
    if lost:
        raise GuardError(
            f"{lost[0]}: without its record of a file in .snakemake/metadata Snakemake cannot see a change of "
            "parameters, and stale results would pass as fresh. Leave the option out; to have a file made again, "
            "delete it."
        )


def over(config, file):
    """`config` laid over that of `file`. Snakemake does so with --configfile and --config, but not in a module."""
    base = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    if not isinstance(base, dict):
        return config
    update_config(base, config)
    return base


def require_own_run(config, file):
    """Raise GuardError if `config` differs from that of `file`, but has its `run`: it would overwrite its figures.

    What is laid over `file` has its `run` unless it sets one.
    """
    base = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    if not isinstance(base, dict) or config.get("run") != base.get("run"):
        return
    changed = _differences(config, base)
    if changed:
        run, more = base["run"], " and more" if len(changed) > 3 else ""
        raise GuardError(
            f"The configuration changes {', '.join(changed[:3])}{more}, but the run is still '{run}': its "
            f"results would overwrite those in results/{run} and {run}_figures. "
            f"Give it its own name, such as `run: mine`. To change the run '{run}' itself, edit {Path(file).name}."
        )


def require_unique_keys(files):
    """Raise GuardError if a block of one of these YAML files has a key twice: only the last one would count."""
    for file in files:
        try:
            todo, seen = [yaml.compose(Path(file).read_text(encoding="utf-8"))], set()
        except yaml.YAMLError:  # JSON with tabs, which Snakemake has read
            continue
        while todo:
            node = todo.pop()
            if id(node) in seen:  # an anchor stands for one block in many places
                continue
            seen.add(id(node))
            if isinstance(node, yaml.SequenceNode):
                todo += node.value
            elif isinstance(node, yaml.MappingNode):
                todo += [value for _, value in node.value]
                _require_each_once([key for key, _ in node.value], file)


def _require_each_once(keys, file):
    first = {}
    for key in keys:
        if isinstance(key, yaml.ScalarNode) and first.setdefault(key.value, key) is not key:
            line, before = (node.start_mark.line + 1 for node in (key, first[key.value]))
            raise GuardError(
                f"{file}, line {line}: the key '{key.value}' is already in line {before}. Only the last one would "
                "count: leave one of them."
            )


def _option(name, arguments, **how):
    """The value of one option of Snakemake on the command line, None without it."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(name, dest="value", **how)
    return parser.parse_known_args(arguments)[0].value


def _differences(config, base, path=""):
    """The keys, with dots, at which two nested dictionaries differ."""
    found = []
    for key in [*base, *(key for key in config if key not in base)]:
        mine, theirs = config.get(key), base.get(key)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found += _differences(mine, theirs, f"{path}{key}.")
        elif mine != theirs:
            found.append(f"{path}{key}")
    return found
