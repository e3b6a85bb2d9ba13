"""Reports: canonical JSON, signatures, and what is refused."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.reports.reports import nothing_found, report_of

from lexprint.coding.keys import SIGNING, MasterKey
from lexprint.errors import BadSignature, ForeignSignature, ReportError
from lexprint.reports.report import LEAST_CHANCE, Report, chance, share
from lexprint.reports.signatures import canonical_json
from lexprint.reports.signed_file import content_json, read_report, report_bytes, report_json, require_signer, sign

KEY = MasterKey(bytes(range(32)), created_at=datetime(2026, 1, 1, tzinfo=UTC))
OTHER_KEY = MasterKey(bytes(32), created_at=datetime(2026, 1, 1, tzinfo=UTC))
SIGNED = sign(report_of(sites=8), KEY)
SIGNED_BYTES = report_bytes(SIGNED)

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@pytest.mark.parametrize(
    "report",
    [
        SIGNED,
        report_of(),
        nothing_found(),
        sign(nothing_found(), KEY),
        report_of(recipients=("A", "B"), verdict="several copies"),
        report_of(recipients=(), verdict="inconclusive"),
    ],
)
def test_reports_survive_their_file(report: Report) -> None:
    """Nothing is lost or rounded, signed or not, and the same report is the same bytes."""
    assert read_report(report_bytes(report)) == report
    assert report_bytes(read_report(report_bytes(report))) == report_bytes(report)


@given(names, names)
def test_any_name_can_be_signed(recipient: str, note: str) -> None:
    """Whatever characters stand in it."""
    report = sign(replace(report_of(recipients=(recipient,), sites=2), notes=(note,)), KEY)
    assert read_report(report_bytes(report)) == report


@given(st.integers(0, 8 * (len(SIGNED_BYTES) - 1) - 1))  # the last byte is the line end
def test_no_bit_can_be_flipped(place: int) -> None:
    """A file that differs in one bit is refused; if it is still JSON with the same keys, for its signature."""
    content = bytearray(SIGNED_BYTES)
    content[place // 8] ^= 1 << place % 8
    with pytest.raises(ReportError) as refusal:
        read_report(bytes(content), name="leak.json")
    try:
        value = json.loads(content)
        is_whole = value.keys() == report_json(SIGNED).keys() and "\ufffd" not in str(value)
    except ValueError:
        is_whole = False
    has_capitals = is_whole and re.search("[A-Z]", f"{value['signature']}{value['public_key']}{value['key_id']}")
    if is_whole and not has_capitals:
        assert isinstance(refusal.value, BadSignature)
    assert "leak.json" in str(refusal.value)


@given(st.data())
def test_no_value_can_be_exchanged(data: st.DataObject) -> None:
    """Any other value anywhere in the content, the key's id or the public key spoils the signature."""
    value = report_json(SIGNED)
    place: Any = value
    step = data.draw(st.sampled_from(["report", "key_id", "public_key", "signature"]))
    while isinstance(place[step], dict | list) and place[step]:
        place = place[step]
        step = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    before = place[step]
    place[step] = data.draw(st.sampled_from(["x", "", "00", 7, None, [], "1"]).filter(lambda after: after != before))
    with pytest.raises(ReportError) as refusal:
        read_report(canonical_json(value))
    if value["report"] != content_json(SIGNED):
        assert isinstance(refusal.value, BadSignature)


def test_signatures_cannot_be_moved() -> None:
    """The signature of one report does not fit another one, nor the same with another key."""
    moved = replace(nothing_found(), signature=SIGNED.signature)
    with pytest.raises(BadSignature):
        read_report(report_bytes(moved))
    assert SIGNED.signature is not None
    renamed = replace(SIGNED, signature=replace(SIGNED.signature, public_key=OTHER_KEY.public_key.raw.hex()))
    with pytest.raises(BadSignature):
        read_report(report_bytes(renamed))


def test_who_signed() -> None:
    """Only the signer's public key is accepted, and an unsigned report never."""
    require_signer(SIGNED, [OTHER_KEY.public_key.fingerprint, KEY.public_key.fingerprint], name="r.json")
    with pytest.raises(ForeignSignature, match=r"r\.json"):
        require_signer(SIGNED, [OTHER_KEY.public_key.fingerprint], name="r.json")
    with pytest.raises(ForeignSignature):
        require_signer(SIGNED, [], name="r.json")
    with pytest.raises(ReportError, match=r"r\.json is not signed"):
        require_signer(report_of(), [KEY.public_key.fingerprint], name="r.json")


def test_a_forger_has_another_public_key() -> None:
    """What someone else signed is intact, but not the owner's."""
    forged = read_report(report_bytes(sign(replace(SIGNED, compared=7), OTHER_KEY)))
    with pytest.raises(ForeignSignature):
        require_signer(forged, [KEY.public_key.fingerprint], name="r.json")


def test_signing_is_deterministic_and_keeps_the_secret() -> None:
    """The same report and key give the same bytes, and nothing of the key but its id."""
    assert report_bytes(sign(report_of(sites=8), KEY)) == SIGNED_BYTES
    assert KEY.derive(SIGNING).hex().encode() not in SIGNED_BYTES
    assert KEY.written_out().rpartition(".")[2].encode() not in SIGNED_BYTES
    assert KEY.id.encode() in SIGNED_BYTES


def test_formatting_does_not_count() -> None:
    """The value is signed, not its layout: a report may pass through a program that indents it."""
    indented = json.dumps(json.loads(SIGNED_BYTES), indent=3, ensure_ascii=True).encode()
    assert read_report(indented) == SIGNED


