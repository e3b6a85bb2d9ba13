"""Lists of recipients as people have them."""

import pytest

from lexprint.errors import InputError
from lexprint.workflows.recipients import read_recipients


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("recipient\nAda\nBo\n", "a.csv"),
        ("Recipient,team\nAda,x\nBo,y\n", "a.csv"),
        ("id;NAME;email\r\n1;Ada;a@x\r\n2;Bo;b@x\r\n", "a.csv"),
        ("\ufeffemail\tteam\nAda\tx\nBo\ty\n", "a.tsv"),
        ("Ada,x\nBo,y\n", "a.csv"),
        ("Ada\n\n  Bo \n", "a.txt"),
        ("name\nAda\nBo", "a.txt"),
        ('recipient,x\n"Ada",1\n\n"Bo",2\n', "people"),
    ],
)
def test_tables_and_lines(text: str, name: str) -> None:
    """A known header decides the column; without one a table is its first column and other files are lines."""
    assert read_recipients(text, name=name) == ("Ada", "Bo")


def test_commas_in_names() -> None:
    """Quoted in a table, plain in a list."""
    assert read_recipients('name,x\n"Low, Ada",1\n', name="a.csv") == ("Low, Ada",)
    assert read_recipients("Low, Ada\nLow, Bo\n", name="a.txt") == ("Low, Ada", "Low, Bo")


def test_duplicates_are_named_by_line() -> None:
    """Case, spacing and Unicode form do not tell recipients apart; the names themselves are not repeated."""
    with pytest.raises(InputError, match=r"lines 1 and 2 of a\.txt"):
        read_recipients("Zo\u00eb\nZOE\u0308\n", name="a.txt")
    with pytest.raises(InputError, match=r"lines 2 and 5 of a\.csv") as refusal:
        read_recipients("name\nAda  Low\nBo\n\nada low\n", name="a.csv")
    assert "Ada" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "\n\n", "name\n", "name,x\n,1\n"])
def test_nobody_is_refused(text: str) -> None:
    """A list without names."""
    with pytest.raises(InputError, match="names no recipients"):
        read_recipients(text, name="a.csv")
