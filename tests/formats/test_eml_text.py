"""Mail: bodies, attachments, forwarded messages; and copies of it."""

import base64
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from functools import cache

import pytest
from hypothesis import given, settings, strategies as st
from tests.formats.corpus import make_docx, mutated, paragraph_xml, spans_of, word_edits

from lexprint.errors import FormatError
from lexprint.formats.eml_text import MailText, is_mail
from lexprint.formats.reading import read_as
from lexprint.formats.recognition import recognise
from lexprint.formats.source import open_source
from lexprint.text.editing import Edit, apply_edits


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


def test_mail_without_a_text_is_refused() -> None:
    """There is nothing to read."""
    with pytest.raises(FormatError, match="without a text"):
        read_as("mail", b"From: a@x\nMessage-ID: <1@x>\n\n", name="a.eml")


def test_many_parts_take_no_longer() -> None:
    """Parts beyond a number are left out."""
    message = mail("first")
    for _ in range(300):
        message.add_attachment(b"word", maintype="text", subtype="plain", filename="a.txt")
    assert read(message).count("word") < 110


PLAIN = (
    "Dear all,\n\nthe large house near the river is almost ready, and the rosé opens soon. Please do not forward this note to "
    "anybody outside the large team.\n\nSee https://example.org/large or write.\n\nYours, Ada\n"
)
HTML = (
    "<html><body><p>Dear all,</p><p>the <b>large</b> house near the river is almost ready, and the ros&eacute; opens soon. "
    "Please do not forward this note to\nanybody outside the la<i>rge</i> team.</p>"
    "<p>See <a href='https://example.org/large'>our page</a> or write.</p><p>Yours, Ada</p></body></html>\n"
)
TRANSFERS = ["quoted-printable", "base64", "8bit"]


@cache
def twofold(transfer: str, *, policy: object = default) -> bytes:
    """Plain text and HTML with a picture, and a document attached."""
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = "ada@example.org", "bo@example.org", "<1@example.org>"
    message["Subject"] = "the large house"
    message.set_content(PLAIN, cte=transfer)
    message.add_alternative(HTML, subtype="html", cte=transfer)
    message.get_payload()[1].add_related(b"\x89PNG large", "image", "png", cid="<p>")  # type: ignore[index, union-attr]
    document = make_docx(paragraph_xml("The large file"))
    message.add_attachment(document, maintype="application", subtype="octet-stream", filename="memo.docx")
    return message.as_bytes(policy=policy)  # type: ignore[arg-type]


def opened(content: bytes) -> MailText:
    found = read_as("mail", content, name="a.eml")
    assert isinstance(found, MailText)
    return found


def parts(content: bytes) -> list[tuple[list[tuple[str, str]], bytes | None]]:
    """Headers and what every part says."""
    message = message_from_bytes(content)
    return [(part.items(), part.get_payload(decode=True)) for part in message.walk()]  # type: ignore[misc]


def words(source_text: str) -> list[str]:
    return source_text.split()


