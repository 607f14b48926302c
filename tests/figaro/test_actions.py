"""What each id says, and that it means the same to every mover (layout of the action table)."""

import pytest

from shakespeare_env import IllegalMove, Position, registry
from shakespeare_env.figaro.actions import PLAY, RING, TABLE, TAKE
from tests.figaro.cards import KINDS
from tests.figaro.samples import OURS, SAMPLES, positions, rotated, turn

tables = pytest.mark.parametrize("table", OURS, ids=str)
CARDS = KINDS[:-1]
PLACES = tuple(f"seat {{+{place}}}" for place in range(6))


def test_every_card_but_the_ring_is_played_before_each_of_six_places_then_ring_and_take():
    expected = [f"play:{card}>{{+{place}}}" for card in CARDS for place in range(6)]
    assert [*TABLE.texts] == [*expected, "ring", "take"]
    assert (PLAY, RING, TAKE) == (0, 102, 103)
    assert registry.game("figaro").actions is TABLE


def test_descriptions_say_the_card_and_the_place():
    for card in CARDS:
        for place, seat in enumerate(PLACES):
            action = TABLE.texts.index(f"play:{card}>{{+{place}}}")
            said = f"play {card.replace('-', ' ')} before {seat}"
            assert TABLE.descriptions[action] == said
    assert TABLE.descriptions[RING].startswith("play a ring before seat {+0};")
    assert TABLE.descriptions[TAKE].startswith("take all face-up cards")


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


@tables
def test_no_move_names_a_seat_that_is_not_there(table):
    for reached in positions(table, seed=21, every=3):
        for move in reached.moves():
            kind, _, what = move.partition(":")
            assert kind in ("play", "ring", "take")
            if kind == "play":
                card, _, seat = what.partition(">")
                assert card in CARDS
                assert 0 <= int(seat) < table.players


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
def test_ids_masks_and_observations_are_the_same_wherever_one_sits(table):
    for seed in range(2):
        for number, reached in enumerate(positions(table, seed)):
            for places in range(1, table.players):
                if (number + places) % 3 == 0:
                    other = Position.from_dict(rotated(reached.to_dict(), places))
                    assert_rotated(reached, other, places)


@pytest.mark.slow
@tables
def test_a_move_does_the_same_wherever_one_sits(table):
    """Up to the end of the round, for what is dealt next is chance."""
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


@pytest.mark.slow
@tables
def test_a_round_ends_the_same_wherever_one_sits(table):
    """Who gets which piece, ties too, is told from the King's seat (C2 to C4)."""
    ended = 0
    for seed in range(20):
        before: Position | None = None
        for reached in positions(table, seed):
            if before and (reached.to_move is None or round_of(reached) != round_of(before)):
                for places in range(1, table.players):
                    turned = Position.from_dict(rotated(before.to_dict(), places))
                    turned.push(turned.move_text(before.action_id(move_to(before, reached))))
                    one, other = rotated(reached.to_dict(), places), turned.to_dict()
                    for key in ("round", "king", "roads", "pieces", "winners"):
                        assert one[key] == other[key], key
                    ended += 1
            before = reached.copy()
    assert ended == 60 * (table.players - 1)


def round_of(position):
    return position.to_dict()["round"]


def move_to(before, after):
    """A move that leads from one position to another, with the chance that was to come."""
    for move in before.moves():
        tried = before.copy()
        tried.push(move)
        if tried == after:
            return move
    raise AssertionError("no such move")


@pytest.mark.parametrize("make", SAMPLES)
def test_every_text_of_the_table_is_either_legal_or_refused(make):
    game = Position.from_dict(make())
    mask = game.action_mask()
    for action in range(TABLE.size):
        tried = game.copy()
        if mask[action]:
            tried.push(game.move_text(action))
        else:
            with pytest.raises(IllegalMove):
                tried.push(game.move_text(action))
        assert (tried == game) != mask[action]
