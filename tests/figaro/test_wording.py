"""Words about piles and roads say what the rules find."""

import numpy as np
import pytest

from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text.wording import (
    in_order,
    next_scoring,
    pile_colour,
    pile_total,
    ranking,
    suit_of,
    value_of,
)
from tests.contract.playing import play
from tests.figaro.cards import KINDS
from tests.figaro.positions import OURS, ending, last_card, over, position, positions


@pytest.mark.parametrize("table", OURS, ids=str)
def test_piles_and_rankings_are_those_of_the_record(table):
    for reached in positions(table, seed=5, every=7):
        record = reached.record()
        text = reached.to_dict()
        for seat, pile in enumerate(text["front"]):
            assert pile_total(pile) == record["total"][seat]
            colour = pile_colour(pile)
            assert (t.COLOURS.index(colour) if colour else t.NO_COLOUR) == record["colour"][seat]
        scores = np.array(reached.scores())
        assert (np.diff(scores[ranking(text)]) <= 0).all()
        if reached.winners:
            assert ranking(text)[:1] == reached.winners


def test_equal_roads_rank_clockwise_from_the_king():
    assert ranking(over())[0] == 3
    assert ranking(position(players=4, king=2)) == [2, 3, 0, 1]


def test_cards_are_read_as_the_box_prints_them():
    for kind, card in enumerate(KINDS):
        assert value_of(card) == t.VALUE[kind]
        assert card.startswith(suit_of(card))
    assert suit_of("?") == "?"
    assert in_order(["ring", "?", "blue-2", "red-3", "blue-1"]) == [
        "red-3",
        "blue-1",
        "blue-2",
        "ring",
        "?",
    ]


@pytest.mark.parametrize(
    ("in_round", "roads"),
    [(1, [[], [], [], []]), (2, [[15], [12], [9], []]), (3, [[15], [12], [9], [14]])],
)
def test_the_end_of_a_round_is_forecast_as_it_then_comes(in_round, roads):
    """Nobody has taken as many cards as another, and in the last round a piece is exchanged."""
    before = ending([4, 9, 6, 3], ender=2, in_round=in_round, roads=roads)
    found = next_scoring(before)
    after = play(before, last_card(2))
    lengths = [list(map(sum, position["roads"])) for position in (before, after)]
    assert found is not None
    assert list(found.points) == [old - new for old, new in zip(*lengths, strict=True)]
    assert any(found.points)


def test_tied_seats_are_ranked_in_the_forecast_as_if_the_seat_to_move_got_the_king():
    before = ending([5, 5, 3, 2], ender=1)  # seat 0 is to move
    found = next_scoring(before)
    assert found is not None
    longest, second, third = before["pieces"][0]
    assert list(found.points) == [-second, -longest, -third, 0]


def test_nothing_is_forecast_after_the_end():
    assert next_scoring(over()) is None
