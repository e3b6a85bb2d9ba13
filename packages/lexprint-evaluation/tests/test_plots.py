"""Pictures of the tables: what they show, and the same bytes for the same figures."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from lexprint_evaluation import plots
from lexprint_evaluation.ablations import AblationRow, Located
from lexprint_evaluation.comparison import MethodRow
from lexprint_evaluation.metrics import Means
from lexprint_evaluation.swords import Figures, Row as SwordsRow
from lexprint_evaluation.watermark import Row

SETS = ("IMDB", "A tale of nobody's")


def watermark_picture(entailment: float | None = 0.96) -> bytes:
    return plots.watermark_plot(
        [
            Row(
                title=title,
                gap=gap,
                fingerprint="",
                sentences=9,
                words=200,
                bits=12 - gap,
                bit_errors=0,
                entailment=Means(entailment, entailment),
                similarity=Means(0.97, 0.99),
                substituted=5,
                recovered=4,
            )
            for title in SETS
            for gap in (1, 2)
        ]
    )


def method_rows(*methods: str, bits: int) -> list[MethodRow]:
    return [
        MethodRow(title, method, 9, 200, bits, 0, 5, Means(0.9, 0.95), Means(None, 0.99))
        for title in SETS
        for method in methods
    ]


def rivals_picture(entailment: float | None = 0.96) -> bytes:
    rows = method_rows("topkara", "lexprint", bits=20)
    rows.append(MethodRow("IMDB", "other", 9, 200, 7, 0, 5, Means(entailment, entailment), Means(0.9, 0.9)))
    return plots.rivals_plot(rows, method_rows("topkara", bits=9))


def ablation_rows(entailment: float | None = 0.96) -> list[AblationRow]:
    errors = round(100 * (entailment or 0))
    return [
        AblationRow(title, f"paper{suffix}", "", 900, 100, errors, 3, Located(90, 4, 6, 2), 50, errors // 2)
        for title in SETS
        for suffix in ("", "-without-synchronicity")
    ]


def ablations_picture(entailment: float | None = 0.96) -> bytes:
    return plots.ablations_plot(ablation_rows(entailment))


def recoverability_picture(entailment: float | None = 0.96) -> bytes:
    return plots.recoverability_plot(ablation_rows(entailment))


def swords_picture(entailment: float | None = 0.96) -> bytes:
    figures = Figures(20.0, 100 * (entailment or 0))
    return plots.swords_plot([SwordsRow(name, *[figures] * 4) for name in ("BERT-M", "lexprint")])


PICTURES = {
    watermark_picture: {"f = 1", "f = 2", "mean", "SR", "SS", "bits per word", "words recovered", *SETS},
    rivals_picture: {"topkara", "lexprint", "other", *SETS},
    ablations_picture: {"paper", "paper-without-synchronicity", "missed", "20 of 200 lost", *SETS},
    recoverability_picture: {"paper", "paper-without-synchronicity", *SETS},
    swords_picture: {"BERT-M", "lexprint", "strict, acceptable", "lenient, conceivable"},
}


@pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
def test_a_picture_names_what_it_shows(draw: Callable[..., bytes]) -> None:
    """Sets, methods and figures are written in it; figures that are absent leave it whole."""
    for entailment in (0.96, None):
        written = {element.text for element in ElementTree.fromstring(draw(entailment)).iter() if element.text}
        assert written >= PICTURES[draw]


@pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
def test_a_picture_follows_the_figures(draw: Callable[..., bytes]) -> None:
    """The same bytes for the same ones, others for others."""
    assert draw() == draw() != draw(0.5)


def test_a_scheme_looks_the_same_everywhere() -> None:
    """Whatever stands beside it."""
    few, many = (plots.rivals_plot(method_rows(*names, bits=9)) for names in (["hao"], ["topkara", "hao", "paper"]))
    assert plots.SCHEME_COLOURS["hao"].encode() in few
    assert plots.SCHEME_COLOURS["hao"].encode() in many
