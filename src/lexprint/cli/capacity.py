"""`lexprint capacity`: how many bits a document can carry, and where, as a heat map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.style import Style
from rich.text import Text

from lexprint.cli import console
from lexprint.cli.files import READABLE, FileAnswer, OpenedFile, is_folder, open_file, print_each

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint.settings import SubstitutionSettings
    from lexprint.watermark.sites import Site
    from lexprint.workflows import Paragraph, TextCapacity

WIDE = 100  # columns from which on the other word of a pair stands beside a site instead of below the paragraph
BAR = 24  # columns of the densest paragraph's bar
COLOURS = ((215, 86, 70), (240, 200, 80), (96, 178, 98))  # from the floor to certainty


def capacity(
    source: str = typer.Argument(..., metavar="IN", help=f"{READABLE} A folder means every file in it."),
    paragraphs: int = typer.Option(10, "--paragraphs", min=0, help="Paragraphs in the heat map; 0: all."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = console.AS_JSON,
) -> None:
    """Tell how many bits a document can carry, where, and at what price in meaning; nothing is changed.

    SR is the probability that the sentence entails itself with the other word of the pair in place. For a folder, one line is
    printed for each file, and the exit code is the worst of them.
    """
    with console.getting_ready():
        from lexprint import workflows

        engine = console.build_engine(
            settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size
        )
        given = None if is_folder(source) else open_file(source)
    if given is None:
        raise typer.Exit(print_each(source, partial(_outcome, engine), as_json=as_json))
    found = _measured(engine, given)
    if as_json:
        console.print_json(workflows.as_json(found))
        return
    print_heat_map(given.text, found.paragraphs, engine.settings.substitution, limit=paragraphs, noun="bit")
    console.Output().print(_summary(found))


def _measured(engine: Engine, given: OpenedFile) -> TextCapacity:
    from lexprint import workflows

    with console.progress("measuring", engine) as on_progress:
        return workflows.capacity(engine, given.text, protected=given.protected, on_progress=on_progress)


def _outcome(engine: Engine, name: str) -> FileAnswer:
    from lexprint import workflows

    given = open_file(name)
    found = _measured(engine, given)
    figures = f"{console.counted(found.bits, 'bit')} in {console.counted(found.words, 'word')}"
    line = f"{figures}, {found.bits_per_word:.3f} bits per word, {given.source.kind}"
    return FileAnswer(line, {"format": given.source.kind, **workflows.as_json(found)})


@dataclass(frozen=True)
class _Scale:
    """From what is known of a site to colour: the share of readers that would accept it, or SR."""

    name: str
    floor: float
    is_coarse: bool  # a terminal of sixteen colours has nothing in between

    def style(self, figure: float) -> Style:
        place = 2 * min(1.0, max(0.0, (figure - self.floor) / (1.0 - self.floor)))
        if self.is_coarse:
            place = float(round(place))
        low, share = (0, place) if place < 1 else (1, place - 1)
        mixed = (round(one + share * (other - one)) for one, other in zip(COLOURS[low], COLOURS[low + 1], strict=True))
        return Style.parse(f"black on rgb({','.join(map(str, mixed))})")

    def legend(self) -> Text:
        marks = [self.floor + share * (1.0 - self.floor) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
        return Text.assemble((f"{self.name} ", "dim"), *((f" {mark:.3f} ", self.style(mark)) for mark in marks))


def print_heat_map(
    text: str, paragraphs: tuple[Paragraph, ...], settings: SubstitutionSettings, *, limit: int, noun: str
) -> None:
    """The first paragraphs of a text with their sites in colour; `noun` is what a site is called."""
    out = console.Output()
    name, floor = "SR", settings.entailment_floor
    if settings.acceptance_floor:
        name, floor = "accepted by", settings.acceptance_floor
    scale = _Scale(name, floor, is_coarse=out.color_system in ("standard", "windows"))
    shown = paragraphs[: limit or None]
    densest = max(len(paragraph.sites) / paragraph.words for paragraph in shown)
    for number, paragraph in enumerate(shown, start=1):
        out.print(_heading(number, paragraph, densest=densest, noun=noun))
        if out.is_plain:
            out.print(_bracketed(text, paragraph))
        elif out.width >= WIDE:
            out.print(_painted(text, paragraph, scale, beside="/{}"))
        else:
            out.print(_painted(text, paragraph, scale, beside=""))
            out.print(_partners(paragraph.sites, scale))
        out.print()
    if len(shown) < len(paragraphs):
        more = console.counted(len(paragraphs) - len(shown), "more paragraph")
        out.print(f"and {more}; --paragraphs 0 shows all\n", style="dim")
    if any(paragraph.sites for paragraph in paragraphs) and not out.is_plain:
        out.print(scale.legend())


def _figure(site: Site) -> float:
    return site.entailment if site.acceptance is None else site.acceptance


def _heading(number: int, paragraph: Paragraph, *, densest: float, noun: str) -> Text:
    density = len(paragraph.sites) / paragraph.words
    filled = round(BAR * density / densest) if densest else 0
    return Text.assemble(
        (f"{number:>4} ", "dim"),
        ("█" * filled, "cyan"),
        ("·" * (BAR - filled), "dim"),
        f" {console.counted(len(paragraph.sites), noun)} in {console.counted(paragraph.words, 'word')}",
    )


def _pieces(text: str, paragraph: Paragraph) -> Iterator[tuple[str, Site | None]]:
    """The paragraph in parts that are sites and parts that are not."""
    cursor = paragraph.span.start
    for site in paragraph.sites:
        yield console.printable(text[cursor : site.span.start]), None
        yield console.printable(site.found), site
        cursor = site.span.end
    yield console.printable(text[cursor : paragraph.span.end]), None


def _bracketed(text: str, paragraph: Paragraph) -> Text:
    """For where there is no colour."""
    return Text().append_tokens(
        (piece if site is None else f"[{piece}|{site.pair.other(site.word)} {_figure(site):.3f}]", None)
        for piece, site in _pieces(text, paragraph)
    )


def _painted(text: str, paragraph: Paragraph, scale: _Scale, *, beside: str) -> Text:
    """Sites in their colour; `beside` shows the other word of the pair."""
    painted = Text()
    for piece, site in _pieces(text, paragraph):
        if site is None:
            painted.append(piece)
        else:
            painted.append(piece, scale.style(_figure(site)))
            painted.append(beside.format(site.pair.other(site.word)), "dim italic")
    return painted


def _partners(sites: tuple[Site, ...], scale: _Scale) -> Text:
    """The other word of each pair, for terminals too narrow to show it beside the site."""
    partners = Text("    ")
    for site in sites:
        partners.append(" ")
        partners.append(console.printable(site.found), scale.style(_figure(site)))
        partners.append(f" {site.pair.other(site.word)} {_figure(site):.3f}", "dim")
    return partners


def _summary(found: TextCapacity) -> Text:
    summary = Text.assemble(
        (console.counted(found.bits, "bit"), "bold"),
        f" in {console.counted(found.words, 'word')}, {found.bits_per_word:.3f} bits per word",
    )
    if found.mean_entailment is not None:
        summary.append(f", mean SR {found.mean_entailment:.4f}")
    room = console.counted(found.bits // 8, "byte")
    summary.append(f"\nroom for a message of {room}; a marked copy may have a few sites more or fewer")
    summary.append(f"\nfingerprint {found.fingerprint}", "dim")
    return summary