def test_the_canonical_form() -> None:
    """Sorted keys, no white space, UTF-8, no floats: as in RFC 8785."""
    assert canonical_json({"b": ["é\n\x1f", 2], "a": None}) == '{"a":null,"b":["é\\n\\u001f",2]}'.encode()

    def no_floats(value: object) -> bool:
        if isinstance(value, dict):
            return all(map(no_floats, value.values()))
        return all(map(no_floats, value)) if isinstance(value, list) else not isinstance(value, float)

    assert no_floats(report_json(SIGNED))


@given(st.floats(0.0, 1.0))
def test_chances_are_never_understated(probability: float) -> None:
    """Rounded up, by less than a hundredth of their size, and never to nothing."""
    reported = chance(probability)
    assert LEAST_CHANCE <= reported <= 1
    assert reported >= Decimal(probability)
    assert reported <= max(Decimal(probability) * Decimal("1.01"), LEAST_CHANCE)


def test_numbers_are_readable() -> None:
    """Strings that people can read, with an exponent where it is short."""
    content = content_json(replace(report_of(), error_bound=Decimal(repr(1e-6)), covered_share=share(1 / 3)))
    assert (content["error_bound"], content["covered_share"]) == ("1e-6", "0.3333")
    assert content_json(replace(report_of(), error_bound=Decimal("0.05")))["error_bound"] == "0.05"


def test_times_are_utc() -> None:
    """Whatever zone they were given in."""
    made_at = datetime(2026, 3, 14, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert content_json(replace(report_of(), made_at=made_at))["made_at"] == "2026-03-13T23:30:00Z"


def damaged(change: Callable[[Any], object]) -> bytes:
    value = report_json(report_of(sites=3))
    change(value)
    return canonical_json(value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"7",
        b"[" * 100_000,
        b'{"report": 1.5}',
        b'{"report": NaN, "signature": null, "public_key": null, "key_id": null, "timestamp": null}',
        b'{"report": null, "signature": null, "public_key": null, "key_id": null, "timestamp": null}',
        b'{"report": {}, "report": {}, "signature": null, "public_key": null, "key_id": null, "timestamp": null}',
        b'{"report": {}, "signature": null, "public_key": null, "key_id": "00000000", "timestamp": null}',
        damaged(lambda value: value.update(surplus=1)),
        damaged(lambda value: value.pop("signature")),
        damaged(lambda value: value["report"].update(surplus=1)),
        damaged(lambda value: value["report"].pop("statement")),
        damaged(lambda value: value["report"].update(verdict="guilty")),
        damaged(lambda value: value["report"].update(readable=-1)),
        damaged(lambda value: value["report"].update(readable=True)),
        damaged(lambda value: value["report"].update(error_bound="2")),
        damaged(lambda value: value["report"].update(error_bound="many")),
        damaged(lambda value: value["report"].update(error_bound="NaN")),
        damaged(lambda value: value["report"].update(made_at="2026-03-14T09:26:53")),
        damaged(lambda value: value["report"].update(made_at="2026-03-14T09:26:53+01:00")),
        damaged(lambda value: value["report"]["evidence"][0].update(bit=2)),
        damaged(lambda value: value["report"]["evidence"][0].update(given=[])),
        damaged(lambda value: value["report"]["evidence"][0].update(pair=["same", "same"])),
        damaged(lambda value: value["report"].update(accused=[])),
        damaged(lambda value: value["report"]["accused"][0].update(recipient=None)),
        damaged(lambda value: value["report"].update(document=None)),
    ],
)
def test_whatever_is_no_report_is_refused(content: bytes) -> None:
    """With its name, and never with a traceback of another kind."""
    with pytest.raises(ReportError, match=r"mine\.json"):
        read_report(content, name="mine.json")


def test_lone_surrogates_are_refused() -> None:
    """JSON can spell them, but they cannot be signed or shown."""
    unsigned = report_bytes(report_of(sites=2)).replace(b"Board memo", b"\\ud800")
    with pytest.raises(ReportError):
        read_report(unsigned)
    with pytest.raises(ReportError):
        read_report(SIGNED_BYTES.replace(b"Board memo", b"\\ud800"))


def test_a_later_format_is_named() -> None:
    """A newer program's report is intact but cannot be read: it says what to do."""
    with pytest.raises(ReportError, match=r"format 2.*pip install --upgrade lexprint"):
        read_report(damaged(lambda value: value["report"].update(format=2)))


def test_the_representation_hides_the_evidence() -> None:
    """Words of the document do not end up in logs."""
    assert "committee" not in repr(report_of())


def test_places_with_more_than_two_words_come_back() -> None:
    """Which of them is seen is a number."""
    report = report_of()
    first = replace(report.evidence[0], words=("big", "large", "great"), symbol=2, seen="great")
    richer = replace(report, evidence=(first, *report.evidence[1:]))
    assert read_report(report_bytes(richer)) == richer


def test_doubtful_places_come_back() -> None:
    """Nothing is doubtful where nothing is read."""
    report = report_of()
    place = next(index for index, one in enumerate(report.evidence) if one.symbol is not None)
    doubted = [replace(one, is_doubtful=index == place) for index, one in enumerate(report.evidence)]
    doubtful = replace(report, evidence=tuple(doubted))
    assert read_report(report_bytes(doubtful)) == doubtful
    unread = replace(report.evidence[place], symbol=None, is_doubtful=True)
    with pytest.raises(ValueError, match="contradicts itself"):
        replace(report, evidence=(unread, *report.evidence[1:]))
