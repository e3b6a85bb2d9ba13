"""The front door: the README's example runs, files keep their format, and what is unclear is refused."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FakeEngine
from tests.workflows.patient import PatientEngine

from lexprint import library
from lexprint.coding.keys import Keyring, MasterKey, create_key_file
from lexprint.engine import Engine
from lexprint.errors import CapacityError, FormatError, InputError, NotEnglish, SecretError
from lexprint.library import Lexprint
from lexprint.testing import fake_text
from lexprint.workflows import strictness

README = Path(__file__).parent.parent / "README.md"
MEMO = fake_text(words=400, seed=1)
FRENCH = "Le directeur a demandé un rapport pour la fin de la semaine, mais personne ne savait encore quoi écrire."


@pytest.fixture
def lx(tmp_path: Path) -> Lexprint:
    return Lexprint(registry=tmp_path / "lexprint.db", keys=Keyring((MasterKey.generate(),)), engine=FakeEngine())


def test_the_readme_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its lines, as they stand, with models that are fakes and files of these names."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert example.startswith("from lexprint import Client, Keyring, Lexprint\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lexprint.engine.Engine", FakeEngine)
    create_key_file(Path("lexprint.key"))
    with Lexprint(keys=Keyring.load("lexprint.key"), engine=FakeEngine()) as issuer:
        (leak, _) = issuer.issue(text=MEMO, to=["Cy", "Di"], out="earlier").copies
    Path("leak.pdf").write_bytes(leak.path.read_bytes())  # recognised by its content, which is text
    Path("memo.docx").write_text(MEMO + "\nPS.")
    Path("letter.txt").write_text(fake_text(words=2500, seed=2))
    sentence, word = _with_substitutes(issuer)
    names: dict[str, Any] = {}
    exec(example.replace("They bought a large house.", sentence).replace('"large"', repr(word)), names)
    assert "Cy" in capsys.readouterr().out
    assert "Cy" in Path("report.html").read_text()
    assert names["found"].payload == "ACME-17"
    assert len(list(Path("copies").glob("memo-*.docx"))) == 2


def _with_substitutes(lx: Lexprint) -> tuple[str, str]:
    """A word of the fakes' language that has substitutes, in its sentence."""
    sentence = MEMO.partition(".")[0] + "."
    for word in re.findall(r"[a-z]+", sentence):
        try:
            if lx.substitutes(sentence, word):
                return sentence, word
        except InputError:
            continue
    raise AssertionError("the text has no word with substitutes")


def test_texts_and_files(lx: Lexprint, tmp_path: Path) -> None:
    """A text for a text, a file for a file, and each can be read, restored and recovered."""
    marked = lx.embed(text=MEMO, bits=[1, 0, 1])
    assert marked.text is not None
    assert (lx.extract_bits(text=marked.text).bits or "").startswith("101")
    assert lx.restore(text=marked.text, record=marked.record).text == MEMO
    (tmp_path / "memo.txt").write_text(MEMO)
    of_file = lx.embed(tmp_path / "memo.txt", bits=[1, 0, 1])
    assert (of_file.text, of_file.content) == (None, marked.content)
    of_file.save(tmp_path / "marked.txt")
    assert lx.recover(tmp_path / "marked.txt").text is None
    assert lx.restore(of_file.content, record=of_file.record).content == MEMO.encode()
    assert lx.capacity(text=MEMO).sites == lx.capacity(MEMO.encode()).sites > 3


def test_what_is_not_english_is_refused(lx: Lexprint, tmp_path: Path) -> None:
    """By every verb that changes words, unless any language will do."""
    for blind in (False, True):
        with pytest.raises(NotEnglish):
            lx.issue(text=FRENCH, to=["Ada"], out=tmp_path / "copies", blind=blind)
    with pytest.raises(NotEnglish):
        lx.analyse(text=FRENCH)
    with pytest.raises(NotEnglish):
        lx.embed(text=FRENCH, bits=[1])
    assert lx.analyse(text=FRENCH, any_language=True).words >= len(FRENCH.split())
    with pytest.raises(CapacityError):  # whose fakes know no French
        lx.embed(text=FRENCH, bits=[1] * 9, any_language=True)


