"""`import lexprint` and `lexprint --help` answer at once, and work where nothing heavy is installed."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

HEAVY = {
    "cryptography",
    "fastapi",
    "lxml",
    "matplotlib",
    "numpy",
    "nupunkt",
    "onnx",
    "onnxruntime",
    "pypdf",
    "rapidfuzz",
    "ray",
    "scipy",
    "sqlalchemy",
    "tokenizers",
    "torch",
    "transformers",
}


def loaded_after(program: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after `program`."""
    report = f"{program}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}}, file=sys.stderr)"
    finished = subprocess.run([sys.executable, "-W", "error", "-c", report], capture_output=True, text=True, check=True)
    return set(finished.stderr.split())


def test_import_is_light() -> None:
    """The package itself loads no heavy package."""
    assert loaded_after("import lexprint; lexprint.LexprintError; lexprint.load_settings()") & HEAVY == set()


@pytest.mark.skipif(find_spec("lexprint.cli") is None, reason="there is no command line yet")
def test_help_is_light() -> None:
    """Help is printed without a model in memory."""
    program = (
        "import sys\n"
        "from lexprint.cli import main\n"
        "sys.argv = ['lexprint', '--help']\n"
        "try:\n    main()\n"
        "except SystemExit as stop:\n    assert not stop.code, stop.code"
    )
    assert loaded_after(program) & HEAVY == set()
