"""Every number of an observation against the position in text (Rules D3, layout in the package)."""

import pytest

from shakespeare_env import Position, observation_layout
from shakespeare_env.shakespeare.rules.objective_values import counted
from tests.contract.random_games import TABLES, game_from
from tests.shakespeare.observed import expected, metrics
from tests.shakespeare.record.test_recorded_games import GAMES

TABLES_HERE = [table for table in TABLES if table.game == "shakespeare"]


def assert_as_expected(position, seat, known):
    """Every field holds what plain Python makes of the text; absent seats hold zeros."""
    seen = position.observation(seat)
    fields = expected(position.to_dict(), seat, known)
    for field in observation_layout("shakespeare"):
        numbers = fields.pop(field.name, [0] * field.size)
        assert seen[field.slice].tolist() == numbers, (field.name, seat, position.phase)
    assert not fields


@GAMES
def test_recorded_games_are_observed_number_by_number(game):
    """Read from text, where nobody remembers what it put back."""
    for recorded in game.positions()[::3]:
        position = Position.from_dict(recorded)
        for seat in range(position.players):
            assert_as_expected(position, seat, known={})


@pytest.mark.parametrize("table", TABLES_HERE, ids=str)
def test_played_games_are_observed_number_by_number(table):
    """What a seat put back is followed by hand: the others of its draw, at the bottom (T17)."""
    position = table.position(seed=70)
    knows: dict[str, int] = {}
    before = position.to_dict()
    for number, reached in enumerate(game_from(position, salt=70)):
        now = reached.to_dict()
        pile = now["objective_deck"]
        if len(pile) > len(before["objective_deck"]):
            put_back = pile[len(before["objective_deck"]) :]
            knows |= dict.fromkeys(put_back, before["to_move"])
        knows = {objective: seat for objective, seat in knows.items() if objective in pile}
        before = now
        if number % 3:
            continue
        for seat in range(table.players):
            for metric, value in metrics(now, seat).items():
                assert min(counted(now, seat, metric), 127) == value, (metric, number)
        for seat in range(table.players):
            known = {o: pile.index(o) + 1 for o, owner in knows.items() if owner == seat}
            assert_as_expected(reached, seat, known)
