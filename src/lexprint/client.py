"""A client of the HTTP service: the verbs of `Lexprint`, with the same results, done on another machine.

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
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal

from lexprint.errors import InputError, ServiceError
from lexprint.results import (
    Capacity,
    Extracted,
    Given,
    Issued,
    Json,
    Marked,
    OnProgress,
    Recovered,
    Substitute,
    TraceReport,
)
from lexprint.whole_files import write_whole

DEFAULT_URL = "http://127.0.0.1:8400"
TOKEN_VARIABLE = "LEXPRINT_TOKEN"  # where the token is taken from if none is given
PAUSE_SECONDS = 1.0  # before a stream that broke is opened again
MAX_RETRIES = 5  # times that a full service is asked again


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
        code: Literal["independent", "tardos"] | None = None,
        protected_phrases: Sequence[str] = (),
        strictness: Literal["legal", "careful", "dense"] | None = None,
        any_language: bool = False,
        error_bound: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Issued:
        """Make and record a copy for each recipient, and fetch them to a folder."""
        asked = self._given(document, text) | {
            "recipients": list(to),
            "name": name,
            "scheme": "blind" if blind else "registered",
            "code": code,
            "protected_phrases": list(protected_phrases),
            "strictness": strictness,
            "unprotected": ["languages"] if any_language else [],
            "error_bound": error_bound,
        }
        issued = Issued.of(self._done(self._post("/v1/issue", asked), on_progress), Path(out))
        Path(out).mkdir(parents=True, exist_ok=True)
        for copy in issued.copies:
            write_whole(copy.path, self.copy(issued.document_id, copy.number))
        return issued

    def trace(
        self,
        leak: Given | None = None,
        *,
        text: str | None = None,
        document_id: str | None = None,
        error_bound: float | None = None,
    ) -> TraceReport:
        """Find out which copy a leak was made from."""
        asked = self._given(leak, text) | {"document": document_id, "error_bound": error_bound}
        found = self._post("/v1/trace", asked)
        signed = {name: found[name] for name in ("report", "signature", "public_key", "key_id", "timestamp")}
        page = self.report_page(found["report"]["id"]).decode()
        return TraceReport.of(signed, headline=found["headline"], page=page)

    def analyse(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        protected_phrases: Sequence[str] = (),
        strictness: Literal["legal", "careful", "dense"] | None = None,
        any_language: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Capacity:
        """At how many sites copies of a document may differ when they are issued."""
        asked = self._given(document, text) | {
            "protected_phrases": list(protected_phrases),
            "strictness": strictness,
            "unprotected": ["languages"] if any_language else [],
        }
        return Capacity.of(self._done(self._post("/v1/analyse", asked), on_progress))

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
        false_positive: float = 1e-6,
        any_language: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Marked:
        """Mark a document with a payload, under the service's key; or, as in the paper, with a message or bits."""
        written = None if bits is None else "".join(map(str, bits))
        asked = self._given(document, text) | {"message": message, "bits": written, "any_language": any_language}
        if payload is not None:
            asked |= {"payload": payload, "payload_bits": payload_bits, "false_positive": false_positive}
        found = self._verb("embed", asked, on_progress)
        return Marked(*self._changed(found), found["record"])

    def extract(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        payload_bits: int | None = None,
        false_positive: float = 1e-6,
        fingerprint: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Extracted:
        """Find the payload of a document with the service's key; none is an answer."""
        asked = {"what": "payload", "payload_bits": payload_bits, "false_positive": false_positive}
        asked |= self._given(document, text) | {"fingerprint": fingerprint}
        return Extracted.of(self._verb("extract", asked, on_progress))

    def extract_bits(
        self,
        document: Given | None = None,
        *,
        text: str | None = None,
        fingerprint: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Extracted:
        """Every bit of a document; any text yields bits."""
        asked = self._given(document, text) | {"fingerprint": fingerprint}
        return Extracted.of(self._verb("extract", asked, on_progress))

    def recover(
        self, document: Given | None = None, *, text: str | None = None, on_progress: OnProgress | None = None
    ) -> Recovered:
        """The most probable original of a marked document."""
        found = self._verb("recover", self._given(document, text), on_progress)
        return Recovered(*self._changed(found), found["exact"])

    def restore(self, document: Given | None = None, *, text: str | None = None, record: Json) -> Recovered:
        """The exact original of a marked document, by its restoration record."""
        found = self._verb("recover", self._given(document, text) | {"record": dict(record)}, None)
        return Recovered(*self._changed(found), found["exact"])

    def capacity(
        self, document: Given | None = None, *, text: str | None = None, on_progress: OnProgress | None = None
    ) -> Capacity:
        """How many bits a document can carry."""
        return Capacity.of(self._verb("capacity", self._given(document, text), on_progress))

    def substitutes(self, text: str, word: str, *, occurrence: int = 1) -> tuple[Substitute, ...]:
        """What may stand in for a word of a text, the best first."""
        found = self._post("/v1/substitutes", {"text": text, "word": word, "occurrence": occurrence})
        return tuple(map(Substitute.of, found["substitutes"]))

    # What the service keeps

    def copy(self, document_id: str, number: int) -> bytes:
        """The file of one copy."""
        return self._fetch(f"/v1/documents/{document_id}/copies/{number}/content")

    def copy_for(self, document_id: str, recipient: str) -> bytes:
        """The copy of one recipient, issued when it is first asked for; the same bytes ever after."""
        path = f"/v1/documents/{document_id}/copies/{urllib.parse.quote(recipient, safe='')}"
        return self._send("POST", path, b"")

    def archive(self, document_id: str) -> bytes:
        """All copies of a document, as a ZIP file."""
        return self._fetch(f"/v1/documents/{document_id}/archive")

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

    # What became of reports

    def reviews(self, report_id: str) -> list[Mapping[str, Any]]:
        """Statuses and notes of a report, the oldest first."""
        found: list[Mapping[str, Any]] = json.loads(self._fetch(f"/v1/reports/{report_id}/reviews"))
        return found

    def review(
        self, report_id: str, *, status: Literal["open", "confirmed", "dismissed"] | None = None, note: str = ""
    ) -> Mapping[str, Any]:
        """Keep a note on a report, or what became of it; the report itself does not change."""
        asked = {"status": status, "note": note}
        found: Mapping[str, Any] = self._post(f"/v1/reports/{report_id}/reviews", asked)
        return found

    def case(self, report_id: str, leak: Given | None = None, *, text: str | None = None) -> bytes:
        """The leak that was traced, its report and all that it takes to verify both, as a ZIP file."""
        body = json.dumps(self._given(leak, text)).encode()
        return self._send("POST", f"/v1/reports/{report_id}/case", body, "application/json")

    # Requests

    def _given(self, document: Given | None, text: str | None) -> dict[str, Any]:
        """A text as it is, or the id of a file that was sent; what is marked comes back in its format."""
        if (document is None) == (text is None):
            raise InputError("the document is not clear", needed="the name of a file, bytes, or text=")
        if document is None:
            return {"text": text}
        if isinstance(document, bytes):
            return {"file": self._upload(document, name="document")}
        path = Path(document)
        try:
            return {"file": self._upload(path.read_bytes(), name=path.name)}
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror})", needed="a file that may be read") from error

    def _upload(self, content: bytes, *, name: str) -> str:
        boundary = secrets.token_hex(16)
        quoted = name.replace("\\", "").replace('"', "%22").replace("\r", "").replace("\n", "")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        found = json.loads(self._send("POST", "/v1/files", body, f"multipart/form-data; boundary={boundary}"))
        return str(found["id"])

    def _changed(self, found: Any) -> tuple[bytes, str | None]:
        """A text for a text, a file for a file."""
        if found["file"] is None:
            return found["text"].encode(), found["text"]
        return self._fetch(f"/v1/files/{found['file']['id']}/content"), None

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
        for tries_left in reversed(range(MAX_RETRIES)):
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


def _refusal(status: int, body: bytes) -> ServiceError:
    try:
        problem = json.loads(body)
        return ServiceError(str(problem["detail"]), status=status, code=str(problem["code"]))
    except (ValueError, KeyError, TypeError):
        return ServiceError(f"the service answered {status}", status=status, code="Http")
