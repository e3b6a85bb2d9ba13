"""Parts of a text in which no word may be exchanged, because it must be there to the letter.

Names need no rule here: a word with a capital is never exchanged, but for adverbs and the like that begin a sentence. Doubtful
cases are protected: a site too few costs little, a wrong word in a quotation or an address costs trust.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from lexprint.text.languages import foreign_spans
from lexprint.text.span import Span, merged
from lexprint.text.view import build_view, normalise

Protection: TypeAlias = Literal["quotations", "addresses", "code", "quantities", "terms", "languages"]
PROTECTIONS: frozenset[Protection] = frozenset(get_args(Protection))


def protected_spans(
    text: str,
    *,
    protections: Collection[Protection] = PROTECTIONS,
    phrases: Iterable[str] = (),
    spans: Iterable[Span] = (),
) -> tuple[Span, ...]:
    """Spans in order, none touching another; `phrases` are protected wherever they stand, in any case and spacing.

    `spans` are those that are known already.

    >>> text = 'He said "so be it" and wrote to jo@example.org about the merger.'
    >>> [span.of(text) for span in protected_spans(text, phrases=["Merger"])]
    ['"so be it"', 'jo@example.org', 'merger']
    """
    found = [span for kind in _FINDERS if kind in protections for span in _FINDERS[kind](text)]
    return merged([*found, *_find_phrases(text, phrases), *spans])


_PARAGRAPH = re.compile(r"(?:[^\n\r\u2028\u2029]|(?:\r\n|[\n\r\u2028])(?![^\S\n\r]*[\n\r\u2028]))+")
# An apostrophe closes no quotation: what closes one has no letter behind it. A quotation that is never closed lasts to the
# end of its paragraph, as is the custom where the next paragraph goes on with it; a straight mark alone may mean inches.
_QUOTATION = re.compile(
    r"“[^”]*(?:”|\Z)"
    r"|„[^“”]*(?:[“”]|\Z)"
    r"|«[^»]*(?:»|\Z)"
    r"|(?<![^\W_])‘(?:[^’]|’(?=[^\W_]))*(?:’|\Z)"
    r'|(?<![^\W_])"[^"\s](?:[^"]*[^"\s])?"'
    r"|(?<![^\W_])'(?=[^\W_])(?:[^']|'(?=[^\W_])){1,400}+(?<=\S)'",
)


def _find_quotations(text: str) -> Iterator[Span]:
    for paragraph in _PARAGRAPH.finditer(text):
        for match in _QUOTATION.finditer(paragraph.group()):
            yield Span(*match.span()).shifted(paragraph.start())


# Addresses of pages, mail, people and files have a mark between letters that prose sets only before a space.
_ADDRESS = re.compile(
    r"(?<!\S)[^\s]*(?:\w[./\\@:=_#&?%+]+\w|://|(?<!\S)[(\[\"'“‘]?(?:[.~]{0,2}[/\\]|[@#]|--?)\w)[^\s]*"
)


def _find_addresses(text: str) -> Iterator[Span]:
    return (Span(*match.span()) for match in _ADDRESS.finditer(text))


_CODE = re.compile(
    r"(?P<fence>```+|~~~+).*?(?:(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]|\n(?![^\S\n]*\n))+?(?<!`)(?P=ticks)(?!`)"
    r"|<[^\s<>][^<>\n]*>"
    r"|\{[^{}\n]*\}",
    re.DOTALL,
)


def _find_code(text: str) -> Iterator[Span]:
    """Code between backticks, tags, and fields that a form letter fills in."""
    return (Span(*match.span()) for match in _CODE.finditer(text))


_NUMBER = r"[$€£¥§№#+−-]?\d[\d.,:/×x]*(?<!\.)(?<!,)[%‰°]?"
_MAGNITUDES = "hundred|thousand|million|billion|trillion|dozen"
# "Part 4" is another place than "section 4".
_REFERENCES = (
    "annex|appendix|article|bullet|chapter|class|clause|column|exhibit|fig|figure|floor|footnote|grade|item|level|line|"
    "model|note|number|page|paragraph|part|phase|point|question|room|rule|schedule|section|stage|step|table|tier|type|"
    "unit|version|volume"
)
_QUANTITY = re.compile(
    rf"(?:\b(?:{_REFERENCES})s?\.?\s+)?(?<!\w){_NUMBER}(?:[\s-]+(?:{_MAGNITUDES}))?(?:[^\S\n]?[\s-]?(?![\s-])[a-z]+\b)?",
    re.IGNORECASE,
)


def _find_quantities(text: str) -> Iterator[Span]:
    """Numbers in digits with their unit, which is the word after them, and what they are the number of."""
    return (Span(*match.span()) for match in _QUANTITY.finditer(text))


_DEFINED = re.compile(
    r"\((?:[^()\"]{0,60}\s)?\"(?P<bracketed>[^\"]{1,60})\"[^()\"]{0,40}\)"
    r"|\"(?P<meaning>[^\"]{1,60})\"\s+(?:shall\s+)?(?:means?|refers?\s+to|denotes?|(?:is|are)\s+defined)\b"
    r"|\b(?:hereinafter|hereafter|defined\s+as|referred\s+to\s+as|called|known\s+as)[,:]?\s+(?:the\s+)?"
    r"\"(?P<called>[^\"]{1,60})\"",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|an?|each|collectively)\s+", re.IGNORECASE)


def _find_terms(text: str) -> Iterator[Span]:
    """Every use of what the text itself defines, as in (the "Supplier"), and its plural."""
    terms = {
        _ARTICLE.sub("", term.strip(" ,.;:"), count=1)
        for match in _DEFINED.finditer(normalise(text))
        for term in match.groups()
        if term is not None
    }
    return _find_phrases(text, (form for term in terms if term for form in (term, f"{term}s")))


_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_WORD_CHARACTER = re.compile(r"\w")


def _find_phrases(text: str, phrases: Iterable[str]) -> Iterator[Span]:
    """Whole words, as models see them: neither spacing, case nor the kind of quote or dash matters.

    Tokens are looked up, the longest phrase first: one pattern of all phrases would try each of them at each letter.
    """
    wanted = {tuple(_tokens(" ".join(normalise(phrase).split()))) for phrase in phrases} - {()}
    if not wanted:
        return
    lengths: dict[str, set[int]] = defaultdict(set)
    for phrase in wanted:
        lengths[phrase[0]].add(len(phrase))
    view = build_view(text)
    starts, tokens = [match.start() for match in _TOKEN.finditer(view.text)], _tokens(view.text)
    starts.append(len(view.text))
    index = 0
    while index < len(tokens):
        found = next(
            (
                length
                for length in sorted(lengths.get(tokens[index], ()), reverse=True)
                if tuple(tokens[index : index + length]) in wanted and _is_whole(tokens, index, index + length)
            ),
            0,
        )
        if found:
            yield view.original_span(Span(starts[index], starts[index + found]))
        index += max(found, 1)


def _tokens(view: str) -> list[str]:
    """Words, spaces and marks, alike in whatever case they are written."""
    return [" " if token.isspace() else token.casefold() for token in _TOKEN.findall(view)]


def _is_whole(tokens: Sequence[str], start: int, stop: int) -> bool:
    """Whether no word touches the tokens; two words never stand side by side, but a mark may begin or end a phrase."""
    before, after = tokens[start - 1 : start], tokens[stop : stop + 1]
    return not any(_WORD_CHARACTER.match(token) for token in (*before, *after))


_FINDERS: Mapping[Protection, Callable[[str], Iterator[Span]]] = MappingProxyType(
    {
        "quotations": _find_quotations,
        "addresses": _find_addresses,
        "code": _find_code,
        "quantities": _find_quantities,
        "terms": _find_terms,
        "languages": foreign_spans,
    }
)
