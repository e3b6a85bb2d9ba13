"""An office that issues documents whose sites were made by hand, so that no language model runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.fakes import FakeEngine
from tests.tracing.masters import make_record

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentRecord
from lexprint.text.span import Span
from lexprint.watermark.sites import Site
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.results import Analysis, IssuedDocument, Paragraph

KEYRING = Keyring((MasterKey(bytes(range(32)), created_at=datetime(2026, 1, 31, tzinfo=UTC)),))


@cache
def document(seed: int = 1, *, words: int = 600) -> DocumentRecord:
    """A text and its sites; of the record nothing else is used."""
    return make_record(words, seed=seed)


@dataclass(frozen=True)
class Office:
    """One registry and where its copies are written; all offices have the same key."""

    registry: Registry
    folder: Path

    def issue(
        self,
        recipients: Sequence[str],
        *,
        seed: int = 1,
        name: str = "memo",
        folder: str | None = None,
        master: Master | None = None,
    ) -> IssuedDocument:
        """Copies of a document for some recipients, as `lexprint issue` makes them."""
        made = document(seed)
        content = made.text.encode()
        if master is None:
            master = Master(open_source(content, name="memo.txt"), name, sha256(content).hexdigest(), ".txt")
        sites = tuple(Site(0, 0, site.span, site.word, site.word, site.pair, 0.97, 0.1) for site in made.sites)
        paragraph = Paragraph(Span(0, len(made.text)), len(made.text.split()), sites)
        engine = FakeEngine()
        return issue(
            engine,
            master,
            recipients,
            keyring=KEYRING,
            registry=self.registry,
            folder=self.folder / (folder or f"{name}-{seed}"),
            analysis=Analysis((paragraph,), engine.fingerprint),
        )

    def copy(self, recipient: str, *, seed: int = 1, name: str = "memo", folder: str | None = None) -> str:
        """The text of a recipient's copy."""
        issued = self.issue([recipient], seed=seed, name=name, folder=folder)
        place = self.folder / (folder or f"{name}-{seed}")
        return (place / issued.copies[0].file_name).read_text()
