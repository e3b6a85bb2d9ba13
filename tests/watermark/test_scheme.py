"""What both sides must share."""

from lexprint.watermark.scheme import Scheme, without_substitutability_test, without_synchronicity_test


def test_ablations_have_fingerprints_of_their_own(scheme: Scheme) -> None:
    """A text marked without a test is never read as if it had passed it."""
    variants = [scheme, without_synchronicity_test(scheme), without_substitutability_test(scheme)]
    assert len({variant.fingerprint for variant in variants}) == 3


def test_a_scheme_does_not_print_its_models(scheme: Scheme) -> None:
    """Its repr is short."""
    assert (
        repr(scheme)
        == "Scheme(fingerprint='fakes', settings=WatermarkSettings(gap=1, ranking='entailment', risk_set='paper'))"
    )
