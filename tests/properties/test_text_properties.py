"""What holds for every text whatsoever."""

import re
import textwrap
import unicodedata
from random import Random

from hypothesis import example, given, strategies as st

from lexprint.text.document import Document
from lexprint.text.editing import Edit, OffsetMap, apply_edits, inverse_edits
from lexprint.text.segmentation import LONGEST_SENTENCE, may_be_swapped, segment
from lexprint.text.span import Span
from lexprint.text.view import normalise

# Characters that some rule is about, and words that some rule protects, so that rules meet each other often.
TELLING = [
    *" \t\n\r\v\f\x1c\x85\u00a0\u2009\u2028\u2029\u3000",
    *"\x00\x07\u00ad\u034f\u200b\u200c\u200d\u2060\ufeff\ud800\udfff\u202e",
    *".,:;!?…‥'\"‘’“”«»‹›′″´`()[]_*",
    *"-‐‑–—―−⸺",
    *"aAéßﬁﬃ3½²Ω가",
    *"\u0300\u0301\u0323\u0340\u0338\u093c\u0958\u1161\u11a8\u1100\u0344\u212b\u1ffd\u05d0\u05b7\U0001d15e\U0001f469\U0001f680\ufe0f",
]
PLAIN_WORDS = ["house", "large", "he", "week", "found", "word", "ok", "almost"]
OTHER_WORDS = [
    "Dr.",
    "etc.",
    "approx.",
    "e.g.",
    "U.S.",
    "The",
    "Heathcliff",
    "I",
    "a",
    "well-known",
    "don't",
    "3.5",
    "No. 5",
]

unicode_text = st.text(st.characters())  # lone surrogates included
telling_text = st.lists(st.sampled_from([*TELLING, *PLAIN_WORDS, *OTHER_WORDS, " ", ". ", "\n\n"]), max_size=60).map(
    "".join
)
any_text = unicode_text | telling_text


def shape(document: Document) -> list[int]:
    """Words per sentence, which is all that boundaries can change."""
    return [len(sentence) for sentence in document.sentences]


@given(any_text)
@example("0.0\u0340")  # a mark that is written as another one, on a number
@example("0.0\u0300a")
def test_offsets_are_exact(text: str) -> None:
    """Words stand in order, do not overlap, and their characters in the original normalise to them."""
    document = segment(text)
    assert document.text is text
    cursor = 0
    for sentence in document.sentences:
        assert sentence.span == Span(sentence.words[0].span.start, sentence.words[-1].span.end)
        for word in sentence.words:
            assert cursor <= word.span.start < word.span.end <= len(text)
            assert normalise(word.span.of(text)) == word.text == word.view_span.of(sentence.view)
            cursor = word.span.end


@given(any_text)
def test_nothing_visible_is_left_out(text: str) -> None:
    """Between words there is only what the view drops: white space and invisible characters."""
    cursor = 0
    for word in segment(text).words:
        assert normalise(text[cursor : word.span.start]) == ""
        cursor = word.span.end
    assert normalise(text[cursor:]) == ""


@given(any_text)
def test_sentences_are_short_and_encodable(text: str) -> None:
    """Whatever comes in, a model can read what it is given."""
    for sentence in segment(text).sentences:
        assert 1 <= len(sentence) <= LONGEST_SENTENCE
        assert "\n" not in sentence.view
        assert sentence.view.encode()


@given(any_text)
def test_the_view_of_a_view_is_itself(text: str) -> None:
    """Normalising twice is normalising once."""
    view = normalise(text)
    assert normalise(view) == view


@given(any_text)
def test_canonically_equal_texts_have_one_view(text: str) -> None:
    """Composed or decomposed, sentences and words are the same."""
    decomposed = segment(unicodedata.normalize("NFD", text))
    composed = segment(unicodedata.normalize("NFC", text))
    views = [sentence.view for sentence in segment(text).sentences]
    assert [sentence.view for sentence in decomposed.sentences] == views
    assert [sentence.view for sentence in composed.sentences] == views


@given(
    any_text | st.lists(st.sampled_from([*PLAIN_WORDS, *OTHER_WORDS, ".", ",", "?"]), min_size=90).map(" ".join),
    st.data(),
)
def test_swapping_words_moves_no_boundary(text: str, data: st.DataObject) -> None:
    """Any words of the class, swapped for any others of it, leave every boundary and every other word in place."""
    document = segment(text)
    sites = [word for word in document.words if may_be_swapped(word.text)]
    chosen = data.draw(st.lists(st.sampled_from(sites), unique=True)) if sites else []
    replacements = st.from_regex("[a-z]{2,12}", fullmatch=True).filter(may_be_swapped)
    edits = [Edit(word.span, data.draw(replacements)) for word in chosen]

    swapped = segment(apply_edits(text, edits))

    assert shape(swapped) == shape(document)
    offsets, new_words = OffsetMap(edits), {edit.span: edit.replacement for edit in edits}
    for old, new in zip(document.words, swapped.words, strict=True):
        assert new.text == new_words.get(old.span, old.text)
        assert new.span == offsets.new_span(old.span)


