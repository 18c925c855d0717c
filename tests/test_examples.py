"""The examples of the public names run, and print what they say."""

import doctest
import inspect

import pytest

import sparsegdf

NAMES = [name for name in dir(sparsegdf) if name[0] != "_"]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_runs(name):
    thing = getattr(sparsegdf, name)
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {}, name, None, None)
    printed = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=printed.append)
    assert result.attempted >= 2, f"{name} has no example"
    assert not result.failed, "".join(printed)
    assert any(part.want for part in example.examples), f"the example of {name} shows nothing"
