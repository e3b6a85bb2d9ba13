"""What a report says in plain words: the verdict, the chance of error, and how it was established."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from lexprint.reports.report import AccusedCopy, Report, Unlisted, chance
from lexprint.tracing.leads import Lead
from lexprint.tracing.verdict import ERROR_BOUND

LARGEST_IN_WORDS = 10**15  # beyond it no name of a number helps

MARKED_WORD = "readable marked word"
OWN_BOUND = Decimal(repr(ERROR_BOUND))

_MAGNITUDES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))


def chance_in_words(probability: Decimal) -> str:
    """A chance that a person can imagine, and never smaller than it is.

    >>> [chance_in_words(Decimal(text)) for text in ("2.31E-11", "0.000001", "0.004", "0.7")]
    ['less than 1 in 43 billion', 'at most 1 in 1 million', 'at most 1 in 250', 'more than 1 in 2']
    """
    if probability > Decimal("0.5"):
        return "more than 1 in 2"
    if probability * LARGEST_IN_WORDS < 1:
        return "less than 1 in a million billion"
    odds = 1 / probability
    relation = "at most" if odds == _two_digits_down(int(odds)) else "less than"
    return f"{relation} {odds_in_words(probability)}"


def odds_in_words(probability: Decimal) -> str:
    """The same in short, rounded to the cautious side.

    >>> [odds_in_words(Decimal(text)) for text in ("2.31E-11", "0.004", "0.7", "1E-40")]
    ['1 in 43 billion', '1 in 250', '1 in 1', '< 1 in 10¹⁵']
    """
    if probability * LARGEST_IN_WORDS < 1:
        return "< 1 in 10¹⁵"
    odds = _two_digits_down(int(1 / probability))
    for size, name in _MAGNITUDES:
        if odds >= size:
            return f"1 in {odds / size:g} {name}"
    return f"1 in {odds:,}"


def _two_digits_down(number: int) -> int:
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return number // unit * unit


def counted(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def lead_in_words(lead: Lead) -> str:
    """In one sentence, for those who may see it; never part of a report.

    >>> lead_in_words(Lead(12, 3.3e-4, compared=40, further=14, unread=60))
    'Copy 12 leads, 1 in 3,000: not proof; about 14 more readable sites would settle it.'
    """
    if lead.number is None:
        return f"No copy leads: some innocent one of {lead.compared:,} agrees as well with more than 1 leak in 10."
    odds = odds_in_words(chance(lead.chance))
    if lead.is_enough:
        return f"Copy {lead.number} leads, {odds}, which is enough to name it: run lexprint trace."
    if lead.further is None:
        return f"Copy {lead.number} leads, {odds}: not proof; more readable sites may settle it."
    settles = f"about {counted(lead.further, 'more readable site', 'more readable sites')} would settle it"
    if lead.unread is not None and lead.further > lead.unread:
        return (
            f"Copy {lead.number} leads, {odds}: not proof; {settles}, and the document has only {lead.unread:,} more."
        )
    return f"Copy {lead.number} leads, {odds}: not proof; {settles}."


def date_in_words(time: datetime) -> str:
    return f"{time.day} {time:%B %Y}"


def headline(report: Report) -> str:
    """The verdict."""
    match report.verdict:
        case "one copy":
            return f"The leak comes from copy {report.accused[0].number}"
        case "several copies":
            return f"The leak was made from copies {_listed([copy.number for copy in report.accused])}"
        case "inconclusive":
            return "No copy can be named"
        case "no document":
            return "No registered document is like this text"


def explanation(report: Report) -> str:
    """Why that is the verdict, in a sentence."""
    match report.verdict:
        case "one copy" | "several copies":
            worst = max(
                copy.family_p_value for copy in report.accused
            )  # a verdict is as weak as its weakest accusation
            return f"The chance that a copy is named wrongly is {chance_in_words(worst)}."
        case "inconclusive":
            return (
                f"{_readable(report)}, and no copy agrees with the leak so well that the chance of an error would be "
                f"{chance_in_words(report.error_bound)}."
            )
        case "no document":
            return "Its wording is not that of any document in the registry, so there is nothing to compare it with."


def agreements(report: Report) -> list[str]:
    """Of every named copy, what speaks against it and what for its recipient."""
    is_blind = report.document is not None and report.document.issuing == "blind"
    return [agreement_in_words(copy, noun="readable mark" if is_blind else MARKED_WORD) for copy in report.accused]


def agreement_in_words(copy: AccusedCopy, *, noun: str) -> str:
    return (
        f"Of {counted(copy.readable, noun)}, {copy.matches:,} are those of copy {copy.number} and "
        f"{copy.disagreements:,} are not."
    )


def unlisted_in_words(copy: AccusedCopy, unlisted: Unlisted) -> str:
    return f"{unlisted.agree:,} agree with copy {copy.number} and {unlisted.differ:,} do not"


def _readable(report: Report) -> str:
    if report.document is not None and report.document.issuing == "blind":
        return "No mark could be read with certainty"
    return f"{counted(report.readable, 'marked word')} could be read"


def _listed(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last


_WEIGHED = "agreements are weighed by how unusual they are, and their sum is set against its exact chance of arising by accident"


_DOUBTED = (
    "since the leak was edited, this was done twice, the second time with little weight where it shows the word that an "
    "editor would most likely have put there, and the better result counts, its chance doubled for having been tried twice"
)


def method(report: Report) -> list[tuple[str, str]]:
    """How the verdict was established, as titles and paragraphs for readers who are not statisticians."""
    if report.document is None:
        return []
    if report.document.issuing == "blind":
        return _method_of_blind_copies(report)
    return _method_of_fair_coins(report) if report.document.code == "independent" else _method_of_tardos(report)


def _method_of_fair_coins(report: Report) -> list[tuple[str, str]]:
    agrees, weighed = (
        "at about half of the places",
        (
            "the number of agreements is set against the exact chance of so many or more by accident (binomial distribution)"
        ),
    )
    if report.has_further_words:
        agrees = "at about half of the places, and at fewer where there are more than two words"
        weighed = _WEIGHED
    if report.has_doubtful_places:
        weighed = f"{_WEIGHED}; {_DOUBTED}"
    return [
        _how_copies_differ(
            report,
            drawn="was decided by the toss of fair coins, separately for every copy and place, by means of a secret key",
            innocent=f"An innocent copy therefore agrees with the leak as coins fall: {agrees}.",
        ),
        _how_the_leak_was_read(report),
        _how_the_chance_was_calculated(report, weighed=weighed),
        _what_it_rests_on(),
    ]


def _method_of_tardos(report: Report) -> list[tuple[str, str]]:
    return [
        _how_copies_differ(
            report,
            drawn="was decided by chance, separately for every copy and place, by means of a secret key, and with odds "
            "that differ from place to place, so that a text put together from several copies can be traced too (a "
            "Tardos code)",
            innocent="An innocent copy therefore agrees with the leak by chance alone, and the odds are known exactly.",
        ),
        _how_the_leak_was_read(report),
        _how_the_chance_was_calculated(report, weighed=_WEIGHED),
        _what_it_rests_on(),
    ]


def _how_copies_differ(report: Report, *, drawn: str, innocent: str) -> tuple[str, str]:
    return (
        "How copies differ.",
        (
            f"Before the document was handed out, {counted(_sites(report), 'word')} were chosen in it, and for each of them "
            f"another word, or several. Which of these stands in a copy {drawn}. {innocent} The evidence is which word stands "
            "where; whether the words mean the same does not matter for it."
        ),
    )


def _how_the_leak_was_read(report: Report) -> tuple[str, str]:
    return (
        "How the leak was read.",
        (
            "The leak was aligned with the document word by word; layout, spacing, cuts and the order of passages do not "
            f"matter. At {report.readable:,} of {counted(_sites(report), 'place')} it shows one of these words. Places that "
            "were edited or cut count neither for nor against any copy, and a repeated passage counts once."
        ),
    )


def _how_the_chance_was_calculated(report: Report, *, weighed: str) -> tuple[str, str]:
    return (
        "How the chance of error was calculated.",
        (
            f"For each of the {counted(report.compared, 'copy', 'copies')} compared, {weighed}. Where enough can be read, "
            "copies are also tested together with one or two others, since a leak may have been put together from several; "
            "the chance stated allows for all of these tests. The best of many innocent "
            "copies looks more suspicious than any one of them; the chance stated is therefore the chance that any innocent "
            f"copy at all would agree so well{_over_documents(report)}{_over_traces(report)}. A copy is named only if that "
            f"chance is {_limit(report)}. Nothing is assumed about who leaked the text, or how it was changed."
        ),
    )


def _over_documents(report: Report) -> str:
    return (
        "" if report.documents < 2 else f", among the copies of all {report.documents} documents that are like the leak"
    )


def _over_traces(report: Report) -> str:
    if report.turn is None or report.turn < 2:
        return ""
    return f", in this trace or any of the {counted(report.turn - 1, 'earlier one', 'earlier ones')} of other leaks"


def _limit(report: Report) -> str:
    """Never as if it had been fixed beforehand where whoever asked could choose it."""
    own = report.error_bound == OWN_BOUND
    chosen = "lexprint's own limit" if own else "a limit that the issuer chose, or whoever asked for this trace"
    return f"{chance_in_words(report.error_bound)}, {chosen}"


def _what_it_rests_on() -> tuple[str, str]:
    return (
        "What it rests on.",
        (
            "The registry of issued copies must be complete and have been kept safe: someone who could read it, or who held "
            f"another recipient's copy, could have written a text that points to that copy. {_TRACERS}"
        ),
    )


_TRACERS = (
    "Someone who may trace leaks could have tried many texts: reports say nothing about how well copies agree that are not "
    "named, and the chance of error allows for every text that was traced."
)


def _sites(report: Report) -> int:
    return 0 if report.document is None else report.document.sites


def _method_of_blind_copies(report: Report) -> list[tuple[str, str]]:
    return [
        (
            "How copies differ.",
            (
                "At some places copies bear either of two words. A secret key and a random number that belongs to the copy decide, "
                "as the toss of a fair coin would, which of them stands there."
            ),
        ),
        (
            "How the leak was read.",
            (
                "The places were found again in those passages of the leak that are the document's own, and the words there were "
                "compared with what the key says for each copy."
            ),
        ),
        (
            "How the chance of error was calculated.",
            (
                "The chance stated is the chance that a text without marks, or with those of another copy, would show the "
                f"marks of any of the {counted(report.compared, 'copy', 'copies')} so clearly{_over_documents(report)}"
                f"{_over_traces(report)}. A copy is named only if it is {_limit(report)}."
            ),
        ),
        (
            "What it rests on.",
            (
                "The key and the registry must have been kept secret: whoever has both, or another recipient's copy, can write "
                f"texts that carry the marks of that copy. {_TRACERS}"
            ),
        ),
    ]
