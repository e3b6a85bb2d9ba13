"""The verbs, for a text as a user has it: what the command line, the service and the library all call."""

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
from lexprint.workflows.payloads import PayloadTooLong, embed_payload, embed_payloads, extract_payload
from lexprint.workflows.results import (
    Analysis,
    Difference,
    Embedded,
    EmbeddedPayload,
    Extracted,
    ExtractedPayload,
    Issued,
    Paragraph,
    Recovered,
    Substitutes,
    TextCapacity,
    as_json,
    mean_entailment,
)
from lexprint.workflows.substitutes import find_substitutes

__all__ = [
    "Analysis",
    "Difference",
    "Embedded",
    "EmbeddedPayload",
    "Extracted",
    "ExtractedPayload",
    "Issued",
    "OnProgress",
    "Paragraph",
    "PayloadTooLong",
    "Recovered",
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
