"""The documentation site: every page has its place, and every link leads somewhere."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.test_docs import COMMANDS

from lexprint.cli.demo import MEMO, RECIPIENTS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
HOOKS = runpy.run_path(str(DOCS / "site_hooks.py"))
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "tables"]
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def entries(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from entries(entry)


def anchors(page: Path) -> set[str]:
    """Names of its headings, as the site and code hosts make them."""
    headings = HEADING.findall(page.read_text("utf-8"))
    return {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation_once() -> None:
    """And every entry is a page, or one that is written when the site is built."""
    listed = list(entries(SITE["nav"]))
    assert len(listed) == len(set(listed))
    written = {page.relative_to(DOCS).as_posix() for page in PAGES}
    assert set(listed) == written | set(HOOKS["GENERATED"])


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """To files that are there, and headings that they have."""
    for target, anchor in LINK.findall(page.read_text("utf-8")):
        found = page.parent / target if target else page
        if found.parent == DOCS and found.name in HOOKS["GENERATED"]:
            continue
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), f"{target}#{anchor}"


def test_tests_that_pages_name_are_there() -> None:
    """A link that is called like a test leads to the file that holds it."""
    for page in PAGES:
        for name, target in re.findall(r"\[(test_\w+)\]\(([^)\s]+)\)", page.read_text("utf-8")):
            assert f"def {name}(" in (page.parent / target).read_text("utf-8"), f"{page.name}: {name}"


def test_links_out_of_the_documentation_become_names() -> None:
    """The site does not hold tests; a file that is not there stays a link, which the build refuses."""
    named = HOOKS["without_links_outside"]
    assert named("see [this](../tests/test_site.py).", DOCS) == "see this."
    for kept in ("[this](../tests/none.py)", "[this](server.md)", "[this](../server.md#limits)"):
        assert named(kept, DOCS / "how-to" if "server" in kept else DOCS) == kept


def test_the_http_reference_has_every_route() -> None:
    """From the schema of the service itself, with a sentence for each."""
    schema = HOOKS["http_schema"]()
    page = HOOKS["http_reference"](schema)
    for path, methods in schema["paths"].items():
        for method in methods:
            assert f"## `{method.upper()} {path}`\n" in page
    assert page.count("\n## ") > 20


def test_commands_of_the_pages_exist() -> None:
    """With the options that tutorial and guides give them."""
    typed = [
        line.removeprefix("$ ").split()
        for page in (DOCS / "tutorial.md", *(DOCS / "how-to").glob("*.md"))
        for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line.removeprefix("$ ").startswith("lexprint ")
    ]
    assert len(typed) > 15
    for _, *words in typed:
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else tuple(words[:1])
        known = {name for parameter in COMMANDS[path].params for name in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, " ".join(words)


def test_the_tutorial_uses_the_memo_of_the_demo() -> None:
    """One text, so that what the tutorial prints is what a reader gets in the demo, too."""
    assert (DOCS / "examples" / "memo.txt").read_text("utf-8") == MEMO
    assert all(name in (DOCS / "tutorial.md").read_text("utf-8") for name in RECIPIENTS)
