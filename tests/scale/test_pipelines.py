"""A function over batches, as data pipelines want it."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import create_key_file, load_keyring
from lexprint.engine import Engine
from lexprint.errors import CapacityError
from lexprint.scale import map_texts
from lexprint.testing import fake_text
from lexprint.workflows import embed, extract_payload

TEXTS = [fake_text(words=80, seed=seed) for seed in range(3)]


def mark(engine: Engine, text: str, bits: str = "1") -> str:
    return embed(engine, text, map(int, bits)).text


@dataclass
class Series:
    """What is used of a pandas Series."""

    values: list[str]
    index: object
    name: str

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)


def test_columns_of_a_batch() -> None:
    """As `datasets.Dataset.map(batched=True)` gives them; other columns stay and may be arguments."""
    marked = map_texts(FakeEngine(), mark, arguments=("bits",))
    bits = ["0", "1", "01"]
    batch = {"text": TEXTS, "bits": bits, "id": [1, 2, 3]}
    expected = [mark(FakeEngine(), text, some) for text, some in zip(TEXTS, bits, strict=True)]
    assert marked(batch) == batch | {"text": expected}
    assert batch["text"] is TEXTS


def test_series_and_lists() -> None:
    """A Series keeps index and name, a list is a list."""
    marked = map_texts(FakeEngine(), mark)
    expected = [embed(FakeEngine(), text, [1]).text for text in TEXTS]
    assert marked(TEXTS) == expected
    assert marked(Series(TEXTS, "abc", "body")) == Series(expected, "abc", "body")


def test_texts_that_fail() -> None:
    """Are an error, or None with the reason beside it."""
    batch = {"body": ["Too short.", TEXTS[0]]}
    with pytest.raises(CapacityError):
        map_texts(FakeEngine(), mark, column="body")(batch)
    tried = map_texts(FakeEngine(), mark, column="body", error_column="error")(batch)
    assert tried["body"][0] is None
    assert "carries 0 bits" in tried["error"][0]
    assert tried["error"][1] is None


def test_other_processes_load_their_own_models() -> None:
    """The function is pickled without the models, loaded or not."""
    marked = map_texts(FakeEngine(), mark)
    before = len(pickle.dumps(marked))
    expected = marked(TEXTS)
    assert len(pickle.dumps(marked)) == before
    assert pickle.loads(pickle.dumps(marked))(TEXTS) == expected


def test_the_documented_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/scale.md shows runs as it stands, on the fakes and without `datasets`."""
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    create_key_file(Path("lexprint.key"))
    monkeypatch.setattr("lexprint.Engine", FakeEngine)
    scope: dict[str, Any] = {"dataset": Dataset(), "frame": {"text": []}}
    exec(example, scope)
    columns = scope["dataset"]
    assert columns["why_not"][0] is None
    found = extract_payload(FakeEngine(), columns["text"][0], keys=load_keyring(environment={}), bits=32)
    assert found.payload == 4711
    assert columns["text"][1] is None


class Dataset:
    """What is used of one of Hugging Face's."""

    def map(self, function: Callable[[Any], Any], *, batched: bool) -> Any:
        assert batched
        return function({"text": [fake_text(words=1800, seed=1), "Too short."], "account": [4711, 4712]})
