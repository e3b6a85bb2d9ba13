"""Records: what is kept of a marked copy."""

import copy
import json
from typing import Any

import pytest

from lexprint.errors import FormatError
from lexprint.settings import Settings
from lexprint.text.document import Document
from lexprint.text.editing import apply_edits
from lexprint.watermark.embed import embed
from lexprint.watermark.records import Record, digest_of, read_record, record_json, record_of
from lexprint.watermark.scheme import Scheme


@pytest.fixture
def record(scheme: Scheme, document: Document) -> Record:
    """Of a text with more sites than bits."""
    marked = embed(document, (1, 0, 0, 1, 1), scheme)
    return record_of(marked, version="1.2.3", settings=Settings(), canary="ca9a", words=document.word_count)


def test_records_survive_json(record: Record) -> None:
    """Nothing is lost, no number rounded."""
    assert read_record(json.loads(json.dumps(record_json(record)))) == record


def test_edits_lead_to_the_marked_text(record: Record, document: Document) -> None:
    """They are those that were made."""
    assert digest_of(apply_edits(document.text, record.edits)) == record.digest


def test_the_text_is_not_in_it(record: Record, document: Document) -> None:
    """A record may be stored where the text must not be."""
    assert document.sentences[0].view not in json.dumps(record_json(record))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["bits"], "012"),
        (["bits"], 3),
        (["bits"], "1" * 9999),
        (["fingerprint"], None),
        (["canary"], None),
        (["settings"], 7),
        (["words"], -1),
        (["words"], True),
        (["sites"], []),
        (["sites", 0, "span"], [5, 2]),
        (["sites", 0, "span"], [5]),
        (["sites", 0, "span"], [0, 10**6]),
        (["sites", 0, "pair"], ["same", "same"]),
        (["sites", 0, "word"], "elsewhere"),
        (["sites", 0, "entailment"], float("nan")),
        (["sites", 0, "position"], "2"),
        (["sites", 1, "span"], [0, 3]),
    ],
)
def test_damage_is_refused(record: Record, path: list[Any], value: object) -> None:
    """Any value that cannot be true."""
    damaged = copy.deepcopy(record_json(record))
    place: Any = damaged
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(FormatError, match=r"mine\.json"):
        read_record(damaged, name="mine.json")
