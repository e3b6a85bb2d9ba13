"""A client of the HTTP service that mirrors the library: the same verbs, on another machine.

Standard library only, and no model is loaded: it may run where the service does not.
"""

from __future__ import annotations

import json
import os
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lexprint.errors import LexprintError

DEFAULT_URL = "http://127.0.0.1:8400"
TOKEN_VARIABLE = "LEXPRINT_TOKEN"  # where the token is taken from if none is given
PAUSE_SECONDS = 1.0  # before a stream that broke is opened again
PATIENCE = 5  # times that a full service is asked again

OnProgress: TypeAlias = Callable[[int, int], None]  # done, in all


class ServiceError(LexprintError):
    """The service refused, or does not answer."""

    def __init__(self, detail: str, *, status: int = 0, code: str = "Unreachable") -> None:
        super().__init__(detail)
        self.status, self.code = status, code


@dataclass(frozen=True)
class FileReference:
    """A file that the service has; pass it wherever a text goes."""

    id: str
    name: str
    kind: str
    size: int


Given: TypeAlias = str | FileReference


@dataclass(frozen=True)
class Substitute:
    word: str
    probability: float
    entailment: float
    acceptance: float | None = None


@dataclass(frozen=True)
class Capacity:
    """How many bits a text can carry."""

    bits: int
    words: int
    mean_entailment: float | None
    sites: tuple[Mapping[str, Any], ...] = field(repr=False)
    fingerprint: str


@dataclass(frozen=True)
class Marked:
    """A marked text, or a file where one was given, and the record to keep."""

    text: str | None = field(repr=False)
    file: FileReference | None
    record: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Extracted:
    """What a text says; of bits and payload, what was asked for."""

    bits: str | None
    message: str | None
    payload: str | int | None
    chance_of_error: float | None
    fingerprint: str


@dataclass(frozen=True)
class Recovered:
    text: str | None = field(repr=False)
    file: FileReference | None
    is_exact: bool


@dataclass(frozen=True)
class Analysis:
    """Where copies of a text may differ."""

    text: str = field(repr=False)
    words: int
    sites: tuple[Mapping[str, Any], ...] = field(repr=False)
    fingerprint: str


@dataclass(frozen=True)
class IssuedCopy:
    number: int
    recipient: str
    file_name: str
    digest: str


@dataclass(frozen=True)
class Issued:
    document_id: str
    name: str
    sites: int
    copies: tuple[IssuedCopy, ...]


@dataclass(frozen=True)
class Accused:
    number: int
    recipient: str
    matches: int
    readable: int


@dataclass(frozen=True)
class Traced:
    """The verdict of a trace; `signed` is the report as it was signed."""

    report_id: str
    verdict: Literal["one copy", "several copies", "inconclusive", "no document"]
    headline: str
    explanation: str
    chance_of_error: str | None
    accused: tuple[Accused, ...]
    signed: Mapping[str, Any] = field(repr=False)


