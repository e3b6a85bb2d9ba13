"""Text of word processors that is there and is not seen: white on white, or too small to be read.

It is read like the rest: on dark ground white is usual, and only who looks at the page can tell.
"""

from __future__ import annotations

import re

# A colour of Word or OpenDocument that is white or nearly so, by its figures or as the background of a theme; a size below two points.
_FAINT = (
    r"<(?:[\w.-]{1,40}:)?color\s[^<>]*?(?:val\s*=\s*[\"'](?:F[0-9A-F]){3}[\"']|themeColor\s*=\s*[\"'](?:background1|light1)[\"'])"
    r"|<(?:[\w.-]{1,40}:)?sz(?:Cs)?\s[^<>]*?val\s*=\s*[\"'][0-3][\"']"
    r"|fo:color\s*=\s*[\"']#(?:F[0-9A-F]){3}[\"']"
    r"|fo:font-size\s*=\s*[\"'](?:[01](?:\.\d{1,9})?pt|0\.0\d{0,9}(?:cm|in))[\"']"
)
FAINT = re.compile(_FAINT.encode(), re.IGNORECASE)
_FAINT_TEXT = re.compile(_FAINT, re.IGNORECASE)

HOLDS_FAINT_TEXT = (
    "The leaked document holds text in white or in tiny letters, which nobody sees on white paper, and it was read like the rest; whoever "
    "made it can have written anything there. Compare the report with the document as it is seen."
)


def remarks_on(*parts: str) -> tuple[str, ...]:
    """What a reader of a report should know of the XML that was read.

    >>> remarks_on('<w:color w:val="FF0000"/>'), len(remarks_on('<w:color w:val="FFFFFF"/>'))
    ((), 1)
    """
    return (HOLDS_FAINT_TEXT,) if any(_FAINT_TEXT.search(part) for part in parts) else ()
