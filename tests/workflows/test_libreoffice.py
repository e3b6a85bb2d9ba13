"""An OpenDocument text that LibreOffice itself wrote: issued, opened by LibreOffice again, saved again, traced."""

import shutil
import subprocess
import zipfile
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path

import pytest
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.hidden_contents import hidden_contents
from lexprint.formats.source import open_source
from lexprint.library import Lexprint
from lexprint.registry.records import CopySite
from lexprint.results import Issued
from lexprint.settings import load_settings

MASTER = Path(__file__).parent.parent / "formats" / "files" / "libreoffice.odt"  # LibreOffice 7.4.7, from a page
CONTENT = "content.xml"
MARKS = ".,;:!?"
needs_libreoffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")


@pytest.fixture
def lexprint(tmp_path: Path) -> Lexprint:
    arguments = {"substitution.proposals": 8, "substitution.entailment_floor": 0.85}
    engine = PatientEngine(settings=load_settings(environment={}, arguments=arguments))
    return Lexprint(registry=tmp_path / "lexprint.db", keys=Keyring((MasterKey.generate(),)), engine=engine)


@pytest.fixture
def issued(lexprint: Lexprint, tmp_path: Path) -> Issued:
    return lexprint.issue(MASTER, to=["Ada", "Bo"], out=tmp_path / "copies")


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as package:
        return {name: package.read(name) for name in package.namelist()}


def require_only_exchanged(before: str, after: str, sites: tuple[CopySite, ...]) -> int:
    """How many words differ; each is one that a site may exchange, one for one, or a phrase for another."""
    old, new = before.split(), after.split()
    changed = [part for part in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if part[0] != "equal"]
    pairs = {(site.word.lower(), other.lower()) for site in sites for other in site.others}
    count = 0
    for kind, start, end, other_start, other_end in changed:
        phrases = (" ".join(old[start:end]), " ".join(new[other_start:other_end]))
        if (phrases[0].strip(MARKS).lower(), phrases[1].strip(MARKS).lower()) in pairs:
            count += 1
            continue
        assert (kind, end - start) == ("replace", other_end - other_start), phrases
        for word, other in zip(old[start:end], new[other_start:other_end], strict=True):
            assert (word.strip(MARKS).lower(), other.strip(MARKS).lower()) in pairs, (word, other)
            count += 1
    return count


def test_copies_differ_in_words_alone(lexprint: Lexprint, issued: Issued) -> None:
    """Every other part of the package is as LibreOffice wrote it, byte for byte; both copies are traced."""
    master = MASTER.read_bytes()
    sites = lexprint.registry.document(issued.document_id).sites
    assert len(sites) > 15
    for copy in issued.copies:
        content = copy.path.read_bytes()
        before, after = members(master), members(content)
        assert list(before) == list(after)
        assert {name for name in before if before[name] != after[name]} == {CONTENT}
        text = open_source(content, name="copy.odt").text
        assert require_only_exchanged(open_source(master, name="master.odt").text, text, sites) > 0
        assert [one.recipient for one in lexprint.trace(copy.path).named] == [copy.recipient]


def test_the_picture_of_the_first_page_is_told_of() -> None:
    """LibreOffice saves one, of the master's words, and every copy carries it."""
    content = MASTER.read_bytes()
    assert "Thumbnails/thumbnail.png" in members(content)
    assert hidden_contents(content) == ("a picture of its first page",)


def converted(path: Path, kind: str, folder: Path) -> bytes:
    """What LibreOffice makes of a file."""
    profile = (folder / "profile").as_uri()
    out = folder / f"{path.stem}-{kind.partition(':')[0]}"
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind, "--outdir", str(out)]
    subprocess.run([*command, str(path)], check=True, capture_output=True, timeout=600)
    (made,) = out.iterdir()
    return made.read_bytes()


@needs_libreoffice
def test_libreoffice_reads_and_writes_copies(lexprint: Lexprint, issued: Issued, tmp_path: Path) -> None:
    """As text, a copy differs from the master in exchanged words alone; saved again, it is traced to its recipient."""
    sites = lexprint.registry.document(issued.document_id).sites
    copy = issued.copies[1]
    master, shown = (converted(path, "txt:Text (encoded):UTF8", tmp_path) for path in (MASTER, copy.path))
    assert require_only_exchanged(master.decode("utf-8-sig"), shown.decode("utf-8-sig"), sites) > 0
    again = converted(copy.path, "odt", tmp_path)
    assert again != copy.path.read_bytes()
    assert open_source(again, name="again.odt").text == open_source(copy.path.read_bytes(), name="copy.odt").text
    assert [one.recipient for one in lexprint.trace(again).named] == [copy.recipient]
