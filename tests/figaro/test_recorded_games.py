"""Recorded games of every number of seats, replayed; what is observed, number by number.

Those of three, five and six seats were recorded by an independent implementation of the same
numbered rules, with which the engine was compared; the one of four seats by another program.
"""

from pathlib import Path

import numpy as np
import pytest

from shakespeare_env import Position, observation_layout
from tests.contract.random_games import game_from
from tests.contract.recorded_games import RecordedGame
from tests.figaro.cards import HAND, deck
from tests.figaro.observed import MOST_SEATS, expected
from tests.figaro.positions import in_play
from tests.figaro.samples import OURS, SAMPLES

DATA = Path(__file__).parent / "data"
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


LAYOUT = observation_layout("figaro")
tables = pytest.mark.parametrize("table", OURS, ids=str)


def assert_as_expected(reached, seat):
    """Every field holds what plain Python makes of the text; absent seats hold zeros."""
    seen = reached.observation(seat)
    assert seen.dtype == np.int8
    fields = expected(reached.to_dict(), seat)
    for field in LAYOUT:
        numbers = fields.pop(field.name, None)
        if numbers is None:
            absent = [f"seat{place}." for place in range(reached.players, MOST_SEATS)]
            assert field.name.startswith(tuple(absent)), field.name
            numbers = [0] * field.size
        assert seen[field.slice].tolist() == numbers, (field.name, seat)
        assert field.low <= min(numbers) <= max(numbers) <= field.high
    assert not fields


@tables
def test_played_games_are_observed_number_by_number(table):
    """Every decision of a game, seen by every seat, and its end."""
    for reached in game_from(table.position(70), salt=70):
        for seat in range(table.players):
            assert_as_expected(reached, seat)


@pytest.mark.parametrize("make", SAMPLES)
def test_positions_written_by_hand_are_observed_number_by_number(make):
    read = Position.from_dict(make())
    for seat in range(read.players):
        assert_as_expected(read, seat)
