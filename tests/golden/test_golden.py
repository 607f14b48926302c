"""The golden playthroughs are played again, move by move (see `regenerate.py`)."""

import difflib

import pytest

from tests.golden.regenerate import FOLDER, file_of, golden_tables, playthrough

SHOWN = 60


def difference(expected, found):
    """The first lines that differ, with some context, and how to go on."""
    lines = list(
        difflib.unified_diff(
            expected.splitlines(), found.splitlines(), "kept", "played now", lineterm="", n=2
        )
    )
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    advice = "If that is meant, run `make golden` and look at the difference before keeping it."
    return "\n".join(["", *lines[:SHOWN], *more, advice])


@pytest.mark.parametrize("table", golden_tables(), ids=str)
def test_a_game_goes_as_it_went(table):
    expected = file_of(table).read_text(encoding="utf-8")
    found = playthrough(table)
    if found != expected:
        pytest.fail(difference(expected, found), pytrace=False)


def test_there_is_a_file_for_every_table_and_no_other():
    assert set(FOLDER.iterdir()) == {file_of(table) for table in golden_tables()}


def test_a_difference_shows_the_line_and_the_way_out():
    told = difference("day 1\npass\n", "day 1\ndone\n")
    assert "-pass\n+done" in told
    assert "make golden" in told
