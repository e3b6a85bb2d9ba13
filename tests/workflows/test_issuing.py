"""One copy for each recipient: what is written, recorded, refused and resumed."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter, sleep
from typing import Literal

import pytest
from tests.registry.postgres import Server
from tests.workflows import interrupted
from tests.workflows.interrupted import RECIPIENTS, issue_all
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import Keyring, MasterKey, create_key_file
from lexprint.errors import AnswersDiffer, CapacityError, InputError, RegistryError, SecretError, TooFewSites
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.workflows import analysing, issuing
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.issuing import IssueOptions, Master, copy_edits, issue, issue_blind
from lexprint.workflows.results import Analysis, IssuedDocument, as_json
from lexprint.workflows.review import review_lines
from lexprint.workflows.tracing import trace

TEXT = fake_text(words=300, seed=21)
PEOPLE = ("Ada", "Bo <bo@example.org>", "Cy/../D")

Issue = Callable[..., IssuedDocument]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse_document(PatientEngine(), TEXT)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as registry:
        yield registry


@pytest.fixture
def keyring() -> Keyring:
    return Keyring((MasterKey.generate(),))


def master_of(text: str, *, name: str = "memo", file_name: str = "memo.txt") -> Master:
    content = text.encode()
    return Master(open_source(content, name=file_name), name, sha256(content).hexdigest(), Path(file_name).suffix)


@pytest.fixture
def issued(
    analysis: Analysis, registry: Registry, keyring: Keyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Issue:
    """Issues copies of the text, whose analysis is known."""
    monkeypatch.setattr(analysing, "analyse_document", lambda *_, **__: analysis)

    def run(
        recipients: tuple[str, ...] = PEOPLE,
        *,
        master: Master | None = None,
        keyring: Keyring = keyring,
        folder: Path = tmp_path / "copies",
        options: IssueOptions | None = None,
    ) -> IssuedDocument:
        return issue(
            PatientEngine(),
            master or master_of(TEXT),
            recipients,
            keyring=keyring,
            registry=registry,
            folder=folder,
            options=options,
        )

    return run


def test_copies_differ_at_sites_alone(issued: Issue, analysis: Analysis, tmp_path: Path) -> None:
    """Each copy says at each site what its codeword says, and is the master everywhere else."""
    texts = []
    places = {site.span: site for site in analysis.sites}
    for copy in issued().copies:
        symbols = dict(zip(places, copy.codeword, strict=True))
        words = [
            places[word.span].words[symbols[word.span]] if word.span in symbols else word.text
            for word in segment(TEXT).words
        ]
        text = (tmp_path / "copies" / copy.file_name).read_text()
        assert [word.text for word in segment(text).words] == words
        texts.append(text)
    assert len(set(texts)) == len(PEOPLE)


def test_registry_and_manifest_agree_with_the_files(issued: Issue, registry: Registry, tmp_path: Path) -> None:
    """Numbers, recipients, file names and digests; nothing else is in the folder, nothing outside it."""
    done = issued()
    folder = tmp_path / "copies"
    manifest = json.loads((folder / done.manifest).read_text())
    copies = registry.copies(done.document.id)
    assert [copy.recipient for copy in copies] == list(PEOPLE)
    assert all(copy.is_issued for copy in copies)
    assert [entry["sha256"] for entry in manifest["copies"]] == [
        sha256((folder / copy.file_name).read_bytes()).hexdigest() for copy in copies
    ]
    assert manifest["document"]["id"] == done.document.id
    assert {path.name for path in folder.iterdir()} == {done.manifest, *(copy.file_name for copy in copies)}
    assert {path.name for path in tmp_path.iterdir()} >= {"copies", "lexprint.db"}
    assert (folder / done.manifest).stat().st_mode & 0o077 == 0, "it names everyone"
    assert registry.verify_audit() is None
    assert as_json(done)["copies"] == manifest["copies"]


def test_the_document_is_recorded_with_its_sites(issued: Issue, registry: Registry, analysis: Analysis) -> None:
    """Tracing needs neither key nor models afterwards."""
    record = registry.document(issued().document.id)
    assert (record.text, record.sites, record.issuing) == (TEXT, analysis.sites, "registered")
    assert set(record.biases) == {0.5}
    assert record.fingerprint == PatientEngine().copies_fingerprint


def test_a_leaked_copy_is_traced(issued: Issue, registry: Registry, tmp_path: Path) -> None:
    """Back to its recipient, from the registry alone; the master itself accuses nobody."""
    done = issued()
    for copy in done.copies:
        leak = (tmp_path / "copies" / copy.file_name).read_text()
        assert [accused.number for accused in trace(registry, leak).accused] == [copy.number]
    assert trace(registry, TEXT).accused == ()


def test_running_again_changes_nothing(issued: Issue, tmp_path: Path) -> None:
    """The same command is safe to repeat; what was deleted comes back byte for byte."""
    first = issued()
    before = {path.name: path.read_bytes() for path in (tmp_path / "copies").iterdir()}
    again = issued()
    assert (again.written, again.is_known) == (0, True)
    assert again.copies == first.copies
    (tmp_path / "copies" / first.copies[1].file_name).unlink()
    assert issued().written == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "copies").iterdir()} == before


def test_later_recipients_get_the_next_numbers(
    issued: Issue, keyring: Keyring, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same document, with its key even after a rotation, and without another analysis."""
    first = issued()
    monkeypatch.setattr(analysing, "analyse_document", None)
    rotated = Keyring((MasterKey.generate(), *keyring))
    later = issued((*PEOPLE, "Dee"), keyring=rotated)
    assert later.document.id == first.document.id
    assert [copy.number for copy in later.copies] == [1, 2, 3, 4]
    assert later.compared == 4
    alone = issued(("Eve",), keyring=rotated)
    assert [copy.number for copy in alone.copies] == [5]
    manifest = json.loads((tmp_path / "copies" / alone.manifest).read_text())
    assert [entry["number"] for entry in manifest["copies"]] == [1, 2, 3, 4, 5]
    assert len({copy.codeword for copy in registry.copies(first.document.id)}) == 5
    with pytest.raises(SecretError, match="is not among the keys"):
        issued(("Fay",), keyring=Keyring((MasterKey.generate(),)))


