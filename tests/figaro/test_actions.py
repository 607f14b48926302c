"""What each id says, and that it means the same to every mover (layout of the action table)."""

import pytest

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.figaro.actions import PLAY, RING, TABLE, TAKE
from tests.figaro.cards import KINDS
from tests.figaro.samples import OURS, positions, rotated, turn

tables = pytest.mark.parametrize("table", OURS, ids=str)
CARDS = KINDS[:-1]
PLACES = tuple(f"seat {{+{place}}}" for place in range(6))


def test_every_card_but_the_ring_is_played_before_each_of_six_places_then_ring_and_take():
    expected = [f"play:{card}>{{+{place}}}" for card in CARDS for place in range(6)]
    assert [*TABLE.texts] == [*expected, "ring", "take"]
    assert (PLAY, RING, TAKE) == (0, 102, 103)
    assert registry.game("figaro").actions is TABLE


def test_a_move_names_the_seat_at_the_table():
    game = Position.from_dict(turn())  # seat 2 of 4 moves
    ids = {move: game.action_id(move) for move in game.moves()}
    jester = CARDS.index("jester-2") * 6
    assert {move: ids[move] - jester for move in ids if "jester" in move} == {
        "play:jester-2>2": 0,
        "play:jester-2>3": 1,
        "play:jester-2>0": 2,
        "play:jester-2>1": 3,
    }
    assert game.describe_move("play:green-1>3") == "play green 1 before seat 3"


def assert_rotated(one, other, places):
    """Positions that differ only in where the table begins to count: every seat sees the same."""
    assert rotated(one.to_dict(), places) == other.to_dict()
    assert one.action_mask().tolist() == other.action_mask().tolist()
    for seat in range(one.players):
        seen = other.observation((seat + places) % one.players)
        assert one.observation(seat).tolist() == seen.tolist()
    scores = one.scores()
    assert [scores[(seat - places) % one.players] for seat in range(one.players)] == other.scores()


@pytest.mark.slow
@tables
def test_a_move_does_the_same_wherever_one_sits(table):
    """And is the same id; up to the end of the round, for what is dealt next is chance."""
    compared = 0
    for number, reached in enumerate(positions(table, seed=5, every=2)):
        if reached.to_move is None:
            continue
        places = 1 + number % (table.players - 1)
        turned = Position.from_dict(rotated(reached.to_dict(), places))
        for action in reached.action_mask().nonzero()[0].tolist()[::3]:
            one, other = reached.copy(), turned.copy()
            one.push(one.move_text(action))
            other.push(other.move_text(action))
            if one.to_move is None or one.to_dict()["round"] == reached.to_dict()["round"]:
                assert_rotated(one, other, places)
                compared += 1
    assert compared > 100
