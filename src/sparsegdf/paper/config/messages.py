"""Error messages for a configuration: the key, its value, what is allowed, and the nearest known name."""

from difflib import get_close_matches
from reprlib import Repr
from typing import get_args

_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 80, 80


def shown(value):
    """repr(value), cut short in the middle."""
    return _SHORT.repr(value)


def unknown(what, name, known):
    """'unknown <what> ...', with the nearest known name first."""
    near = get_close_matches(shown(name).strip("'"), [str(k) for k in known], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown {what}; {hint}(known: {', '.join(map(str, known))})"


def describe(problem, model):
    """One line for a problem that pydantic found in `model`: key, value, what is allowed or the nearest known key."""
    path = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = _keys_at(problem["loc"][:-1], model)
        return f"{path} = {shown(problem['input'])}: " + unknown("key", problem["loc"][-1], known)
    if problem["type"] == "missing":
        return f"{path} is missing"
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "value_error":  # raised by our own checks, which already name the value
        return f"{path}: {message}" if path else message
    return f"{path} = {shown(problem['input'])}: {message[0].lower() + message[1:]}"


def _keys_at(loc, model):
    """The keys that the model knows at this place."""
    place = model
    for part in loc:
        fields_here = getattr(place, "model_fields", None)
        if fields_here and part in fields_here:
            place = fields_here[part].annotation
        else:  # the entries of a list or a dict
            place = get_args(place)[-1]
    return list(place.model_fields)
