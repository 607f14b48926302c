"""Legal-move counts to a depth, position by position (see `move_counts.py`)."""

import pytest

from shakespeare_env import Position, registry
from tests.contract import knowledge
from tests.contract.move_counts import DEPTH, counted, names, read

POSITIONS = [(game, name) for game in registry.names() for name in names(game)]


def breakdown(expected, found):
    """Every first move whose counts are not as expected."""
    lines = []
    for move in sorted(expected.keys() | found.keys()):
        if expected.get(move) != found.get(move):
            lines.append(f"{move:32} expected {expected.get(move)}, found {found.get(move)}")
    return "\n" + "\n".join(lines)


@pytest.mark.parametrize(("game", "name"), POSITIONS)
def test_as_many_sequences_of_moves_as_before(game, name):
    expected = read(game, name)
    found = counted(expected)
    assert found["after"] == expected["after"], breakdown(expected["after"], found["after"])
    assert found["counts"] == expected["counts"]
    assert len(found["counts"]) == DEPTH


@pytest.mark.parametrize("game", registry.names())
def test_every_phase_and_every_number_of_seats_is_counted(game):
    positions = [read(game, name)["position"] for name in names(game)]
    assert {position["game"] for position in positions} == {game}
    phases = {Position.from_dict(position).phase for position in positions}
    assert phases == knowledge.of(game, "facts").PHASES
    assert {position["players"] for position in positions} == set(registry.seats(game))


def test_a_breakdown_names_the_moves_that_differ():
    told = breakdown({"pass": [1, 2], "done": [3, 4]}, {"pass": [1, 2], "done": [3, 5]})
    assert told.split() == ["done", "expected", "[3,", "4],", "found", "[3,", "5]"]
