"""`lexprint registry rank`: how well all copies of a document agree with a leak, for those who hold the registry."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from lexprint.cli import console, keys
from lexprint.cli.files import READABLE, open_file
from lexprint.cli.registry import REGISTRY, document_id

if TYPE_CHECKING:
    from lexprint.tracing.leads import Lead


def rank(
    leak: str = typer.Argument(..., metavar="LEAK", help=READABLE),
    document: str = typer.Option(..., "--document", metavar="ID", help="The document whose copies are compared."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    profile: str | None = typer.Option(
        None, "--profile", metavar="NAME", help="Settings with which blind copies were marked, such as dense."
    ),
    as_json: bool = console.AS_JSON,
) -> None:
    """Show how well the copies that agree best with a leak do, whether or not any can be named.

    It accuses nobody and is no evidence: the best of many innocent copies agrees better than most. Whoever sees it for texts of
    their choice can write one that points to any copy, so reports never say it. Every use is in the audit log.
    """
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.reports.wording import lead_in_words
    from lexprint.workflows.tracing import rank_copies

    given = open_file(leak)
    keyring = keys.keys_at_hand(key)
    with open_existing_registry(registry, keys=keyring) as opened:
        ranking = rank_copies(
            opened,
            given.text,
            document_id=document_id(opened, document),
            protected=given.protected,
            keys=keyring,
            engine=console.build_engine(profile=profile),
        )
    sentence = lead_in_words(ranking.lead)
    if as_json:
        copies = [asdict(one) for one in ranking.copies]
        console.print_json({"lead": sentence, **_figures(ranking.lead), "copies": copies})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("copy", "agrees", "chance that an innocent one does"):
        table.add_column(title)
    for one in ranking.copies:
        table.add_row(str(one.number), f"{one.matches:,} of {one.readable:,}", f"{one.p_value:.2g}")
    console.Output().print(table)
    console.print_line(sentence)


def _figures(lead: Lead) -> dict[str, object]:
    return {"leader": lead.number, "chance": lead.chance, "further_sites": lead.further}
