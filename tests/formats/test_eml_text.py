"""Mail as a leak: bodies, attachments, forwarded messages."""

from email.message import EmailMessage

import pytest

from lexprint.errors import FormatError
from lexprint.formats.eml_text import MailText
from lexprint.formats.reading import read_as
from lexprint.formats.recognition import recognise


def mail(text: str = "Look at this.") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "ada@example.org", "bo@example.org", "<1@example.org>"
    message.set_content(text)
    return message


def read(message: EmailMessage) -> str:
    content = message.as_bytes()
    assert recognise(content, name="leak.eml") == "mail"
    found = read_as("mail", content, name="leak.eml")
    assert isinstance(found, MailText)
    return found.text


def test_bodies_and_attachments() -> None:
    """Both are read, whatever the encoding of the transfer; a broken attachment does no harm."""
    message = mail("Voilà, a comment that is long enough to be wrapped. " * 5)
    message.add_attachment(b"<p>The large&nbsp;house</p>", maintype="text", subtype="html", filename="memo.html")
    message.add_attachment(b"PK\3\4 broken", maintype="application", subtype="zip", filename="x.docx")
    text = read(message)
    assert "Voilà" in text
    assert "The large\xa0house" in text
    assert "broken" not in text


def test_a_forwarded_message() -> None:
    """A message within a message, quoted or attached."""
    outer = mail("FYI")
    outer.add_attachment(mail("The house was quiet."))
    assert "The house was quiet." in read(outer)


def test_alternatives_are_read_once() -> None:
    """Plain text and HTML say the same."""
    message = mail("The house was quiet.")
    message.add_alternative("<p>The house was quiet.</p>", subtype="html")
    assert read(message).count("quiet") == 1


def test_a_memo_is_no_mail() -> None:
    """People write such headers too."""
    assert recognise(b"From: Ada\nTo: all\nSubject: plan\n\nThe house.\n", name="memo.txt") == "plain text"


def test_mail_is_only_read() -> None:
    """It cannot be marked, and one without a text is refused."""
    found = read_as("mail", mail().as_bytes(), name="a.eml")
    assert found is not None
    assert not found.is_writable
    with pytest.raises(FormatError, match=r"a\.eml is mail"):
        found.with_edits([])
    with pytest.raises(FormatError, match="without a text"):
        read_as("mail", b"From: a@x\nMessage-ID: <1@x>\n\n", name="a.eml")


def test_many_parts_take_no_longer() -> None:
    """Parts beyond a number are left out."""
    message = mail("first")
    for _ in range(300):
        message.add_attachment(b"word", maintype="text", subtype="plain", filename="a.txt")
    assert read(message).count("word") < 110
