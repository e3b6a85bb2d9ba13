"""Where the shipped models put marks in a text, and the name of all that decided it."""

from functools import cache
from pathlib import Path

from lexprint import Engine, segment
from lexprint.copies.analysis import analyse
from lexprint.settings import find_profile
from lexprint.watermark.embed import embed
from lexprint.workflows.marking import scheme_of

HERE = Path(__file__).parent
TEXT, FILE = HERE / "text.txt", HERE / "marks.json"
BITS = (1, 0) * 50


@cache
def shipped() -> Engine:
    """Loaded once for all that is asked here."""
    return Engine(settings=find_profile("lexprint"))


def canaries() -> dict[str, str]:
    """What the shipped models answer to a few fixed questions, by their fingerprints."""
    engine = shipped()
    return {f"{engine.masked_lm.fingerprint} {engine.entailment.fingerprint}": engine.canary}


def marks() -> dict[str, dict[str, object]]:
    """By profile: the fingerprint, the words that copies may differ in, and the text with blind marks."""
    text = TEXT.read_text("utf-8")
    documents = {"lexprint": segment(text), "paper": segment(text.partition("\n")[0])}  # SR takes its time
    found: dict[str, dict[str, object]] = {}
    for profile, document in documents.items():
        engine = shipped().with_settings(find_profile(profile))
        marked = embed(document, BITS, scheme_of(engine))
        found[profile] = {"fingerprint": engine.fingerprint, "blind": marked.text}
        if engine.settings.substitution.acceptance_floor:
            sites = analyse(document, engine.substituter, engine.settings.copies)
            found[profile]["copies fingerprint"] = engine.copies_fingerprint
            found[profile]["copies"] = [[site.span.start, *site.pair, *site.further] for site in sites]
    return found
