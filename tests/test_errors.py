"""Errors speak plainly, carry their values and know their exit code."""

import pickle

import pytest

from lexprint import errors
from lexprint.errors import LexprintError

EXAMPLES: list[tuple[LexprintError, int]] = [
    (LexprintError("nothing can be done"), 1),
    (errors.InputError("the text is empty", needed="a text with at least one word"), 2),
    (errors.NotEnglish(language="French", where=" in paragraph 2"), 2),
    (errors.SettingsError("watermark.gap", 0, needed="a whole number of at least 1"), 2),
    (errors.FormatError("letter.docx", found="not a zip archive", needed="a Word document"), 2),
    (errors.ModelError("the model has no mask token"), 3),
    (errors.WeightsMissing("masked_lm.onnx"), 3),
    (errors.WeightsDamaged("masked_lm.onnx", needed="ab" * 32, found="cd" * 32), 3),
    (errors.AnswersDiffer(needed="ab12", found="cd34"), 3),
    (errors.ReadersUnknown(), 3),
    (errors.FingerprintMismatch(needed="ab12", loaded="cd34", advice="run: pip install lexprint==0.1.0"), 3),
    (errors.ExtraMissing("torch", extra="hub"), 3),
    (errors.SecretError("lexprint.key can be read by others", needed="chmod 600 lexprint.key"), 3),
    (errors.CapacityError(needed=64, found=12), 1),
    (errors.PayloadTooLong(needed=30, found=12, bits=8, words_missing=150), 1),
    (errors.ServiceError("the service answered 404 (NotFound)", status=404, code="NotFound"), 1),
    (errors.TooFewSites(needed=30, found=12, recipients=1000, words_missing=150), 1),
    (errors.RegistryError("the registry is locked"), 1),
    (errors.RegistryConflict("document minutes-7 is registered already"), 1),
    (errors.UnknownDocument("minutes-7"), 1),
    (errors.ReportError("the report has no body"), 1),
    (errors.BadSignature("report.json"), 1),
    (errors.ForeignSignature("report.json"), 1),
    (errors.TimestampError("no answer", needed="another authority"), 1),
]


def test_every_class_has_an_example() -> None:
    """The list above is the whole tree."""
    tree = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LexprintError)}
    assert {type(error) for error, _ in EXAMPLES} == tree


@pytest.mark.parametrize(("error", "exit_code"), EXAMPLES, ids=lambda value: type(value).__name__)
def test_exit_codes(error: LexprintError, exit_code: int) -> None:
    """Usage is 2, a damaged environment 3, all else 1."""
    assert error.exit_code == exit_code


@pytest.mark.parametrize("error", [error for error, _ in EXAMPLES], ids=lambda error: type(error).__name__)
def test_messages_are_one_line(error: LexprintError) -> None:
    """A message is one sentence that holds each of the error's values."""
    message = str(error)
    assert message
    assert "\n" not in message
    assert not message.endswith(".")
    for value in vars(error).values():
        assert str(value)[:12] in message


@pytest.mark.parametrize("error", [error for error, _ in EXAMPLES], ids=lambda error: type(error).__name__)
def test_errors_travel_between_processes(error: LexprintError) -> None:
    """A worker's error arrives whole."""
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)


def test_the_docstring_draws_the_tree() -> None:
    """The picture at the head of the module names every class with its exit code."""
    picture = {words[-2]: int(words[-1]) for words in _picture_lines()}
    assert picture == {type(error).__name__: exit_code for error, exit_code in EXAMPLES}


def _picture_lines() -> list[list[str]]:
    assert errors.__doc__
    lines = [line.replace("│", " ").replace("├──", " ").replace("└──", " ") for line in errors.__doc__.splitlines()]
    return [line.split()[:2] for line in lines if line.startswith("    ")]
