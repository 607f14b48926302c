"""Legal-move counts to a depth, position by position (see `move_counts.py`)."""

import pytest

from shakespeare_env import registry
from tests.contract.move_counts import DEPTH, counted, names, read

PHASES = {
    "shakespeare": {
        *("draft", "wager", "turn", "craft", "quill", "back", "queen", "objective", "rest"),
    },
}
"""Every phase with a decision, by game."""


def breakdown(expected, found):
    """Every first move whose counts are not as expected."""
    lines = []
    for move in sorted(expected.keys() | found.keys()):
        if expected.get(move) != found.get(move):
            lines.append(f"{move:32} expected {expected.get(move)}, found {found.get(move)}")
    return "\n" + "\n".join(lines)


@pytest.mark.parametrize("name", names())
def test_as_many_sequences_of_moves_as_before(name):
    expected = read(name)
    found = counted(expected)
    assert found["after"] == expected["after"], breakdown(expected["after"], found["after"])
    assert found["counts"] == expected["counts"]
    assert len(found["counts"]) == DEPTH


@pytest.mark.parametrize("game", registry.names())
def test_every_phase_and_every_number_of_seats_is_counted(game):
    positions = [read(name)["position"] for name in names()]
    ours = [position for position in positions if position["game"] == game]
    assert {position["phase"] for position in ours} == PHASES[game]
    seats = range(registry.game(game).min_seats, registry.game(game).max_seats + 1)
    assert {position["players"] for position in ours} == set(seats)


def test_a_breakdown_names_the_moves_that_differ():
    told = breakdown({"pass": [1, 2], "done": [3, 4]}, {"pass": [1, 2], "done": [3, 5]})
    assert told.split() == ["done", "expected", "[3,", "4],", "found", "[3,", "5]"]
