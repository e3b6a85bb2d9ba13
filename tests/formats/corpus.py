"""Files of every format, made here so that nothing need be shipped."""

import io
import zipfile
from collections.abc import Sequence

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]

from lexprint.text.editing import Edit
from lexprint.text.segmentation import may_be_swapped, segment
from lexprint.text.span import Span

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"

HTML_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>large title</title>
<style>p > a { color: red } /* large */</style>
<script>if (a < b) { document.write("<p>large</p>"); } <!-- <script> large </script> --></script></head>
<body class="large > small" data-x='large "quoted"'>
<!-- a large comment -- > still -->
<h1>A  large
\t house</h1>
<p title="large" hidden-note=large>He bought a <b>large</b> house &mdash; near&nbsp;the river&hellip; for AT&T.</p>
<p>An un<i>believ</i>able tale, <a href="large?a=1&large=2">almost ready</a>, says ros&eacute; owner.<br>
Run <code>large --now</code> first; press <kbd>large</kbd>.
<ul><li>first large item<li>second one</ul>
<pre>large   code
  stays</pre>
<table><tr><td>large cell</td><td>other cell</td></tr></table>
<textarea>large</textarea><svg><title>large</title><text>large</text><![CDATA[ <p>large ]]></svg>
<p>Less < more & less, 5 <6 &lt;large&gt; &ncong; &notit &copy2024 &#108;arge &#x6c;arge mail large@example.com
http://example.com/large end.
</body></html>
"""

MARKDOWN_PAGE = """---
title: large title
tags: [large, small]
---

# A large *house* ##

