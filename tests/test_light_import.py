"""`import lexprint` and `lexprint --help` answer at once, and work where nothing heavy is installed."""

import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.workflows.issuing import Master, issue

HEAVY = {
    "cryptography",
    "fastapi",
    "lxml",
    "matplotlib",
    "numpy",
    "nupunkt",
    "onnx",
    "onnxruntime",
    "py3langid",
    "pypdf",
    "rapidfuzz",
    "pyarrow",
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


def test_trace_needs_no_models(tmp_path: Path) -> None:
    """A leak of registered copies is traced without a model, a walk, or what would run them, in memory."""
    content = fake_text(words=900, seed=1).encode()
    master = Master(open_source(content, name="memo.txt"), "memo", sha256(content).hexdigest(), ".txt")
    with open_registry(str(tmp_path / "registry.db")) as registry:
        keyring = Keyring((MasterKey.generate(),))
        issued = issue(FakeEngine(), master, ["Ada", "Bo"], keyring=keyring, registry=registry, folder=tmp_path / "out")
    leak = tmp_path / "out" / issued.copies[1].file_name
    program = (
        "import sys\n"
        "from lexprint.cli import main\n"
        f"sys.argv = ['lexprint', 'trace', {str(leak)!r}, '--registry', {str(tmp_path / 'registry.db')!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as stop:\n    assert not stop.code, stop.code"
    )
    assert loaded_after(program) & {"onnxruntime", "tokenizers", "torch", "ray", "pyarrow"} == set()
    modules = "print(*(name for name in sys.modules if name.startswith('lexprint.')), file=sys.stderr)"
    command = [sys.executable, "-W", "error", "-c", f"{program}\n{modules}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("lexprint.")}
    assert {"tracing", "registry", "reports"} <= rooms
    assert not rooms & {"engine", "models", "substitution", "copies", "watermark"}
