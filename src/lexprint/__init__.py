"""lexprint marks a text so that its copies can be told apart, by swapping a few well-chosen words.

`Lexprint` has the verbs, and `Client` the same ones on another machine. Most names are loaded when they are first used:
`import lexprint` brings no model and no array into memory.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lexprint.errors import (
    BadSignature,
    CapacityError,
    ExtraMissing,
    FingerprintMismatch,
    ForeignSignature,
    FormatError,
    InputError,
    LexprintError,
    ModelError,
    PayloadTooLong,
    RegistryError,
    ReportError,
    SecretError,
    ServiceError,
    SettingsError,
    TimestampError,
    UnknownDocument,
    WeightsDamaged,
    WeightsMissing,
)

if TYPE_CHECKING:
    from lexprint.client import Client
    from lexprint.coding.keys import Keyring, MasterKey
    from lexprint.engine import Engine
    from lexprint.library import Lexprint
    from lexprint.results import (
        Capacity,
        CopyFile,
        Extracted,
        Issued,
        Marked,
        NamedCopy,
        Recovered,
        Substitute,
        TraceReport,
    )
    from lexprint.settings import Settings, load_settings
    from lexprint.text.document import Document, Sentence, Word
    from lexprint.text.editing import Edit, apply_edits
    from lexprint.text.segmentation import segment
    from lexprint.text.span import Span

__version__ = "0.1.0"

__all__ = [
    "BadSignature",
    "Capacity",
    "CapacityError",
    "Client",
    "CopyFile",
    "Document",
    "Edit",
    "Engine",
    "ExtraMissing",
    "Extracted",
    "FingerprintMismatch",
    "ForeignSignature",
    "FormatError",
    "InputError",
    "Issued",
    "Keyring",
    "Lexprint",
    "LexprintError",
    "Marked",
    "MasterKey",
    "ModelError",
    "NamedCopy",
    "PayloadTooLong",
    "Recovered",
    "RegistryError",
    "ReportError",
    "SecretError",
    "Sentence",
    "ServiceError",
    "Settings",
    "SettingsError",
    "Span",
    "Substitute",
    "TimestampError",
    "TraceReport",
    "UnknownDocument",
    "WeightsDamaged",
    "WeightsMissing",
    "Word",
    "apply_edits",
    "load_settings",
    "segment",
]

# Where the names above come from that are not loaded yet; a test keeps this the same as what type checkers see.
_LAZY = {
    "Capacity": "lexprint.results",
    "Client": "lexprint.client",
    "CopyFile": "lexprint.results",
    "Document": "lexprint.text.document",
    "Edit": "lexprint.text.editing",
    "Engine": "lexprint.engine",
    "Extracted": "lexprint.results",
    "Issued": "lexprint.results",
    "Keyring": "lexprint.coding.keys",
    "Lexprint": "lexprint.library",
    "Marked": "lexprint.results",
    "MasterKey": "lexprint.coding.keys",
    "NamedCopy": "lexprint.results",
    "Recovered": "lexprint.results",
    "Sentence": "lexprint.text.document",
    "Settings": "lexprint.settings",
    "Span": "lexprint.text.span",
    "Substitute": "lexprint.results",
    "TraceReport": "lexprint.results",
    "Word": "lexprint.text.document",
    "apply_edits": "lexprint.text.editing",
    "load_settings": "lexprint.settings",
    "segment": "lexprint.text.segmentation",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'lexprint' has no attribute {name!r}")
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
