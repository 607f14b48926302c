"""An arena's standings in the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from shakespeare_agents.arena.tables import standings_tables
from shakespeare_agents.arena.wording import between, milliseconds, number, shown_name
from tests.arena.made_standings import HOSTILE, made_standings

NAMES = ("search,simulations=256", "network", "heuristic", "greedy", "random")


def printed(standings) -> str:
    text = io.StringIO()
    Console(file=text, width=80, color_system=None).print(standings_tables(standings))
    return text.getvalue()


def squeezed(row: str) -> str:
    return " ".join(row.split())


def test_all_figures_stand_in_80_columns():
    text = printed(made_standings(NAMES))
    assert max(map(len, text.splitlines())) <= 80
    row = next(line for line in text.splitlines() if line.startswith("2=  network"))
    assert squeezed(row) == "2= network 60 (40 to 80) 60 (30 to 90) ? 1,001 0.40"
    solo = text[text.index("1 seat") :]
    row = next(line for line in solo.splitlines() if line.startswith("2=  network"))
    assert squeezed(row) == "2= network 29.0 (28.5 to 29.5) 1.0 (0.5 to 1.5) ? 29.0 100"
    assert "random  crash      2  random has ended" in text


def test_each_table_has_a_ladder_and_their_mean_says_what_it_is():
    text = printed(made_standings(NAMES, tables=(2, 3)))
    assert re.findall(r"shakespeare, (\d) seat", text) == ["2", "3", "1"]
    mean = text[text.index("Mean of the ladders for 2 and 3 seats") :].splitlines()
    assert squeezed(mean[4]) == "network 60 (45 to 75)"


def test_the_matrix_tells_who_finished_ahead_of_whom():
    text = printed(made_standings(NAMES))
    matrix = text[text.index("Ahead of, %") :].splitlines()
    row = next(line for line in matrix if "network" in line)
    assert squeezed(row) == "2 network 41 59 67 74"


def test_a_wide_matrix_goes_on_below():
    text = printed(made_standings([f"agent {number}" for number in range(14)]))
    assert max(map(len, text.splitlines())) <= 80
    continued = text[text.index("(continued)") :].splitlines()
    assert squeezed(continued[1]) == "# Agent 13 14"


def test_names_are_no_markup_and_move_no_cursor():
    text = printed(made_standings(HOSTILE))
    assert "[bold]x[/bold]" in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("sure", [True, False])
def test_fields_that_only_play_alone_or_have_no_intervals(sure):
    text = printed(made_standings(["a", "b"], tables=(), sure=sure))
    assert "1 seat" in text
    assert "Elo" not in text
    assert ("(29.5 to 30.5)" in text) == sure


def test_no_games_are_said_to_be_none():
    assert printed(made_standings([])).strip() == "No game has been finished yet."


def test_numbers_are_as_precise_as_they_need_to_be():
    times = [0.0001, 0.004, 0.0451, 0.9, 9.94, 9.96, 24.4, 1600, None]
    shown = ["<0.001", "0.004", "0.045", "0.90", "9.9", "10", "24", "1,600", "–"]
    assert [milliseconds(time) for time in times] == shown
    assert [number(value) for value in (-0.3, -1234.5, None, float("nan"))] == [
        "0",
        "−1,234",
        "–",
        "–",
    ]
    assert between(-1.0, 2.0) == "−1 to 2"
    assert between(None, None) == ""


def test_long_names_keep_both_ends():
    assert shown_name("runs/" + "x" * 90 + "/final", 20) == "runs/xxxxx…xxx/final"
    assert shown_name("x" * 20, 20) == "x" * 20
