"""Issuing in a process of its own, so that it can be killed: `python -m tests.workflows.interrupted FOLDER REGISTRY`."""

import pickle
import sys
from hashlib import sha256
from pathlib import Path
from unittest import mock

from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import load_keyring
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.workflows import analysing, writing
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.results import IssuedDocument

GROUP = 3  # small, so that there are many moments between two groups
RECIPIENTS = tuple(f"Recipient {number}" for number in range(1, 31))


def master_of(folder: Path) -> Master:
    content = (folder / "master.txt").read_bytes()
    return Master(open_source(content, name="master.txt"), "master", sha256(content).hexdigest(), ".txt")


def issue_all(folder: Path, location: str) -> IssuedDocument:
    """All copies of the folder's master, by an analysis that was made before; recorded at `location`."""
    analysis = pickle.loads((folder / "analysis.pickle").read_bytes())
    with (
        mock.patch.object(analysing, "analyse_document", return_value=analysis),
        mock.patch.object(writing, "GROUP", GROUP),
        open_registry(location) as registry,
    ):
        return issue(
            PatientEngine(),
            master_of(folder),
            RECIPIENTS,
            keyring=load_keyring(folder / "lexprint.key", environment={}),
            registry=registry,
            folder=folder / "copies",
        )


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    issue_all(Path(sys.argv[1]), sys.argv[2])
