"""What requests and answers look like on the wire; nothing but this and other files of that name knows pydantic."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from lexprint.registry.records import Code, Issuing
from lexprint.registry.reviews import Status
from lexprint.text.protection import Protection
from lexprint.workflows.strictness import Strictness

Item = TypeVar("Item")


def _writable(text: str) -> str:
    """Half of a surrogate pair can be in JSON, but in no file and no database; neither can NUL in a name."""
    text.encode()  # a UnicodeEncodeError is a ValueError, which is what pydantic expects
    return text


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("needed: letters that can be shown, all on one line")
    return _writable(text)


Text = Annotated[str, AfterValidator(_writable)]
Name = Annotated[str, StringConstraints(max_length=200), AfterValidator(_name)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
DocumentId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
TokenId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
Probability = Annotated[float, Field(gt=0.0, lt=1.0)]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _either_or(schema: dict[str, Any]) -> None:
    """What the validator demands, as JSON schema says it: one of the two, and neither is null."""
    for name in ("text", "file"):
        kinds = schema["properties"][name].pop("anyOf")
        schema["properties"][name] |= next(kind for kind in kinds if kind != {"type": "null"})
        schema["properties"][name].pop("default", None)
    schema["oneOf"] = [{"required": ["text"]}, {"required": ["file"]}]


class Given(Request):
    """A text, or the id of a file that was sent before: one of the two."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_either_or)

    text: Text | None = Field(default=None, description="The text itself.", examples=["He gave a brief answer."])
    file: Identifier | None = Field(default=None, description="The id of a file, from POST /v1/files.")

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Given:
        if (self.text is None) == (self.file is None):
            raise ValueError("needed: either text or file")
        return self


class SubstitutesRequest(Request):
    text: Text
    word: Text
    occurrence: int = Field(default=1, ge=1, le=1_000_000)


class CapacityRequest(Given):
    pass


class EmbedRequest(Given):
    """What to write: bits, a message, or a payload under the service's key; one of the three."""

    bits: Annotated[str, StringConstraints(pattern=r"^[01]+$", max_length=100_000)] | None = None
    message: Annotated[Text, StringConstraints(max_length=10_000)] | None = None
    payload: Annotated[Text, StringConstraints(max_length=1_000)] | Annotated[int, Field(ge=0, lt=2**128)] | None = None
    payload_bits: int | None = Field(default=None, ge=1, le=128, description="How many bits a number takes.")
    false_positive: Probability = 1e-6
    any_language: bool = Field(default=False, description="Mark what does not look English too.")

    @model_validator(mode="after")
    def _one_of_three(self) -> EmbedRequest:
        if sum(value is not None for value in (self.bits, self.message, self.payload)) != 1:
            raise ValueError("needed: one of bits, message and payload")
        if isinstance(self.payload, int) != (self.payload_bits is not None):
            raise ValueError("payload_bits goes with a payload that is a number, and only with that")
        return self


class ExtractRequest(Given):
    """Bits are read from any text; a payload is found with the service's key, or it is not there."""

    what: Literal["bits", "payload"] = "bits"
    payload_bits: int | None = Field(default=None, ge=1, le=128)
    false_positive: Probability = 1e-6
    fingerprint: Text | None = Field(default=None, description="Expected fingerprint; any other is refused.")


class RecoverRequest(Given):
    """With the record the original is exact, else the most probable one."""

    record: dict[str, Any] | None = None
    fingerprint: Text | None = None


class AnalyseRequest(Given):
    strictness: Strictness | None = Field(
        default=None, description="How sure readers must be of a word; else as served."
    )
    protected_phrases: list[Text] = Field(default=[], max_length=10_000, description="What must stay as it is.")
    unprotected: list[Protection] = Field(default=[], description="Kinds of passages that may be marked after all.")


class KeptPair(Request):
    """A site that a person has let stand; those left out are struck."""

    number: int = Field(ge=1, le=10_000_000)
    word: Text
    other: Text


class IssueRequest(AnalyseRequest):
    name: Name | None = Field(default=None, description="What the document is called; else its file name.")
    recipients: list[Name] | None = Field(default=None, min_length=1, max_length=100_000)
    recipients_table: Text | None = Field(default=None, description="A CSV with a header, or one recipient a line.")
    scheme: Issuing = "registered"
    code: Code | None = Field(default=None, description="Else chosen by the number of sites.")
    kept: list[KeptPair] | None = Field(default=None, description="Pairs that stand; if left out, all do.")
    error_bound: Probability | None = Field(default=None, description="Promised for all traces; else 1e-6.")

    @model_validator(mode="after")
    def _some_recipients(self) -> IssueRequest:
        if (self.recipients is None) == (self.recipients_table is None):
            raise ValueError("needed: either recipients or recipients_table")
        kinds = set(self.unprotected) - {"languages"}
        if self.scheme == "blind" and (self.code or self.kept or self.protected_phrases or kinds or self.strictness):
            raise ValueError("blind copies have no sites: no code, kept or protected passages, no strictness")
        return self


