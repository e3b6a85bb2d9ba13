"""Reading part by part finds what reading at once finds, and tells it early."""

from collections.abc import Sequence
from itertools import pairwise

from tests.server.served import fake_engine

from lexprint.copies.analysis import analyse
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment
from lexprint.watermark.sites import Site
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.parts import analyse_parts

TEXT = "\n\n".join(fake_text(words=150, seed=seed) for seed in range(4))


def test_parts_say_what_the_whole_says() -> None:
    """The same sites, with the numbers of their sentences."""
    document, engine = segment(TEXT), fake_engine()
    found = analyse_parts(document, engine.substituter, engine.settings.copies)
    assert found == analyse(document, engine.substituter, engine.settings.copies)
    assert len(found) > 30


def test_first_sites_come_before_most_words_are_read() -> None:
    """Sites are told in order, each time all so far, the first when a tenth of the text is read."""
    progress: list[tuple[int, int]] = []
    told: list[tuple[int, list[Site]]] = []

    def on_sites(sites: Sequence[Site]) -> None:
        told.append((progress[-1][0], list(sites)))

    analysis = analyse_document(
        fake_engine(), TEXT, on_progress=lambda done, total: progress.append((done, total)), on_sites=on_sites
    )
    words = analysis.words
    assert progress[0] == (0, words)
    assert progress[-1] == (words, words)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert told[0][0] < words / 8
    assert len(told) > 3
    for (_, earlier), (_, later) in pairwise(told):
        assert later[: len(earlier)] == earlier
    assert [site.span for site in told[-1][1]] == [site.span for site in analysis.sites]
