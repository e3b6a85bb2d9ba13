"""The tools of `lexprint mcp`; sole importer of mcp.

What asks here may have read a hostile document: so tools see one folder, overwrite nothing, and know no error bound to loosen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from lexprint import __version__
from lexprint.coding.keys import KEY_BEGINNING
from lexprint.errors import InputError, LexprintError
from lexprint.library import Lexprint
from lexprint.whole_files import write_whole

Answer: TypeAlias = dict[str, Any]
PRIVATE = 0o600  # of files that tools write: what they are made of may be private
INSTRUCTIONS = (
    "lexprint marks English texts by exchanging a few words, so that a leaked copy can be traced to its recipient."
)


def build_server(lexprint: Lexprint, folder: Path) -> MCPServer:
    """Every verb as a tool, on files of this folder."""
    server = _Server("lexprint", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    verbs = _Verbs(lexprint, folder)
    for verb, is_reading in (
        (verbs.substitutes, True),
        (verbs.capacity, True),
        (verbs.analyse, True),
        (verbs.embed, False),
        (verbs.extract, True),
        (verbs.recover, False),
        (verbs.issue, False),
        (verbs.trace, False),
    ):
        annotations = ToolAnnotations(read_only_hint=is_reading, destructive_hint=False, open_world_hint=False)
        server.add_tool(verbs.alone(verb), annotations=annotations)
    return server


class _Server(MCPServer):  # type: ignore[misc] # mcp may be absent where the check runs
    """Says what went wrong in one sentence, and not which values were wrong: they may be a document."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            return CallToolResult(content=[TextContent(type="text", text=_sentence(error))], is_error=True)


def _sentence(error: ToolError) -> str:
    cause = error.__cause__
    if isinstance(cause, LexprintError):
        return str(cause)
    if cause is None:
        return str(error)  # of an unknown tool
    if hasattr(cause, "errors"):
        wrong = sorted({".".join(map(str, one["loc"])) for one in cause.errors()})
        return f"the arguments are not as they should be: {', '.join(wrong)}; needed: what the schema of the tool says"
    return f"something went wrong inside lexprint ({type(cause).__name__})"


class _Verbs:
    """One at a time, for the models' cache is not made for two."""

    def __init__(self, lexprint: Lexprint, folder: Path) -> None:
        self._lexprint, self._folder = lexprint, folder
        self._lock = threading.Lock()

    def alone(self, verb: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(verb)
        def locked(*arguments: Any, **options: Any) -> Answer:
            with self._lock:
                return verb(*arguments, **options)

        return locked

    def substitutes(self, text: str, word: str, occurrence: int = 1) -> Answer:
        """Rank what may stand in for a word of a text, the best first."""
        found = self._lexprint.substitutes(text, word, occurrence=occurrence)
        return {"substitutes": [asdict(one) for one in found]}

    def capacity(self, file: str | None = None, text: str | None = None) -> Answer:
        """How many bits a document (a file, or a text) can carry without a registry."""
        return asdict(self._lexprint.capacity(self._given(file), text=text))

    def analyse(self, file: str | None = None, text: str | None = None) -> Answer:
        """At how many sites copies of a document (a file, or a text) may differ when they are issued."""
        return asdict(self._lexprint.analyse(self._given(file), text=text))

    def embed(
        self,
        file: str | None = None,
        text: str | None = None,
        payload: str | None = None,
        message: str | None = None,
        out: str | None = None,
    ) -> Answer:
        """Mark a document with a payload under the key, or with a message; a marked file is written to `out`, a new name."""
        target = self._target(file, out)
        marked = self._lexprint.embed(self._given(file), text=text, payload=payload, message=message)
        return self._changed(marked.content, marked.text, target) | {"record": marked.record}

    def extract(self, file: str | None = None, text: str | None = None) -> Answer:
        """Find the payload of a document (a file, or a text) with the key; null if there is none."""
        return asdict(self._lexprint.extract(self._given(file), text=text))

    def recover(self, file: str | None = None, text: str | None = None, out: str | None = None) -> Answer:
        """The most probable original of a marked document; that of a file is written to `out`, a new name."""
        target = self._target(file, out)
        found = self._lexprint.recover(self._given(file), text=text)
        return self._changed(found.content, found.text, target) | {"is_exact": found.is_exact}

    def issue(self, file: str, recipients: Sequence[str], out: str, name: str | None = None) -> Answer:
        """Write one copy of a document for each recipient to the folder `out`, and record them."""
        people = tuple(" ".join(one.split()) for one in recipients)
        if not all(people):
            raise InputError("a recipient has no name", needed="a name for each")
        issued = self._lexprint.issue(self._given(file), to=people, out=self._within(out), name=name)
        copies = [
            {"number": one.number, "recipient": one.recipient, "file": self._shown(one.path)} for one in issued.copies
        ]
        answer = {"document_id": issued.document_id, "name": issued.name, "sites": issued.sites, "copies": copies}
        return answer | {"warnings": list(issued.warnings)}

    def trace(self, file: str | None = None, text: str | None = None, report: str | None = None) -> Answer:
        """Find out which copy a leak was made from; `report` names a new .html or .json file for the report.

        It identifies the copy, not the person who leaked it.
        """
        target = None if report is None else self._new(report)
        if target is not None and target.suffix.lower() not in (".html", ".json"):
            raise InputError("the report is neither a page nor JSON", needed="a name that ends in .html or .json")
        found = self._lexprint.trace(self._given(file), text=text)
        if target is not None:
            found.save(target)
        named = [asdict(one) for one in found.named]
        return {"report_id": found.id, "verdict": found.verdict, "headline": found.headline, "named": named}

    def _given(self, file: str | None) -> Path | None:
        """Never the key, which lies beside the registry where they were made: it would be written out under another name."""
        if file is None:
            return None
        path = self._within(file)
        if path.is_file() and KEY_BEGINNING.encode() in path.read_bytes():
            raise InputError(f"{file} holds a key", needed="a document")
        return path

    def _target(self, file: str | None, out: str | None) -> Path | None:
        """A file for a file, a text for a text."""
        if (file is None) != (out is None):
            raise InputError("where the result goes is not clear", needed="out for a file, and none for a text")
        return None if out is None else self._new(out)

    def _changed(self, content: bytes, text: str | None, target: Path | None) -> Answer:
        if target is None:
            return {"text": text}
        write_whole(target, content, mode=PRIVATE)
        return {"file": self._shown(target)}

    def _new(self, name: str) -> Path:
        path = self._within(name)
        if path.exists():
            raise InputError(f"{name} exists already", needed="the name of a new file")
        if not path.parent.is_dir():
            raise InputError(f"{name} is in a folder that is not there", needed="one that is")
        return path

    def _within(self, name: str) -> Path:
        """Links are followed first: where they lead must be within the folder too."""
        try:
            path = (self._folder / name).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError("the name is no file name", needed="a file in the folder of lexprint mcp") from error
        if not path.is_relative_to(self._folder):
            raise InputError(f"{name} is outside the folder of these tools", needed="a file within it")
        return path

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()