class TraceRequest(Given):
    document: DocumentId | None = Field(default=None, description="If it is known; else it is found by its wording.")
    error_bound: Probability | None = Field(default=None, description="Else what was promised at issue.")


class RankingRequest(Given):
    document: DocumentId = Field(description="The document whose copies are compared.")


# Answers


class Problem(BaseModel):
    """As in RFC 9457; `code` is for programs, `detail` for people."""

    model_config = ConfigDict(extra="allow")
    title: str
    status: int
    detail: str
    code: str


class Page(BaseModel, Generic[Item]):
    """Part of a list, newest first unless it is numbered; `next_offset` is null at its end."""

    items: list[Item]
    total: int
    next_offset: int | None


class Substitute(BaseModel):
    word: str
    probability: float
    entailment: float
    acceptance: float | None = None


class SubstitutesAnswer(BaseModel):
    sentence: str
    word: str
    itself: Substitute
    substitutes: list[Substitute]
    fingerprint: str


class Site(BaseModel):
    """A word that carries a bit; spans count code points."""

    model_config = ConfigDict(extra="allow")
    span: tuple[int, int]
    word: str
    pair: tuple[str, str]
    bit: int
    entailment: float
    reliability: float


class CapacityParagraph(BaseModel):
    span: tuple[int, int]
    words: int
    bits: int
    mean_entailment: float | None


class CapacityAnswer(BaseModel):
    fingerprint: str
    words: int
    bits: int
    bits_per_word: float
    mean_entailment: float | None
    paragraphs: list[CapacityParagraph]
    sites: list[Site]


class FileInfo(BaseModel):
    id: str
    name: str
    kind: str
    sha256: str
    size: int
    created_at: datetime


class FileText(BaseModel):
    id: str
    text: str


class UploadedFile(FileInfo):
    characters: int
    words: int
    is_writable: bool = Field(description="Whether copies can be made of it; a PDF or an image is only read.")
    warnings: list[str] = Field(description="What copies of it would carry besides the text, such as comments.")


class EmbedAnswer(BaseModel):
    """The record, which reading and restoring need, and the marked text, or a file of the same format as the given one."""

    record: dict[str, Any]
    text: str | None
    file: FileInfo | None


class ExtractAnswer(BaseModel):
    model_config = ConfigDict(extra="allow")
    fingerprint: str
    words: int
    bits: str | None = None
    message: str | None = None
    payload: str | int | None = None
    sites: list[Site]


class RecoveredEdit(BaseModel):
    span: tuple[int, int]
    replacement: str


class RecoverAnswer(BaseModel):
    fingerprint: str
    exact: bool
    sites: int
    edits: list[RecoveredEdit]
    text: str | None
    file: FileInfo | None


class JobInfo(BaseModel):
    """Long work; follow it at /v1/jobs/{id}/events."""

    id: str
    verb: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    done: int
    total: int
    doing: str | None = Field(default=None, description="What it does before that, such as loading the models.")
    attempts: int
    part: dict[str, Any] | None = Field(default=None, description="What an analysis has found so far.")
    result: dict[str, Any] | None
    problem: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None


class DocumentInfo(BaseModel):
    id: str
    name: str
    version: int
    issuing: Issuing
    code: Code
    sha256: str
    key_id: str
    fingerprint: str
    created_at: datetime
    words: int
    sites: int
    planned: int
    issued: int
    has_files: bool = Field(description="Whether the service keeps a file with its bytes, of which copies are made.")


class CopyInfo(BaseModel):
    number: int
    recipient: str
    file_name: str
    sha256: str | None
    issued_at: datetime | None


class RecipientInfo(BaseModel):
    name: str
    planned: int
    issued: int


class ReportInfo(BaseModel):
    id: str
    document_id: str | None
    document_name: str | None
    verdict: str
    accused: list[int]
    saved_at: datetime
    is_signed: bool
    status: Status
    notes: int = Field(description="How many there are.")
    last_note: str | None = Field(description="How it begins.")


class SignedReport(BaseModel):
    """What was signed, and the signature; null where there was no key."""

    report: dict[str, Any]
    signature: str | None
    public_key: str | None
    key_id: str | None
    timestamp: str | None


class TraceAnswer(SignedReport):
    """The report with its verdict in words."""

    headline: str
    explanation: str
    agreements: list[str]  # of each named copy, how many words are its own and how many are not
    chance_of_error: str | None


class RankedCopy(BaseModel):
    """How well a copy agrees with a leak; no evidence against anybody."""

    number: int
    matches: int
    readable: int
    p_value: float


class Ranking(BaseModel):
    """The copies that agree best with a leak, and what the first of them is worth, in a sentence."""

    lead: str
    leader: int | None
    chance: float = Field(description="That some innocent copy agrees as well.")
    further_sites: int | None = Field(description="Readable sites that would settle it, about.")
    copies: list[RankedCopy]


class AuditInfo(BaseModel):
    sequence: int
    at: str
    event: str
    details: dict[str, Any]
    hash: str


class Health(BaseModel):
    status: Literal["ok"]
    version: str
