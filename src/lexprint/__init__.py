"""lexprint marks a text so that its copies can be told apart, by swapping a few well-chosen words.

Names are loaded when they are first used, so that `import lexprint` costs nothing and needs no model.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lexprint.errors import (
        BadSignature as BadSignature,
    )
    from lexprint.errors import (
        CapacityError as CapacityError,
    )
    from lexprint.errors import (
        ExtraMissing as ExtraMissing,
    )
    from lexprint.errors import (
        FingerprintMismatch as FingerprintMismatch,
    )
    from lexprint.errors import (
        FormatError as FormatError,
    )
    from lexprint.errors import (
        InputError as InputError,
    )
    from lexprint.errors import (
        LexprintError as LexprintError,
    )
    from lexprint.errors import (
        ModelError as ModelError,
    )
    from lexprint.errors import (
        RegistryError as RegistryError,
    )
    from lexprint.errors import (
        ReportError as ReportError,
    )
    from lexprint.errors import (
        SettingsError as SettingsError,
    )
    from lexprint.errors import (
        UnknownDocument as UnknownDocument,
    )
    from lexprint.errors import (
        WeightsDamaged as WeightsDamaged,
    )
    from lexprint.errors import (
        WeightsMissing as WeightsMissing,
    )
    from lexprint.settings import Settings as Settings
    from lexprint.settings import load_settings as load_settings
    from lexprint.text.document import Document as Document
    from lexprint.text.document import Sentence as Sentence
    from lexprint.text.document import Word as Word
    from lexprint.text.editing import Edit as Edit
    from lexprint.text.editing import apply_edits as apply_edits
    from lexprint.text.segmentation import segment as segment
    from lexprint.text.span import Span as Span

# Where each public name lives; a test keeps this list and the imports above the same.
_HOMES = {
    "lexprint.errors": (
        "BadSignature",
        "CapacityError",
        "ExtraMissing",
        "FingerprintMismatch",
        "FormatError",
        "InputError",
        "LexprintError",
        "ModelError",
        "RegistryError",
        "ReportError",
        "SettingsError",
        "UnknownDocument",
        "WeightsDamaged",
        "WeightsMissing",
    ),
    "lexprint.settings": ("Settings", "load_settings"),
    "lexprint.text.document": ("Document", "Sentence", "Word"),
    "lexprint.text.editing": ("Edit", "apply_edits"),
    "lexprint.text.segmentation": ("segment",),
    "lexprint.text.span": ("Span",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lexprint' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
