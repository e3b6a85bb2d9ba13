"""The public names are a contract: listed once, importable, documented, and their examples run."""

import ast
import doctest
from pathlib import Path

import pytest

import lexprint

SOURCE = Path(lexprint.__file__).read_text(encoding="utf-8")


def test_names_are_sorted_and_unique() -> None:
    """The list reads like an index."""
    assert lexprint.__all__ == sorted(set(lexprint.__all__))


def test_type_checkers_see_the_same_names() -> None:
    """What is imported for type checkers is what is loaded on first use, from the same place."""
    block = next(node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == lexprint._LAZY
    assert set(seen) <= set(lexprint.__all__)


@pytest.mark.parametrize("name", lexprint.__all__)
def test_every_name_can_be_used(name: str) -> None:
    """Each name loads, from where it is defined, and says what it is."""
    value = getattr(lexprint, name)
    assert value.__module__ == lexprint._LAZY.get(name, value.__module__)
    assert value.__doc__
    assert name in dir(lexprint)


@pytest.mark.parametrize("name", lexprint.__all__)
def test_examples_run(name: str) -> None:
    """Examples in docstrings of public names are true; all but errors have one."""
    value = getattr(lexprint, name)
    if isinstance(value, type) and issubclass(value, Exception):
        return
    examples = [test for test in doctest.DocTestFinder(exclude_empty=True).find(value, name) if test.examples]
    assert examples, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    for example in examples:
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_unknown_names_are_refused() -> None:
    """A misspelt name fails like in any module."""
    with pytest.raises(AttributeError, match="no attribute 'watermrk'"):
        _ = lexprint.watermrk
