"""What shows a person a secret cannot be taken back: wagers of others, drawn objectives."""

import pytest

from shakespeare_agents.session import Session
from shakespeare_env import Position


@pytest.mark.parametrize(
    ("players", "moves", "taken_back"),
    [
        (3, [None] * 3 + ["wager:2"], "wager:2"),
        (3, [None] * 3 + ["wager:2", "wager:3", "wager:4"], None),  # has shown the others'
        (1, [None, "activate:queen", "queen:objectives"], None),  # has shown objectives
        (1, [None, "activate:queen", "queen:money"], "queen:money"),
    ],
)
def test_what_has_shown_a_secret_stays_played(players, moves, taken_back):
    played = Session(Position.new(players=players, seed=3), {}, 3)
    for move in moves:
        played.push(move or played.position.moves()[0])
    mover = played.positions[-2].to_move or 0
    if taken_back:
        assert played.take_back(mover) == taken_back
        return
    with pytest.raises(ValueError, match="stays played: it has shown you what you did not know"):
        played.take_back(mover)
    assert played.moves[-1] == moves[-1]
