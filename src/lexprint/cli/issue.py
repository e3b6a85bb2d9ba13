"""`lexprint issue`: one copy for each recipient; and `lexprint analyse`: where copies of a text may differ."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import typer

from lexprint.cli import console, keys
from lexprint.cli.capacity import print_heat_map
from lexprint.cli.files import DOCUMENT, PIPE, read_bytes, read_text_file, require_writable, write_bytes
from lexprint.cli.registry import REGISTRY
from lexprint.errors import FormatError, InputError

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.engine import Engine
    from lexprint.registry.records import Code
    from lexprint.settings import Settings
    from lexprint.text.protection import Protection
    from lexprint.workflows import Analysis, IssuedDocument
    from lexprint.workflows.issuing import IssueOptions, Master
    from lexprint.workflows.review import ReviewLine

COLUMNS = ("number", "keep", "sentence", "word", "alternative", "acceptance", "SR")
KEPT, STRUCK = "yes", ("", "no", "n", "0", "false", "-")
MOST_LISTED = 10  # paragraphs
_FORMULA = ("=", "+", "-", "@")  # what a spreadsheet would compute

SOURCE = typer.Argument(..., metavar="IN", help=f"In English. {DOCUMENT}")
PROTECT = typer.Option(None, "--protect", metavar="FILE", help="Words and phrases that must stay, one a line.")
ERROR_BOUND = typer.Option(
    None,
    "--error-bound",
    help="Maximum probability of naming an innocent copy, promised for all traces of the document; else 1e-6.",
)
STRICTNESS = typer.Option(
    None,
    "--strictness",
    metavar="HOW",
    help="legal, careful or dense: how sure it must be that readers accept a word; legal also keeps operative legal words.",
)
UNPROTECT = typer.Option(
    [], "--unprotect", metavar="KIND", help="quotations, addresses, code, quantities or terms: may be marked after all."
)


def issue(
    source: str = SOURCE,
    to: str = typer.Option(..., "--to", metavar="FILE", help="Recipients: a CSV with a header, or one a line."),
    out: Path = typer.Option(..., "--out", metavar="FOLDER", help="Where the copies go."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    name: str | None = typer.Option(None, "--name", help="What the document is called; else its file name."),
    review: str | None = typer.Option(
        None, "--review", metavar="FILE", help="CSV of all pairs: created if missing, otherwise applied."
    ),
    code: str | None = typer.Option(
        None,
        "--code",
        help="independent, or tardos, which is collusion-resistant; the default depends on the number of sites.",
    ),
    blind: bool = typer.Option(False, "--blind", help="Mark by the paper's scheme, whose sites models find again."),
    protect: str | None = PROTECT,
    unprotect: list[str] = UNPROTECT,
    force: bool = console.FORCE,
    strictness: str | None = STRICTNESS,
    error_bound: float | None = ERROR_BOUND,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = typer.Option(False, "--json", help="Print the manifest on standard output."),
) -> None:
    """Write one copy of an English document for each recipient; all read the same, and differ in a few words.

    Copies are recorded before they are written. If it is interrupted, run the same command again; to add recipients, add
    them to the list and run it again.
    """
    with console.getting_ready():
        from lexprint.registry.protocol import open_registry
        from lexprint.text.languages import require_english_only
        from lexprint.workflows import as_json as json_of, issuing
        from lexprint.workflows.recipients import read_recipients

        require_options(
            code=code, blind=blind, review=review, protect=protect, unprotect=unprotect, strictness=strictness
        )
        require_bound(error_bound)
        recipients = read_recipients(read_text_file(to).text, name=Path(to).name)
        master = read_master(source, name=name)
        profile = profile_of(strictness, profile)
        engine = console.build_engine(settings=settings, profile=profile, threads=threads, batch_size=batch_size)
        options = parse_options(
            code=code,
            protect=protect,
            unprotect=unprotect,
            review=review,
            error_bound=error_bound,
            force=force,
            strictness=strictness,
        )
        if blind and not force:
            require_english_only(master.text)
    if review is not None and options.review is None:
        require_writable(review)
        _write_review(master, review, _analysed(engine, master, options, registry, keys.keys_at_hand(key)))
        return
    keyring = keys.load_keys(key)
    with console.progress("issuing", engine) as bar, open_registry(registry, keys=keyring) as opened:
        common: dict[str, Any] = {"keyring": keyring, "registry": opened, "folder": out, "on_copies": bar.copies}
        if blind:
            done = issuing.issue_blind(engine, master, recipients, error_bound=error_bound, on_marked=bar, **common)
        else:
            done = issuing.issue(engine, master, recipients, options=options, on_progress=bar, **common)
    if as_json:
        console.print_json(json_of(done))
    _say_done(done, out, engine.settings)
    _say_foreign(master, options)
    say_warnings(done.warnings)


def analyse(
    source: str = SOURCE,
    paragraphs: int = typer.Option(10, "--paragraphs", min=0, help="Paragraphs in the heat map; 0: all."),
    registry: str = REGISTRY,
    protect: str | None = PROTECT,
    unprotect: list[str] = UNPROTECT,
    force: bool = console.FORCE,
    strictness: str | None = STRICTNESS,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = console.AS_JSON,
) -> None:
    """Tell where copies of an English document may differ when they are issued, and for how many recipients that is enough.

    What is found is kept in the registry, so that issuing the document takes no second look.

    SR is the probability that the sentence entails itself with the other word of the pair in place, and the other way
    round; the lower of the two.
    """
    with console.getting_ready():
        from lexprint.workflows import as_json as json_of

        master = read_master(source, name=None)
        profile = profile_of(strictness, profile)
        engine = console.build_engine(settings=settings, profile=profile, threads=threads, batch_size=batch_size)
        options = parse_options(protect=protect, unprotect=unprotect, force=force, strictness=strictness)
    found = _analysed(engine, master, options, registry, keys.keys_at_hand(None))
    if as_json:
        console.print_json(json_of(found))
        return
    print_heat_map(master.text, found.paragraphs, engine.settings.substitution, limit=paragraphs, noun="site")
    console.print_line(_summary(found))
    _say_foreign(master, options)


def read_master(source: str, *, name: str | None) -> Master:
    """The document of a file, or of standard input."""
    from lexprint.workflows.issuing import Master

    if source == PIPE:
        if sys.stdin is None:
            raise InputError("standard input is closed", needed="a document on standard input")
        content, file_name = sys.stdin.buffer.read(), "document.txt"
    else:
        path = Path(source)
        content, file_name = read_bytes(path), path.name
    return Master.of(content, file_name=file_name, name=name)


def require_options(
    *,
    code: str | None,
    blind: bool,
    review: str | None,
    protect: str | None,
    unprotect: list[str],
    strictness: str | None = None,
) -> None:
    from lexprint.registry.records import Code

    if code is not None and code not in get_args(Code):
        raise InputError(f"--code {code} is unknown", needed=f"one of {', '.join(get_args(Code))}")
    for option, is_given in (
        ("--code", code is not None),
        ("--review", review is not None),
        ("--protect", protect is not None),
        ("--unprotect", bool(unprotect)),
        ("--strictness", strictness is not None),
    ):
        if blind and is_given:
            raise InputError(f"{option} does not go with --blind", needed="one of the two: blind copies have no sites")


def profile_of(strictness: str | None, profile: str | None) -> str | None:
    """The profile that a strictness stands for; legal is careful, and leaves some words alone besides."""
    from lexprint.workflows.strictness import PROFILES, Strictness

    if strictness is None:
        return profile
    if strictness not in PROFILES:
        raise InputError(f"--strictness {strictness} is unknown", needed=f"one of {', '.join(PROFILES)}")
    if profile is not None:
        raise InputError("--strictness and --profile were both given", needed="one of the two")
    return PROFILES[cast("Strictness", strictness)]


def require_bound(error_bound: float | None) -> None:
    if error_bound is not None and not 0.0 < error_bound < 1.0:
        raise InputError(f"--error-bound is {error_bound:g}", needed="a probability between 0 and 1")


def parse_options(
    *,
    code: str | None = None,
    protect: str | None = None,
    unprotect: list[str],
    review: str | None = None,
    error_bound: float | None = None,
    force: bool = False,
    strictness: str | None = None,
) -> IssueOptions:
    from lexprint.text.protection import PROTECTIONS
    from lexprint.workflows.issuing import IssueOptions
    from lexprint.workflows.strictness import phrases_kept

    for kind in unprotect:
        if kind not in PROTECTIONS:
            raise InputError(f"--unprotect {kind} is unknown", needed=f"one of {', '.join(sorted(PROTECTIONS))}")
    phrases = () if protect is None else tuple(filter(str.strip, read_text_file(protect).text.splitlines()))
    return IssueOptions(
        code=cast("Code | None", code),
        protected_phrases=phrases + phrases_kept(strictness),
        protections=PROTECTIONS - cast("set[Protection]", {*unprotect, *(("languages",) if force else ())}),
        review=None if review is None or not Path(review).exists() else tuple(_read_review(review)),
        error_bound=error_bound,
    )


def _analysed(
    engine: Engine, master: Master, options: IssueOptions, registry: str, keyring: Keyring | None
) -> Analysis:
    """With the keys that will issue it, if they are at hand: what was found without them makes no copies."""
    from lexprint.registry.protocol import open_registry
    from lexprint.workflows.analysing import find_analysis

    with console.progress("analysing", engine) as on_progress, open_registry(registry, keys=keyring) as opened:
        return find_analysis(
            opened,
            engine,
            master.text,
            protected=master.source.protected,
            protected_phrases=options.protected_phrases,
            protections=options.protections,
            on_progress=on_progress,
        )


def _write_review(master: Master, review: str, analysis: Analysis) -> None:
    from lexprint.workflows.review import review_lines

    lines = review_lines(master.text, analysis.sites)
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    for line in lines:
        shown = f" {line.sentence}" if line.sentence.startswith(_FORMULA) else line.sentence
        accepted = "" if line.acceptance is None else f"{line.acceptance:.4f}"
        writer.writerow([line.number, KEPT, shown, line.word, line.other, accepted, f"{line.entailment:.4f}"])
    write_bytes(review, table.getvalue().encode("utf-8-sig"))  # spreadsheets know UTF-8 by its mark
    pairs = console.counted(len(lines), "pair")
    console.say(
        f"{pairs} written to {review}; empty the column keep of those that must not differ, then run the same command "
        "again; nothing was issued yet"
    )


def _read_review(review: str) -> Iterator[ReviewLine]:
    from lexprint.workflows.review import ReviewLine

    wrong = FormatError(Path(review).name, found="no review", needed="the file that lexprint issue --review wrote")
    text = read_text_file(review).text.removeprefix("\ufeff")
    separator = max(",;\t", key=text.partition("\n")[0].count)  # spreadsheets choose their own
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        if not rows or not set(COLUMNS) <= set(rows[0]):
            raise wrong
        for row in rows:
            yield ReviewLine(
                number=int(row["number"]),
                is_kept=(row["keep"] or "").strip().lower() not in STRUCK,
                sentence=row["sentence"],
                word=row["word"],
                other=row["alternative"],
                entailment=float(row["SR"].replace(",", ".")),
            )
    except (csv.Error, ValueError, AttributeError, TypeError) as error:
        raise wrong from error


def _say_foreign(master: Master, options: IssueOptions) -> None:
    from lexprint.text.languages import foreign_paragraphs

    if "languages" in options.protections and (foreign := foreign_paragraphs(master.text)):
        numbers = ", ".join(f"{one.number:,}" for one in foreign[:MOST_LISTED])
        more = "" if len(foreign) <= MOST_LISTED else f" and {len(foreign) - MOST_LISTED:,} more"
        languages = ", ".join(sorted({one.language for one in foreign}))
        console.say(
            f"not English ({languages}) and left as they are: paragraphs {numbers}{more}; --force marks them too"
        )


def say_warnings(warnings: Iterable[str], *, of: str | None = None) -> None:
    """What should be known of a document before its copies go out; `of` names it where there are several."""
    for one in warnings:
        console.say(f"warning: {'' if of is None else f'{console.printable(of)}: '}{one}")


def _summary(found: Analysis) -> str:
    sites, words = console.counted(len(found.sites), "site"), console.counted(found.words, "word")
    figures = f"{sites} in {words}, {found.sites_per_word:.3f} sites per word"
    if found.mean_entailment is not None:
        figures += f", mean SR {found.mean_entailment:.4f}"
    parts = (figures, _enough_for(len(found.sites)), f"fingerprint {found.fingerprint}")
    return "\n".join(parts)


def _enough_for(sites: int) -> str:
    """For how many recipients, in powers of ten, a text serves."""
    from lexprint.workflows.planning import fewest_sites

    def most(wrong: float) -> int:
        return max((10**power for power in range(7) if fewest_sites(10**power, wrong=wrong) <= sites), default=0)

    untouched, edited = most(0.0), most(0.1)
    if not untouched:
        return f"too few sites to issue copies: even one recipient needs {fewest_sites(1)}"
    if not edited:
        return f"enough for {untouched:,} recipients if a leak is not edited"
    return f"enough for {untouched:,} recipients if a leak is not edited, for {edited:,} if a tenth of its words is"


def _say_done(done: IssuedDocument, folder: Path, settings: Settings) -> None:
    from lexprint.settings import has_denser_profile
    from lexprint.workflows.issuing import comfortable_sites

    document = done.document
    copies = "1 copy" if len(done.copies) == 1 else f"{len(done.copies):,} copies"
    there = len(done.copies) - done.written
    known = f" ({there:,} of them were there already)" if there else ""
    sites = f" that differ at {len(document.sites):,} sites, {document.code} code" if document.sites else ", blind"
    console.say(
        f"{copies} of {document.name}{sites}, in {folder}{known}; document {document.id}, key {document.key_id}, "
        f"manifest {folder / done.manifest}"
    )
    wanted = comfortable_sites(done.compared, error_bound=document.error_bound)
    if document.issuing == "registered" and len(document.sites) < wanted:
        denser = ", and so has the profile dense" if has_denser_profile(settings) else ""
        console.say(
            f"warning: a leak with a tenth of its words edited may not be traced among {done.compared:,} copies: that needs "
            f"{wanted:,} sites; a longer text has more{denser}"
        )