@pytest.mark.parametrize("policy", [default, SMTP])
@pytest.mark.parametrize("transfer", TRANSFERS)
@settings(max_examples=8)
@given(data=st.data())
def test_plain_text_and_html_change_alike(transfer: str, policy: object, data: st.DataObject) -> None:
    """A copy reads as edited, its HTML says the same words, and all other parts and headers are as they were."""
    content = twofold(transfer, policy=policy)
    source = opened(content)
    edits = word_edits(data, source.text, source.protected)
    copy = source.with_edits(edits)
    assert opened(copy).text == apply_edits(source.text, edits)
    old, new = parts(content), parts(copy)
    assert [headers for headers, _ in new] == [headers for headers, _ in old]
    changed = [number for number, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    assert len(changed) == (2 if any(edit.span.of(source.text) != edit.replacement for edit in edits) else 0)
    html = message_from_bytes(copy, policy=default).get_body(("html",))
    assert html is not None
    page = open_source(str(html.get_content()).encode(), name="x.html").text
    body = apply_edits(source.text, edits).split("See https")[0]
    assert words(page.split("See our")[0]) == words(body)
    assert source.with_edits([]) == content


def test_what_only_one_form_says_stays() -> None:
    """The address stands in the plain text only, the page's name in the HTML only; neither is touched, nor is the document."""
    source = opened(twofold("8bit"))
    free = [s for s in spans_of(source.text, "large") if not any(p.overlaps(s) for p in source.protected)]
    assert [source.text[span.start - 4 : span.start] for span in free] == ["the "]  # the other is cut by a tag
    copy = source.with_edits([Edit(free[0], "big")])
    assert copy.count(b"big") == 2
    assert copy == twofold("8bit").replace(b"the large house near", b"the big house near").replace(
        b"the <b>large</b>", b"the <b>big</b>"
    )


def test_quoted_printable_changes_nowhere_else() -> None:
    """Lines without a changed word keep their bytes, and none gets too long, though the new word is longer."""
    content = twofold("quoted-printable")
    source = opened(content)
    (span,) = spans_of(source.text, "anybody")
    copy = source.with_edits([Edit(span, "absolutely-no-other-person-whatsoever")])
    old, new = content.splitlines(), copy.splitlines()
    assert max(map(len, new)) <= 78
    assert len(set(old) - set(new)) <= 4
    assert opened(copy).text == source.text.replace("anybody", "absolutely-no-other-person-whatsoever")


def test_a_page_alone() -> None:
    """HTML without plain text, or beside plain text that is blank, is marked too."""
    for plain in (None, "  \n"):
        message = mail()
        if plain is None:
            message.set_content(HTML, subtype="html")
        else:
            message.set_content(plain)
            message.add_alternative(HTML, subtype="html")
        source = opened(message.as_bytes())
        (span,) = spans_of(source.text, "almost")
        assert "is nearly ready" in opened(source.with_edits([Edit(span, "nearly")])).text


def test_a_copy_is_made_in_a_process_of_its_own() -> None:
    """What the reading process answers can be written here."""
    content = twofold("base64")
    source = open_source(content, name="a.eml")
    (span,) = spans_of(source.text, "almost")
    assert source.is_writable
    assert opened(source.with_edits([Edit(span, "nearly")])).text == source.text.replace("almost", "nearly")


def sealed(kind: str) -> bytes:
    content = mail("The large house.").as_bytes()
    if kind == "dkim":
        return b"DKIM-Signature: v=1; bh=x\n" + content
    if kind == "clear":
        return content.replace(b"The large", b"-----BEGIN PGP SIGNED MESSAGE-----\n\nThe large")
    boundary = f'multipart/{kind}; boundary="b"'.encode()
    head = b"From: a@x\nMessage-ID: <1@x>\nMIME-Version: 1.0\nContent-Type: " + boundary
    return head + b"\n\n--b\nContent-Type: text/plain\n\nThe large house.\n--b--\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("signed", "signed mail"),
        ("encrypted", "encrypted mail"),
        ("clear", "signed mail"),
        ("dkim", "a server has signed"),
    ],
)
def test_signed_and_encrypted_mail_is_only_read(kind: str, message: str) -> None:
    """A change would break the signature: it can be traced, and is refused as a master with one sentence."""
    source = opened(sealed(kind))
    assert "The large house." in source.text
    assert not source.is_writable
    with pytest.raises(FormatError, match=f"a.eml is .*{message}; needed: the message as it was before"):
        source.with_edits([])


def test_other_forms_are_only_read() -> None:
    """A third form of the same text would keep the old words."""
    message = mail("The large house.")
    message.add_alternative("<p>The large house.</p>", subtype="html")
    message.add_alternative("BEGIN:VCALENDAR\nDESCRIPTION:The large house.\n", subtype="calendar")
    assert not opened(message.as_bytes()).is_writable


def test_attachments_and_inner_messages_are_not_changed() -> None:
    """They are read for leaks, and protected."""
    outer = mail("The quiet house.")
    outer.add_attachment(mail("The large house."))
    source = opened(outer.as_bytes())
    (span,) = spans_of(source.text, "large")
    assert any(protected.contains(span) for protected in source.protected)
    assert source.is_writable


@settings(max_examples=50)
@given(data=st.data(), transfer=st.sampled_from(TRANSFERS))
def test_damaged_mail_is_read_or_refused(data: st.DataObject, transfer: str) -> None:
    """Whatever happens to a message, there is no other error, and what can be written reads as edited."""
    strange = [b"\n\n", b"\r\n", b"=", b"=\n", b"--", b"Content-Type: text/html\n", b"\xff", b"\n--b--\n", b"<", b"=3D"]
    content = mutated(data, twofold(transfer), strange=strange)
    if not is_mail(content):
        return
    source, message = None, ""
    try:
        source = opened(content)
    except FormatError as error:
        message = str(error)
    assert source is not None or message.startswith("a.eml is ")
    if source is not None and source.is_writable:
        assert source.with_edits([]) == content
        edits = word_edits(data, source.text, source.protected)
        assert opened(source.with_edits(edits)).text == apply_edits(source.text, edits)


def test_a_message_in_base64_is_read_all_the_same() -> None:
    """It must not be sent so (RFC 2046, section 5.2.1), and is."""
    outer = mail("FYI")
    outer.add_attachment(b"", maintype="application", subtype="octet-stream")
    encoded = base64.encodebytes(mail("The house was quiet.").as_bytes()).decode()
    (part,) = outer.iter_attachments()
    part.replace_header("Content-Type", "message/rfc822")
    part.set_payload(encoded)
    assert "The house was quiet." in read(outer)


def test_mail_that_is_a_file_in_mail_has_an_end() -> None:
    """So many deep, and no deeper."""
    innermost = mail("The house was quiet.")
    for _ in range(3):
        outer = mail("FYI")
        outer.add_attachment(innermost.as_bytes(), maintype="application", subtype="octet-stream", filename="a.eml")
        innermost = outer
    assert "quiet" in read(innermost)
    for _ in range(10):
        outer = mail("FYI")
        outer.add_attachment(innermost.as_bytes(), maintype="application", subtype="octet-stream", filename="a.eml")
        innermost = outer
    assert "quiet" not in read(innermost)
