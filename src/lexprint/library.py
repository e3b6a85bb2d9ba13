"""`Lexprint`: one loaded object with the verbs on it, for files, bytes and texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lexprint.errors import FormatError, InputError, SecretError
from lexprint.results import Capacity, Extracted, Given, Issued, Json, Marked, Recovered, Substitute, TraceReport

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.engine import Engine
    from lexprint.formats.source import Source
    from lexprint.registry.protocol import Registry
    from lexprint.registry.records import Code
    from lexprint.results import OnProgress
    from lexprint.text.editing import Edit
    from lexprint.text.protection import Protection
    from lexprint.workflows.strictness import Strictness

FALSE_POSITIVE = 1e-6  # probability of finding a payload that was never written


class Lexprint:
    """Marks documents and traces leaks on this machine; models and registry are loaded when they are first needed.

    A document is the name of a file, or `bytes` that hold one; a text is given as `text=`.

    >>> from lexprint import Keyring, MasterKey
    >>> lx = Lexprint(keys=Keyring((MasterKey.generate(),)))
    >>> lx.extract(text="Too short.").payload is None
    True
    """

    def __init__(
        self,
        *,
        registry: str | os.PathLike[str] = "lexprint.db",
        keys: Keyring | None = None,
        profile: str | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._location, self._keys, self._profile, self._engine = os.fspath(registry), keys, profile, engine
        self._opened: Registry | None = None

    def __repr__(self) -> str:
        return f"Lexprint(profile={self.engine.settings.profile!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the registry; the next verb that needs it opens it again."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @cached_property
    def engine(self) -> Engine:
        """Models and settings."""
        if self._engine is not None:
            return self._engine
        from lexprint.engine import Engine
        from lexprint.settings import load_settings

        return Engine(settings=load_settings(profile=self._profile))

    @property
    def registry(self) -> Registry:
        """Documents and copies, created if missing."""
        if self._opened is None:
            from lexprint.registry.protocol import open_registry

            self._opened = open_registry(self._location, keys=self._keys)
        return self._opened

    @property
    def keys(self) -> Keyring:
        if self._keys is None:
            raise SecretError("no keys were given", needed='Lexprint(keys=Keyring.load("lexprint.key"))')
        return self._keys

    # Copies and leaks

    def issue(
        self,
        document: Given | None = None,
        *,
        to: Sequence[str],
        out: str | os.PathLike[str],
        text: str | None = None,
        name: str | None = None,
        blind: bool = False,
        code: Code | None = None,
        protected_phrases: Iterable[str] = (),
        strictness: Strictness | None = None,
        any_language: bool = False,
        error_bound: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Issued:
        """Write a copy for each recipient to a folder; all read the same, and differ in a few words.

        Copies are recorded before they are written. Those who have one already keep it, and interrupted runs resume.
        `error_bound` is promised for all traces of the document; else it is 1e-6. `strictness` is how sure it must be that
        readers accept a word: legal, careful or dense.
        """
        from lexprint.text.languages import require_english_only
        from lexprint.workflows.issuing import IssueOptions, issue, issue_blind
        from lexprint.workflows.planning import Master
        from lexprint.workflows.results import as_json
        from lexprint.workflows.strictness import as_strict, phrases_kept

        if blind and strictness is not None:
            raise InputError("strictness does not go with blind copies", needed="one of the two: they have no sites")
        given = _opened(document, text)
        master = Master.of(given.content, given.source, file_name=given.name, name=name)
        folder = Path(out)
        options = IssueOptions(
            code=code,
            protected_phrases=(*protected_phrases, *phrases_kept(strictness)),
            protections=_protections(any_language=any_language),
            error_bound=error_bound,
        )
        if blind and not any_language:
            require_english_only(master.text)
        common: dict[str, Any] = {"keyring": self.keys, "registry": self.registry, "folder": folder}
        if blind:
            issued = issue_blind(self.engine, master, to, error_bound=error_bound, on_marked=on_progress, **common)
        else:
            engine = as_strict(self.engine, strictness)
            issued = issue(engine, master, to, options=options, on_progress=on_progress, **common)
        return Issued.of(as_json(issued), folder)

    def trace(
        self,
        leak: Given | None = None,
        *,
        text: str | None = None,
        document_id: str | None = None,
        error_bound: float | None = None,
        authority: str | None = None,
    ) -> TraceReport:
        """Find out which copy a leak was made from; with keys the report is signed.

        `error_bound` is what was promised when the document was issued, if none is given.
        No model is loaded, unless the registry has blind copies of the document.
        """
        from lexprint.formats.protocol import remarks_of
        from lexprint.reports.page import report_page
        from lexprint.reports.signed_file import report_json
        from lexprint.reports.wording import headline
        from lexprint.workflows.tracing import trace

        given = _opened(leak, text)
        report = trace(
            self.registry,
            given.source.text,
            error_bound=error_bound,
            document_id=document_id,
            leak_digest=sha256(given.content).hexdigest(),
            protected=given.source.protected,
            remarks=remarks_of(given.source),
            keys=self._keys,
            engine=lambda: self.engine,
            authority=authority,
        )
        return TraceReport.of(report_json(report), headline=headline(report), page=report_page(report))

    def analyse(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        protected_phrases: Iterable[str] = (),
        strictness: Strictness | None = None,
        any_language: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Capacity:
        """At how many sites copies of a document may differ when they are issued; the registry keeps what was found."""
        from lexprint.workflows.analysing import find_analysis
        from lexprint.workflows.results import as_json
        from lexprint.workflows.strictness import as_strict, phrases_kept

        source = _opened(document, text).source
        found = find_analysis(
            self.registry,
            as_strict(self.engine, strictness),
            source.text,
            protected=source.protected,
            protected_phrases=(*protected_phrases, *phrases_kept(strictness)),
            protections=_protections(any_language=any_language),
            on_progress=on_progress,
        )
        return Capacity.of(as_json(found))

    # Marks without a registry

    def embed(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        payload: str | int | None = None,
        payload_bits: int | None = None,
        message: str | None = None,
        bits: Sequence[int] | None = None,
        false_positive: float = FALSE_POSITIVE,
        any_language: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Marked:
        """Mark a document with a payload, under the newest key; or, as in the paper, with a message or bits."""
        from lexprint import workflows
        from lexprint.text.languages import require_english_only

        if sum(wanted is not None for wanted in (payload, message, bits)) != 1:
            raise InputError("what to embed is not clear", needed="one of payload, message and bits")
        given = _opened(document, text)
        given.require_writable()
        if not any_language:
            require_english_only(given.source.text)
        common: dict[str, Any] = {"protected": given.source.protected, "on_progress": on_progress}
        marked: workflows.Embedded | workflows.EmbeddedPayload
        if payload is not None:
            marked = workflows.embed_payload(
                self.engine,
                given.source.text,
                payload,
                key=self.keys.newest,
                bits=payload_bits,
                false_positive=false_positive,
                **common,
            )
        elif message is not None:
            marked = workflows.embed_message(self.engine, given.source.text, message, **common)
        else:
            marked = workflows.embed(self.engine, given.source.text, bits or (), **common)
        content, shown = given.changed(marked.record.edits)
        return Marked(content, shown, workflows.as_json(marked))

    def extract(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        payload_bits: int | None = None,
        false_positive: float = FALSE_POSITIVE,
        fingerprint: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Extracted:
        """The payload of a document under any of the keys; none is an answer."""
        from lexprint import workflows

        source = _opened(document, text).source
        found = workflows.extract_payload(
            self.engine,
            source.text,
            keys=self.keys,
            bits=payload_bits,
            marked_with=fingerprint,
            protected=source.protected,
            false_positive=false_positive,
            on_progress=on_progress,
        )
        return Extracted.of(workflows.as_json(found))

    def extract_bits(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        fingerprint: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Extracted:
        """Every bit of a document, as the paper's reader reads them; any text yields bits."""
        from lexprint import workflows

        source = _opened(document, text).source
        found = workflows.extract(
            self.engine,
            source.text,
            marked_with=fingerprint,
            protected=source.protected,
            on_progress=on_progress,
        )
        return Extracted.of(workflows.as_json(found))

    def recover(
        self, document: Given | None = None, *, text: str | None = None, on_progress: OnProgress | None = None
    ) -> Recovered:
        """The most probable original of a marked document."""
        from lexprint import workflows

        given = _opened(document, text)
        source = given.source
        found = workflows.recover(self.engine, source.text, protected=source.protected, on_progress=on_progress)
        return Recovered(*given.changed(found.edits), is_exact=False)

    def restore(self, document: Given | None = None, *, text: str | None = None, record: Json) -> Recovered:
        """The exact original of a marked document, by its restoration record; no model is asked."""
        from lexprint import workflows
        from lexprint.watermark.records import read_record

        given = _opened(document, text)
        found = workflows.restore(given.source.text, read_record(record))
        return Recovered(*given.changed(found.edits), is_exact=True)

    def capacity(
        self, document: Given | None = None, *, text: str | None = None, on_progress: OnProgress | None = None
    ) -> Capacity:
        """How many bits a document can carry without a registry."""
        from lexprint import workflows

        source = _opened(document, text).source
        found = workflows.capacity(self.engine, source.text, protected=source.protected, on_progress=on_progress)
        return Capacity.of(workflows.as_json(found))

    def substitutes(self, text: str, word: str, *, occurrence: int = 1) -> tuple[Substitute, ...]:
        """What may stand in for a word of a text, the best first."""
        from lexprint import workflows

        found = workflows.find_substitutes(self.engine, text, word=word, occurrence=occurrence)
        return tuple(Substitute(one.word, one.acceptance, one.entailment, one.probability) for one in found.substitutes)


