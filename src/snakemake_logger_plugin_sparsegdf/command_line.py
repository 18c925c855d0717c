"""Errors for files of the command line that Snakemake itself would answer badly, or not at all.

Snakemake reads profiles and configuration files before any code of a workflow runs. It imports its plugins earlier.
"""

import argparse
import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml
from snakemake.cli import get_profile_dir
from snakemake.exceptions import CliException

MOST_ENTRIES, DEEPEST = 100_000, 50


def check(arguments):
    """Raise CliException if --profile or --configfile name what is not there, or what cannot be read in time."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile", action="append", default=[])
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    given = parser.parse_known_args(arguments)[0]
    for name in given.profile:
        if name != "none":
            _require_profile(name)
    for name in given.configfile:
        _require_file(name)
        _require_readable(name)


def _require_profile(name):
    """Snakemake would list the folders of profiles, but not the profiles."""
    if os.path.exists(name) or get_profile_dir(name):  # one without its config.yaml is answered well
        return
    there = sorted(file.parent.name for file in Path("profiles").glob("*/config.yaml"))
    near = get_close_matches(Path(name).name, there, 1, 0.5)
    hint = f"Did you mean profiles/{near[0]}? " if near else ""
    known = ", ".join(f"profiles/{folder}" for folder in there) or "none"
    raise CliException(f"there is no profile {name}. {hint}Known: {known}.")


def _require_file(name):
    """Snakemake would answer with a traceback."""
    if os.path.exists(name):
        return
    there = sorted({str(file) for folder in (Path(name).parent, Path("config")) for file in folder.glob("*.yaml")})
    near = get_close_matches(name, there, 1, 0.75) or get_close_matches(f"config/{name}.yaml", there, 1, 0.75)
    hint = f"Did you mean {near[0]}? " if near else "If it is a target, put -- before it. "
    raise CliException(f"there is no configuration {name}. {hint}Known: {', '.join(there) or 'none'}.")


def _require_readable(name):
    """Snakemake would follow anchors to 10^9 entries or without an end, and answer other faults with a traceback."""
    loader = getattr(yaml, "CFullLoader", yaml.FullLoader)
    try:
        text = Path(name).read_text(encoding="utf-8")
        if problem := _problem(yaml.parse(text, loader)):
            raise CliException(f"{name}: the configuration {problem}")
        yaml.load(text, loader)
    except yaml.YAMLError:  # Snakemake has a message for it, unless it is JSON with tabs
        return
    except (OSError, ValueError) as error:  # such as 2026-99-99
        raise CliException(f"{name} cannot be read: {error}") from None


def _problem(events):
    """What is wrong with the size of a YAML document, None if nothing is. It stops reading when it knows."""
    entries, blocks, anchors = 0, [], {}
    for event in events:
        height = 0
        if isinstance(event, yaml.CollectionStartEvent):
            blocks.append(_Block(event.anchor, entries))
        elif isinstance(event, yaml.CollectionEndEvent):
            block = blocks.pop()
            height = block.height + 1
            anchors[block.anchor] = entries - block.before, height
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in [block.anchor for block in blocks]:
                return f"has a block that contains itself (*{event.anchor} in line {event.start_mark.line + 1})"
            more, height = anchors.get(event.anchor, (0, 0))
            entries += more
        entries += isinstance(event, yaml.NodeEvent)
        if entries > MOST_ENTRIES:
            return f"has more than {MOST_ENTRIES} entries; do anchors (&, *) in its file repeat each other?"
        if blocks:
            blocks[-1].height = max(blocks[-1].height, height)
            if len(blocks) + blocks[-1].height > DEEPEST:
                return f"has blocks nested more than {DEEPEST} deep"
    return None


@dataclass
class _Block:
    """A list or mapping that is being read: the entries before it, and how many levels there are in it so far."""

    anchor: str | None
    before: int
    height: int = 0
