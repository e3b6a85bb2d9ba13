"""Every error that lexprint raises on purpose, on one screen; each class knows the exit code it deserves.

    LexprintError                 1  something was asked that cannot be done
    ├── InputError                2  the request does not fit the text: no such word, nothing to mark
    │   └── NotEnglish            2  the text is in another language
    ├── SettingsError             2  a setting is unknown or out of range
    ├── FormatError               2  a file is not what it should be
    ├── ModelError                3  a model cannot be used as it is
    │   ├── WeightsMissing        3
    │   ├── WeightsDamaged        3
    │   ├── ReadersUnknown        3  a masked LM that was never told what readers accept
    │   ├── FingerprintMismatch   3
    │   └── AnswersDiffer         3
    ├── ExtraMissing              3  an optional dependency is not installed
    ├── SecretError               3  the master key is missing, or others could read it
    ├── CapacityError             1  the text has fewer sites than the message has bits
    │   ├── PayloadTooLong        1  or than the payload needs
    │   └── TooFewSites           1  or than so many recipients need
    ├── RegistryError             1
    │   ├── RegistryConflict      1  somebody else has recorded it in the meantime
    │   └── UnknownDocument       1
    ├── ServiceError              1  the service refused, or does not answer
    └── ReportError               1
        ├── BadSignature          1  altered after signing
        ├── ForeignSignature      1  signed with an untrusted key
        └── TimestampError        1  timestamp missing, invalid or unavailable

Messages hold neither keys nor document text: they end up in logs.
"""

from typing import Any, ClassVar


class LexprintError(Exception):
    """Root of the tree; `except LexprintError` catches all that is ours."""

    exit_code: ClassVar[int] = 1

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception would call __init__ with the finished message, which a keyword-only __init__ refuses.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[LexprintError], arguments: tuple[object, ...], attributes: dict[str, object]) -> LexprintError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class InputError(LexprintError):
    """What was asked does not fit the text it was asked of."""

    exit_code = 2

    def __init__(self, found: str, *, needed: str) -> None:
        super().__init__(f"{found}; needed: {needed}")
        self.found, self.needed = found, needed


class NotEnglish(InputError):
    """A text, or part of it, is in another language than the models know."""

    def __init__(self, *, language: str, where: str = "") -> None:
        super().__init__(
            f"the text is not English but {language}{where}",
            needed="an English text; or --force, if it is English all the same",
        )
        self.language, self.where = language, where


class SettingsError(LexprintError):
    """A setting is unknown, of the wrong type or out of range."""

    exit_code = 2

    def __init__(self, name: str, found: object, *, needed: str) -> None:
        super().__init__(f"setting {name} is {found!r}; needed: {needed}")
        self.name, self.found, self.needed = name, found, needed


class FormatError(LexprintError):
    """A file cannot be read as the format it claims to be."""

    exit_code = 2

    def __init__(self, name: str, *, found: str, needed: str) -> None:
        super().__init__(f"{name} is {found}; needed: {needed}")
        self.name, self.found, self.needed = name, found, needed


class ModelError(LexprintError):
    """A model cannot be found, loaded or trusted."""

    exit_code = 3


class WeightsMissing(ModelError):
    """A weight file that belongs to the installation is not there."""

    def __init__(self, name: str, *, advice: str = "pip install --force-reinstall lexprint") -> None:
        super().__init__(f"weights {name} were not found; run: {advice}")
        self.name, self.advice = name, advice


class WeightsDamaged(ModelError):
    """A weight file is there but is not the one that was published, so its marks would be unreadable elsewhere."""

    def __init__(
        self, name: str, *, needed: str, found: str, advice: str = "pip install --force-reinstall lexprint"
    ) -> None:
        super().__init__(f"weights {name} have SHA-256 {found[:12]}, published is {needed[:12]}; run: {advice}")
        self.name, self.needed, self.found, self.advice = name, needed, found, advice


class ReadersUnknown(ModelError):
    """A masked LM that was never told what readers accept is asked for it."""

    def __init__(self) -> None:
        super().__init__("this masked LM does not know what readers accept; use --profile paper, or the shipped models")