@given(any_text, st.data())
def test_with_word_foresees_the_swap(text: str, data: st.DataObject) -> None:
    """What a sentence says it would look like is what segmentation finds after the edit."""
    document = segment(text)
    sites = [
        (index, position)
        for index, sentence in enumerate(document.sentences)
        for position, word in enumerate(sentence.words)
        if may_be_swapped(word.text)
    ]
    if not sites:
        return
    index, position = data.draw(st.sampled_from(sites))
    sentence = document.sentences[index]
    foreseen = sentence.with_word(position, "different")
    found = segment(apply_edits(text, [Edit(sentence.words[position].span, "different")])).sentences[index]
    assert found.view == foreseen.view == sentence.excerpt_with(position, "different")
    assert [word.view_span for word in found.words] == [word.view_span for word in foreseen.words]


prose = st.lists(
    st.sampled_from(
        [
            *PLAIN_WORDS,
            *OTHER_WORDS,
            "end.",
            "what?",
            '"quoted"',
            "'so'",
            "(aside)",
            "-",
            "wait...",
            "1914-18",
            "café",
            "office",
        ]
    ),
    min_size=1,
    max_size=60,
).map(" ".join)


@given(prose, st.integers(min_value=12, max_value=80))
def test_reflowing_changes_nothing(text: str, width: int) -> None:
    """Other line breaks, also after hyphens, give the same sentences."""
    reflowed = textwrap.fill(text, width, break_long_words=False)
    assert normalise(reflowed) == normalise(text)


@given(prose, st.data())
def test_other_spaces_change_nothing(text: str, data: st.DataObject) -> None:
    """A space may become any space, or several, or a line break."""
    spaces = st.sampled_from([" ", "  ", "\t", "\n", "\r\n", " \n   ", "\u00a0", "\u2009", "\u202f", " \u200b"])
    changed = re.sub(" ", lambda _: data.draw(spaces), text)
    assert normalise(changed) == normalise(text)


TYPOGRAPHY = {
    '"': ["“", "”", "„", "«", "»", "″"],
    "'": ["‘", "’", "‚", "‹", "›", "′"],
    " - ": ["—", " — ", "--", " -- ", "---", " – ", "\u2009—\u2009", "—\n", " −\n"],
    "...": ["…"],
    "-": ["‐", "‑", "–", "-\n", "–\n"],
    "ffi": ["ﬃ", "ﬀi", "f\u00adﬁ"],
}


@given(prose, st.data())
def test_typography_changes_nothing(text: str, data: st.DataObject) -> None:
    """Quotes, dashes, ellipses and ligatures may turn typographic, each for itself."""
    pattern = re.compile(r"""["']| - |\.\.\.|(?<=\w)-(?=\w)|ffi""")
    changed = pattern.sub(lambda match: data.draw(st.sampled_from([match.group(), *TYPOGRAPHY[match.group()]])), text)
    assert normalise(changed) == normalise(text)
    assert shape(segment(changed)) == shape(segment(text))


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(any_text)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [Span(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, [Edit(span, draw(any_text)) for span in spans]


@given(texts_with_edits(), st.randoms())
def test_edits_round_trip(drawn: tuple[str, list[Edit]], random: Random) -> None:
    """Edits in any order do the same, and their inverse undoes them."""
    text, edits = drawn
    edited = apply_edits(text, edits)
    shuffled = random.sample(edits, len(edits))
    assert apply_edits(text, shuffled) == edited
    assert apply_edits(edited, inverse_edits(text, shuffled)) == text


@given(texts_with_edits())
def test_unedited_characters_keep_their_place(drawn: tuple[str, list[Edit]]) -> None:
    """The offset map finds every character that no edit named, and every replacement."""
    text, edits = drawn
    edited, offsets = apply_edits(text, edits), OffsetMap(edits)
    inside = {offset for edit in edits for offset in range(edit.span.start, edit.span.end)}
    for offset in set(range(len(text))) - inside:
        assert edited[offsets.new_offset(offset)] == text[offset]
    for edit in edits:
        assert offsets.new_span(edit.span).of(edited) == edit.replacement
