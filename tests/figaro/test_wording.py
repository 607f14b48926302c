"""Words about piles and roads say what the rules find."""

import numpy as np
import pytest

from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text.wording import (
    in_order,
    pile_colour,
    pile_total,
    ranking,
    suit_of,
    value_of,
)
from tests.figaro.cards import KINDS
from tests.figaro.positions import OURS, over, position, positions


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
