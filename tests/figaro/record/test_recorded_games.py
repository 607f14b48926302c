"""Recorded games of every number of seats, replayed move by move.

Those of three, five and six seats were recorded by an independent implementation of the same
numbered rules, with which the engine was compared; the one of four seats by another program.
"""

from pathlib import Path

import pytest

from tests.contract.recorded_games import RecordedGame
from tests.figaro.cards import HAND, deck
from tests.figaro.positions import in_play

DATA = Path(__file__).parents[1] / "data"
SEATS = ("three_seats", "four_seats", "five_seats", "six_seats")
GAMES = pytest.mark.parametrize("game", [RecordedGame(DATA, name) for name in SEATS], ids=str)


def dealt(before, after):
    """The hands, where a new round was dealt (A1)."""
    return ["hands"] if after["round"] > before["round"] else []


def assert_deal_possible(d):
    """Every seat has a full hand of the cards that are dealt, none lies elsewhere (A1)."""
    players = d["players"]
    assert in_play(d) == deck(players)
    assert [sum(hand.values()) for hand in d["hands"]] == [HAND[players]] * players


@GAMES
def test_positions_legal_moves_moves_winners_and_scores_are_those_recorded(game):
    game.check_positions()
    game.check_legal_moves()
    game.check_moves(dealt)
    game.check_result(lambda last: [-sum(road) for road in last["roads"]])


@GAMES
def test_what_was_dealt_is_possible_in_the_record_and_in_the_engine(game):
    deals = [*game.draws(dealt)]
    assert len(deals) == 2
    for step in deals:
        assert_deal_possible(step.after)
        assert_deal_possible(step.played())