class Client:
    """The verbs of lexprint, done by a service.

    >>> Client("https://lexprint.example", token="lxp_0123")
    Client('https://lexprint.example')
    """

    def __init__(self, url: str = DEFAULT_URL, *, token: str | None = None, timeout_seconds: float = 90.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ServiceError(f"the address of the service is no URL; needed: one like {DEFAULT_URL}", code="BadUrl")
        self._url, self._timeout_seconds = url.rstrip("/"), timeout_seconds
        self._token = token or os.environ.get(TOKEN_VARIABLE)

    def __repr__(self) -> str:
        return f"Client({self._url!r})"

    # Marking

    def substitutes(self, text: str, *, word: str, occurrence: int = 1) -> tuple[Substitute, ...]:
        """Rank what may stand in for a word of a text."""
        found = self._post("/v1/substitutes", {"text": text, "word": word, "occurrence": occurrence})
        return tuple(Substitute(**one) for one in found["substitutes"])

    def capacity(self, given: Given, *, on_progress: OnProgress | None = None) -> Capacity:
        """How many bits a text can carry."""
        found = self._verb("capacity", _given(given), on_progress)
        return Capacity(
            found["bits"], found["words"], found["mean_entailment"], tuple(found["sites"]), found["fingerprint"]
        )

    def embed(self, given: Given, bits: Sequence[int], *, on_progress: OnProgress | None = None) -> Marked:
        """Write bits into a text."""
        return self._marked(_given(given) | {"bits": "".join(map(str, bits))}, on_progress)

    def embed_message(self, given: Given, message: str, *, on_progress: OnProgress | None = None) -> Marked:
        """Write a message into a text."""
        return self._marked(_given(given) | {"message": message}, on_progress)

    def embed_payload(
        self,
        given: Given,
        payload: str | int,
        *,
        bits: int | None = None,
        false_positive: float = 1e-6,
        on_progress: OnProgress | None = None,
    ) -> Marked:
        """Write a payload into a text, under the service's key."""
        asked = {"payload": payload, "payload_bits": bits, "false_positive": false_positive}
        return self._marked(_given(given) | asked, on_progress)

    def extract(
        self, given: Given, *, fingerprint: str | None = None, on_progress: OnProgress | None = None
    ) -> Extracted:
        """Read the bits of a text."""
        return self._extracted(_given(given) | {"fingerprint": fingerprint}, on_progress)

    def extract_payload(
        self,
        given: Given,
        *,
        bits: int | None = None,
        false_positive: float = 1e-6,
        on_progress: OnProgress | None = None,
    ) -> Extracted:
        """Find the payload of a text with the service's key; none is an answer."""
        asked = {"what": "payload", "payload_bits": bits, "false_positive": false_positive}
        return self._extracted(_given(given) | asked, on_progress)

    def recover(self, given: Given, *, on_progress: OnProgress | None = None) -> Recovered:
        """The most probable original of a marked text."""
        return self._recovered(_given(given), on_progress)

    def restore(self, given: Given, record: Mapping[str, Any]) -> Recovered:
        """The exact original of a marked text, by its record."""
        return self._recovered(_given(given) | {"record": dict(record)}, None)

    # Issuing and tracing

    def analyse(
        self, given: Given, *, protected_phrases: Sequence[str] = (), on_progress: OnProgress | None = None
    ) -> Analysis:
        """Find where copies of a document may differ."""
        asked = _given(given) | {"protected_phrases": list(protected_phrases)}
        found = self._done(self._post("/v1/analyse", asked), on_progress)
        return Analysis(found["text"], found["words"], tuple(found["sites"]), found["fingerprint"])

    def issue(
        self,
        given: Given,
        recipients: Sequence[str],
        *,
        name: str | None = None,
        scheme: Literal["registered", "blind"] = "registered",
        code: Literal["independent", "tardos"] | None = None,
        protected_phrases: Sequence[str] = (),
        error_bound: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Issued:
        """Make and record a copy for each recipient; fetch them with `copy` or `archive`."""
        asked = _given(given) | {
            "recipients": list(recipients),
            "name": name,
            "scheme": scheme,
            "code": code,
            "protected_phrases": list(protected_phrases),
            "error_bound": error_bound,
        }
        found = self._done(self._post("/v1/issue", asked), on_progress)
        document = found["document"]
        copies = (IssuedCopy(one["number"], one["recipient"], one["file"], one["sha256"]) for one in found["copies"])
        return Issued(document["id"], document["name"], document["sites"], tuple(copies))

    def copy(self, document_id: str, number: int) -> bytes:
        """The file of one copy."""
        return self._fetch(f"/v1/documents/{document_id}/copies/{number}/content")

    def archive(self, document_id: str) -> bytes:
        """All copies of a document, as a ZIP file."""
        return self._fetch(f"/v1/documents/{document_id}/archive")

    def trace(self, given: Given, *, document_id: str | None = None, error_bound: float | None = None) -> Traced:
        """Find out which copy a leak was made from."""
        asked = _given(given) | {"document": document_id, "error_bound": error_bound}
        found = self._post("/v1/trace", asked)
        report = found["report"]
        return Traced(
            report_id=report["id"],
            verdict=report["verdict"],
            headline=found["headline"],
            explanation=found["explanation"],
            chance_of_error=found["chance_of_error"],
            accused=tuple(
                Accused(one["number"], one["recipient"], one["matches"], one["readable"]) for one in report["accused"]
            ),
            signed={name: found[name] for name in ("report", "signature", "public_key", "key_id", "timestamp")},
        )

    def report_page(self, report_id: str) -> bytes:
        """A report as a page that prints well."""
        return self._fetch(f"/v1/reports/{report_id}/page")

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Documents that copies were made of, newest first."""
        return self._pages("/v1/documents")

    def recipients(self) -> Iterator[Mapping[str, Any]]:
        """Everyone who was to be given a copy, by name."""
        return self._pages("/v1/recipients")

    def reports(self) -> Iterator[Mapping[str, Any]]:
        """Reports of traced leaks, newest first."""
        return self._pages("/v1/reports")

    # Files

    def upload(self, path: Path) -> FileReference:
        """Send a file; what is marked comes back in its format."""
        return self.upload_bytes(path.read_bytes(), name=path.name)

    def upload_bytes(self, content: bytes, *, name: str) -> FileReference:
        boundary = secrets.token_hex(16)
        quoted = name.replace("\\", "").replace('"', "%22").replace("\r", "").replace("\n", "")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        found = json.loads(self._send("POST", "/v1/files", body, f"multipart/form-data; boundary={boundary}"))
        return _file(found)

    def download(self, file: FileReference) -> bytes:
        return self._fetch(f"/v1/files/{file.id}/content")

    # The way there

    def _marked(self, asked: dict[str, Any], on_progress: OnProgress | None) -> Marked:
        found = self._verb("embed", asked, on_progress)
        return Marked(found["text"], found["file"] and _file(found["file"]), found["record"])

    def _extracted(self, asked: dict[str, Any], on_progress: OnProgress | None) -> Extracted:
        found = self._verb("extract", asked, on_progress)
        return Extracted(
            found.get("bits"),
            found.get("message"),
            found.get("payload"),
            found.get("chance_of_error"),
            found["fingerprint"],
        )

    def _recovered(self, asked: dict[str, Any], on_progress: OnProgress | None) -> Recovered:
        found = self._verb("recover", asked, on_progress)
        return Recovered(found["text"], found["file"] and _file(found["file"]), found["exact"])

    def _verb(self, name: str, asked: dict[str, Any], on_progress: OnProgress | None) -> Any:
        """As a job: so a long text takes the time it takes."""
        return self._done(self._post(f"/v1/{name}", asked, {"Prefer": "respond-async"}), on_progress)

    def _done(self, job: Any, on_progress: OnProgress | None) -> Any:
        """The result of a job, however often the connection breaks."""
        while job["state"] in ("queued", "running"):
            try:
                for told in self._events(job["id"]):
                    job = told
                    if on_progress is not None and job["total"]:
                        on_progress(job["done"], job["total"])
            except (OSError, HTTPException):
                time.sleep(PAUSE_SECONDS)
                job = json.loads(self._send("GET", f"/v1/jobs/{job['id']}"))
        if job["state"] == "done":
            return job["result"]
        problem = job["problem"] or {"detail": "the job was cancelled", "code": "Cancelled", "status": 409}
        raise ServiceError(problem["detail"], status=problem.get("status", 500), code=problem["code"])

    def _events(self, job_id: str) -> Iterator[Any]:
        with self._open("GET", f"/v1/jobs/{job_id}/events") as response:
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def _pages(self, path: str) -> Iterator[Mapping[str, Any]]:
        offset: int | None = 0
        while offset is not None:
            page = json.loads(self._send("GET", f"{path}?limit=100&offset={offset}"))
            yield from page["items"]
            offset = page["next_offset"]

    def _post(self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        """The same key each time that it is tried, so that nothing is done twice."""
        body = json.dumps({name: value for name, value in asked.items() if value is not None}).encode()
        key = {"Idempotency-Key": secrets.token_hex(16), **(headers or {})}
        return json.loads(self._send("POST", path, body, "application/json", key))

    def _fetch(self, path: str) -> bytes:
        return self._send("GET", path)

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        media_type: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        for tries_left in reversed(range(PATIENCE)):
            try:
                with self._open(method, path, body, media_type, headers) as response:
                    content: bytes = response.read()
                    return content
            except ServiceError as error:
                if error.status != 429 or not tries_left:
                    raise
                time.sleep(PAUSE_SECONDS)
            except (OSError, HTTPException) as error:
                raise ServiceError(f"the service at {self._url} does not answer ({type(error).__name__})") from error
        raise AssertionError("unreachable")

    def _open(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        media_type: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        request = urllib.request.Request(f"{self._url}{path}", data=body, method=method, headers=dict(headers or {}))
        if media_type:
            request.add_header("Content-Type", media_type)
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            return urllib.request.urlopen(request, timeout=self._timeout_seconds)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error.code, error.read()) from error


def _given(given: Given) -> dict[str, Any]:
    return {"text": given} if isinstance(given, str) else {"file": given.id}


def _file(found: Mapping[str, Any]) -> FileReference:
    return FileReference(found["id"], found["name"], found["kind"], found["size"])


def _refusal(status: int, body: bytes) -> ServiceError:
    try:
        problem = json.loads(body)
        return ServiceError(str(problem["detail"]), status=status, code=str(problem["code"]))
    except (ValueError, KeyError, TypeError):
        return ServiceError(f"the service answered {status}", status=status, code="Http")
