"""Schemes beside each other: one line for each, and how often its leaks are traced under every attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from lexprint_evaluation.attack_table import UNTOUCHED
from lexprint_evaluation.comparison import AWT_OUTPUT, PUBLISHED
from lexprint_evaluation.quality import OVER_ALL, REGISTERED
from lexprint_evaluation.result_rows import MEASURED, PAPERS_OWN, QUOTED, Result, percent, ratio, rows_of, shown
from lexprint_evaluation.tables import ALL_SETS, markdown_table
from lexprint_evaluation.watermark import PUBLISHED_MEANS

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


def _scheme_of(row: Result) -> str:
    name: str = row.get("scheme") or row["method"]
    return name


def rank_schemes(results: Mapping[str, Result]) -> Iterator[str]:
    """One line for each scheme, best SR first; below it what the papers say."""
    compared, judged, attacked = (rows_of(results, name) for name in ("rivals", "quality", "attacks"))
    names = list(dict.fromkeys(map(_scheme_of, (*compared, *judged, *attacked))))
    if not names:
        return
    lines = [_Line(name, compared, judged, attacked) for name in names]
    lines.sort(key=lambda line: -(line.entailment or 0.0))
    quoted = {
        PAPERS_OWN if method == "paper" else method: published
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
            shown(fmean(one.entailment for one in published.values())),
            shown(fmean(one.similarity for one in published.values())),
            shown(PUBLISHED_MEANS[1].bits_per_word, places=3) if method == PAPERS_OWN else "-",
            *["-"] * 6,
        ]
        for method, published in quoted.items()
    ]
    yield "## Schemes\n"
    yield markdown_table(header, body)
    yield (
        "SR and SS: means over the sets, of sentences in which a word was exchanged; all schemes wrote the same bits to the "
        "same sentences; published ones are means over the paper's six sets, by its own models. SR and SS come from the models "
        "that chose our words. bpw: bits per word. BER: bits misread in an untouched copy. SS mpnet: by an encoder that had no "
        "say in the choice of words. fluency: change of log-likelihood in nats per token, nearer to 0 is better, and fewer bits "
        "per word cost less of it. grammar: errors added per 1,000 words as far as one checker, quire-grammar, flags them; 0 "
        "means that it flags none more than in the originals. traced: leaks that led to the right copy; where the scheme has no "
        f"tracing of its own, by the bits in order{_leaks_asked(attacked)}.\n"
    )
    yield "\n".join(f"- {name}: {SCHEMES[name]}" for name in names if name in SCHEMES) + "\n"


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
            shown(self.entailment),
            shown(self._mean("similarity", "ss")),
            shown(ratio(self._compared or self._judged, "bits", "words"), places=3),
            shown(ratio(self._compared, "bit_errors", "bits")),
            *(self._interval(judge, places) for judge, places in (("mpnet", 4), ("fluency", 3), ("grammar", 2))),
            percent(ratio([row for row in self._attacked if row["attack"] == UNTOUCHED], "right", "leaks")),
            percent(ratio([row for row in self._attacked if row["attack"] != UNTOUCHED], "right", "leaks")),
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


def rank_under_attack(rows: Sequence[Result]) -> Iterator[str]:
    """Leaks traced to the right copy, by attack, all strengths together."""
    if not rows:
        return
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    body = []
    for attack in dict.fromkeys(row["attack"] for row in rows):
        own = [row for row in rows if row["attack"] == attack]
        shares = (ratio([row for row in own if row["scheme"] == scheme], "right", "leaks") for scheme in schemes)
        body.append([attack, _leaks_of(own), *map(percent, shares)])
    wrong = [sum(row["wrong"] for row in rows if row["scheme"] == scheme) for scheme in schemes]
    last = ["innocent accused, leaks", _leaks_of(rows), *map(str, wrong)]
    yield "## Under attack\n"
    yield (
        "Leaks traced to the right copy, all strengths of an attack together, our measurement. leaks: how many of them a cell "
        "has for each scheme; where they are few, a difference of one leak is chance.\n"
    )
    yield markdown_table(["attack", "leaks", *schemes], [*body, last])


def rank_by_strength(rows: Sequence[Result]) -> Iterator[str]:
    """One attack with many leaks in a cell, since few of them cannot tell schemes apart."""
    if not rows:
        return
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    of = {(row["attack"], row["strength"], row["scheme"]): f"{row['right']} of {row['leaks']}" for row in rows}
    cases = dict.fromkeys((row["attack"], row["strength"]) for row in rows)
    body = [
        [f"{attack} {strength}", *(of.get((attack, strength, one), "-") for one in schemes)]
        for attack, strength in cases
    ]
    yield "## More leaks under the hardest attack\n"
    yield "Leaks traced to the right copy, our measurement:\n"
    yield markdown_table(["attack", *schemes], body)


def _leaks_of(rows: Sequence[Result]) -> str:
    """How many leaks a scheme has in these rows; a range if schemes differ."""
    counts = dict.fromkeys((row["scheme"] for row in rows), 0)
    for row in rows:
        counts[row["scheme"]] += row["leaks"]
    few, many = min(counts.values()), max(counts.values())
    return str(few) if few == many else f"{few} to {many}"


def _leaks_asked(rows: Sequence[Result]) -> str:
    if not rows:
        return ""
    untouched, others = ([row for row in rows if (row["attack"] == UNTOUCHED) == wanted] for wanted in (True, False))
    counts = [f"{_leaks_of(some)} {name}" for some, name in ((untouched, UNTOUCHED), (others, "attacked")) if some]
    return f"; of {' and '.join(counts)} leaks"
