"""A measured figure stands in one place; elsewhere a link leads there, or a program copies it.

Figures that stand twice are corrected once, and then one of them is untrue.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for folder in ("docs", "shakespeare_env", "benchmarks", "notebooks")
    for path in sorted((ROOT / folder).rglob("*.md"))
    if path != ROOT / "docs" / "leaderboards.md"  # a program writes it whole
]
_NUMBER = r"[−+-]?\d[\d,]*(?:\.\d+)?"
_MEASURED = re.compile(
    rf"{_NUMBER}(?: %)? \((?:95 % interval )?{_NUMBER}(?: %)? to {_NUMBER}(?: %)?"  # an interval
    rf"|{_NUMBER} \(?± {_NUMBER}"
    rf"|{_NUMBER}(?: to {_NUMBER})? (?:ms|µs|(?:decisions|moves|games|rows)/s)(?!\w)"
)
_LEFT_OUT = re.compile(
    r"^ *```.*?^ *```$|<!-- [^>]* writes these lines -->.*?<!-- end of [^>]* -->", re.DOTALL | re.M
)


def repeated(pages):
    """Figures that stand in several places, with the names of the pages."""
    places: dict[str, list[str]] = {}
    for name, text in pages.items():
        for found in _MEASURED.findall(" ".join(_LEFT_OUT.sub("", text).split())):
            places.setdefault(re.sub(r"95 % interval|[ %()]", "", found), []).append(name)
    return {figure: names for figure, names in places.items() if len(names) > 1}


def test_no_measured_figure_stands_in_two_places():
    pages = {str(page): page.read_text("utf-8") for page in (*PAGES, *ROOT.glob("*.md"))}
    assert repeated(pages) == {}, "keep one and link to it, or have a program copy it"
    # However it is written; but what is shown or copied by a program is no repetition.
    one = "It won 37.1 % (35.2 to 39.0 %), 40.8 (± 0.3), in 0.25 ms."
    other = "| 37.1 % (95 % interval 35.2 to\n39.0) | 40.8 ± 0.3 | 0.25 ms |"
    assert len(repeated({"a": one, "b": other})) == len(repeated({"a": one + other})) == 3
    copied = "<!-- marks: `make x` writes these lines -->\n40.8 ± 0.3\n<!-- end of marks -->"
    for different in ("```text\n40.8 ± 0.3\n```", copied, "40.8 ± 0.4", "40.8"):
        assert repeated({"a": one, "b": different}) == {}
