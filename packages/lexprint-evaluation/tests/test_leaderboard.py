"""Rankings made of results that the test made up."""

from typing import Any

from lexprint_evaluation.leaderboard import UNRECORDED, leaderboard


def compared(method: str, title: str, entailment: float, *, bits: int = 10, errors: int = 0) -> dict[str, Any]:
    means = {"changed": entailment, "all": 1.0}
    return {
        "method": method,
        "title": title,
        "words": 100,
        "bits": bits,
        "bit_errors": errors,
        "entailment": means,
        "similarity": means,
    }


def judged(scheme: str, title: str, mean: float) -> dict[str, Any]:
    interval = {"mean": mean, "low": mean, "high": mean}
    figures = {"sr": interval, "ss": interval, "fluency": interval, "grammar": interval}
    return {
        "scheme": scheme,
        "title": title,
        "words": 100,
        "bits": 20,
        "of_changed": figures,
        "of_all": {**figures, "grammar": {**interval, "mean": mean + 1}},
    }


def attacked(scheme: str, attack: str, right: int) -> dict[str, Any]:
    return {"scheme": scheme, "attack": attack, "leaks": 4, "right": right, "wrong": 1}


def cells(text: str, first: str, figures: str = "ours") -> list[str]:
    """The line of a scheme."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    (found,) = [line for line in lines if line[:2] == [first, figures]]
    return found


RESULTS = {
    "rivals": {
        "fingerprint": "aa",
        "date": "2020-02-02",
        "command": "lexprint evaluate rivals",
        "rows": [
            compared("hao", "IMDB", 0.7, errors=1),
            compared("hao", "Dracula", 0.8),
            compared("lexprint", "IMDB", 0.9),
        ],
    },
    "quality": {
        "fingerprint": "bb",
        "rows": [
            judged("lexprint", "IMDB", -0.1),
            judged("registered", "IMDB", 0.5),
            judged("registered", "Dracula", 0.9),
            judged("registered", "all sets", 0.6),
        ],
    },
    "attacks": {
        "fingerprint": "cc",
        "rows": [
            attacked("lexprint", "untouched", 4),
            attacked("lexprint", "crop", 1),
            attacked("lexprint", "crop", 2),
            attacked("registered", "crop", 4),
        ],
    },
}


def test_figures_of_all_results_stand_in_one_line() -> None:
    """Means over sets, errors over bits, judges pooled, leaks traced."""
    text = leaderboard(RESULTS)
    assert cells(text, "hao")[2:6] == ["0.7500", "0.7500", "0.100", "0.0500"]
    assert cells(text, "lexprint")[2:] == [
        *("0.9000", "0.9000", "0.100", "0.0000", "-", "-0.100", "0.90", "100.0%", "37.5%")
    ]
    assert cells(text, "registered")[2:] == [
        *("0.7000", "0.7000", "0.200", "-", "-", "0.600", "1.60", "-", "100.0%"),
    ]


def test_best_first_and_published_ones_below() -> None:
    """The order is by SR; quoted figures say that they are."""
    lines = [line.split("|")[1].strip() for line in leaderboard(RESULTS).splitlines() if line.startswith("|")]
    assert lines[2:9] == ["lexprint", "hao", "registered", "topkara", "hao", "awt", "the paper's own"]
    assert cells(leaderboard(RESULTS), "topkara", "published")[2] == "0.8728"


def test_the_innocent_are_counted() -> None:
    """By scheme, over all attacks."""
    text = leaderboard({"attacks": RESULTS["attacks"]})
    assert "| innocent accused, leaks |" in text
    (line,) = [line for line in text.splitlines() if "innocent accused, leaks" in line]
    assert [cell.strip() for cell in line.split("|")[2:5]] == ["4 to 12", "3", "1"]


def test_every_table_says_where_it_is_from() -> None:
    """Date and command, or that they were not kept; nothing where nothing was measured."""
    text = leaderboard(RESULTS)
    assert " 2020-02-02 |" in text
    assert "`lexprint evaluate rivals` |" in text
    assert text.count(f" {UNRECORDED} |") == 4
    assert "Fingerprints differ" in text
    assert "Fingerprints differ" not in leaderboard({"rivals": RESULTS["rivals"]})
    assert leaderboard({}) == ""


def test_other_experiments_have_rankings_of_their_own() -> None:
    """SWORDS by strict F10, bit errors beside published ones, gaps beside the paper's means."""
    text = leaderboard(
        {
            "swords": {
                "fingerprint": "",
                "split": "dev",
                "rows": [{"method": "lexprint", "f": [32.0, 55.0, 99.0, 33.0]}],
            },
            "payload": {
                "fingerprint": "",
                "bits": 16,
                "rows": [{"attack": "deletion 5%", "trials": 4, "recovered": 3, "bits": 100, "bit_errors": 31}],
            },
            "watermark": {
                "fingerprint": "",
                "profile": "lexprint@1",
                "rows": [{**compared("", "IMDB", 0.99), "gap": 2, "recovered": 1, "substituted": 4}],
            },
        }
    )
    ranked = [line.split("|")[1:4] for line in text.splitlines() if line.startswith("| lexprint")]
    assert [cell.strip() for cell in ranked[0]] == ["lexprint", "ours", "99.0"]
    assert text.index("| lexprint ") < text.index("| Algorithm 1")
    assert [
        cell.strip() for cell in next(line for line in text.splitlines() if "deletion" in line).split("|")[2:6]
    ] == [*("75.0%", "0.310", "0.392", "0.200")]
    assert cells(text, "2")[2:] == ["0.100", "0.0000", "0.9900", "0.9900", "25.0%"]
    assert cells(text, "2", "published")[2:] == ["0.044", "-", "0.9840", "0.9940", "-"]