def test_another_text_is_another_document(issued: Issue, tmp_path: Path) -> None:
    """A changed text under the same name is a later version, and not mixed with the first one's folder."""
    first = issued()
    changed = master_of(f"{TEXT}\n")
    with pytest.raises(InputError, match="exists with different content"):
        issued(master=changed)
    with pytest.raises(InputError, match=r"manifest\.json exists with different content"):
        issued(("Zed",), master=changed)
    second = issued(master=changed, folder=tmp_path / "second")
    assert second.document.id != first.document.id
    assert second.document.name == first.document.name


def test_files_of_others_are_never_overwritten(issued: Issue, registry: Registry, tmp_path: Path) -> None:
    """Neither before anything was recorded nor when a copy was changed by hand."""
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "memo-0002-Bo-bo-example-org.txt").write_text("mine")
    with pytest.raises(InputError, match="different content"):
        issued()
    assert registry.documents() == []
    (folder / "memo-0002-Bo-bo-example-org.txt").unlink()
    done = issued()
    (folder / done.copies[0].file_name).write_text("edited by hand")
    with pytest.raises(InputError, match="different content"):
        issued()
    assert (folder / done.copies[0].file_name).read_text() == "edited by hand"


def test_too_short_a_text_is_refused(issued: Issue, registry: Registry, analysis: Analysis) -> None:
    """With the numbers, and nothing recorded or written."""
    few = [line for line in review_lines(TEXT, analysis.sites) if line.number <= 20]
    with pytest.raises(TooFewSites) as refusal:
        issued(options=IssueOptions(review=tuple(few)))
    assert (refusal.value.found, refusal.value.recipients) == (20, 3)
    assert refusal.value.needed > 20
    missing = (refusal.value.needed - 20) * analysis.words / 20
    assert missing <= refusal.value.words_missing <= missing + 1
    assert registry.documents() == []


