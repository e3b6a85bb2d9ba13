"""The page with all tables."""

import re

from lexprint_evaluation.results_page import Section, results_page

RESULT = {"experiment": "payload", "seed": 7, "bits": 16, "fingerprint": "abcd", "date": "2020-02-02", "rows": []}
PLOT = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "x" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink"><metadata><a href="http://example.org"/></metadata>
<clipPath id="p1"/><use xlink:href="#p1" clip-path="url(#p1)"/></svg>
"""


def page(*sections: Section) -> str:
    return results_page(sections, command="lexprint evaluate all", version="9.9", left_out=["awt: not trained <yet>"])


def test_what_is_needed_to_measure_it_again_is_there() -> None:
    """Version, fingerprint, seed, sizes, date and command, and what was left out."""
    text = page(Section("payload", {**RESULT, "command": "lexprint evaluate payload --seed 7"}, "text"))
    for said in ("9.9", "abcd", "seed 7, bits 16", "2020-02-02", "lexprint evaluate payload --seed 7"):
        assert said in text
    assert "awt: not trained &lt;yet&gt;" in text


def test_tables_and_lists_become_markup() -> None:
    """A table that scrolls by itself, struck and bold words; text of the sets cannot bring markup or links."""
    text = page(
        Section("payload", RESULT, "| a | b |\n|---|--:|\n| **c** | ~~d~~ |\n\n- <script>x</script> [y](http://z)\n")
    )
    assert '<div class="wide" tabindex="0"><table>' in text
    assert "<strong>c</strong>" in text
    assert "<s>d</s>" in text
    assert "<script" not in text
    assert 'href="http' not in text


def test_plots_stand_inside_and_apart() -> None:
    """Without prologue and metadata; names are the section's own, so that two plots may have the same ones."""
    text = page(
        Section("payload", RESULT, "", PLOT), Section("tracing", {**RESULT, "attacks": [], "recipients": 3}, "", PLOT)
    )
    assert "<?xml" not in text
    assert "example.org" not in text
    assert re.findall(r'clipPath id="([^"]+)', text) == ["payload-p1", "tracing-p1"]
    assert 'xlink:href="#tracing-p1" clip-path="url(#tracing-p1)"' in text
