"""The verbs, for a text as a user has it: what the command line, the service and the library all call.

Names are loaded when they are first used, so that tracing imports nothing of models or marks.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexprint.workflows.comparison import diff
    from lexprint.workflows.fingerprints import require_fingerprint
    from lexprint.workflows.marking import (
        OnProgress,
        capacity,
        counting,
        embed,
        embed_message,
        extract,
        recover,
        restore,
        scheme_of,
    )
    from lexprint.workflows.messages import message_bits, message_of
    from lexprint.workflows.payloads import embed_payload, embed_payloads, extract_payload
    from lexprint.workflows.results import (
        Analysis,
        Difference,
        Embedded,
        EmbeddedPayload,
        ExtractedBits,
        ExtractedPayload,
        IssuedDocument,
        Paragraph,
        RecoveredText,
        Substitutes,
        TextCapacity,
        as_json,
        mean_entailment,
    )
    from lexprint.workflows.substitutes import find_substitutes

# Where the names above come from; a test keeps this the same as what type checkers see.
_LAZY = {
    name: module
    for module, names in {
        "comparison": "diff",
        "fingerprints": "require_fingerprint",
        "marking": "OnProgress capacity counting embed embed_message extract recover restore scheme_of",
        "messages": "message_bits message_of",
        "payloads": "embed_payload embed_payloads extract_payload",
        "results": "Analysis Difference Embedded EmbeddedPayload ExtractedBits ExtractedPayload IssuedDocument Paragraph RecoveredText "
        "Substitutes TextCapacity as_json mean_entailment",
        "substitutes": "find_substitutes",
    }.items()
    for name in names.split()
}

__all__ = [
    "Analysis",
    "Difference",
    "Embedded",
    "EmbeddedPayload",
    "ExtractedBits",
    "ExtractedPayload",
    "IssuedDocument",
    "OnProgress",
    "Paragraph",
    "RecoveredText",
    "Substitutes",
    "TextCapacity",
    "as_json",
    "capacity",
    "counting",
    "diff",
    "embed",
    "embed_message",
    "embed_payload",
    "embed_payloads",
    "extract",
    "extract_payload",
    "find_substitutes",
    "mean_entailment",
    "message_bits",
    "message_of",
    "recover",
    "require_fingerprint",
    "restore",
    "scheme_of",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'lexprint.workflows' has no attribute {name!r}")
    value: object = getattr(import_module(f"lexprint.workflows.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
