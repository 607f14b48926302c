"""An illegal move is refused with all one needs to know, and changes nothing."""

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, Position
from tests.contract.random_games import chosen, differing_fields, stacked
from tests.figaro.samples import opening, over, position, trio, turn

NOBODY_THERE = ("play:green-1>4", "play:green-1>5", "play:jester-2>6", "play:jester-2>-1")
CASES = [
    *[(turn, move, 2) for move in NOBODY_THERE],  # seats that are not at the table
    (trio, "play:blue-2>3", 1),
    (opening, "play:red-1>6", 4),
    (turn, "play:red-1>0", 2),  # cards of other hands, or of none
    (turn, "play:jester-1>0", 2),
    (turn, "play:green-3>3", 2),
    (turn, "play:purple-2>0", 2),
    (turn, "play:green-1>0", 2),  # another seat has that colour
    (turn, "play:green-1>2", 2),  # a seat with another colour
    (trio, "take", 1),  # an empty table
    (opening, "take", 4),
    (turn, "play:ring>2", 2),  # what the notation does not write
    (turn, "play:green-1", 2),
    (turn, "play:green-1>{+1}", 2),
    (turn, "play:green-1>+1", 2),
    (turn, "play:green-1>03", 2),
    (turn, "play:green-4>3", 2),
    (turn, "play:jester-3>3", 2),
    (turn, "PLAY:green-1>3", 2),
    (turn, "play:green-1>3 ", 2),
    (turn, "play:green-1>3\n", 2),
    (turn, "ring\0", 2),
    (turn, "", 2),
    (turn, "pass", 2),
    (turn, "recruit:assistant", 2),
    (turn, "?", 2),
    (turn, "take" * 100_000, 2),
    (turn, "\N{DIGIT THREE FULL STOP}", 2),
    (turn, None, 2),
    (turn, 0, 2),
    (turn, 102, 2),
    (turn, -1, 2),
    (turn, 1.5, 2),
    (turn, True, 2),
    (turn, b"ring", 2),
    (turn, ("ring",), 2),
    (turn, ["ring"], 2),
    (turn, {"ring": 1}, 2),
]
IDS = [f"{make.__name__}-{move!r}"[:40] for make, move, _ in CASES]


@pytest.mark.parametrize(("make", "move", "seat"), CASES, ids=IDS)
def test_the_error_says_who_what_where_and_what_would_have_been_legal(make, move, seat):
    game = Position.from_dict(make())
    legal, before, mask = game.moves(), game.record(), game.action_mask()
    with pytest.raises(IllegalMove) as caught:
        game.push(move)
    error = caught.value
    assert error.move is move
    assert (error.seat, error.phase, error.legal) == (seat, "turn", legal)
    assert error.game_index is None
    assert repr(move) in str(error)
    assert f"seat {seat} decides in phase 'turn'; legal: {legal[0]}" in str(error)
    assert differing_fields(game.record(), before) == []
    assert (game.action_mask() == mask).all()
    assert (game.moves(), game.to_move, game.to_dict()) == (legal, seat, make())


def test_a_ring_that_is_not_held_is_refused():
    game = Position.from_dict(position([{"red-1": 2}, {"ring": 1}, {"red-2": 1}]))
    with pytest.raises(IllegalMove, match="'ring'"):
        game.push("ring")


def test_the_names_of_seats_are_those_of_the_table_not_places():
    """The seat to move is 2: before itself means `>2`, and `>0` names the seat two places on."""
    game = Position.from_dict(turn())
    game.push("play:green-1>3")
    assert game.to_dict()["front"][3][-1] == "green-1"
    assert game.to_dict()["hands"][2] == {"green-2": 1, "jester-2": 1, "ring": 1}


@pytest.mark.parametrize("move", ["take", "ring", "play:red-1>0", "", None])
def test_no_move_is_legal_when_the_game_is_over(move):
    game = Position.from_dict(over())
    with pytest.raises(IllegalMove, match="the game is over; start a new one") as caught:
        game.push(move)
    error = caught.value
    assert (error.move, error.seat, error.phase, error.legal) == (move, None, "over", [])
    assert game.to_dict() == over()


def test_an_illegal_move_does_not_disturb_what_is_dealt_later():
    d = position([{"red-1": 1}, {}, {}], [["red-2", "red-2"], [], []], number=1)
    games = [Position.from_dict(d, seed=4) for _ in range(2)]
    with pytest.raises(IllegalMove):
        games[0].push("ring")
    for game in games:
        game.push("play:red-1>0")
    assert games[0].to_dict() == games[1].to_dict()
    assert games[0].to_dict()["round"] == 2


def batch_of(players, steps=30):
    batch = Batch("figaro", 4, players=players, seed=3)
    for step in range(steps):
        batch.step(chosen(batch.mask, step))
    return batch


@pytest.mark.parametrize("players", [3, 6, [3, 4, 5, 6]])
@pytest.mark.parametrize("index", range(4))
def test_a_batch_names_the_game_and_the_move_as_its_mover_writes_it(players, index):
    batch = batch_of(players)
    before = batch.save(slice(None))
    texts = Position.from_dict(batch.game.to_dict(before[index])).game.actions.texts_for(
        int(batch.to_move[index]), int(batch.players[index])
    )
    legal = [texts[i] for i in np.flatnonzero(batch.mask[index])]
    for action in np.flatnonzero(~batch.mask[index]):
        actions = chosen(batch.mask, 30)
        actions[index] = action
        with pytest.raises(IllegalMove, match=f"in game {index}: seat") as caught:
            batch.step(actions)
        error = caught.value
        assert (error.game_index, error.seat) == (index, batch.to_move[index])
        assert (error.move, error.phase, error.legal) == (texts[action], "turn", legal)
    assert differing_fields(batch.save(slice(None)), before) == []


@pytest.mark.parametrize("action", [-1, -2, 104, 2**31 - 1, -(2**31)])
def test_an_id_that_is_none_is_named_as_it_is(action):
    batch = batch_of(4)
    actions = chosen(batch.mask, 30)
    actions[2] = action
    with pytest.raises(IllegalMove, match=f"illegal move {action} in game 2") as caught:
        batch.step(actions)
    assert caught.value.move == action
    assert not any("{" in move for move in caught.value.legal)


def test_a_game_that_is_over_takes_no_action_in_a_batch():
    end = Position.from_dict(over())
    batch = Batch("figaro", 1, players=end.players, seed=0, autoreset=False)
    batch.load([0], stacked([end.record()]))
    with pytest.raises(IllegalMove, match="the game is over") as caught:
        batch.step([103])
    assert (caught.value.move, caught.value.seat, caught.value.phase) == ("take", None, "over")
    assert caught.value.legal == []