def test_a_text_without_sites_is_refused(registry: Registry, keyring: Keyring, tmp_path: Path) -> None:
    """No division by zero."""
    with pytest.raises(TooFewSites, match="has 0 sites"):
        issue(
            PatientEngine(),
            master_of("Too short."),
            PEOPLE,
            keyring=keyring,
            registry=registry,
            folder=tmp_path / "copies",
        )


def test_struck_pairs_are_no_sites(issued: Issue, registry: Registry, analysis: Analysis) -> None:
    """A review keeps what it keeps; struck after issuing, it makes another document."""
    lines = review_lines(TEXT, analysis.sites)
    reviewed = tuple(replace(line, is_kept=line.number % 2 == 0) for line in lines)
    first = issued(options=IssueOptions(review=reviewed))
    assert registry.document(first.document.id).sites == analysis.sites[1::2]
    assert issued(options=IssueOptions(review=reviewed)).document.id == first.document.id
    fewer = tuple(replace(line, is_kept=line.is_kept and line.number > 4) for line in reviewed)
    with pytest.raises(InputError, match="different content"):  # another document's folder
        issued(options=IssueOptions(review=fewer))


def test_what_becomes_protected_leaves_the_document(issued: Issue, analysis: Analysis, tmp_path: Path) -> None:
    """An earlier document with a site in it is not taken up again."""
    first = issued()
    asked: list[object] = []
    phrase = analysis.sites[0].word
    original = analysing.analyse_document

    def analysed(*arguments: object, **options: object) -> Analysis:
        asked.append(options["protected_phrases"])
        return original(*arguments, **options)  # type: ignore[arg-type] # the fixture's, which takes anything

    analysing.analyse_document = analysed
    try:
        issued(options=IssueOptions(protected_phrases=(phrase,)), folder=tmp_path / "second")
    finally:
        analysing.analyse_document = original
    assert asked == [(phrase,)]
    assert first.document.sites


@pytest.mark.parametrize(
    ("code", "chosen"), [("tardos", "tardos"), ("independent", "independent"), (None, "independent")]
)
def test_the_code_is_chosen(
    issued: Issue, code: Literal["independent", "tardos"] | None, chosen: str, registry: Registry
) -> None:
    """By option, else by the number of sites."""
    record = registry.document(issued(options=IssueOptions(code=code)).document.id)
    assert record.code == chosen
    assert (set(record.biases) == {0.5}) == (chosen == "independent")


