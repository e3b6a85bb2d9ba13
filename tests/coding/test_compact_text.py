"""Identifiers in few bits, and all of Unicode in more."""

import pytest
from hypothesis import given, strategies as st

from lexprint.coding.compact_text import pack, unpack

sizes = st.integers(1, 128)


@given(st.text(max_size=12), st.sampled_from([8, 64, 128, 400]))
def test_what_is_packed_is_unpacked(text: str, bits: int) -> None:
    """Any text that fits comes back."""
    packed = pack(text, bits=bits)
    if packed is not None:
        assert 0 <= packed < 1 << bits
        assert unpack(packed, bits=bits) == text


@given(sizes.flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, (1 << bits) - 1))))
def test_a_number_is_one_text_or_none(case: tuple[int, int]) -> None:
    """No two numbers mean the same, so none can be read that was not written."""
    bits, packed = case
    text = unpack(packed, bits=bits)
    assert text is None or pack(text, bits=bits) == packed


@given(st.text(alphabet="ABXYZ0179-_. ab", max_size=10))
def test_more_bits_hold_no_less(text: str) -> None:
    """What fits into some bits fits into more of them."""
    fits = [pack(text, bits=bits) is not None for bits in range(1, 90)]
    assert fits == sorted(fits)


@pytest.mark.parametrize(
    ("text", "bits"),
    [("ACME-2026-00417", 72), ("Q3-07", 32), ("2026-00417", 48), ("17", 8), ("acme", 24), ("Müller", 56)],
)
def test_identifiers_are_short(text: str, bits: int) -> None:
    """In as many bytes as the code promises, and not in fewer."""
    assert pack(text, bits=bits) is not None
    assert pack(text, bits=bits - 8) is None


@pytest.mark.parametrize(
    ("text", "bits", "packed"),
    [("ACME-2026-00417", 72, 0x6AA334228B509524), ("17", 8, 0xAC), ("Müller", 56, 0x2FF90ECD3CE634)],
)
def test_the_code_is_frozen(text: str, bits: int, packed: int) -> None:
    """A text packed long ago unpacks today."""
    assert pack(text, bits=bits) == packed
    assert unpack(packed, bits=bits) == text


def test_stray_bytes_are_no_text() -> None:
    """Bytes that are no UTF-8, and texts that never end, unpack to nothing."""
    unpacked = [unpack(packed, bits=16) for packed in range(0, 1 << 16, 97)]
    assert None in unpacked
    assert sum(text is not None for text in unpacked) > 100
