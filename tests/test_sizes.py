"""What can be read at one sitting: no file above 400 lines, no function above 60."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "lexprint"
LONGEST_FILE = 400
LONGEST_FUNCTION = 60

FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "evaluat" not in path.relative_to(PACKAGE).as_posix()]


def test_no_file_is_too_long() -> None:
    """A longer file holds two ideas."""
    lengths = {path.relative_to(PACKAGE).as_posix(): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    """Of commands, the body is counted: what stands above it are their options, a line or two each."""
    long = {
        f"{path.relative_to(PACKAGE).as_posix()}: {node.name}": lines
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for first in [node.body[0].lineno if path.parent.name == "cli" else node.lineno]
        if (lines := (node.end_lineno or first) - first + 1) > LONGEST_FUNCTION
    }
    assert long == {}
