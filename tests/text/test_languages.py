"""What is English, what is not, and what is too short to tell."""

import pytest
from hypothesis import given, strategies as st

from lexprint.errors import NotEnglish
from lexprint.testing import fake_text
from lexprint.text.languages import foreign_paragraphs, require_english, require_english_only
from lexprint.text.protection import PROTECTIONS, protected_spans

ENGLISH = "The committee met on a cold evening to discuss the plan, and most of those who spoke were pleased."
FOREIGN = {
    "French": "Le comité s'est réuni un soir froid pour discuter du plan, et la plupart de ceux qui ont parlé étaient ravis.",
    "German": "Der Ausschuss tagte an einem kalten Abend, um den Plan zu besprechen, und die meisten waren zufrieden.",
    "Spanish": "El comité se reunió una noche fría para discutir el plan, y la mayoría de los que hablaron estaban contentos.",
    "Chinese": "委员会在一个寒冷的晚上开会讨论该计划，大多数发言者都对进展感到满意，会议一直持续到深夜。",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_other_languages_are_refused_by_name(language: str) -> None:
    """As a whole text."""
    with pytest.raises(NotEnglish, match=f"not English but {language}"):
        require_english(FOREIGN[language])


@pytest.mark.parametrize("language", FOREIGN)
def test_foreign_paragraphs_of_a_mixed_text_are_left_alone(language: str) -> None:
    """They are protected to the letter, the rest is not; marks that need all of the text are refused."""
    text = f"{ENGLISH}\n\n{FOREIGN[language]}\n\n{ENGLISH} {ENGLISH}\n"
    require_english(text)
    (found,) = foreign_paragraphs(text)
    assert (found.number, found.language, found.span.of(text)) == (2, language, FOREIGN[language])
    assert protected_spans(text, protections=["languages"]) == (found.span,)
    assert protected_spans(text, protections=PROTECTIONS - {"languages"}) != (found.span,)
    with pytest.raises(NotEnglish, match="in paragraph 2"):
        require_english_only(text)


def test_many_short_foreign_lines_are_told_together() -> None:
    """Each is too short to tell, all of them are not."""
    lines = FOREIGN["German"].split(", ")
    text = "\n\n".join(" ".join(line.split()[start : start + 4]) for line in lines for start in (0, 4))
    assert not foreign_paragraphs(text)
    with pytest.raises(NotEnglish, match="German"):
        require_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ada,",
        "Best regards,\nJean-Luc Moreau, Directeur Général, Société Générale de Banque",
        "Müller Bauer GmbH, Frankfurt am Main",
        "Item Qty Price Total 3 4 5 EUR USD",
        "WHEREAS, the Lessee (hereinafter 'Tenant') agrees inter alia pro rata to pay quantum meruit;",
        "3.1 Schedule of Prices",
        "im gonna get u lol c ya tmrw at da club",
        "",
    ],
)
def test_short_and_odd_english_is_not_refused(text: str) -> None:
    """Names, headings, tables, Latin of lawyers."""
    require_english_only(text)


@given(st.integers(0, 10_000), st.integers(1, 60))
def test_english_is_never_refused(seed: int, words: int) -> None:
    """Of any length."""
    require_english_only(fake_text(words=words, seed=seed))
