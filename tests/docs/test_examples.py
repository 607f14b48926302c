"""Every Python example on the pages runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def examples(page):
    """The Python examples on a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.M)


DATASETS = ROOT / "docs" / "datasets.md"
"""Its examples read what its commands write: see `test_datasets_page.py`."""
EXAMPLES = [
    pytest.param(example, id=f"{page.name}-{number}")
    for page in (README, *sorted((ROOT / "docs").rglob("*.md")))
    for number, example in enumerate(examples(page))
    if page != DATASETS
]


def test_there_is_an_example_for_every_view():
    shown = "".join(examples(ROOT / "docs" / "environments.md"))
    for made in (
        "Position.new",
        "Batch(",
        "env(",
        "gymnasium.make(",
        "make_vec(",
        "SB3SingleAgentVecEnv(",
        "SB3SelfPlayVecEnv(",
    ):
        assert made in shown, made


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_runs(example, capsys):
    exec(compile(example, "<example>", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_is_short(example):
    assert len([line for line in example.splitlines() if line.strip()]) <= 12
