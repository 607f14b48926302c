"""Every Python example on the pages runs as it stands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(example, id=f"{page.name}-{number}")
    for page in PAGES
    for number, example in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.M)
    )
]


def test_there_is_an_example_for_every_view():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for made in (
        "Position.new",
        "Batch(",
        "env(",
        "gymnasium.make(",
        "make_vec(",
        "SeatVecEnv(",
        "BatchVecEnv(",
    ):
        assert made in text, made


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_runs(example, capsys):
    exec(compile(example, "<example>", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_is_short(example):
    assert len([line for line in example.splitlines() if line.strip()]) <= 12


def test_the_picture_is_what_the_drawing_now_draws():
    """`make docs` draws it anew."""
    page = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    assert page["PICTURE"].read_text(encoding="utf-8") == page["picture"]()