def _protections(*, any_language: bool) -> frozenset[Protection]:
    """What stays as it is of itself; with any language, paragraphs that are not English too may differ."""
    from lexprint.text.protection import PROTECTIONS

    return PROTECTIONS - {"languages"} if any_language else PROTECTIONS


@dataclass(frozen=True)
class _Opened:
    """A document or text that a verb was given."""

    source: Source
    content: bytes
    name: str
    is_text: bool

    def require_writable(self) -> None:
        if not self.source.is_writable:
            self.source.with_edits(())  # says in the format's own words what to start from

    def changed(self, edits: Sequence[Edit]) -> tuple[bytes, str | None]:
        """The file with edits made, and the text, where a text was given."""
        from lexprint.text.editing import apply_edits

        self.require_writable()
        return self.source.with_edits(edits), apply_edits(self.source.text, edits) if self.is_text else None


def _opened(document: Given | None, text: str | None) -> _Opened:
    from lexprint.formats.plain_text import read_plain_text
    from lexprint.formats.source import open_source

    if (document is None) == (text is None):
        raise InputError("the document is not clear", needed="the name of a file, bytes, or text=")
    if text is not None:
        # As it stands, whatever it looks like: spans count in what was given.
        content, name = text.encode("utf-8"), "document.txt"
        return _Opened(read_plain_text(content, name=name), content, name, is_text=True)
    if isinstance(document, bytes):
        return _Opened(open_source(document, name="document"), document, "document", is_text=False)
    assert document is not None
    path = Path(document)
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "not readable").lower()
        raise FormatError(str(path), found=f"not readable ({reason})", needed="a file that may be read") from error
    return _Opened(open_source(content, name=path.name), content, path.name, is_text=False)