class FingerprintMismatch(ModelError):
    """The loaded models and settings are not those that marked this copy, so they would look for bits elsewhere."""

    def __init__(self, *, needed: str, loaded: str, advice: str) -> None:
        super().__init__(f"copy was marked with {needed}, loaded is {loaded}; {advice}")
        self.needed, self.loaded, self.advice = needed, loaded, advice


class AnswersDiffer(ModelError):
    """The same models answer otherwise on this machine than where the copy was marked: bits would be read wrong."""

    def __init__(self, *, needed: str, found: str) -> None:
        super().__init__(
            f"the models answer otherwise here (canary {found}) than where the copy was marked (canary {needed}); "
            "run: pip install --force-reinstall lexprint onnxruntime, or read it on another machine"
        )
        self.needed, self.found = needed, found


class ExtraMissing(LexprintError):
    """A feature needs an optional dependency."""

    exit_code = 3

    def __init__(self, package: str, *, extra: str, distribution: str = "lexprint") -> None:
        super().__init__(f"{package} is not installed; run: pip install '{distribution}[{extra}]'")
        self.package, self.extra = package, extra


class SecretError(LexprintError):
    """A master key is missing, damaged, or kept where others can read it."""

    exit_code = 3

    def __init__(self, found: str, *, needed: str) -> None:
        super().__init__(f"{found}; needed: {needed}")
        self.found, self.needed = found, needed


class CapacityError(LexprintError):
    """The text cannot carry as many bits as were given."""

    def __init__(self, *, needed: int, found: int) -> None:
        super().__init__(f"the text carries {found} bits, the message has {needed}; use a longer text or fewer bits")
        self.needed, self.found = needed, found


class PayloadTooLong(CapacityError):
    """The text has too few sites to carry the payload and to prove that it is no accident."""

    def __init__(self, *, needed: int, found: int, bits: int, words_missing: int, or_else: str = "") -> None:
        LexprintError.__init__(
            self,
            f"the text has {found} sites that differ, a payload of {bits} bits needs {needed}; "
            f"use a text longer by about {words_missing} words, or a shorter payload{or_else}",
        )
        self.needed, self.found, self.bits, self.words_missing = needed, found, bits, words_missing


class ServiceError(LexprintError):
    """The service refused, or does not answer."""

    def __init__(self, detail: str, *, status: int = 0, code: str = "Unreachable") -> None:
        super().__init__(detail)
        self.status, self.code = status, code


class TooFewSites(CapacityError):
    """The text cannot tell so many copies apart with the chance of error that was asked for."""

    def __init__(self, *, needed: int, found: int, recipients: int, words_missing: int, or_else: str = "") -> None:
        LexprintError.__init__(
            self,
            f"the text has {found} sites, {recipients} recipients need {needed}; "
            f"use a text longer by about {words_missing} words or fewer recipients{or_else}",
        )
        self.needed, self.found = needed, found
        self.recipients, self.words_missing, self.or_else = recipients, words_missing, or_else


class RegistryError(LexprintError):
    """The registry of issued copies cannot be used."""


class RegistryConflict(RegistryError):
    """Somebody else has recorded it in the meantime; look again, and what is still missing can be recorded."""


class UnknownDocument(RegistryError):
    """No registered document matches."""

    def __init__(self, name: str) -> None:
        super().__init__(f"document {name} is not registered; run: lexprint registry list")
        self.name = name


class ReportError(LexprintError):
    """A report cannot be read."""


class BadSignature(ReportError):
    """A report was changed after it was signed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the signature of {name} does not fit its content; ask the issuer for the original")
        self.name = name


class ForeignSignature(ReportError):
    """A report was signed with a key that is not trusted: anybody may have written it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is signed with an untrusted key; needed: the issuer's report, and their fingerprint from another source"
        )
        self.name = name


class TimestampError(ReportError):
    """An authority did not confirm a time, or what it confirmed is something else."""

    def __init__(self, found: str, *, needed: str) -> None:
        super().__init__(f"{found}; needed: {needed}")
        self.found, self.needed = found, needed