He bought a **large** house near the `large code` river, see [the large manual](http://example.com/large "large title")
  and  goes on here with \\*large\\* stars &amp; <b>large</b> tags <http://example.com/large>.
A hard break follows\x20\x20
the large [reference] and [another one][reference] but not [large].

> A large quotation
lazily continued
> > deeper large words

1. first large item
   goes on
2. second item with un**believ**able words
   - inner large item

| Large head | Value here |
|:-----------|-----------:|
| large cell | `large`    |
| a \\| b     | other      |
| other      | other      |

    large indented code

```python
large = "fenced"
```

Setext large head
=================

<div class="large">
large html block
</div>

![large alt](large.png) and a formula $large + x$ at the end. ~~large gone~~

[reference]: http://example.com/large "large"
"""

TEXT_PAGE = (
    "Dear all,\r\n\r\nthe large house near the river is almost ready; write to large@example.com or see\r\n"
    "https://example.com/large?x=1.\r\n\r\n\tCafé “Central”  opens – they say – on Monday.\r\n"
)

_TEXT_BOX = """
<w:r xmlns:w="{word}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
     xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">
 <mc:AlternateContent>
  <mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>{first}</w:txbxContent></wps:txbx></w:drawing></mc:Choice>
  <mc:Fallback><w:pict><v:textbox><w:txbxContent>{second}</w:txbxContent></v:textbox></w:pict></mc:Fallback>
 </mc:AlternateContent>
</w:r>"""


def paragraph_xml(*texts: str) -> str:
    """A paragraph of one run for each text."""
    runs = "".join(f"<w:r><w:t>{text}</w:t></w:r>" for text in texts)
    return f"<w:p>{runs}</w:p>"


def text_box_xml(first: str, second: str) -> str:
    return _TEXT_BOX.format(word=WORD, first=first, second=second)


def make_docx(body: str, *, namespace: str = WORD, encoding: str = "utf-8") -> bytes:
    """The smallest package around some body markup."""
    document = (
        f'<?xml version="1.0" encoding="{encoding.upper()}" standalone="yes"?>\r\n'
        f'<w:document xmlns:w="{namespace}"><w:body>{body}<w:sectPr/></w:body></w:document>'
    )
    types = (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    return make_zip({"[Content_Types].xml": types.encode(), "word/document.xml": document.encode(encoding)})


def make_odt(body: str, *, styles: str = "", encoding: str = "utf-8", kind: str = "text") -> bytes:
    """The smallest OpenDocument package around some body markup; its type comes first and uncompressed."""
    names = "office style text table draw:drawing".split()
    declared = "".join(
        f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{long or prefix}:1.0"'
        for prefix, _, long in (name.partition(":") for name in names)
    )
    content = (
        f'<?xml version="1.0" encoding="{encoding.upper()}"?>\n<office:document-content{declared} '
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" '
        'xmlns:officeooo="http://openoffice.org/2009/office" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            zipfile.ZipInfo("mimetype", (2020, 2, 2, 2, 2, 2)), f"application/vnd.oasis.opendocument.{kind}"
        )
        for name, part in {"content.xml": content.encode(encoding), "styles.xml": b"<a>large</a>"}.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2)), part, zipfile.ZIP_DEFLATED)
    return target.getvalue()


ODT_STYLES = """
<style:style style:name="T1" style:family="text"><style:text-properties officeooo:rsid="0012"/></style:style>
<style:style style:name="T2" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="T3" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>
"""
ODT_BODY = """
<text:tracked-changes><text:changed-region><text:deletion><text:p>large gone</text:p></text:deletion>
</text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">A large house</text:h>
<text:p>He bought a un<text:span text:style-name="T1">believ</text:span>able   house
near<text:s text:c="2"/>the river, <text:span text:style-name="T2">bo</text:span>ld &amp; &lt;large&gt; words.
<text:span text:style-name="T3">large hidden</text:span><text:a>the large manual</text:a> <text:date>large day</text:date>
<office:annotation><dc:creator>Ada</dc:creator><text:p>large comment</text:p></office:annotation>almost
ready<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>A large
note</text:p></text:note-body></text:note>.</text:p>
<text:table-of-content><text:index-body><text:p>large entry</text:p></text:index-body></text:table-of-content>
<table:table><table:table-row><table:table-cell><text:p>large cell</text:p></table:table-cell></table:table-row></table:table>
<text:p>Beside the box.<draw:frame><draw:text-box><text:list><text:list-item><text:p>A large box</text:p></text:list-item>
</text:list></draw:text-box></draw:frame></text:p>
<text:p text:style-name="P1">large = code</text:p>
<text:p>A tab<text:tab/>here, a break<text:line-break/>there, café.</text:p>
<text:p/>
"""


def make_zip(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2)), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def rich_docx() -> bytes:
    """A document with most of what Word documents hold."""
    document = docx.Document()
    document.core_properties.author = "A. Author"
    document.add_heading("A large house", 1)
    paragraph = document.add_paragraph("He bought a un")
    paragraph.add_run("believ")
    paragraph.add_run("able house near the river, ").font.size = None
    paragraph.add_run("bo").bold = True
    paragraph.add_run("ld & <large> words. ")
    paragraph._p.append(
        parse_xml(
            f'<w:hyperlink xmlns:w="{WORD}" w:anchor="large"><w:r><w:t>the large manual</w:t></w:r></w:hyperlink>'
        )
    )
    for run in _field_runs("PAGEREF large", "large page"):
        paragraph._p.append(run)
    paragraph._p.append(
        parse_xml(f'<w:del xmlns:w="{WORD}" w:id="1" w:author="a"><w:r><w:delText>large gone</w:delText></w:r></w:del>')
    )
    paragraph._p.append(
        parse_xml(
            f'<w:ins xmlns:w="{WORD}" w:id="2" w:author="a"><w:r><w:t xml:space="preserve"> large added</w:t></w:r></w:ins>'
        )
    )
    table = document.add_table(2, 2)
    table.cell(0, 0).text = "large cell"
    table.cell(1, 1).text = "café cell"
    box = document.add_paragraph("Beside the box.")
    content = paragraph_xml("A large bo", "x of text") + paragraph_xml("second line")
    box._p.append(parse_xml(text_box_xml(content, content)))
    section = document.sections[0]
    section.header.paragraphs[0].text = "large header"
    section.footer.paragraphs[0].text = "large footer"
    document.add_paragraph("A tab\there, a break\nthere.")
    last = document.add_paragraph("End of the large document.")
    document.add_comment(last.runs, text="large comment", author="A. Author")
    for element in document.element.body.iter(qn("w:p")):
        element.set(qn("w:rsidR"), "00AB12CD")
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _field_runs(code: str, result: str) -> list[object]:
    runs = (
        '<w:fldChar w:fldCharType="begin"/>',
        f"<w:instrText>{code}</w:instrText>",
        '<w:fldChar w:fldCharType="separate"/>',
        f"<w:t>{result}</w:t>",
        '<w:fldChar w:fldCharType="end"/>',
    )
    return [parse_xml(f'<w:r xmlns:w="{WORD}">{run}</w:r>') for run in runs]


def members_of(content: bytes) -> dict[str, tuple[bytes, tuple[int, ...], int]]:
    """Content, date and attributes of every member of a ZIP file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {info.filename: (archive.read(info), info.date_time, info.external_attr) for info in archive.infolist()}


def skeleton(part: bytes) -> list[tuple[str, dict[str, str]]]:
    """Elements and attributes in order, but for the attribute that keeps spaces."""
    space = "{http://www.w3.org/XML/1998/namespace}space"
    return [
        (str(element.tag), {key: value for key, value in element.attrib.items() if key != space})
        for element in etree.fromstring(part).iter()
    ]


def make_pdf(pages: Sequence[Sequence[tuple[float, float, str]]]) -> bytes:
    """A PDF with lines of Helvetica at places on its pages."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = "\n".join(
            f"BT /F1 10 Tf 1 0 0 1 {left} {height} Tm ({text.translate(_PDF_ESCAPES)}) Tj ET"
            for left, height, text in lines
        ).encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    return pdf_of(objects)


_PDF_ESCAPES = str.maketrans({"(": "\\(", ")": "\\)", "\\": "\\\\"})


def pdf_of(objects: Sequence[bytes]) -> bytes:
    pieces = [b"%PDF-1.7\n"]
    offsets, start = [], len(pieces[0])
    for number, body in enumerate(objects, 1):
        offsets.append(start)
        pieces.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        start += len(pieces[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return b"".join(pieces) + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, start)
    )


def word_edits(draw: st.DataObject, text: str, protected: Sequence[Span]) -> list[Edit]:
    """Some free words of a text, each with another word for it."""
    words = [
        word
        for word in segment(text).words
        if may_be_swapped(word.span.of(text)) and not any(span.overlaps(word.span) for span in protected)
    ]
    if not words:
        return []
    chosen = draw.draw(st.lists(st.sampled_from(words), unique=True, max_size=12))
    replacements = st.from_regex("[a-z]{2,9}", fullmatch=True).filter(may_be_swapped)
    return [Edit(word.span, draw.draw(replacements)) for word in chosen]


def spans_of(text: str, part: str) -> list[Span]:
    """Every place where a text has `part`."""
    found, start = [], text.find(part)
    while start != -1:
        found.append(Span(start, start + len(part)))
        start = text.find(part, start + 1)
    return found


def mutated(draw: st.DataObject, content: bytes, *, strange: Sequence[bytes]) -> bytes:
    """A file with a few bytes changed, cut, doubled or replaced by what its format is sensitive to."""
    damaged = bytearray(content)
    for _ in range(draw.draw(st.integers(1, 6))):
        start = draw.draw(st.integers(0, len(damaged)))
        length = draw.draw(st.sampled_from([0, 1, 1, 2, 4, 20, 300]))
        kind = draw.draw(st.sampled_from(["cut", "end", "noise", "strange", "double", "flip"]))
        if kind == "cut":
            del damaged[start : start + length]
        elif kind == "end":
            del damaged[max(start, len(damaged) // 2) :]
        elif kind == "noise":
            damaged[start : start + length] = draw.draw(st.binary(max_size=8))
        elif kind == "strange":
            damaged[start:start] = draw.draw(st.sampled_from(list(strange)))
        elif kind == "double":
            damaged[start:start] = damaged[start : start + length]
        elif start < len(damaged):
            damaged[start] ^= 1 << draw.draw(st.integers(0, 7))
    return bytes(damaged)
