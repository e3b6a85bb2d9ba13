"""Letters that look like Latin ones, for `lexprint/text/look_alikes.txt`, from Unicode's list of confusable characters.

python -m training.look_alikes confusables.txt > src/lexprint/text/look_alikes.txt

The list is https://www.unicode.org/Public/security/latest/confusables.txt (UTS #39). It has the letters of a script stand for each
other in chains; here each is led to a letter of a to z. What compatibility forms, accents and names tell of a character is asked
of Python, so it is not in the file.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

from lexprint.text.leak_text import letter_by_name

HEADER = """\
# What looks like a letter of a to z, from Unicode's confusables.txt {version} by training/look_alikes.py.
# Copyright 1991-2020 Unicode, Inc. All rights reserved. Distributed under the Terms of Use in https://www.unicode.org/copyright.html
"""
LIGATURES = ("ae", "oe")  # the only ones of two letters that are worth it
LEFT_OUT = ("M", "Nd", "Sc")  # marks are dropped, and digits and currencies are what they are
SIGNS = "×⍡"  # that texts have for what they mean


def rows(listed: str) -> dict[str, list[str]]:
    """Look-alikes of each letter."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in listed.splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) < 2:
            continue
        source = chr(int(fields[0], 16))
        letters = _latin("".join(chr(int(code, 16)) for code in fields[1].split()))
        if letters and _is_worth_it(source) and ((len(letters) == 1 and letters.isalpha()) or letters in LIGATURES):
            found[letters].append(source)
    return found


def _is_worth_it(source: str) -> bool:
    kind = unicodedata.category(source)
    is_plain = unicodedata.normalize("NFKD", source) == source and _latin(source) is None
    return not source.isascii() and is_plain and source not in SIGNS and not kind.startswith(LEFT_OUT)


def _latin(text: str) -> str | None:
    """Its letters from a to z; None if there are others."""
    letters = [one for one in unicodedata.normalize("NFKD", text).casefold() if one.isalnum()]
    spelled = [one if one.isascii() else letter_by_name(one) for one in letters]
    return None if None in spelled or not letters else "".join(map(str, spelled))


def main(path: str) -> None:
    listed = Path(path).read_text(encoding="utf-8-sig")
    version = next(line.split()[-1] for line in listed.splitlines() if line.startswith("# Version:"))
    sys.stdout.write(HEADER.format(version=version))
    for letters, look_alikes in sorted(rows(listed).items()):
        sys.stdout.write(f"{letters} {''.join(sorted(look_alikes))}\n")


if __name__ == "__main__":
    main(sys.argv[1])
