"""Text to bits, each with its reliability."""

from __future__ import annotations

from lexprint.text.document import Document
from lexprint.watermark.inquiry import WINDOW, answer_all
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Reading
from lexprint.watermark.walk import OnWords, gaps_as_they_stand, keep, walk

SHORT = 64  # sentences; the walks through longer texts keep the models busy on their own


def extract(
    document: Document,
    scheme: Scheme,
    *,
    window: int = WINDOW,
    on_words: OnWords | None = None,
    ahead: bool = True,
) -> Reading:
    """Read every site of a text.

    Short texts are asked about as a whole, `ahead` of the walk, unless most verdicts are known to the scheme already.
    """
    if ahead and len(document.sentences) <= SHORT:
        # A reader writes nothing, so what each word will be asked is known: a few answers that nobody needs cost less
        # than models that wait for the next word.
        answer_all((scheme.find_pair(gap) for gap in gaps_as_they_stand(document, scheme)), scheme.substituter)
    visits = walk(document, scheme, keep, window=window, on_words=on_words)
    return Reading(tuple(visit.site for visit in visits), scheme.fingerprint)
