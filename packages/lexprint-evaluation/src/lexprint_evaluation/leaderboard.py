"""All schemes on one page: what was measured here and what others published, side by side, with the commands.

It is made of the results that the measuring commands write; what has not been measured is simply absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from lexprint_evaluation.comparison import AWT_OUTPUT, PUBLISHED
from lexprint_evaluation.payload import PUBLISHED_BIT_ERRORS
from lexprint_evaluation.quality import OVER_ALL, REGISTERED
from lexprint_evaluation.swords import PUBLISHED as PUBLISHED_SUBSTITUTES
from lexprint_evaluation.tables import ALL_SETS, markdown_table
from lexprint_evaluation.watermark import PUBLISHED_MEANS

Result: TypeAlias = Mapping[str, Any]  # of one experiment, as its JSON has it

MEASURED, QUOTED = "ours", "published"
UNTOUCHED = "untouched"
UNRECORDED = "not recorded"  # older results do not say; nothing is guessed

# What the names of schemes stand for.
SCHEMES: Mapping[str, str] = {
    REGISTERED: "`lexprint issue`: the reader has the master",
    "registered-dense": "`lexprint issue --profile dense`: more words differ",
    "blind": "`lexprint issue --blind`: marks of each copy under a key",
    "lexprint": "blind, profile `lexprint`",
    "paper": "blind, profile `paper`: the paper's method, with our rules for real documents",
    "topkara": "Topkara et al. 2006, as implemented here",
    "hao": "Xiang et al. 2018, as implemented here",
    "awt": "Abdelnabi and Fritz 2021, as implemented and trained here",
    AWT_OUTPUT: "the output that Abdelnabi and Fritz published, judged here",
}


def leaderboard(results: Mapping[str, Result]) -> str:
    """Markdown of every ranking for which there are results, by the experiment's name."""
    parts = [
        *_schemes(results),
        *_attacks(_rows_of(results, "attacks")),
        *_gaps(results.get("watermark")),
        *_substitutes(results.get("swords")),
        *_payloads(results.get("payload")),
        *_traced(results.get("tracing")),
        *_on_paper(results.get("paper")),
        *_sources(results),
    ]
    return "\n".join(parts)


def _rows_of(results: Mapping[str, Result], name: str) -> Sequence[Result]:
    rows: Sequence[Result] = results.get(name, {}).get("rows", [])
    return rows


def _scheme_of(row: Result) -> str:
    name: str = row.get("scheme") or row["method"]
    return name


def _schemes(results: Mapping[str, Result]) -> Iterator[str]:
    """One line for each scheme, best SR first; below it what the papers say."""
    compared, judged, attacked = (_rows_of(results, name) for name in ("rivals", "quality", "attacks"))
    names = list(dict.fromkeys(map(_scheme_of, (*compared, *judged, *attacked))))
    if not names:
        return
    lines = [_Line(name, compared, judged, attacked) for name in names]
    lines.sort(key=lambda line: -(line.entailment or 0.0))
    quoted = {
        _label(method): published
        for method, published in PUBLISHED.items()
        if method in ("paper", "topkara", "hao", "awt")
    }
    header = ["scheme", "figures", "SR", "SS", "bpw", "BER", "SS mpnet", "fluency", "grammar"]
    header += ["traced, untouched", "all attacks"]
    body = [line.cells() for line in lines]
    body += [
        [
            method,
            QUOTED,
            _shown(fmean(one.entailment for one in published.values())),
            _shown(fmean(one.similarity for one in published.values())),
            _shown(PUBLISHED_MEANS[1].bits_per_word, places=3) if method == _label("paper") else "-",
            *["-"] * 6,
        ]
        for method, published in quoted.items()
    ]
    yield "## Schemes\n"
    yield markdown_table(header, body)
    yield (
        "SR and SS: means over the sets, of sentences in which a word was exchanged; all schemes wrote the same bits to the "
        "same sentences; published ones are means over the paper's six sets, by its own models. bpw: bits per word. BER: bits misread in an untouched copy. SS mpnet: by an encoder that had no "
        "say in the choice of words. fluency: change of log-likelihood in nats per token, nearer to 0 is better. grammar: "
        "errors added per 1,000 words. traced: leaks that led to the right copy; where the scheme has no tracing of its "
        "own, by the bits in order.\n"
    )
    yield "\n".join(f"- {name}: {SCHEMES[name]}" for name in names if name in SCHEMES) + "\n"


