"""By what a text shows that it is Markdown; apart from its reader, which takes longer to load."""

import re

FRONT_MATTER = re.compile(
    r"(?:---[ \t]*+\r?\n(?s:.*?)\n(?:---|\.\.\.)|\+\+\+[ \t]*+\r?\n(?s:.*?)\n\+\+\+)[ \t]*+(?:\r?\n|\Z)"
)

# Kinds of marks; two of them make a text Markdown, whatever its name.
_SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^ {0,3}#{1,6}[ \t]++\S",
        r"^ {0,3}(?:```|~~~)",
        r"\[[^\[\]\n]++\]\([^()\s]++\)",
        r"^ {0,3}\[[^\[\]\n]++\]:[ \t]++\S",
        r"^ {0,3}\|?[ \t]*+:?-{3,}+:?[ \t]*+\|[-:| \t]*+$",
        r"(?<![\w*])\*\*[^\s*](?:[^*\n]*+)\*\*(?![\w*])",
        r"(?<![\w`])`[^`\n]++`(?![\w`])",
        r"^ {0,3}(?:={3,}+|-{3,}+)[ \t]*+$",
    )
)


def count_signs(raw: str) -> int:
    """How many kinds of Markdown's marks a text has; none depends on which word stands where."""
    front_matter = FRONT_MATTER.match(raw) is not None
    return front_matter + sum(sign.search(raw) is not None for sign in _SIGNS)
