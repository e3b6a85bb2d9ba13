"""User code that type checkers must accept: `mypy --strict` reads this file, and nobody runs it."""

from pathlib import Path
from typing import assert_type

from lexprint import Capacity, Client, Extracted, Issued, Keyring, Lexprint, Marked, Recovered, Substitute, TraceReport


def library(lx: Lexprint) -> None:
    assert_type(lx.issue("memo.docx", to=["Ada", "Bo"], out="copies/"), Issued)
    report = lx.trace(Path("leak.pdf"))
    assert_type(report, TraceReport)
    assert_type([(copy.recipient, copy.chance_of_error) for copy in report.named], list[tuple[str, float]])
    report.save("report.html")
    assert_type(lx.embed(b"...", payload="ACME-17"), Marked)
    assert_type(lx.extract("marked.txt").payload, str | int | None)
    assert_type(lx.substitutes("They bought a large house.", "large"), tuple[Substitute, ...])


def service(client: Client) -> None:
    assert_type(client.issue("memo.docx", to=["Ada", "Bo"], out="copies/"), Issued)
    assert_type(client.trace(text="..."), TraceReport)
    assert_type(client.embed("letter.txt", payload=7, payload_bits=8), Marked)
    assert_type(client.extract_bits("marked.txt"), Extracted)
    assert_type(client.recover("marked.txt"), Recovered)
    assert_type(client.capacity("memo.docx"), Capacity)


def either(verbs: Lexprint | Client) -> Issued:
    """The same verbs, the same results."""
    assert_type(verbs.analyse("memo.docx", strictness="careful"), Capacity)
    return verbs.issue("memo.docx", to=["Ada"], out=Path("copies"), strictness="legal")


library(Lexprint(registry="lexprint.db", keys=Keyring.load("lexprint.key"), profile="lexprint"))
service(Client("https://lexprint.example", token="lxp_..."))