def _label(method: str) -> str:
    return "the paper's own" if method == "paper" else method


class _Line:
    """What is known of one scheme."""

    def __init__(
        self, name: str, compared: Sequence[Result], judged: Sequence[Result], attacked: Sequence[Result]
    ) -> None:
        self._name = name
        self._compared = [row for row in compared if row["method"] == name]
        own = [row for row in judged if row["scheme"] == name]
        self._judged = [row for row in own if row["title"] != ALL_SETS]
        self._pooled = next((row for row in own if row["title"] == ALL_SETS), self._judged[0] if self._judged else None)
        self._attacked = [row for row in attacked if row["scheme"] == name]

    @property
    def entailment(self) -> float | None:
        return self._mean("entailment", "sr")

    def cells(self) -> list[str]:
        return [
            self._name,
            MEASURED,
            _shown(self.entailment),
            _shown(self._mean("similarity", "ss")),
            _shown(_ratio(self._compared or self._judged, "bits", "words"), places=3),
            _shown(_ratio(self._compared, "bit_errors", "bits")),
            *(self._interval(judge, places) for judge, places in (("mpnet", 4), ("fluency", 3), ("grammar", 2))),
            _percent(_ratio([row for row in self._attacked if row["attack"] == UNTOUCHED], "right", "leaks")),
            _percent(_ratio([row for row in self._attacked if row["attack"] != UNTOUCHED], "right", "leaks")),
        ]

    def _mean(self, compared: str, judge: str) -> float | None:
        """Over the sets; both experiments judge the same sentences, but not all schemes are in both."""
        if self._compared:
            found = [row[compared]["changed"] for row in self._compared]
        else:
            found = [row["of_changed"][judge]["mean"] for row in self._judged if row["of_changed"].get(judge)]
        known = [value for value in found if value is not None]
        return fmean(known) if known else None

    def _interval(self, judge: str, places: int) -> str:
        found = (self._pooled or {}).get("of_all" if judge in OVER_ALL else "of_changed", {}).get(judge)
        return "-" if found is None else f"{found['mean']:.{places}f}"


def _attacks(rows: Sequence[Result]) -> Iterator[str]:
    """Leaks traced to the right copy, by attack, all strengths together."""
    if not rows:
        return
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    body = []
    for attack in dict.fromkeys(row["attack"] for row in rows):
        own = [row for row in rows if row["attack"] == attack]
        shares = (_ratio([row for row in own if row["scheme"] == scheme], "right", "leaks") for scheme in schemes)
        body.append([attack, *map(_percent, shares)])
    wrong = [sum(row["wrong"] for row in rows if row["scheme"] == scheme) for scheme in schemes]
    yield "## Under attack\n"
    yield "Leaks traced to the right copy, all strengths of an attack together, our measurement:\n"
    yield markdown_table(["attack", *schemes], [*body, ["innocent accused, leaks", *map(str, wrong)]])


def _gaps(result: Result | None) -> Iterator[str]:
    """What skipping more words costs and brings, beside the paper's means."""
    if result is None:
        return
    body = []
    for gap in sorted({row["gap"] for row in result["rows"]}):
        own = [row for row in result["rows"] if row["gap"] == gap]
        published = PUBLISHED_MEANS.get(gap)
        body.append(
            [
                str(gap),
                MEASURED,
                _shown(_ratio(own, "bits", "words"), places=3),
                _shown(_ratio(own, "bit_errors", "bits")),
                *(_shown(_known_mean(row[name]["changed"] for row in own)) for name in ("entailment", "similarity")),
                _percent(_ratio(own, "recovered", "substituted")),
            ]
        )
        if published is not None:
            figures = (published.entailment, published.similarity)
            body.append([str(gap), QUOTED, _shown(published.bits_per_word, places=3), "-", *map(_shown, figures), "-"])
    yield "## Words skipped after a site\n"
    yield f"Ours with the profile `{result['profile']}`, means over its sets; published ones are the paper's means over its own:\n"
    yield markdown_table(["f", "figures", "bpw", "BER", "SR", "SS", "recovered"], body)


