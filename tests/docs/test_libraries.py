"""The table in docs/libraries.md comes from what was tried."""

import pytest

from tests.ecosystem import recipes
from tests.ecosystem.environments import LIBRARIES, RECIPES, ROOT, Outcome
from tests.ecosystem.table import BEGIN, END, rows, write

WORKING = Outcome({"ray": "2.60.0", "numpy": "2.4.6", "torch": "2.13.0+cpu"}, "3.11.7", 1, None)
BROKEN = Outcome({}, "3.11.7", 0, "pip cannot install it: a | b")
RAY = next(library for library in LIBRARIES if library.key == "rllib")


def test_a_row_says_versions_and_whether_it_works():
    row = rows([(RAY, WORKING)]).splitlines()[-1]
    assert row == "| RLlib | ray 2.60.0 | numpy 2.4.6, torch 2.13.0 | 3.11.7 | works |"


def test_a_row_says_why_not():
    row = rows([(RAY, BROKEN)]).splitlines()[-1]
    assert "**does not work**: pip cannot install it: a / b" in row
    assert "ray not installed" in row


def test_the_page_keeps_the_rest(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write([(RAY, WORKING)], page)
    assert page.read_text() == f"before\n{BEGIN}\n\n{rows([(RAY, WORKING)])}\n\n{END}\nafter\n"


def test_a_page_without_the_markers_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("no table\n")
    with pytest.raises(ValueError, match="put the lines"):
        write([(RAY, WORKING)], page)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.key)
def test_every_library_has_its_files_and_is_shown(library):
    assert (RECIPES / f"{library.key}.txt").exists()
    assert (ROOT / "tests" / "ecosystem" / f"test_{library.key}.py").exists()
    shown = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    (recipe,) = (path.name for path in RECIPES.glob(f"{library.key}_*.py"))
    assert f"\nThe recipe: [docs/libraries/{recipe}](libraries/{recipe}).\n" in shown
    assert library.title in shown


def test_the_ppo_in_one_file_has_under_100_lines():
    assert len((recipes.FOLDER / "cleanrl_ppo.py").read_text().splitlines()) < 100
