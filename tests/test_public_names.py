"""Every public name says what it takes and what it gives."""

import inspect

import pytest

import sparsegdf

NAMES = [name for name in dir(sparsegdf) if name[0] != "_"]


def functions(thing):
    """The public functions of a name: itself, or the constructor, methods and properties that its class adds.

    A penalty or a design only fills in methods of its base class, which has the signatures and their description.
    """
    if not inspect.isclass(thing):
        return {thing.__name__: thing}
    bases = [base for base in thing.__mro__[1:] if base.__module__.startswith("sparsegdf")]
    inherited = {name for base in bases for name in vars(base)}
    own = {name: value for name, value in vars(thing).items() if name[0] != "_" and name not in inherited}
    own |= {"__init__": thing.__init__} if "__init__" in vars(thing) else {}
    unwrapped = {name: getattr(v, "__func__", getattr(v, "fget", getattr(v, "func", v))) for name, v in own.items()}
    return {name: value for name, value in unwrapped.items() if inspect.isfunction(value)}


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_and_result_has_a_type_and_every_function_a_docstring(name):
    thing = getattr(sparsegdf, name)
    assert inspect.getdoc(thing)
    for place, function in functions(thing).items():
        signature = inspect.signature(function)
        bare = [
            p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        assert not bare, f"{name}.{place}: {bare}"
        assert place == "__init__" or signature.return_annotation is not signature.empty, f"{name}.{place}"
        assert place == "__init__" or function.__doc__, f"{name}.{place}"


def described(thing, following):
    """The parameters in a docstring, and the text of the section that follows them."""
    text, _, after = inspect.getdoc(thing).partition(f"{following}\n{'-' * len(following)}\n")
    section = text.partition("Parameters\n----------\n")[2]
    heads = [line.split(" :")[0] for line in section.splitlines() if line[:1].strip()]
    return sorted(one.lstrip("*") for head in heads for one in head.split(", ")), after


def require_described(function):
    listed, result = described(function, "Returns")
    assert listed == sorted(inspect.signature(function).parameters.keys() - {"self"}), function
    assert result.strip(), function


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(sparsegdf, name))])
def test_every_parameter_of_a_function_is_in_its_docstring(name):
    require_described(getattr(sparsegdf, name))


@pytest.mark.parametrize("name", ["Selection", "SparseRegressor"])
def test_every_parameter_of_a_method_is_in_its_docstring(name):
    thing = getattr(sparsegdf, name)
    methods = [place for place in functions(thing) if place != "__init__" and inspect.isfunction(vars(thing)[place])]
    assert "predict" in methods
    for place in methods:
        require_described(vars(thing)[place])


def test_every_parameter_of_the_regressor_is_in_its_docstring():
    assert described(sparsegdf.SparseRegressor, "Attributes")[0] == sorted(
        inspect.signature(sparsegdf.SparseRegressor).parameters
    )