def _substitutes(result: Result | None) -> Iterator[str]:
    """SWORDS, best strict F10 first; what is published is of the test split."""
    if result is None:
        return
    ours = [(row["method"], MEASURED, tuple(row["f"])) for row in result["rows"]]
    theirs = [(method, QUOTED, figures) for method, figures in PUBLISHED_SUBSTITUTES.items() if any(figures)]
    lines = sorted([*ours, *theirs], key=lambda line: (-(line[2][2] or 0.0), -(line[2][0] or 0.0)))
    yield "## Substitutes in context\n"
    yield f"SWORDS, ours on the {result['split']} split, published ones on the test split:\n"
    yield markdown_table(
        ["method", "figures", "strict F10", "Fc10", "lenient F10", "Fc10"],
        [
            [
                method,
                figures,
                *(_shown(value, places=1) for value in (strict, conceivable, lenient, lenient_conceivable)),
            ]
            for method, figures, (lenient, lenient_conceivable, strict, conceivable) in lines
        ],
    )


def _payloads(result: Result | None) -> Iterator[str]:
    """Bit error rates after attacks, as Yoo et al. count them."""
    if result is None:
        return
    body = []
    for row in result["rows"]:
        published = PUBLISHED_BIT_ERRORS.get(row["attack"], (None, None))
        body.append(
            [
                row["attack"],
                _percent(row["recovered"] / row["trials"]),
                _shown(row["bit_errors"] / row["bits"] if row["bits"] else None, places=3),
                *(_shown(figure, places=3) for figure in published),
            ]
        )
    yield "## Payloads under a key\n"
    yield f"Payloads of {result['bits']} bits that come back, and the raw bit error rate beside published ones (IMDB):\n"
    header = ["attack", f"payload back, {MEASURED}", f"BER, {MEASURED}"]
    yield markdown_table([*header, f"ContextLS, {QUOTED}", f"Yoo et al. 2023, {QUOTED}"], body)


def _traced(result: Result | None) -> Iterator[str]:
    if result is None:
        return
    rows = result["attacks"]
    yield "## Tracing registered copies\n"
    yield (
        f"{sum(row['right'] for row in rows):,} of {sum(row['trials'] for row in rows):,} leaks led to the right one "
        f"of {result['recipients']:,} copies, {sum(row['inconclusive'] for row in rows):,} to none, "
        f"{sum(row['wrong'] for row in rows):,} to an innocent one, in our measurement. By attack:\n"
    )
    body = [
        [row["attack"], *(_percent(row[name] / row["trials"]) for name in ("right", "inconclusive", "wrong"))]
        for row in rows
    ]
    yield markdown_table(["attack", "right", "inconclusive", "innocent accused"], body)


def _on_paper(result: Result | None) -> Iterator[str]:
    if result is None:
        return
    body = [[row["leak"], f"{row['right']} of {row['leaks']}", str(row["wrong"])] for row in result["rows"]]
    yield "## From paper\n"
    yield f"A page of {result['words']} words issued to {result['recipients']} recipients, our measurement:\n"
    yield markdown_table(["leak", "right copy", "innocent accused"], body)


def _sources(results: Mapping[str, Result]) -> Iterator[str]:
    """Where the figures are from: when, with which models and by which command each table was measured."""
    if not results:
        return
    body = [
        [
            name,
            str(result.get("date", UNRECORDED)),
            f"`{result['fingerprint']}`",
            f"`{result['command']}`" if "command" in result else UNRECORDED,
        ]
        for name, result in sorted(results.items())
    ]
    yield "## Where the figures are from\n"
    yield (
        f"Lines marked {MEASURED} were measured by these commands; those marked {QUOTED} are quoted from the papers: "
        "schemes and f from the one that lexprint implements, bit errors after attacks from Yoo et al. (ACL 2023).\n"
    )
    if len({result["fingerprint"] for result in results.values()}) > 1:
        yield (
            "Fingerprints differ: not all of these tables were measured with the same models, settings and version, so a "
            "figure of one need not fit one of another.\n"
        )
    yield markdown_table(["table", "measured", "fingerprint", "command"], body)


def _ratio(rows: Sequence[Result], part: str, whole: str) -> float | None:
    total = sum(row[whole] for row in rows)
    return sum(row[part] for row in rows) / total if total else None


def _known_mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _shown(value: float | None, *, places: int = 4) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