def test_many_sites_choose_the_code_against_colluders(issued: Issue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are enough."""
    monkeypatch.setattr(issuing, "SITES_FOR_TARDOS", 30)
    assert issued().document.code == "tardos"


def test_bad_requests(issued: Issue, tmp_path: Path) -> None:
    """One sentence each."""
    with pytest.raises(InputError, match="no recipients"):
        issued(())
    with pytest.raises(InputError, match="named twice"):
        issued(("Ada", "Ada"))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be a folder"):
        issued(folder=tmp_path / "file")


def test_a_copy_that_comes_out_otherwise_is_refused(
    issued: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another version would write other bytes, it says so instead of issuing two copies of one number."""
    done = issued()
    (tmp_path / "copies" / done.copies[0].file_name).unlink()
    master = master_of(TEXT)
    monkeypatch.setattr(type(master.source), "with_edits", lambda *_: b"other bytes")
    with pytest.raises(RegistryError, match="cannot be made again"):
        issued(master=master)


def test_the_same_bytes_that_read_otherwise_are_another_document(issued: Issue, tmp_path: Path) -> None:
    """Sites that were found in one text are never sought in another."""
    done = issued()
    otherwise = replace(master_of(TEXT), source=open_source(TEXT.replace(".", "!").encode(), name="memo.txt"))
    assert issued(master=otherwise, folder=tmp_path / "others").document.id != done.document.id


def test_formats_keep_their_markup(registry: Registry, keyring: Keyring, tmp_path: Path) -> None:
    """The format that read a document writes its copies; what it protects holds no site."""
    words = fake_text(words=300, seed=5)
    page = f"<!doctype html><html><body><p>{words}</p><pre>{words}</pre></body></html>"
    master = master_of(page, file_name="memo.html")
    done = issue(PatientEngine(), master, PEOPLE, keyring=keyring, registry=registry, folder=tmp_path / "copies")
    for copy in done.copies:
        content = (tmp_path / "copies" / copy.file_name).read_text()
        assert copy.file_name.endswith(".html")
        assert content.endswith(f"<pre>{words}</pre></body></html>")
        assert content.startswith("<!doctype html><html><body><p>")


def test_blind_copies(registry: Registry, keyring: Keyring, tmp_path: Path) -> None:
    """Traced with key and registry, which keeps no sites of them; running again makes the same."""
    from tests.fakes import FakeEngine

    from lexprint.settings import Settings, SubstitutionSettings

    engine = FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))
    text = fake_text(words=900, seed=8)
    done = [
        issue_blind(
            engine,
            master_of(text),
            ("Ada", "Bo"),
            keyring=keyring,
            registry=registry,
            folder=tmp_path / folder,
            error_bound=1e-3,
        )
        for folder in ("one", "one", "other")
    ]
    assert [one.written for one in done] == [2, 0, 2]
    assert registry.document(done[0].document.id).issuing == "blind"
    for copy in done[0].copies:
        content = (tmp_path / "one" / copy.file_name).read_bytes()
        assert content == (tmp_path / "other" / copy.file_name).read_bytes()
        report = trace(registry, content.decode(), keys=keyring, engine=engine)
        assert [accused.recipient for accused in report.accused] == [copy.recipient]
    other = FakeEngine(settings=engine.settings)
    vars(other)["canary"] = "0" * 16  # one reader could not read the copies of both machines
    with pytest.raises(AnswersDiffer):
        issue_blind(other, master_of(text), ("Cy",), keyring=keyring, registry=registry, folder=tmp_path / "one")


def test_blind_copies_keep_what_their_format_protects(registry: Registry, keyring: Keyring, tmp_path: Path) -> None:
    """Code in a page stays; the copy is traced as a page, and as plain text that no longer shows what was code."""
    from tests.fakes import FakeEngine

    from lexprint.formats.source import open_source
    from lexprint.settings import Settings, SubstitutionSettings
    from lexprint.workflows.tracing import trace

    engine = FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))
    sentences = fake_text(words=1500, seed=8).split(". ")
    kept = {number: sentence for number, sentence in enumerate(sentences) if number % 9 == 4}
    body = ". ".join(f"<code>{one}</code>" if number in kept else one for number, one in enumerate(sentences))
    done = issue_blind(
        engine,
        master_of(f"<!doctype html><html><body><p>{body}</p></body></html>", file_name="memo.html"),
        ("Ada", "Bo"),
        keyring=keyring,
        registry=registry,
        folder=tmp_path,
    )
    for copy in done.copies:
        content = (tmp_path / copy.file_name).read_bytes()
        assert all(f"<code>{sentence}</code>" in content.decode() for sentence in kept.values())
        leak = open_source(content, name="leak.html")
        for protected in (leak.protected, ()):
            report = trace(registry, leak.text, protected=protected, keys=keyring, engine=engine)
            assert [accused.recipient for accused in report.accused] == [copy.recipient]


def test_a_text_too_short_for_blind_copies_is_refused(registry: Registry, keyring: Keyring, tmp_path: Path) -> None:
    """Before anything is recorded."""
    with pytest.raises(CapacityError):
        issue_blind(
            PatientEngine(),
            master_of("Too short."),
            PEOPLE,
            keyring=keyring,
            registry=registry,
            folder=tmp_path / "out",
        )
    assert registry.documents() == []


