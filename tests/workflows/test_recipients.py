"""Lists of recipients as people have them."""

import pytest

from lexprint.errors import InputError
from lexprint.workflows.recipients import Recipient, read_people, read_recipients


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("recipient\nAda\nBo\n", "a.csv"),
        ("Recipient,team\nAda,x\nBo,y\n", "a.csv"),
        ("id;NAME;email\r\n1;Ada;a@x\r\n2;Bo;b@x\r\n", "a.csv"),
        ("\ufeffemail\tteam\nAda\tx\nBo\ty\n", "a.tsv"),
        ("Full Name,E-Mail Address\nAda,a@x\nBo,b@x\n", "a.csv"),
        ("User_ID,team\nAda,x\nBo,y\n,,\n", "a.csv"),
        ("Ada\n\n  Bo \n", "a.txt"),
        ("name\nAda\nBo", "a.txt"),
        ('recipient,x\n"Ada",1\n\n"Bo",2\n', "people"),
    ],
)
def test_tables_and_lines(text: str, name: str) -> None:
    """A known header decides the column, in common spellings; files that are no tables are lines."""
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


@pytest.mark.parametrize("text", ["", "\n\n", "name\n", "name,x\n,\n"])
def test_nobody_is_refused(text: str) -> None:
    """A list without names."""
    with pytest.raises(InputError, match="names no recipients"):
        read_recipients(text, name="a.csv")


def test_a_row_without_a_name_is_named() -> None:
    """It is not left out in silence, though it has an address."""
    with pytest.raises(InputError, match=r"line 3 of a\.csv has no name"):
        read_recipients("name,team\nAda,x\n,y\nBo,z\n", name="a.csv")
    with pytest.raises(InputError, match=r"lines 2, 4 of a\.csv have no name"):
        read_recipients("name,email\n,a@x\nBo,b@x\n ,c@x\n", name="a.csv")


@pytest.mark.parametrize("text", ["Employee,Team\nAda,x\nBo,y\n", "Employee\nAda\n"])
def test_an_unknown_header_is_no_recipient(text: str) -> None:
    """It is refused with what was found."""
    with pytest.raises(InputError, match=r"begins with 'Employee.*known header"):
        read_recipients(text, name="a.csv")


@pytest.mark.parametrize("first", ["Employee,Team", "Employee;Team", "Employee\tTeam", '"Employee","Team"'])
def test_a_table_that_was_pasted_is_a_table(first: str) -> None:
    """Without the name of a file too, as on the page: neither the header nor whole rows become recipients."""
    with pytest.raises(InputError, match=r"the list begins with 'Employee, Team', which is no known header"):
        read_recipients(f"{first}\nAda,x\nBo,y\n", name="the list")
    assert read_recipients("Low, Ada\nLow, Bo\n", name="the list") == ("Low, Ada", "Low, Bo")


def test_given_and_family_names() -> None:
    """Two columns are one name."""
    text = "Last Name;First Name;Mail\nLovelace;Ada;ada@example.org\n"
    assert read_people(text, name="a.csv") == (Recipient("Ada Lovelace", "ada@example.org"),)


def test_addresses() -> None:
    """From their column, or from lines that are nothing else; two in one cell are none."""
    table = "name,e-mail\nAda,Ada <ada@example.org>\nBo,b@x; c@x\nCy,\n"
    assert [one.address for one in read_people(table, name="a.csv")] == ["ada@example.org", None, None]
    lines = read_people("ada@example.org\nBo <bo@example.org>\nCy\n", name="a.txt")
    assert [one.address for one in lines] == ["ada@example.org", "bo@example.org", None]
    bare = read_people("ada@example.org\nbo@example.org\n", name="a.csv")
    assert [(one.name, one.address) for one in bare] == [("ada@example.org",) * 2, ("bo@example.org",) * 2]
