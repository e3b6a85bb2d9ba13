"""All schemes on one page: what was measured here and what others published, side by side, with the commands.

It is made of the results that the measuring commands write; what has not been measured is simply absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lexprint_evaluation.payload import PUBLISHED_BIT_ERRORS
from lexprint_evaluation.presence import ORGANISERS_MODEL, PUBLISHED as PUBLISHED_PRESENCE
from lexprint_evaluation.result_rows import (
    MEASURED,
    PAPERS_OWN,
    QUOTED,
    Result,
    known_mean,
    percent,
    ratio,
    rows_of,
    shown,
)
from lexprint_evaluation.scheme_ranking import rank_by_strength, rank_schemes, rank_under_attack
from lexprint_evaluation.swords import PUBLISHED as PUBLISHED_SUBSTITUTES
from lexprint_evaluation.tables import markdown_table
from lexprint_evaluation.watermark import PUBLISHED_MEANS

UNRECORDED = "not recorded"  # older results do not say; nothing is guessed


def leaderboard(results: Mapping[str, Result]) -> str:
    """Markdown of every ranking for which there are results, by the experiment's name."""
    parts = [
        *rank_schemes(results),
        *rank_under_attack(rows_of(results, "attacks")),
        *rank_by_strength(rows_of(results, "attacks-forty")),
        *_gaps(results.get("watermark")),
        *_profiles(results),
        *_substitutes(results.get("swords")),
        *_payloads(results.get("payload")),
        *_presence(results.get("pan")),
        *_twins(results.get("twins")),
        *_traced(results.get("tracing")),
        *_on_paper(results.get("paper")),
        *_sources(results),
    ]
    return "\n".join(parts)


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
                shown(ratio(own, "bits", "words"), places=3),
                shown(ratio(own, "bit_errors", "bits")),
                *(shown(known_mean(row[name]["changed"] for row in own)) for name in ("entailment", "similarity")),
                percent(ratio(own, "recovered", "substituted")),
            ]
        )
        if published is not None:
            figures = (published.entailment, published.similarity)
            body.append([str(gap), QUOTED, shown(published.bits_per_word, places=3), "-", *map(shown, figures), "-"])
    yield "## Words skipped after a site\n"
    yield f"Ours with the profile `{result['profile']}`, means over its sets; published ones are the paper's means over its own:\n"
    yield markdown_table(["f", "figures", "bpw", "BER", "SR", "SS", "recovered"], body)
    yield from _fall(result)


def _fall(result: Result) -> Iterator[str]:
    """Skipping more words is meant to trade payload for quality; how little of either it does here is said."""
    payloads = {
        gap: ratio([row for row in result["rows"] if row["gap"] == gap], "bits", "words")
        for gap in sorted({row["gap"] for row in result["rows"]} & PUBLISHED_MEANS.keys())
    }
    first, last = min(payloads, default=0), max(payloads, default=0)
    ours = _lost(payloads.get(first), payloads.get(last))
    theirs = _lost(*(PUBLISHED_MEANS[gap].bits_per_word for gap in (first, last))) if payloads else None
    if first < last and ours is not None and theirs is not None:
        yield (
            f"From f = {first} to f = {last} our payload falls by {ours:.0%}, the published one by {theirs:.0%}: few of our "
            "sites stand so close together that skipping more words passes over them, so a larger f brings little as well.\n"
        )


def _lost(before: float | None, after: float | None) -> float | None:
    return 1 - after / before if before and after is not None else None


