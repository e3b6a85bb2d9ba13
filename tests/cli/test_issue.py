"""`lexprint issue` and `lexprint analyse`."""

import csv
import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.formats.corpus import ODT_BODY, make_docx, make_odt, paragraph_xml
from tests.workflows.patient import PatientEngine

from lexprint.cli import console
from lexprint.cli.issue import parse_options
from lexprint.coding.keys import create_key_file
from lexprint.engine import Engine
from lexprint.formats.hidden_contents import hidden_contents
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.text.lists import listed
from lexprint.workflows import analysing
from lexprint.workflows.analysing import analyse_document


@pytest.fixture(autouse=True)
def patient(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fakes that find several sites in a sentence; `run` comes first, so that this is the engine that stays."""
    fake = console.build_engine

    def build(**options: object) -> Engine:
        built = fake(**options)  # type: ignore[arg-type] # whatever a command gives
        return PatientEngine(settings=built.settings)

    monkeypatch.setattr(console, "build_engine", build)


@pytest.fixture
def office(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with text, recipients and key."""
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    (folder / "people.csv").write_text("recipient,team\nAda,x\nBo,y\nCy,z\n")
    create_key_file(folder / "lexprint.key")
    return folder


ISSUE = ("issue", "in.txt", "--to", "people.csv", "--out", "copies")


def test_copies_manifest_and_summary(run: Run, office: Path) -> None:
    """One file each, a manifest, one sentence that says what was done; JSON on demand."""
    done = run(*ISSUE)
    assert done.code == 0
    assert not done.output
    assert "3 copies of in that differ at" in done.errors
    manifest = json.loads((office / "copies" / "in-manifest.json").read_bytes())
    assert [entry["recipient"] for entry in manifest["copies"]] == ["Ada", "Bo", "Cy"]
    for entry in manifest["copies"]:
        assert sha256((office / "copies" / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    again = run(*ISSUE, "--json")
    assert "3 of them were there already" in again.errors
    assert json.loads(again.output)["copies"] == manifest["copies"]
    with open_registry("lexprint.db") as registry:
        (document,) = registry.documents()
    assert (document.name, document.issued) == ("in", 3)


def test_a_document_has_the_name_it_is_given(run: Run, office: Path) -> None:
    """In the registry and in file names."""
    run(*ISSUE, "--name", "Q3 memo", "--registry", "other.db", "--code", "tardos")
    assert (office / "copies" / "Q3-memo-0001-Ada.txt").is_file()
    with open_registry("other.db") as registry:
        (document,) = registry.documents()
    assert (document.name, document.code) == ("Q3 memo", "tardos")


def test_review_is_written_then_obeyed(run: Run, office: Path) -> None:
    """The first run lists every pair and issues nothing; the second leaves out what was struck."""
    first = run(*ISSUE, "--review", "pairs.csv")
    assert first.code == 0
    assert "nothing was issued" in first.errors
    assert not (office / "copies").exists()
    with (office / "pairs.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(f"[{row['word']}|{row['alternative']}]" in row["sentence"] for row in rows)
    rows[0]["keep"], rows[1]["keep"], rows[2]["keep"] = "", "No", "x"
    kept = rows[2:]
    with (office / "pairs.csv").open("w", encoding="cp1252", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")  # as a spreadsheet may save it
        writer.writeheader()
        writer.writerows(rows)
    assert run(*ISSUE, "--review", "pairs.csv").code == 0
    with open_registry("lexprint.db") as registry:
        (document,) = registry.documents()
        sites = registry.document(document.id).sites
    assert document.sites == len({row["number"] for row in kept})
    found = [(site.word, other) for site in sites for other in site.others]
    assert found == [(row["word"], row["alternative"]) for row in kept]


def test_a_review_of_another_text_is_refused(run: Run, office: Path) -> None:
    """And so is a file that is none."""
    run(*ISSUE, "--review", "pairs.csv")
    text = (office / "in.txt").read_text()
    (office / "in.txt").write_text(text[200:])
    assert run(*ISSUE, "--review", "pairs.csv").is_refusal(2, "not a pair of this text")
    (office / "pairs.csv").write_text("number,keep\n1,yes\n")
    assert run(*ISSUE, "--review", "pairs.csv").is_refusal(2, "no review")


def test_protected_words_are_no_sites(run: Run, office: Path) -> None:
    """Of a list, in any case."""
    sites = json.loads(run("analyse", "in.txt", "--json").output)["sites"]
    word = sites[0]["word"]
    (office / "terms.txt").write_text(f"{word.upper()}\n\n")
    left = json.loads(run("analyse", "in.txt", "--json", "--protect", "terms.txt").output)["sites"]
    assert word not in {site["word"] for site in left}
    assert left


def test_quotations_may_be_unprotected(run: Run, office: Path) -> None:
    """Kinds of protection can be left out, by their names."""
    text = (office / "in.txt").read_text().replace("\n\n", "”\n\n“")
    (office / "in.txt").write_text(f"“{text}”")
    assert json.loads(run("analyse", "in.txt", "--json").output)["sites"] == []
    assert json.loads(run("analyse", "in.txt", "--json", "--unprotect", "quotations").output)["sites"]
    assert run("analyse", "in.txt", "--unprotect", "all").is_refusal(2, "--unprotect all", "quotations")


def test_analyse_shows_a_heat_map(run: Run, office: Path) -> None:
    """As of capacity, with what the sites are enough for."""
    done = run("analyse", "in.txt", "--paragraphs", 1)
    sites = json.loads(run("analyse", "in.txt", "--json").output)["sites"]
    assert f"[{sites[0]['word']}|{sites[0]['other']}" in done.text
    assert "sites per word" in done.text
    assert "recipients if a leak is not edited" in done.text
    assert "2 more paragraphs" in done.text


def test_a_short_text_is_refused_with_numbers(run: Run, office: Path) -> None:
    """How many sites and words are missing; the registry stays empty."""
    (office / "in.txt").write_text((office / "in.txt").read_text()[:300])
    assert run(*ISSUE).is_refusal(1, "recipients need", "longer by about")
    assert "too few sites" in run("analyse", "in.txt").text
    with open_registry("lexprint.db") as registry:
        assert registry.documents() == []


def test_few_sites_are_warned_of(run: Run, office: Path) -> None:
    """Where an edited leak might not be traced."""
    (office / "in.txt").write_text((office / "in.txt").read_text()[:1300])
    done = run(*ISSUE)
    assert done.code == 0
    assert "warning: a leak with a tenth of its words edited may not be traced among 3 copies" in done.errors


def test_progress_is_shown_when_it_takes_long(run: Run, office: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bar on standard error for all of the work, and nothing of it on standard output."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(console, "BAR_AFTER_SECONDS", 0.0)
    done = run(*ISSUE)
    assert done.code == 0
    assert "issuing" in done.errors
    assert "Traceback" not in done.errors
    assert not done.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--code", "morse"), "independent, tardos"),
        (("--blind", "--protect", "in.txt"), "--protect does not go with --blind"),
        (("--blind", "--review", "x.csv"), "--review does not go with --blind"),
        (("--blind", "--strictness", "legal"), "--strictness does not go with --blind"),
        (("--error-bound", "2"), "a probability"),
    ],
)
def test_bad_options_are_one_sentence(run: Run, office: Path, options: tuple[str, ...], words: str) -> None:
    """Exit code 2, nothing written."""
    assert run(*ISSUE, *options).is_refusal(2, words)
    assert not (office / "copies").exists()


def test_bad_files_are_one_sentence(run: Run, office: Path) -> None:
    """Recipients twice, none at all, no key, a document that is only read."""
    (office / "people.csv").write_text("name\nAda\nada\n")
    assert run(*ISSUE).is_refusal(2, "lines 2 and 3")
    (office / "people.csv").write_text("name\n")
    assert run(*ISSUE).is_refusal(2, "no recipients")
    (office / "people.csv").write_text("name\nAda\n")
    (office / "lexprint.key").unlink()
    assert run(*ISSUE).is_refusal(3, "there is no key")
    assert run("issue", "none.txt", "--to", "people.csv", "--out", "copies").is_refusal(2, "not there")


def test_blind_copies(run: Run, office: Path) -> None:
    """Marked by the paper's scheme; a text too short for it is refused before anything is recorded."""
    long, short = fake_text(words=900, seed=8), fake_text(words=60, seed=8)
    (office / "in.txt").write_text(short)
    assert run(*ISSUE, "--blind").is_refusal(1, "sites")
    with open_registry("lexprint.db") as registry:
        assert registry.documents() == []
    (office / "in.txt").write_text(long)
    done = run(*ISSUE, "--blind", "--error-bound", "0.001")
    assert done.code == 0
    assert "3 copies of in, blind" in done.errors
    assert len({path.read_bytes() for path in (office / "copies").glob("*.txt")}) == 3


FRENCH = (
    "Le comité s'est réuni un soir froid pour discuter du plan, et la plupart de ceux qui ont parlé étaient ravis. "
    "Une jeune ingénieure a expliqué comment le pont porterait de lourds camions sans danger pour la vieille ville."
)


def test_other_languages_are_refused(run: Run, office: Path) -> None:
    """Before anything is recorded, unless forced; in a mixed text they stay as they are, and that is said."""
    english = (office / "in.txt").read_text()
    (office / "in.txt").write_text(FRENCH)
    for command in (ISSUE, (*ISSUE, "--blind"), ("analyse", "in.txt")):
        assert run(*command).is_refusal(2, "not English but French", "--force")
    assert run("embed", "in.txt", "out.txt", "--bits", "1").is_refusal(2, "not English but French", "--force")
    assert not (office / "out.txt").exists()
    assert "French" not in run("analyse", "in.txt", "--force").errors
    (office / "in.txt").write_text(f"{FRENCH}\n\n{english}")
    done = run(*ISSUE)
    assert done.code == 0
    assert "not English (French) and left as they are: paragraphs 1" in done.errors
    assert all(path.read_text().startswith(FRENCH) for path in (office / "copies").glob("*.txt"))


def test_models_are_asked_once(run: Run, office: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For analysing, for writing the review, for obeying it and for issuing."""
    calls = []

    def counted(*given: Any, **options: Any) -> Any:
        calls.append(given)
        return analyse_document(*given, **options)

    monkeypatch.setattr(analysing, "analyse_document", counted)
    assert run("analyse", "in.txt").code == 0
    assert run(*ISSUE, "--review", "pairs.csv").code == 0
    lines = (office / "pairs.csv").read_text(encoding="utf-8-sig").splitlines(keepends=True)
    (office / "pairs.csv").write_text("".join(lines[:1] + lines[2:]))
    assert run(*ISSUE, "--review", "pairs.csv").code == 0
    assert run(*ISSUE, "--out", "others", "--name", "other").code == 0
    assert len(calls) == 1


def test_a_bound_is_promised(run: Run, office: Path) -> None:
    """What was relaxed at issue holds at trace without being said again; nobody relaxes it afterwards."""
    text = (office / "in.txt").read_text()
    sites = json.loads(run("analyse", "in.txt", "--json").output)["sites"]
    (office / "in.txt").write_text(text[: sites[14]["span"][1]] + ".\n")
    assert run(*ISSUE).is_refusal(1, "recipients need")
    assert run(*ISSUE, "--error-bound", "0.01").code == 0
    copy = office / "copies" / "in-0002-Bo.txt"
    done = run("trace", copy)
    assert done.code == 0
    assert "opy 2 is that of Bo" in done.text  # one innocent in a hundred may be named beside it: that was promised
    assert run("trace", copy, "--error-bound", "1e-6").code == 1
    assert run(*ISSUE, "--error-bound", "0.02").is_refusal(2, "0.01", "--name")
    assert run(*ISSUE).code == 0


def test_strictness(run: Run, office: Path) -> None:
    """Thresholds of the profiles; legal leaves operative words alone, and nothing else is taken for a strictness."""
    word = json.loads(run("analyse", "in.txt", "--json").output)["sites"][0]["word"]
    assert word not in listed("legal")
    fingerprints = {
        how: json.loads(run("analyse", "in.txt", "--json", *how).output)["fingerprint"]
        for how in (("--strictness", "careful"), ("--profile", "careful"), ("--strictness", "dense"))
    }
    assert fingerprints["--strictness", "careful"] == fingerprints["--profile", "careful"]
    assert fingerprints["--strictness", "dense"] != fingerprints["--profile", "careful"]
    assert run("analyse", "in.txt", "--strictness", "lax").is_refusal(2, "legal, careful, dense")
    assert run("analyse", "in.txt", "--strictness", "legal", "--profile", "dense").is_refusal(2, "both given")
    assert {"shall", "may", "subject to"} <= set(parse_options(unprotect=[], strictness="legal").protected_phrases)


def test_what_else_goes_out_is_said(run: Run, office: Path) -> None:
    """Deleted passages, comments and authors of a Word document or an OpenDocument text."""
    deleted = '<w:p><w:del w:id="1"><w:r><w:delText>secret</w:delText></w:r></w:del></w:p>'
    assert hidden_contents(make_docx(deleted)) == ("tracked deletions",)
    assert hidden_contents(make_docx(paragraph_xml("All is well."))) == ()
    assert hidden_contents(make_odt(ODT_BODY)) == ("tracked deletions", "comments")
    assert hidden_contents(make_odt("<text:p>All is well.</text:p>")) == ()
    assert hidden_contents(b"PK\3\4 broken") == ()


def _message(text: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "ada@example.org", "all@example.org", "<1@example.org>"
    message.set_content(text)
    message.add_alternative(f"<html><body><p>{text}</p></body></html>", subtype="html")
    return message.as_bytes()


def _forwarded(content: bytes) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "bo@example.org", "press@example.org", "<2@example.org>"
    message.set_content("Look what they write.")
    message.add_attachment(message_from_bytes(content, policy=default))
    return message.as_bytes()


def test_mail_is_issued_and_traced(run: Run, office: Path) -> None:
    """Every copy says the same as plain text and as HTML, no two say the same, and one that was forwarded is traced."""
    (office / "note.eml").write_bytes(_message(fake_text(words=900, seed=8)))
    done = run("issue", "note.eml", "--to", "people.csv", "--out", "copies")
    assert done.code == 0, done.errors
    said = []
    for path in sorted((office / "copies").glob("*.eml")):
        message = message_from_bytes(path.read_bytes(), policy=default)
        plain, page = (message.get_body((kind,)) for kind in ("plain", "html"))
        assert plain is not None
        assert page is not None
        said.append(plain.get_content().split())
        assert open_source(page.get_content().encode(), name="x.html").text.split() == said[-1]
    assert len(said) == len(set(map(tuple, said))) == 3
    (copy,) = (office / "copies").glob("*-0002-Bo.eml")
    (office / "leak.eml").write_bytes(_forwarded(copy.read_bytes()))
    traced = run("trace", "leak.eml")
    assert traced.code == 0, traced.errors
    assert "Copy 2 is that of Bo" in traced.text


def test_open_documents_are_issued_and_traced(run: Run, office: Path) -> None:
    """A copy of an OpenDocument text is one, and names its recipient."""
    text = fake_text(words=900, seed=8)
    (office / "note.odt").write_bytes(make_odt("".join(f"<text:p>{one}</text:p>" for one in text.split("\n\n"))))
    done = run("issue", "note.odt", "--to", "people.csv", "--out", "copies")
    assert done.code == 0, done.errors
    (copy,) = (office / "copies").glob("*-0002-Bo.odt")
    traced = run("trace", copy)
    assert traced.code == 0, traced.errors
    assert "Copy 2 is that of Bo" in traced.text


def test_signed_mail_is_refused(run: Run, office: Path) -> None:
    """With one sentence, before anything is recorded."""
    (office / "note.eml").write_bytes(b"DKIM-Signature: v=1\n" + _message(fake_text(words=900, seed=8)))
    refusal = run("issue", "note.eml", "--to", "people.csv", "--out", "copies")
    assert refusal.is_refusal(2, "note.eml is mail that a server has signed")
    assert not (office / "copies").exists()
