"""Where a registry may be, and what is said of places where it may not."""

import pytest

from lexprint.errors import RegistryError
from lexprint.registry.databases import read_location


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql://ann:secret@db.example:6543/registry", "PostgreSQL at db.example:6543, database registry"),
        ("postgres://db.example/registry", "PostgreSQL at db.example, database registry"),
        ("postgresql+psycopg://ann:s%40cret@/registry?host=/run/pg", "PostgreSQL at /run/pg, database registry"),
        ("postgresql:///registry", "PostgreSQL at this machine, database registry"),
        ("sqlite:///some/file.db", "some/file.db"),
        ("sqlite:////some/file.db", "/some/file.db"),
        ("copies.db", "copies.db"),
    ],
)
def test_places(location: str, shown: str) -> None:
    """Files and servers are told apart and shown without passwords."""
    place = read_location(location)
    assert place.shown == shown
    assert (place.dialect == "sqlite") == (not shown.startswith("PostgreSQL"))
    assert "secret" not in repr(place)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("mysql://ann:secret@db.example/registry", "cannot be kept at mysql://"),
        ("sqlite://", "cannot be kept at sqlite://"),
        ("postgresql://ann:se/secret@db.example/registry", "cannot be understood"),
        ("postgresql://ann:12/secret@db.example/registry", "cannot be understood"),
        ("postgresql://ann:se?secret@db.example/registry", "cannot be understood"),
        ("postgresql://ann:se#secret@db.example/registry", "cannot be understood"),
        ("postgresql://[secret/registry", "cannot be understood"),
    ],
)
def test_wrong_urls(location: str, words: str) -> None:
    """One sentence with an example; nothing of a password that tore the URL apart."""
    with pytest.raises(RegistryError, match=r"needed: .*postgresql://user") as refusal:
        read_location(location)
    assert words in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_patience_may_be_set_in_the_url() -> None:
    """A timeout in the URL wins over ours."""
    assert read_location("postgresql://h/d?connect_timeout=3").connect_arguments == {}
    assert read_location("postgresql://h/d").connect_arguments == {"connect_timeout": 10}