def test_nobody_is_named_without_evidence(lx: Lexprint, tmp_path: Path) -> None:
    """An outcome, which can be saved like any other; a name that is neither a page nor JSON is refused."""
    report = lx.trace(text=fake_text(words=100, seed=9))
    assert (report.verdict, report.named) == ("no document", ())
    report.save(tmp_path / "report.json")
    with pytest.raises(InputError, match=r"\.html or \.json"):
        report.save(tmp_path / "report.txt")


def test_what_is_unclear_is_refused(lx: Lexprint, tmp_path: Path) -> None:
    """No document, two of them, a file that is not there, two marks at once, no keys."""
    with pytest.raises(InputError, match="the document is not clear"):
        lx.capacity()
    with pytest.raises(InputError, match="the document is not clear"):
        lx.capacity(b"x", text="x")
    with pytest.raises(FormatError, match="not readable"):
        lx.capacity(tmp_path / "none.txt")
    with pytest.raises(InputError, match="one of payload, message and bits"):
        lx.embed(text=MEMO, payload="A", message="A")
    with pytest.raises(SecretError, match="no keys were given"):
        Lexprint(engine=FakeEngine()).embed(text=MEMO, payload="A")


def test_nothing_is_loaded_before_it_is_needed(tmp_path: Path) -> None:
    """Neither models nor a registry, and no file is made."""
    lx = Lexprint(registry=tmp_path / "lexprint.db")
    assert isinstance(lx.engine, Engine)
    assert not (tmp_path / "lexprint.db").exists()
    assert library.FALSE_POSITIVE == 1e-6


def test_what_copies_carry_is_told(tmp_path: Path) -> None:
    """In the result, by kind; whoever calls the library may not look at a terminal."""
    text = fake_text(words=300, seed=2)
    mail = f"From: a@example.org\nBcc: spy@example.org\nMessage-ID: <1@x>\n\n{text}\n".encode()
    keys = Keyring((MasterKey.generate(),))
    with Lexprint(registry=tmp_path / "lexprint.db", keys=keys, engine=PatientEngine()) as lx:
        issued = lx.issue(mail, to=["Ada", "Bo"], out=tmp_path / "copies")
        plain = lx.issue(text=text, to=["Ada", "Bo"], out=tmp_path / "plain")
    (warning,) = issued.warnings
    assert "the addresses of hidden recipients" in warning
    assert "spy" not in warning
    assert plain.warnings == ()


def test_strictness_is_at_the_front_door(tmp_path: Path) -> None:
    """The words of the command and the service: the stricter, the fewer sites, in the analysis and in the copies."""
    keys = Keyring((MasterKey.generate(),))
    text = fake_text(words=300, seed=2)
    with Lexprint(registry=tmp_path / "lexprint.db", keys=keys, engine=PatientEngine()) as lx:
        found = {one: lx.analyse(text=text, strictness=one).sites for one in (None, "legal", "careful", "dense")}
        issued = lx.issue(text=text, to=["Ada"], out=tmp_path / "dense", strictness="dense")
        with pytest.raises(InputError, match="legal, careful, dense"):
            lx.analyse(text=text, strictness="lax")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="strictness does not go with blind"):
            lx.issue(text=text, to=["Ada"], out=tmp_path / "blind", blind=True, strictness="careful")
    assert found["legal"] <= found["careful"] < found[None] < found["dense"]
    assert issued.sites == found["dense"]


def test_legal_leaves_operative_words_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a contract turns on, besides what careful leaves alone."""
    text = fake_text(words=300, seed=2)
    with Lexprint(registry=tmp_path / "lexprint.db", engine=PatientEngine()) as lx:
        careful = lx.analyse(text=text, strictness="careful")
        monkeypatch.setattr(strictness, "listed", lambda _: tuple(set(text.replace(".", "").split())))
        assert careful.sites > 0
        assert lx.analyse(text=text, strictness="legal").sites == 0
