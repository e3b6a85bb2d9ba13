"""Where copies of a text may differ.

An analysis is made once: it is kept in the registry, for every verb and for the service.

It takes minutes of a processor, and depends on nothing but the text, what is protected in it, and the fingerprint of models,
settings and rules. Only who has the text finds it and can read it: both its name and the key that seals it come from the text,
so a registry tells nothing of drafts that were never issued. They come from the owner's key too, where it is at hand: who can write to the
database cannot put words there that the owner's copies would hold.
"""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from lexprint.engine import Engine
from lexprint.registry.audit import canonical_json, time_text
from lexprint.registry.protocol import Registry
from lexprint.text.languages import require_english
from lexprint.text.pairs import Figures, Pair
from lexprint.text.protection import PROTECTIONS, Protection, protected_spans
from lexprint.text.span import Span
from lexprint.watermark.sites import Site
from lexprint.workflows.marking import OnProgress, counting, in_paragraphs, segmented
from lexprint.workflows.parts import OnSites, analyse_parts
from lexprint.workflows.results import Analysis, Paragraph

DAYS_KEPT = 90
MOST_KEPT = 10_000  # the oldest go first
NONCE_BYTES = 12
FORMAT = "analysis 2"  # raised when sites hold something else
PURPOSE = "analyses"  # of the derived key


def analyse_document(
    engine: Engine,
    text: str,
    *,
    protected: Iterable[Span] = (),
    protected_phrases: Iterable[str] = (),
    protections: Collection[Protection] = PROTECTIONS,
    on_progress: OnProgress | None = None,
    on_sites: OnSites | None = None,
) -> Analysis:
    """Where copies of a text may differ; `protected` are spans besides those that are found in the text itself.

    A text that is mostly not English is refused, unless `protections` leaves languages out. `on_sites` is told all sites so
    far, whenever there are more.

    >>> from lexprint import Engine
    >>> analyse_document(Engine(), "No.").sites
    ()
    """
    document = segmented(text)
    if "languages" in protections:
        require_english(text)
    found = protected_spans(text, protections=protections, phrases=protected_phrases, spans=protected)
    on_words = counting(document.word_count, on_progress)
    sites = analyse_parts(
        document,
        engine.substituter,
        engine.settings.copies,
        protected=found,
        on_words=on_words,
        on_sites=on_sites,
    )
    return Analysis(in_paragraphs(document, sites), engine.copies_fingerprint)


def find_analysis(
    registry: Registry,
    engine: Engine,
    text: str,
    *,
    protected: Iterable[Span] = (),
    protected_phrases: Iterable[str] = (),
    protections: Collection[Protection] = PROTECTIONS,
    on_progress: OnProgress | None = None,
    on_sites: OnSites | None = None,
) -> Analysis:
    """As `analyse_document`, and kept; asked again, it answers at once."""
    spans = tuple(protected)
    phrases = tuple(protected_phrases)
    kept = KeptAnalysis.of(
        registry, text, engine.copies_fingerprint, spans=spans, phrases=phrases, protections=protections
    )
    analysis = kept.load(registry)
    if analysis is not None:
        if on_progress is not None:
            on_progress(analysis.words, analysis.words)
        return analysis
    analysis = analyse_document(
        engine,
        text,
        protected=spans,
        protected_phrases=phrases,
        protections=protections,
        on_progress=on_progress,
        on_sites=on_sites,
    )
    kept.save(registry, analysis)
    return analysis


class KeptAnalysis:
    """Where the analysis of a text is, and what seals it."""

    def __init__(self, name: str, secret: bytes) -> None:
        self._name, self._secret = name, secret

    @classmethod
    def of(
        cls,
        registry: Registry,
        text: str,
        fingerprint: str,
        *,
        spans: Iterable[Span],
        phrases: Iterable[str],
        protections: Collection[Protection],
    ) -> KeptAnalysis:
        found = protected_spans(text, protections=protections, phrases=phrases, spans=spans)
        asked = [FORMAT, text, fingerprint, [[span.start, span.end] for span in found]]
        question = registry.secret(PURPOSE) + canonical_json(asked).encode()
        return cls(sha256(b"name " + question).hexdigest(), sha256(b"seal " + question).digest())

    def load(self, registry: Registry) -> Analysis | None:
        """None where there is none, or none that can be read."""
        with registry.reading() as statements:
            rows = statements.rows("SELECT content FROM analyses WHERE name = :name", name=self._name)
        return None if not rows else self._opened(bytes(rows[0]["content"]))

    def save(self, registry: Registry, analysis: Analysis) -> None:
        now = datetime.now(UTC)
        with registry.writing() as statements:
            statements.change(
                "DELETE FROM analyses WHERE kept_at < :before OR name IN "
                f"(SELECT name FROM analyses ORDER BY kept_at DESC LIMIT 1000 OFFSET {MOST_KEPT - 1})",
                before=time_text(now - timedelta(days=DAYS_KEPT)),
            )
            statements.change(
                "INSERT INTO analyses (name, content, kept_at) VALUES (:name, :content, :kept_at) ON CONFLICT DO NOTHING",
                name=self._name,
                content=self._sealed(analysis),
                kept_at=time_text(now),
            )

    def _sealed(self, analysis: Analysis) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce = secrets.token_bytes(NONCE_BYTES)
        packed = zlib.compress(json.dumps(asdict(analysis)).encode())
        return nonce + ChaCha20Poly1305(self._secret).encrypt(nonce, packed, None)

    def _opened(self, content: bytes) -> Analysis | None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        try:
            packed = ChaCha20Poly1305(self._secret).decrypt(content[:NONCE_BYTES], content[NONCE_BYTES:], None)
        except (InvalidTag, ValueError):
            return None
        value = json.loads(zlib.decompress(packed))
        return Analysis(tuple(map(_paragraph, value["paragraphs"])), value["fingerprint"])


def _paragraph(value: Mapping[str, Any]) -> Paragraph:
    return Paragraph(Span(**value["span"]), value["words"], tuple(map(_site, value["sites"])))


def _site(value: Mapping[str, Any]) -> Site:
    lists = {name: tuple(one) for name, one in value.items() if isinstance(one, list)}
    figures = tuple(Figures(**one) for one in value["figures"])
    parts = {"span": Span(**value["span"]), "pair": Pair(**value["pair"]), "figures": figures}
    return Site(**{**value, **lists, **parts})
