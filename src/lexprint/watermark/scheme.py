"""What writer and reader must share, in one value: where answers come from, the tests, and the name for all of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lexprint.settings import WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.watermark.by_acceptance import ByAcceptance
from lexprint.watermark.by_entailment import ByEntailment
from lexprint.watermark.risk_set import risks
from lexprint.watermark.substitutability import KeepsNeighbour, keeps_neighbour, trusts_neighbour
from lexprint.watermark.synchronicity import Derivation, ExpectGaps, FindPair, SynchronicityTest


@dataclass(frozen=True)
class Scheme:
    """The tests of Algorithm 2 and f.

    Schemes are made by `paper_scheme`. Whatever uses the same scheme shares its verdicts, so reading what was just
    written, or copies of one text with other bits, asks the models only about what is new.
    """

    substituter: Substituter = field(repr=False)
    fingerprint: str
    find_pair: FindPair = field(repr=False)
    expect: ExpectGaps = field(repr=False)
    keeps_neighbour: KeepsNeighbour = field(repr=False)
    settings: WatermarkSettings

    @property
    def gap(self) -> int:
        """Words skipped after a site."""
        return self.settings.gap


def paper_scheme(substituter: Substituter, *, fingerprint: str, settings: WatermarkSettings | None = None) -> Scheme:
    """Both tests, as in the paper; `fingerprint` stands for models, settings and rules together."""
    settings = settings or WatermarkSettings()
    test = synchronicity_test(substituter, settings)
    return Scheme(substituter, fingerprint, test.find_pair, test.expect, keeps_neighbour, settings)


def synchronicity_test(substituter: Substituter, settings: WatermarkSettings) -> SynchronicityTest:
    """The test that the settings ask for; it has no verdicts yet."""
    chosen = risks(substituter, settings)
    derivation: Derivation = ByEntailment(substituter.settings, chosen.may_be_pair)
    if settings.ranking == "acceptance":
        derivation = ByAcceptance(substituter, chosen.may_be_pair)
    return SynchronicityTest(derivation, chosen.may_be_replaced)


def without_synchronicity_test(scheme: Scheme) -> Scheme:
    """The same, but a word's partner need not lead back to it: loses bits, to show what the test is for."""
    test = synchronicity_test(scheme.substituter, scheme.settings)
    fingerprint = f"{scheme.fingerprint} without synchronicity test"
    return replace(scheme, fingerprint=fingerprint, find_pair=test.derive_pair)


def without_substitutability_test(scheme: Scheme) -> Scheme:
    """The same, but a word may wake the one before it: loses bits, to show what the test is for."""
    fingerprint = f"{scheme.fingerprint} without substitutability test"
    return replace(scheme, fingerprint=fingerprint, keeps_neighbour=trusts_neighbour)
