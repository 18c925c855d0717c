"""Tables on disk: parquet files that record what they hold. Every file is written atomically."""

import hashlib
import json
import os
import secrets
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

DIGEST, IDENTITY = b"sparsegdf.digest", b"sparsegdf.identity"

_checks = []


class DamagedTable(Exception):
    """A cached parquet file that has changed since it was written, or that is not the table of its name."""


def before_each_file(check):
    """Call check() before any file of this process gets its final name; if it raises, the file is not written."""
    _checks.append(check)


@contextmanager
def atomic(path):
    """A temporary path in the folder of `path`. It replaces `path` on success and is deleted on any failure."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    name = path.with_name(f".{path.name}.{secrets.token_hex(4)}{path.suffix}")
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # the umask applies, unlike with tempfile
    try:
        yield name
        with open(name, "rb+") as file:
            os.fsync(file.fileno())
        for check in _checks:
            check()
        os.replace(name, path)
    except BaseException:
        name.unlink(missing_ok=True)
        raise


def write_table(frame: pd.DataFrame, path, made_with=None):
    """Write a DataFrame as parquet with its identity and a digest of both; the same input gives the same bytes.

    The identity is the table's name (its path from the folder `results` on; outside of it, only the file name) and
    the parameters `made_with`, a dictionary of builtins.
    """
    identity = _canonical({"name": _name(path), "made_with": made_with})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    own = {IDENTITY: identity, DIGEST: _digest(identity, table.to_pandas())}
    table = table.replace_schema_metadata({**table.schema.metadata, **own})
    with atomic(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def read_table(path, made_with=None) -> pd.DataFrame:
    """Read a table that write_table wrote.

    Raises DamagedTable, with the path and what to do, for a truncated or altered file, for one that was written under
    another name, and for one whose parameters are not `made_with` (if given).
    """
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        frame, metadata = table.to_pandas(), table.schema.metadata or {}
        # Page checksums do not cover the footer with the types, lengths and names.
        if metadata.get(DIGEST) != _digest(metadata.get(IDENTITY, b""), frame):
            raise pa.ArrowInvalid("its content is not what was written")
    except FileNotFoundError:
        raise
    except Exception as error:  # a changed footer can make the reader fail anywhere
        raise DamagedTable(f"{path} is damaged ({error}); {_remedy(path)}") from error
    identity = json.loads(metadata[IDENTITY])
    if identity["name"] != _name(path):
        raise DamagedTable(f"{path} is a copy of {identity['name']}; {_remedy(path)}")
    if made_with is not None and _canonical(made_with) != _canonical(identity["made_with"]):
        raise DamagedTable(
            f"{path} was made with other parameters ({_difference(identity['made_with'] or {}, made_with)}); "
            + _remedy(path)
        )
    return frame


def recorded_digest(path) -> str:
    """The SHA-256 of name, parameters and numbers that a table records of itself."""
    return pq.read_schema(path).metadata[DIGEST].decode()


def _remedy(path):
    return f"delete {path} and run the same command again"


def _name(path):
    parts = Path(path).parts
    start = max((place for place, part in enumerate(parts) if part == "results"), default=len(parts) - 1)
    return "/".join(parts[start:])


def _canonical(identity):
    return json.dumps(identity, sort_keys=True).encode()


def _difference(found, wanted):
    """The entries in which two dictionaries differ, as text."""
    names = [name for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)]
    nested = [name for name in names if isinstance(found.get(name), dict) and isinstance(wanted.get(name), dict)]
    words = [_difference(found[name], wanted[name]) for name in nested]
    return "; ".join(words + [f"{n} = {found.get(n)!r}, wanted {wanted.get(n)!r}" for n in names if n not in nested])


def _digest(identity, frame):
    """SHA-256 of the identity and of the names, types and values of a DataFrame."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    content = identity + repr(list(frame.dtypes.items())).encode() + rows.tobytes()
    return hashlib.sha256(content).hexdigest().encode()


def write_text(text, path):
    """Write a text file atomically."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
