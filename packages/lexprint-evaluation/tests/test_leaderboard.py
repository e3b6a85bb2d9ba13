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
    assert [cell.strip() for cell in line.split("|")[2:4]] == ["3", "1"]


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
