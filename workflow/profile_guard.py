"""A misspelt --workflow-profile is an error here: Snakemake ignores it, and would run everything on the login node.

A misspelt --profile needs no help: Snakemake stops on it by itself, before it reads the Snakefile.
"""

import argparse
from pathlib import Path


class ProfileError(Exception):
    """The message says which profile is not there, and which are."""


def require_profile(arguments, basedir):
    """Raise ProfileError if the command line `arguments` name a workflow profile that Snakemake would not find."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--workflow-profile")
    name = parser.parse_known_args(arguments)[0].workflow_profile
    if name in (None, "none"):  # none: not even profiles/default
        return
    profiles = Path(basedir) / "profiles"
    # Where Snakemake looks.
    if not any(path.exists() for path in (Path(name), Path("profiles") / name, profiles / name)):
        there = ", ".join(f"profiles/{file.parent.name}" for file in sorted(profiles.glob("*/config.yaml")))
        raise ProfileError(
            f"There is no profile '{name}'. Snakemake would go on without it and run everything on this machine. "
            f"There are: {there}."
        )