def _profiles(results: Mapping[str, Result]) -> Iterator[str]:
    """The paper's algorithms with our rules and without any, on the same sentences."""
    measured = [results[name] for name in ("watermark-literal", "watermark-paper", "watermark") if name in results]
    if len(measured) < 2:
        return
    body = []
    for result in measured:
        own = [row for row in result["rows"] if row["gap"] == 1]
        means = (known_mean(row[name]["changed"] for row in own) for name in ("entailment", "similarity"))
        payloads = (ratio(own, "bits", words) for words in ("words", "plain_words"))
        errors = shown(ratio(own, "bit_errors", "bits"))
        body.append(
            [result["profile"], MEASURED, *(shown(one, places=3) for one in payloads), errors, *map(shown, means)]
        )
    quoted = PUBLISHED_MEANS[1]
    figures = map(shown, (quoted.entailment, quoted.similarity))
    body.append([PAPERS_OWN, QUOTED, shown(quoted.bits_per_word, places=3), "-", "-", *figures])
    yield "## The paper's algorithms, with and without our rules\n"
    yield (
        "f = 1. `literal` is Algorithms 1 and 2 without any rule of ours, `paper` leaves out what would harm real documents "
        "([which](paper-profile.md)); both with the shipped models, which are not the paper's:\n"
    )
    yield markdown_table(["profile", "figures", "bpw", "without punctuation", "BER", "SR", "SS"], body)


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
                *(shown(value, places=1) for value in (strict, conceivable, lenient, lenient_conceivable)),
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
                percent(row["recovered"] / row["trials"]),
                shown(row["bit_errors"] / row["bits"] if row["bits"] else None, places=3),
                *(shown(figure, places=3) for figure in published),
            ]
        )
    yield "## Payloads under a key\n"
    yield f"Payloads of {result['bits']} bits that come back, and the raw bit error rate beside published ones (IMDB):\n"
    header = ["attack", f"payload back, {MEASURED}", f"BER, {MEASURED}"]
    yield markdown_table([*header, f"ContextLS, {QUOTED}", f"Yoo et al. 2023, {QUOTED}"], body)


def _presence(result: Result | None) -> Iterator[str]:
    """The shared task's score, by attack; nobody knows the organisers' attacks, so published ones are no rivals in a strict sense."""
    if result is None:
        return
    by_network = result.get("bert_score")
    fidelity = max(result["bleu"], by_network or 0.0)
    body = [
        [row["attack"], MEASURED, percent(row["false_alarms"] / row["texts"])]
        + [shown(value, places=3) for value in (row["balanced_accuracy"], fidelity * row["balanced_accuracy"])]
        for row in result["rows"]
    ]
    total = (result["balanced_accuracy"], result["score"])
    body.append(["all", MEASURED, percent(result["false_alarms"]), *(shown(value, places=3) for value in total)])
    body += [
        [name, QUOTED, "-", shown(accuracy, places=3), shown(score, places=3)]
        for name, (score, accuracy) in PUBLISHED_PRESENCE.items()
    ]
    yield "## Marked or not\n"
    measured, remark = f"BLEU ({shown(result['bleu'], places=3)})", "BERTScore is not measured"
    if by_network is not None:
        measured = f"the larger of {measured} and BERTScore ({shown(by_network, places=3)})"
        remark = (
            f"BERTScore is by {result['bert_score_model']}; that of the organisers, by {ORGANISERS_MODEL}, is another"
        )
    yield (
        f"PAN at CLEF 2026: {measured} times balanced accuracy on {result['texts']} texts, each with "
        "and without its mark. The attacks are ours; published figures are for those of the organisers, which nobody has "
        f"published, so they are not comparable to the last digit. {remark}:\n"
    )
    yield markdown_table(["attack", "figures", "false alarms", "balanced accuracy", "score"], body)


def _twins(result: Result | None) -> Iterator[str]:
    if result is None:
        return
    body = [
        [row["scheme"], str(row["pairs"]), f"{row['words']:.0f}", f"{row['changed']:.1f}"]
        + [f"{row[name]['mean']:.0%} [{row[name]['low']:.0%}, {row[name]['high']:.0%}]" for name in ("twins", "single")]
        for row in result["rows"]
    ]
    yield "## Told apart without the key\n"
    yield (
        "A classifier that has learnt from other pairs of original and marked copy: how often it names the marked one of a pair, "
        "and says of a single text what it is, in our measurement, with 95 % confidence intervals. Half is chance:\n"
    )
    yield markdown_table(["scheme", "pairs", "words", "words changed", "marked twin named", "single text"], body)


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
        [row["attack"], *(percent(row[name] / row["trials"]) for name in ("right", "inconclusive", "wrong"))]
        for row in rows
    ]
    yield markdown_table(["attack", "right", "inconclusive", "innocent accused"], body)


def _on_paper(result: Result | None) -> Iterator[str]:
    if result is None:
        return
    body = [[row["leak"], f"{row['right']} of {row['leaks']}", str(row["wrong"])] for row in result["rows"]]
    yield "## From paper\n"
    yield (
        f"A page of {result['words']} words issued to {result['recipients']} recipients, our measurement. Scans, photographs and "
        "typing errors are simulated ([how](paper.md)); no scanner, camera or typist was involved:\n"
    )
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
