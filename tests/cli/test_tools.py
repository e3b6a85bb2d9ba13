"""`lexprint mcp`: tools over standard input and output, asked by a client of the protocol's own package."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from tests.cli.conftest import Run

from lexprint.cli import tools
from lexprint.coding.keys import create_key_file
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text

ROOT = Path(__file__).parent.parent.parent
MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"
TOOLS = {"substitutes", "capacity", "analyse", "embed", "extract", "recover", "issue", "trace"}

Ask = Callable[..., Awaitable[tuple[bool, Any]]]


def session(folder: Path, story: Callable[[Client, Ask], Awaitable[None]]) -> None:
    """A real one: the command as a child, spoken to over its pipes."""
    path = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    child = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.cli.killable", "never", "mcp", "--folder", "desk"],
        env={"PYTHONPATH": path, "LEXPRINT_SUBSTITUTION_PROPOSALS": "8"},
        cwd=folder,
    )

    async def main() -> None:
        async with Client(child) as client:

            async def ask(tool: str, **arguments: Any) -> tuple[bool, Any]:
                answer = await client.call_tool(tool, arguments)
                said = answer.content[0].text  # text is all there is
                return bool(answer.is_error), said if answer.is_error else json.loads(said)

            await story(client, ask)

    anyio.run(main)


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """A key and a secret beside the folder that tools see."""
    create_key_file(tmp_path / "lexprint.key")
    (tmp_path / "secret.txt").write_text(MEMO)
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "memo.txt").write_text(MEMO)
    (tmp_path / "desk" / "link.txt").symlink_to(tmp_path / "secret.txt")
    return tmp_path


def test_from_document_to_verdict(office: Path) -> None:
    """Every verb is there and answers; a copy that was issued is traced, and its report written."""

    async def story(client: Client, ask: Ask) -> None:
        offered = (await client.list_tools()).tools
        assert {one.name for one in offered} == TOOLS
        assert all(one.description for one in offered)
        failed, room = await ask("analyse", file="memo.txt")
        assert not failed, room
        assert room["sites"] > 10
        failed, issued = await ask("issue", file="memo.txt", recipients=["Ada", "Bo"], out="copies")
        assert not failed, issued
        assert [one["recipient"] for one in issued["copies"]] == ["Ada", "Bo"]
        failed, found = await ask("trace", file=issued["copies"][1]["file"], report="report.html")
        assert not failed, found
        assert [one["recipient"] for one in found["named"]] == ["Bo"]
        assert "copy 2" in found["headline"]
        failed, marked = await ask("embed", text=MEMO, message="A")
        assert not failed, marked
        assert marked["text"] != MEMO
        failed, original = await ask("recover", file="memo.txt", out="original.txt")
        assert (failed, original["file"]) == (False, "original.txt")
        assert not (await ask("capacity", text=MEMO))[0]
        assert not (await ask("extract", text=MEMO))[0]
        failed, ranked = await ask("substitutes", text=MEMO, word=marked["record"]["sites"][0]["word"])
        assert not failed, ranked
        assert ranked["substitutes"]

    session(office, story)
    assert "copy 2" in (office / "desk" / "report.html").read_text()
    with open_registry(str(office / "lexprint.db")) as registry:
        assert [one.issued for one in registry.documents()] == [2]


def test_failures_are_one_sentence(office: Path) -> None:
    """What is missing, outside, there already or misunderstood; the session goes on, and nothing was written."""

    async def story(client: Client, ask: Ask) -> None:
        for tool, arguments, words in (
            ("capacity", {}, "the document is not clear"),
            ("capacity", {"file": "none.txt"}, "none.txt"),
            ("capacity", {"file": "../secret.txt"}, "outside the folder"),
            ("capacity", {"file": str(office / "secret.txt")}, "outside the folder"),
            ("capacity", {"file": "link.txt"}, "outside the folder"),
            ("capacity", {"file": "a\0b"}, "no file name"),
            ("trace", {"file": "memo.txt", "report": "../report.html"}, "outside the folder"),
            ("trace", {"file": "memo.txt", "report": "memo.txt"}, "exists already"),
            ("trace", {"file": "memo.txt", "report": "none/report.html"}, "not there"),
            ("issue", {"file": "memo.txt", "recipients": ["Ada"], "out": "../copies"}, "outside the folder"),
            ("issue", {"file": "memo.txt", "recipients": [" "], "out": "copies"}, "no name"),
            ("issue", {"file": "memo.txt", "recipients": "Ada", "out": "copies"}, "recipients"),
            ("issue", {"file": "memo.txt", "out": "copies"}, "recipients"),
            ("embed", {"file": "memo.txt", "message": "A"}, "where the result goes"),
            ("embed", {"text": "Too short.", "message": "A"}, "bits"),
            ("substitutes", {"text": "A word.", "word": "secret-word", "occurrence": "x"}, "occurrence"),
            ("nothing", {}, "nothing"),
        ):
            failed, said = await ask(tool, **arguments)
            assert failed, (tool, arguments)
            assert words in said, (tool, said)
            assert "\n" not in said, said
            assert "Traceback" not in said
        assert not (await ask("capacity", file="memo.txt"))[0]

    session(office, story)
    assert sorted(path.name for path in (office / "desk").iterdir()) == ["link.txt", "memo.txt"]


def test_without_the_extra_it_says_what_to_install(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a folder that is not there is named."""

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name="mcp")

    assert run("mcp", "--folder", tmp_path / "none").is_refusal(2, "is no folder")
    monkeypatch.setattr(tools, "import_module", missing)
    assert run("mcp", "--folder", tmp_path).is_refusal(3, "pip install 'lexprint[mcp]'")
