"""A WordNet of a few dozen words, in the files of the real one."""

from collections import defaultdict
from pathlib import Path

# Part of speech, and the words of a meaning with the number of its uses; a word's first meaning comes first.
MEANINGS: tuple[tuple[str, str], ...] = (
    ("noun", "film:20 movie:18"),
    ("noun", "film:9 layer:5"),
    ("noun", "car:30 automobile:6 auto:2 machine:1"),
    ("noun", "machine:12 engine:7"),
    ("noun", "story:20 tale:8 narrative:7"),
    ("noun", "walk:3 stroll:2"),
    ("noun", "child:40 kid:9 youngster:2 shaver:0"),
    ("noun", "razor:2 shaver:3"),
    ("verb", "walk:30 stroll:4"),
    ("verb", "begin:30 start:25 commence:6"),
    ("verb", "buy:20 purchase:7"),
    ("verb", "think:30 believe:20 suppose:6"),
    ("verb", "think:12 consider:8"),
    ("adj", "big:30 large:28"),
    ("adj", "glad:9 happy:20"),
    ("adj", "lonely:3 alone_in_the_world:1"),
    ("adv", "quickly:20 rapidly:9 speedily:2"),
    ("adv", "only:5 merely:4"),
)
_TYPES = {"noun": "1", "verb": "2", "adj": "3", "adv": "4"}


def write_wordnet(folder: Path) -> Path:
    """The files that lexprint reads."""
    offsets: dict[tuple[str, str], list[int]] = defaultdict(list)
    data: dict[str, list[str]] = defaultdict(list)
    counts = []
    for number, (part, words) in enumerate(MEANINGS, start=1):
        pairs = [word.split(":") for word in words.split()]
        listed = " ".join(f"{word} 0" for word, _ in pairs)
        data[part].append(f'{number:08} 00 {part[0]} {len(pairs):02x} {listed} 000 | a meaning; "quoted"  ')
        for word, uses in pairs:
            offsets[part, word].append(number)
            counts.append(f"{word}%{_TYPES[part]}:00:00:: {len(offsets[part, word])} {uses}")
    for part in _TYPES:
        licence = "  1 This is where the licence stands.  \n"
        (folder / f"data.{part}").write_text(licence + "".join(f"{line}\n" for line in data[part]))
        index = [
            f"{word} {part[0]} {len(numbers)} 1 @ {len(numbers)} 1 {' '.join(f'{number:08}' for number in numbers)}  \n"
            for (own, word), numbers in sorted(offsets.items())
            if own == part
        ]
        (folder / f"index.{part}").write_text(licence + "".join(index))
    (folder / "cntlist.rev").write_text("".join(f"{line}\n" for line in counts))
    return folder
