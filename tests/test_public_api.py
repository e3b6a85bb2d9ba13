"""The public names are a contract: listed once, importable, documented, and their examples run."""

import ast
import doctest
from inspect import signature
from pathlib import Path

import pytest

import lexprint
from lexprint import workflows

PACKAGE = Path(lexprint.__file__).parent
SOURCE = Path(lexprint.__file__).read_text(encoding="utf-8")
MODULES_WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_names_are_sorted_and_unique() -> None:
    """The list reads like an index."""
    assert lexprint.__all__ == sorted(set(lexprint.__all__))


def test_type_checkers_see_the_same_names() -> None:
    """What is imported for type checkers is what is loaded on first use, from the same place."""
    block = next(node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == lexprint._LAZY
    assert set(seen) <= set(lexprint.__all__)


def test_workflows_are_loaded_when_they_are_used() -> None:
    """The same for the room of the verbs, so that tracing needs no models."""
    source = Path(workflows.__file__).read_text(encoding="utf-8")
    block = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {name: f"lexprint.workflows.{module}" for name, module in workflows._LAZY.items()}
    assert sorted(seen) == sorted(workflows.__all__)
    assert all(getattr(workflows, name) is not None for name in seen)


def test_library_and_client_have_the_same_verbs() -> None:
    """With the same parameters, but for what only one of them needs."""
    verbs = "issue trace analyse embed extract extract_bits recover restore capacity substitutes".split()
    only_here = {"trace": {"authority"}}
    for verb in verbs:
        here = signature(getattr(lexprint.Lexprint, verb)).parameters
        there = signature(getattr(lexprint.Client, verb)).parameters
        assert [name for name in here if name not in only_here.get(verb, ())] == list(there), verb


@pytest.mark.parametrize("name", lexprint.__all__)
def test_every_name_can_be_used(name: str) -> None:
    """Each name loads, from where it is defined, and says what it is."""
    value = getattr(lexprint, name)
    assert value.__module__ == lexprint._LAZY.get(name, value.__module__)
    assert value.__doc__
    assert name in dir(lexprint)


@pytest.mark.parametrize("name", lexprint.__all__)
def test_every_name_has_an_example(name: str) -> None:
    """Public names show how they are used; errors speak for themselves."""
    value = getattr(lexprint, name)
    is_error = isinstance(value, type) and issubclass(value, Exception)
    assert is_error or ">>> " in value.__doc__


@pytest.mark.parametrize("module", MODULES_WITH_EXAMPLES)
def test_examples_run(module: str) -> None:
    """Every example in a docstring is true."""
    results = doctest.testmod(pytest.importorskip(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 0
    assert results.failed == 0


def test_unknown_names_are_refused() -> None:
    """A misspelt name fails like in any module."""
    with pytest.raises(AttributeError, match="no attribute 'watermrk'"):
        _ = lexprint.watermrk
