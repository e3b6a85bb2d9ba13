"""What the site needs beyond the pages: the HTTP reference, and links that lead out of the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
GENERATED = ("http.md",)  # pages that no file holds
_LINK = re.compile(r"\[([^]]*)\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")
_TITLES = {"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are written anew each time."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "http.md", content=http_reference(http_schema())))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Files of the repository are named, not linked: the site does not hold them."""
    return without_links_outside(markdown, (HERE / page.file.src_uri).parent)


def without_links_outside(markdown: str, folder: Path) -> str:
    """What a link to a file outside of this folder is called, if the file is there; else the link, which is then reported."""

    def named(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        return link[1] if target.exists() and HERE not in target.parents else link[0]

    return _LINK.sub(named, markdown)


def http_schema() -> dict[str, Any]:
    """What the service says of itself at /v1/openapi.json."""
    from lexprint.engine import Engine
    from lexprint.registry.protocol import open_registry
    from lexprint.server.app import create_app

    with TemporaryDirectory() as folder, open_registry(str(Path(folder) / "lexprint.db")) as registry:
        schema: dict[str, Any] = create_app(Engine(), registry).openapi()
    return schema


def http_reference(schema: dict[str, Any]) -> str:
    """Every route with its parameters, what it is sent and what it answers."""
    lines = [
        "# HTTP",
        "",
        "The routes of `lexprint serve`, from its own schema (`/v1/openapi.json`). [The service](server.md#the-http-interface)",
        "says how they belong together, how to sign in, and what errors look like.",
        "",
    ]
    for path, methods in sorted(schema["paths"].items()):
        for method, operation in methods.items():
            lines += _operation(f"{_TITLES[method]} {path}", operation)
    return "\n".join(lines)


def _operation(title: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"## `{title}`\n"
    yield f"{operation.get('description') or operation['summary']}\n"
    for parameter in operation.get("parameters", ()):
        need = "required" if parameter.get("required") else "optional"
        yield f"- `{parameter['name']}` ({parameter['in']}, {need}): {_kind(parameter['schema'])}"
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"- is sent: `{kind}`, {_kind(content['schema'])}"
    for status, answer in operation["responses"].items():
        kinds = ", ".join(f"`{kind}`" for kind in answer.get("content", {}))
        yield f"- answers {status}{f' ({kinds})' if kinds else ''}: {answer['description']}"
    yield ""


def _kind(schema: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    return str(schema.get("type", "anything"))