def test_analysis_protects(analysis: Analysis) -> None:
    """Given spans, given phrases and what the text itself shows; kinds can be left out."""
    phrase = analysis.sites[-3].word
    engine = PatientEngine()
    found = analyse_document(engine, TEXT, protected=[Span(0, 200)], protected_phrases=[phrase.upper()])
    assert found.sites
    assert all(site.span.start >= 200 and site.word != phrase for site in found.sites)
    quotation = f"“{TEXT}”"
    assert analyse_document(engine, quotation).sites == ()
    assert analyse_document(engine, quotation, protections=()).sites


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, analysis: Analysis) -> Path:
    """A folder with master, key and analysis, and the copies of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("workshop")
    (folder / "master.txt").write_text(TEXT)
    (folder / "analysis.pickle").write_bytes(pickle.dumps(analysis))
    create_key_file(folder / "lexprint.key")
    issue_all(folder, str(folder / "lexprint.db"))
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def new_registry(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Gives the location of an empty registry, again and again."""
    if request.param == "sqlite":
        numbers = count()
        return lambda: str(tmp_path / f"registry-{next(numbers)}.db")
    server: Server = request.getfixturevalue("postgres")

    def emptied() -> str:
        server.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
        return server.url

    return emptied


def survive_kills(workshop: Path, tmp_path: Path, new_registry: Callable[[], str], *, times: int, seed: int) -> int:
    """Kill issuing at random moments, check what is left, let it go on; how often something was left to do."""
    random, interrupted_runs = Random(seed), 0
    longest = 0.5  # seconds from ready to done; learned below
    for trial in range(times):
        folder, location = tmp_path / f"trial-{trial}", new_registry()
        shutil.copytree(workshop, folder, ignore=shutil.ignore_patterns("copies", "lexprint.db*"))
        begun = start_issuing(folder, location)
        sleep(random.uniform(0, longest))
        if begun.poll() is None:
            begun.kill()
            interrupted_runs += 1
        begun.wait()
        check_consistency(folder, location)
        started = perf_counter()
        issue_all(folder, location)
        longest = max(0.2, min(longest, 1.5 * (perf_counter() - started)))
        found = check_consistency(folder, location)
        with open_registry(location) as registry:
            (document,) = registry.documents()
            assert document.planned == document.issued == len(RECIPIENTS) == len(found)
        shutil.rmtree(folder)
    return interrupted_runs


def start_issuing(folder: Path, location: str) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[2]
    begun = subprocess.Popen(
        [sys.executable, "-m", interrupted.__name__, str(folder), location],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    with begun.stdout as output:
        assert output.readline() == "ready\n"
    return begun


def check_consistency(folder: Path, location: str) -> dict[str, str]:
    """No copy without a record, none marked that is not there, none that is not whole; returns those that are there."""
    paths = [path for path in (folder / "copies").glob("[!.]*") if "manifest" not in path.name]
    with open_registry(location) as registry:
        known = {
            copy.file_name: apply_edits(TEXT, copy_edits(registry.document(document.id).sites, copy.codeword))
            for document in registry.documents()
            for copy in registry.copies(document.id)
        }
        issued = {
            copy.file_name
            for document in registry.documents()
            for copy in registry.copies(document.id)
            if copy.is_issued
        }
        assert registry.verify_audit() is None
    found = {path.name: path.read_text() for path in paths}
    assert found == {name: known[name] for name in found}
    assert issued <= set(found)
    return found


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_killed_at_any_moment(workshop: Path, tmp_path: Path, new_registry: Callable[[], str]) -> None:
    """The registry is consistent, and the run goes on to the very copies of an uninterrupted one."""
    survive_kills(workshop, tmp_path, new_registry, times=2, seed=1)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_killed_two_hundred_times(workshop: Path, tmp_path: Path, new_registry: Callable[[], str]) -> None:
    """The same, often enough to meet every moment; most kills must have come in time."""
    assert survive_kills(workshop, tmp_path, new_registry, times=200, seed=2) > 100


def test_two_processes_do_not_share_a_folder(issued: Issue, tmp_path: Path) -> None:
    """The second is told to wait."""
    from lexprint.workflows.copy_files import sole_writer

    with sole_writer(tmp_path / "copies"), pytest.raises(InputError, match="another process"):
        issued()
