"""Pictures as trees of SVG, never as text: whatever stands in a leak or a name is escaped when the tree is written out."""

from __future__ import annotations

from typing import TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

Node: TypeAlias = Element | str

_JOINERS = "\u200c\u200d"  # invisible, but part of some names


def element(tag: str, *children: Node, class_: str | None = None, **attributes: str) -> Element:
    """
    >>> page_text(element("p", "a < b, ", element("b", "bold"), " end", class_="note"))
    '<p class="note">a &lt; b, <b>bold</b> end</p>'
    """
    if class_ is not None:
        attributes["class"] = class_
    made = Element(tag, attributes)
    for child in children:
        if isinstance(child, Element):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + child
        else:
            made.text = (made.text or "") + child
    return made


def shape(tag: str, *children: Node, class_: str | None = None, **attributes: float | str) -> Element:
    """An element of a picture; numbers are rounded to what can be seen.

    >>> page_text(shape("line", x1=0, x2=10 / 3, stroke_width=1.5))
    '<line x1="0" x2="3.33" stroke-width="1.5"></line>'
    """
    written = {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
        for name, value in attributes.items()
    }
    return element(tag, *children, class_=class_, **written)


def shown(text: str) -> str:
    """Without characters that are not seen, or that turn the text around them.

    >>> shown("Ann\\u202eA\\x1b")
    'Ann�A�'
    """
    return "".join(character if character.isprintable() or character in _JOINERS else "�" for character in text)


def page_text(tree: Element) -> str:
    return ElementTree.tostring(tree, encoding="unicode", method="html")
