"""A small corpus for the fakes, and tasks that go wrong; at the top of a module, so that they can be pickled."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from tests.fakes import FakeEngine

from lexprint.engine import Engine
from lexprint.scale.jobs import Item, Product
from lexprint.settings import find_profile
from lexprint.testing import fake_text

BITS = (1, 0, 1, 1)


def engine() -> Engine:
    """Fakes with the paper's settings, which never change: how many bits a text carries stays the same too."""
    return FakeEngine(settings=find_profile("paper"))


def reading_engine() -> Engine:
    """Fakes that ask what readers accept, as copies need."""
    return FakeEngine(settings=find_profile("lexprint"))


def write_corpus(folder: Path, *, documents: int = 5) -> Path:
    """Documents of several formats, and one that no format knows."""
    (folder / "deep").mkdir(parents=True)
    for number in range(documents):
        (folder / f"{number}.txt").write_text(fake_text(words=120, seed=number))
    (folder / "deep" / "page.html").write_text(f"<p>{fake_text(words=80, seed=90)}</p><p>One&nbsp;more.</p>")
    (folder / "deep" / "notes.md").write_text(f"# Notes\n\n{fake_text(words=80, seed=91)}\n\n`code`\n")
    (folder / "broken.docx").write_bytes(b"PK\3\4 but no more")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that is not hidden."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    relative = {path.relative_to(folder): path for path in paths}
    return {
        name.as_posix(): path.read_bytes()
        for name, path in sorted(relative.items())
        if not any(part.startswith(".") for part in name.parts)
    }


@dataclass(frozen=True)
class Deadly:
    """Shouts, but for one document, on which its process dies like one killed by `kill -9`: once, or always."""

    victim: str
    traces: Path
    deaths: int

    def prepare(self, engine: Engine) -> None:
        pass

    def perform(self, engine: Engine, item: Item) -> Product:
        if item.name == self.victim and len(list(self.traces.iterdir())) < self.deaths:
            (self.traces / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        assert isinstance(item.content, str)
        return Product(item.name, item.content.upper())


@dataclass(frozen=True)
class Clumsy:
    """Has a bug that one document shows."""

    def prepare(self, engine: Engine) -> None:
        pass

    def perform(self, engine: Engine, item: Item) -> Product:
        if item.name == "odd":
            raise ZeroDivisionError("quotes the secret text")
        return Product(item.name, "fine")
