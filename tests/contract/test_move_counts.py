"""Legal-move counts to a depth, position by position (see `move_counts.py`)."""

import pytest

from shakespeare_env import Position
from shakespeare_env.core import registry
from tests.contract import knowledge
from tests.contract.move_counts import counted, names, read

POSITIONS = [(game, name) for game in registry.names() for name in names(game)]


@pytest.mark.parametrize(("game", "name"), POSITIONS)
def test_as_many_sequences_of_moves_as_before(game, name):
    expected = read(game, name)
    found = counted(expected)
    assert found["after"] == expected["after"]
    assert found["counts"] == expected["counts"]


@pytest.mark.parametrize("game", registry.names())
def test_every_phase_and_every_number_of_seats_is_counted(game):
    positions = [read(game, name)["position"] for name in names(game)]
    assert {position["game"] for position in positions} == {game}
    phases = {Position.from_dict(position).phase for position in positions}
    assert phases == knowledge.of(game, "facts").PHASES
    assert {position["players"] for position in positions} == set(registry.seats(game))
