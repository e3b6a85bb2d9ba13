"""Rewrites the generated parts of the documentation: `make docs`."""

from __future__ import annotations

from pathlib import Path

from lexprint.engine import Engine
from lexprint.workflows import find_substitutes

HERE = Path(__file__).parent
SENTENCES = (
    ("The board expects a significant rise in costs.", "significant"),
    ("She tried to conceal her anger from the others.", "conceal"),
    ("They purchased a house near the river.", "purchased"),
    ("He gave a brief answer and left the room.", "brief"),
    ("The journey was difficult because of the snow.", "difficult"),
    ("Our guests will arrive shortly after sunset.", "arrive"),
    ("The committee postponed its decision until autumn.", "decision"),
    ("He watches his favorite show every night.", "favorite"),
    ("The child was frightened by the sudden noise.", "frightened"),
    ("The company will begin production in Ohio.", "begin"),
    ("It is important to read the contract carefully.", "important"),
    ("The old bridge was nearly destroyed by the flood.", "nearly"),
    ("They attempted to open the door with a knife.", "attempted"),
    ("The new rules will affect the whole industry.", "whole"),
    ("She answered the question in a calm voice.", "calm"),
    ("The soldiers were weary after the long march.", "weary"),
    ("The report contains several errors.", "errors"),
    ("The minister refused to discuss the matter.", "discuss"),
    ("A stranger assisted the woman across the street.", "assisted"),
    ("The price of bread has risen rapidly.", "rapidly"),
)


def substitutes(engine: Engine) -> str:
    """Twenty sentences with their best substitutes."""
    lines = [
        "# Twenty sentences",
        "",
        "What `lexprint substitutes` says of twenty sentences written for this page; SR in brackets, best first by the profile `lexprint`. Written by `make docs`.",
        "",
        "| sentence | best substitutes |",
        "|---|---|",
    ]
    for text, word in SENTENCES:
        found = find_substitutes(engine, text, word=word).substitutes[:5]
        best = ", ".join(f"{one.word} ({one.entailment:.2f})" for one in found)
        lines.append(f"| {text.replace(word, f'**{word}**')} | {best} |")
    return "\n".join([*lines, "", f"Fingerprint: `{engine.fingerprint}`", ""])


if __name__ == "__main__":
    (HERE / "substitutes.md").write_text(substitutes(Engine()), "utf-8")
