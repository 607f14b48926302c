"""What shows a person a secret cannot be taken back: wagers of others, drawn objectives."""

import pytest

from shakespeare_agents.single_game import SingleGame
from shakespeare_agents.taking_back import take_back
from shakespeare_env import Position

SHOWN = "stays played: it has shown you what you did not know"


def nothing(*arguments):
    """Tells nobody of a move."""


def pushed(players, *moves):
    played = SingleGame(Position.new(players=players, seed=3), {}, 3)
    for move in moves:
        chosen = move or played.position.moves()[0]
        played.push(chosen, nothing)
    return played


def test_a_wager_may_change_while_others_are_hidden():
    played = pushed(3, *[""] * 3, "wager:2")
    first = played.positions[-2].to_move
    assert take_back(played, first) == "wager:2"


def test_the_last_wager_shows_the_others():
    played = pushed(3, *[""] * 3, "wager:2", "wager:3", "wager:4")
    last = played.positions[-2].to_move
    with pytest.raises(ValueError, match=SHOWN):
        take_back(played, last)


def test_objectives_drawn_have_been_seen():
    played = pushed(1, "", "activate:queen", "queen:objectives")
    with pytest.raises(ValueError, match=SHOWN):
        take_back(played, 0)
    assert played.position.phase == "objective"
    assert played.moves[-1] == "queen:objectives"


def test_money_of_the_queen_may_go_back():
    played = pushed(1, "", "activate:queen", "queen:money")
    assert take_back(played, 0) == "queen:money"
    assert take_back(played, 0) == "activate:queen"
