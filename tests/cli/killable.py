"""`lexprint` on fakes, in a process that may kill itself: `python -m tests.cli.killable MOMENT ARGUMENTS`."""

import os
import signal
import sys

from tests.workflows.patient import PatientEngine

from lexprint.cli import console, main
from lexprint.engine import Engine
from lexprint.registry.sql_registry import SqlRegistry
from lexprint.workflows import issuing
from lexprint.workflows.watching import FolderWatch

MOMENTS = {
    "planned": (issuing, "write_copies"),
    "written": (SqlRegistry, "mark_issued"),
    "issued": (FolderWatch, "_move"),
}


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def build(**options: object) -> Engine:
    return PatientEngine(settings=_build_engine(**options).settings)  # type: ignore[arg-type] # whatever it gives


_build_engine = console.build_engine
console.build_engine = build

if __name__ == "__main__":
    if sys.argv[1] in MOMENTS:
        owner, name = MOMENTS[sys.argv[1]]
        assert hasattr(owner, name)
        setattr(owner, name, die)
    sys.argv[:2] = ["lexprint"]
    main()
