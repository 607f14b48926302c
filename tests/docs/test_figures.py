"""A measured figure stands in one place; elsewhere a link leads there, or a program copies it.

Figures that stand twice are corrected once, and then one of them is untrue.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in ("docs", "shakespeare_env", "benchmarks", "notebooks")
    for path in sorted((ROOT / folder).rglob("*.md"))
    if path != ROOT / "docs" / "leaderboards.md"  # a program writes it whole
]
PAGES += sorted(ROOT.glob("*.md"))
_NUMBER = r"[−+-]?\d[\d,]*(?:\.\d+)?"
_MEASURED = re.compile(
    rf"{_NUMBER}(?: %)? \((?:95 % interval )?{_NUMBER}(?: %)? to {_NUMBER}(?: %)?"  # an interval
    rf"|{_NUMBER} \(?± {_NUMBER}"
    rf"|{_NUMBER}(?: to {_NUMBER})? (?:ms|µs|(?:decisions|moves|games|rows)/s)(?!\w)"
)
_CODE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_COPIED = re.compile(r"<!-- [^>]* writes these lines -->.*?<!-- end of [^>]* -->", re.DOTALL)


def figures(text):
    """Those of a page as text, each with the number of times it stands there."""
    prose = " ".join(_COPIED.sub("", _CODE.sub("", text)).split())
    return Counter(re.sub(r"95 % interval|[ %()]", "", found) for found in _MEASURED.findall(prose))


def repeated(pages):
    """Figures that stand in several places, with the names of the pages."""
    places: dict[str, list[str]] = {}
    for name, text in pages.items():
        for figure, count in figures(text).items():
            places.setdefault(figure, []).extend([name] * count)
    return {figure: names for figure, names in places.items() if len(names) > 1}


def test_no_measured_figure_stands_in_two_places():
    pages = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
    assert repeated(pages) == {}, "keep one and link to it, or have a program copy it"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It won 37.1 % (35.2 to 39.0 %).", "| 37.1 % (35.2 to\n39.0) |"),
        ("98.2 % (95 % interval 97.5 to 98.7 %)", "98.2 % (97.5 to 98.7 %)"),
        ("40.8 (± 0.3)", "40.8 ± 0.3 points"),
        ("takes 0.25 ms.", "| 0.25 ms |"),
        ("1,630,000 decisions/s", "At 1,630,000 decisions/s it"),
    ],
)
def test_a_figure_is_found_however_it_is_written(one, other):
    assert list(repeated({"a": one, "b": other}).values()) == [["a", "b"]]
    assert len(repeated({"a": f"{one} {other}"})) == 1


@pytest.mark.parametrize(
    "other",
    [
        "```text\n40.8 ± 0.3\n```",
        "<!-- marks: `make x` writes these lines -->\n40.8 ± 0.3\n<!-- end of marks -->",
        "40.8 ± 0.4",
        "40.8",
    ],
)
def test_what_is_shown_copied_or_different_is_not_a_repetition(other):
    assert repeated({"a": "40.8 ± 0.3", "b": other}) == {}