def test_cells_say_how_many_leaks_they_have() -> None:
    """A share of four leaks looks like one of four hundred, so the number stands beside it."""
    text = leaderboard({"attacks": RESULTS["attacks"]})
    lines = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in text.splitlines() if "|" in line}
    assert lines["untouched"] == "4"
    assert lines["crop"] == "4 to 8"
    assert "of 4 untouched and 4 to 8 attacked leaks" in text


def test_figures_say_what_they_are_of() -> None:
    """One checker's errors of grammar, models that chose our words, and leaks that no camera took."""
    assert "one checker, quire-grammar" in leaderboard(RESULTS)
    assert "come from the models that chose our words" in leaderboard(RESULTS)
    row = {"leak": "photograph", "leaks": 20, "right": 19, "wrong": 0}
    text = leaderboard({"paper": {"fingerprint": "", "words": 494, "recipients": 300, "rows": [row]}})
    assert "simulated" in text
    assert "19 of 20" in text


def marked(gap: int, *, bits: int) -> dict[str, Any]:
    row = {**compared("", "IMDB", 0.9, bits=bits), "gap": gap, "recovered": 1, "substituted": 4}
    return {**row, "words": 1000, "plain_words": 800}


def watermark(profile: str, *rows: dict[str, Any]) -> dict[str, Any]:
    return {"fingerprint": "", "profile": profile, "rows": list(rows)}


def test_what_a_larger_gap_costs_is_said() -> None:
    """The published payload falls by two thirds; ours, which hardly does, must not go without comment."""
    text = leaderboard({"watermark": watermark("lexprint@1", marked(1, bits=40), marked(3, bits=34))})
    assert "From f = 1 to f = 3 our payload falls by 15%, the published one by 66%" in text
    assert "From f" not in leaderboard({"watermark": watermark("lexprint@1", marked(1, bits=40))})


def test_the_paper_with_and_without_our_rules() -> None:
    """Profiles `literal` and `paper` stand beside the published figures, as soon as they are measured."""
    usual = {"watermark": watermark("lexprint@1", marked(1, bits=40), marked(2, bits=30))}
    assert "literal@1" not in leaderboard(usual)
    text = leaderboard({**usual, "watermark-literal": watermark("literal@1", marked(1, bits=48))})
    assert cells(text, "literal@1")[2:] == ["0.048", "0.060", "0.0000", "0.9000", "0.9000"]
    assert cells(text, "lexprint@1")[2] == "0.040"
    assert cells(text, "the paper's own", "published")[2] == "0.091"


def test_marked_or_not_and_told_apart() -> None:
    """PAN's score beside published ones, and what a reader without the key can tell, with its interval."""
    share = {"mean": 0.55, "low": 0.48, "high": 0.62}
    pan_row = {"attack": "shuffle", "texts": 20, "false_alarms": 1, "balanced_accuracy": 0.95}
    pan = {"fingerprint": "", "texts": 20, "bleu": 0.9, "balanced_accuracy": 0.95, "score": 0.855, "false_alarms": 0.05}
    twin = {"scheme": "registered", "pairs": 200, "words": 500.0, "changed": 17.0, "twins": share, "single": share}
    text = leaderboard(
        {"pan": {**pan, "rows": [pan_row]}, "twins": {"fingerprint": "", "rows": [twin]}},
    )
    assert cells(text, "shuffle")[2:] == ["5.0%", "0.950", "0.855"]
    assert cells(text, "all")[-1] == "0.855"
    assert cells(text, "the winner", "published")[-1] == "0.818"
    assert "BERTScore is not measured" in text
    measured = {**pan, "bert_score": 0.98, "bert_score_model": "a network", "score": 0.931, "rows": [pan_row]}
    by_network = leaderboard({"pan": measured})
    assert cells(by_network, "shuffle")[2:] == ["5.0%", "0.950", "0.931"]
    assert "BERTScore is by a network; that of the organisers, by roberta-large, is another" in by_network
    assert "| 55% [48%, 62%] |" in text


def test_many_leaks_of_the_hardest_attack() -> None:
    """Counts, not shares: one leak more or less can be seen."""
    rows = [
        {**attacked(scheme, "synonyms by a masked LM", right), "leaks": 40, "strength": "10%"}
        for scheme, right in (("registered", 34), ("awt", 35))
    ]
    text = leaderboard({"attacks-forty": {"fingerprint": "", "rows": rows}})
    assert "| registered |      awt |" in text
    assert "|   34 of 40 | 35 of 40 |" in text
