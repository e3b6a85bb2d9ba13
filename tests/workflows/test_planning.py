"""What is advised to those whose text has too few sites."""

import pytest
from tests.tracing.masters import make_record

from lexprint.errors import TooFewSites
from lexprint.settings import find_profile, has_denser_profile
from lexprint.workflows.planning import _require_sites


@pytest.mark.parametrize(("profile", "is_advised"), [("careful", True), ("lexprint", True), ("dense", False)])
def test_the_dense_profile_is_advised_to_those_who_do_not_use_it(profile: str, is_advised: bool) -> None:
    """Whoever uses it already is told to bring a longer text, and nothing that they have done."""
    settings = find_profile(profile)
    assert has_denser_profile(settings) is is_advised
    with pytest.raises(TooFewSites) as refused:
        _require_sites(make_record(30), 100_000, settings)
    assert ("dense" in str(refused.value)) is is_advised
    assert "longer by about" in str(refused.value)
