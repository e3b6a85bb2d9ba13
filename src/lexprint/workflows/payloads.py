"""Payloads under a secret key, for owners without a registry: they survive cutting, moving and editing, or are not found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from lexprint import __version__
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.coding.payload_code import (
    DEFAULT_FALSE_POSITIVE,
    FORMS,
    SECOND_TURN,
    Form,
    Frame,
    Payload,
    decode_in_turns,
    distinct,
    frame_number,
    frame_text,
    parity_writer,
    sites_needed,
)
from lexprint.engine import Engine
from lexprint.errors import InputError, PayloadTooLong, SettingsError
from lexprint.settings import Settings, has_denser_profile
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark.embed import require_readable
from lexprint.watermark.extract import extract as read_sites
from lexprint.watermark.labels import embed_by_label, observe, weigh
from lexprint.watermark.records import Record, record_of
from lexprint.watermark.scheme import Scheme
from lexprint.workflows.fingerprints import require_fingerprint
from lexprint.workflows.marking import OnProgress, counting, scheme_of, segmented
from lexprint.workflows.results import EmbeddedPayload, ExtractedPayload

KEYS_FORESEEN = 8  # a reader tries every key of the ring; a text marked today is found after so many rotations
USUAL_WORDS_PER_SITE = 10.0  # in running text; for texts without any site


def embed_payload(
    engine: Engine,
    text: str,
    payload: Payload,
    *,
    key: MasterKey,
    bits: int | None = None,
    protected: Iterable[Span] = (),
    false_positive: float = DEFAULT_FALSE_POSITIVE,
    on_progress: OnProgress | None = None,
) -> EmbeddedPayload:
    """Write a payload to all sites of a text, under a key, and read it back; a number takes `bits`, a text as few as hold it.

    `false_positive` is the chance of error that readers will be content with: a text that is too short for it is refused.

    >>> from lexprint import Engine, MasterKey
    >>> embed_payload(Engine(), "Too short.", 7, bits=4, key=MasterKey.generate())
    Traceback (most recent call last):
    lexprint.errors.PayloadTooLong: the text has 0 sites that differ, a payload of 4 bits needs 27;
    use a text longer by about 270 words, or a shorter payload, or the profile dense, for its readers too
    """
    (embedded,) = embed_payloads(
        engine,
        text,
        [payload],
        key=key,
        bits=bits,
        protected=protected,
        false_positive=false_positive,
        on_progress=on_progress,
    )
    return embedded


def embed_payloads(
    engine: Engine,
    text: str,
    payloads: Iterable[Payload],
    *,
    key: MasterKey,
    bits: int | None = None,
    protected: Iterable[Span] = (),
    false_positive: float = DEFAULT_FALSE_POSITIVE,
    on_progress: OnProgress | None = None,
) -> Iterator[EmbeddedPayload]:
    """One copy of a text for each payload; models are asked only about what no earlier copy has asked."""
    _require_probability(false_positive)
    document = segmented(text, protected)
    if on_progress is not None:
        on_progress(0, document.word_count)  # how much there is, before models are loaded
    scheme = scheme_of(engine)
    for payload in payloads:
        frame = _frame_of(payload, bits)
        yield _embed(engine, document, frame, scheme, key=key, false_positive=false_positive, on_progress=on_progress)


def extract_payload(
    engine: Engine,
    text: str,
    *,
    keys: Keyring | Sequence[MasterKey],
    bits: int | None = None,
    marked_with: Record | str | None = None,
    protected: Iterable[Span] = (),
    false_positive: float = DEFAULT_FALSE_POSITIVE,
    on_progress: OnProgress | None = None,
) -> ExtractedPayload:
    """The payload of a text under any of the keys, or none: texts of all lengths, or the number that has `bits`.

    >>> from lexprint import Engine, MasterKey
    >>> found = extract_payload(Engine(), "Too short.", keys=[MasterKey.generate()])
    >>> found.payload is None, found.is_found
    (True, False)
    """
    _require_probability(false_positive)
    document = segmented(text, protected)
    on_words = counting(document.word_count, on_progress)
    require_fingerprint(engine, marked_with)
    reading = read_sites(document, scheme_of(engine), on_words=on_words)
    observations = observe(document, reading.sites)

    decoded = decode_in_turns(
        observations,
        lambda: weigh(document, reading.sites, engine.masked_lm),  # asks the model
        tuple(keys),
        forms=_forms(bits),
        false_positive=false_positive,
    )
    return ExtractedPayload(
        decoded=decoded,
        sites=reading.sites,
        readable=len(distinct(observations)),
        words=document.word_count,
        false_positive=false_positive,
        fingerprint=reading.fingerprint,
    )


def _embed(
    engine: Engine,
    document: Document,
    frame: Frame,
    scheme: Scheme,
    *,
    key: MasterKey,
    false_positive: float,
    on_progress: OnProgress | None,
) -> EmbeddedPayload:
    on_words = counting(document.word_count, on_progress)
    marked = embed_by_label(document, parity_writer(key, frame), scheme, on_words=on_words)
    labels = {observation.label for observation in observe(document, marked.sites)}
    forms = (frame.form,) if frame.form.kind == "number" else FORMS
    needed = sites_needed(
        frame.form.bits, tries=KEYS_FORESEEN * len(forms), false_positive=false_positive * SECOND_TURN
    )
    if len(labels) < needed:
        raise _too_long(document, frame.form, engine.settings, needed=needed, found=len(labels))
    copy = segment(marked.text)
    observations = observe(copy, require_readable(marked, scheme).sites)
    decoded = decode_in_turns(
        observations,
        lambda: observations,  # all of them agree, so it does not matter what they weigh
        (key,),
        forms=forms,
        false_positive=false_positive,
    )
    if decoded is None or decoded.message != frame.message:
        # Two messages that all labels agree with: rarer than `false_positive`, and more sites would tell them apart.
        raise _too_long(document, frame.form, engine.settings, needed=len(labels) + 1, found=len(labels))
    record = record_of(
        marked, version=__version__, settings=engine.settings, canary=engine.canary, words=document.word_count
    )
    return EmbeddedPayload(text=marked.text, record=record, decoded=decoded, needed=needed)


def _too_long(document: Document, form: Form, settings: Settings, *, needed: int, found: int) -> PayloadTooLong:
    words_per_site = document.word_count / found if found else USUAL_WORDS_PER_SITE
    missing = max(1, ceil((needed - found) * words_per_site))
    denser = ", or the profile dense, for its readers too" if has_denser_profile(settings) else ""
    return PayloadTooLong(needed=needed, found=found, bits=form.bits, words_missing=missing, or_else=denser)


def _frame_of(payload: Payload, bits: int | None) -> Frame:
    if isinstance(payload, int):
        if bits is None:
            raise InputError("the payload is a number", needed="how many bits it takes; its reader must know that too")
        return frame_number(payload, bits=bits)
    if bits is not None:
        raise InputError("the payload is a text, and a number of bits was given", needed="a number, or no bits")
    return frame_text(payload)


def _forms(bits: int | None) -> Sequence[Form]:
    return FORMS if bits is None else (Form("number", bits),)


def _require_probability(false_positive: float) -> None:
    if not 0.0 < false_positive < 1.0:
        raise SettingsError("false_positive", false_positive, needed="a probability between 0 and 1")
