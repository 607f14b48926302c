"""An illegal move is refused with all one needs to know, and changes nothing."""

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, Position
from tests.contract.random_games import chosen, differing_fields
from tests.figaro.samples import opening, over, position, trio, turn

CASES = [
    (turn, "play:green-1>4", 2),  # seats that are not at the table
    (turn, "play:jester-2>-1", 2),
    (opening, "play:red-1>6", 4),
    (turn, "play:red-1>0", 2),  # cards of other hands
    (turn, "play:green-1>0", 2),  # another seat has that colour
    (turn, "play:green-1>2", 2),  # a seat with another colour
    (trio, "take", 1),  # an empty table
    (turn, "play:ring>2", 2),  # what the notation does not write
    (turn, "play:green-1>{+1}", 2),
    (turn, "play:green-1>03", 2),
    (turn, "play:green-1>3\n", 2),
    (turn, "", 2),
    (turn, "take" * 100_000, 2),
    (turn, "\N{DIGIT THREE FULL STOP}", 2),
    (turn, None, 2),  # no texts
    (turn, 102, 2),
    (turn, True, 2),
    (turn, b"ring", 2),
    (turn, ["ring"], 2),
    (turn, {"ring": 1}, 2),
]
IDS = [f"{make.__name__}-{move!r}"[:40] for make, move, _ in CASES]


@pytest.mark.parametrize(("make", "move", "seat"), CASES, ids=IDS)
def test_the_error_says_who_what_where_and_what_would_have_been_legal(make, move, seat):
    game = Position.from_dict(make())
    legal, before = game.moves(), game.record()
    with pytest.raises(IllegalMove) as caught:
        game.push(move)
    error = caught.value
    assert error.move is move
    assert (error.seat, error.phase, error.legal) == (seat, "turn", legal)
    assert error.game_index is None
    assert repr(move) in str(error)
    assert f"seat {seat} decides in phase 'turn'; legal: {legal[0]}" in str(error)
    assert differing_fields(game.record(), before) == []


@pytest.mark.parametrize("move", ["take", "play:red-1>0", None])
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


def test_a_batch_names_the_game_and_the_move_as_its_mover_writes_it():
    batch = Batch("figaro", 4, players=[3, 4, 5, 6], seed=3)
    for step in range(30):
        batch.step(chosen(batch.mask, step))
    before = batch.save(slice(None))
    for index in range(4):
        seats = int(batch.players[index])
        texts = batch.game.actions.texts_for(int(batch.to_move[index]), seats)
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
