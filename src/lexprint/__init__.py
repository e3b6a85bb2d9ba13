"""lexprint marks a text so that its copies can be told apart, by swapping a few well-chosen words.

Most names are loaded when they are first used: `import lexprint` brings no model and no array into memory.
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
    RegistryError,
    ReportError,
    SettingsError,
    TimestampError,
    UnknownDocument,
    WeightsDamaged,
    WeightsMissing,
)
from lexprint.settings import Settings, load_settings

if TYPE_CHECKING:
    from lexprint.coding.keys import MasterKey, load_keyring
    from lexprint.engine import Engine
    from lexprint.text.document import Document, Sentence, Word
    from lexprint.text.editing import Edit, apply_edits
    from lexprint.text.segmentation import segment
    from lexprint.text.span import Span
    from lexprint.watermark.records import Record, read_record
    from lexprint.workflows.comparison import diff
    from lexprint.workflows.marking import capacity, embed, embed_message, extract, recover, restore
    from lexprint.workflows.payloads import embed_payload, extract_payload
    from lexprint.workflows.substitutes import find_substitutes

__version__ = "0.1.0"

__all__ = [
    "BadSignature",
    "CapacityError",
    "Document",
    "Edit",
    "Engine",
    "ExtraMissing",
    "FingerprintMismatch",
    "ForeignSignature",
    "FormatError",
    "InputError",
    "LexprintError",
    "MasterKey",
    "ModelError",
    "Record",
    "RegistryError",
    "ReportError",
    "Sentence",
    "Settings",
    "SettingsError",
    "Span",
    "TimestampError",
    "UnknownDocument",
    "WeightsDamaged",
    "WeightsMissing",
    "Word",
    "apply_edits",
    "capacity",
    "diff",
    "embed",
    "embed_message",
    "embed_payload",
    "extract",
    "extract_payload",
    "find_substitutes",
    "load_keyring",
    "load_settings",
    "read_record",
    "recover",
    "restore",
    "segment",
]

# Where the names above come from that are not loaded yet; a test keeps this the same as what type checkers see.
_LAZY = {
    "Document": "lexprint.text.document",
    "Edit": "lexprint.text.editing",
    "Engine": "lexprint.engine",
    "MasterKey": "lexprint.coding.keys",
    "Record": "lexprint.watermark.records",
    "Sentence": "lexprint.text.document",
    "Span": "lexprint.text.span",
    "Word": "lexprint.text.document",
    "apply_edits": "lexprint.text.editing",
    "capacity": "lexprint.workflows.marking",
    "diff": "lexprint.workflows.comparison",
    "embed": "lexprint.workflows.marking",
    "embed_message": "lexprint.workflows.marking",
    "embed_payload": "lexprint.workflows.payloads",
    "extract": "lexprint.workflows.marking",
    "extract_payload": "lexprint.workflows.payloads",
    "find_substitutes": "lexprint.workflows.substitutes",
    "load_keyring": "lexprint.coding.keys",
    "read_record": "lexprint.watermark.records",
    "recover": "lexprint.workflows.marking",
    "restore": "lexprint.workflows.marking",
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
