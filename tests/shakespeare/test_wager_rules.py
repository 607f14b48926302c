"""Phase 1, the wager: rules W1 to W4."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import legal, play
from tests.shakespeare.positions import each, seat, wager_position


def test_w1_every_seat_chooses_1_to_5_cylinders():
    d = wager_position()
    choices = {f"wager:{k}" for k in range(1, 6)}
    for made in range(4):
        assert legal(d, *["wager:3"] * made) == choices


def test_w1_nothing_happens_before_all_wagers_are_in():
    d = wager_position(players=3, order=[2, 0, 1])
    after = play(d, "wager:1", "wager:4")
    assert (after["phase"], after["to_move"]) == ("wager", 1)
    assert each(after, "wager") == [4, None, 1]
    assert each(after, "cylinders") == [0, 0, 0]
    assert each(after, "prestige") == [5, 5, 5]
    assert (after["order"], after["initiative"]) == ([2, 0, 1], [2, 0, 1])


def test_w2_the_fewest_cylinders_come_first():
    after = play(wager_position(), "wager:5", "wager:2", "wager:4", "wager:1")
    assert after["order"] == [3, 1, 2, 0]
    assert (after["phase"], after["to_move"]) == ("turn", 3)


def test_w2_ties_go_to_the_higher_place_on_the_initiative_track():
    d = wager_position(order=[0, 1, 2, 3], initiative=[2, 3, 1, 0])
    after = play(d, "wager:3", "wager:3", "wager:3", "wager:3")
    assert after["order"] == [2, 3, 1, 0]


def test_w2_a_tie_is_broken_within_the_tied_seats_only():
    d = wager_position(order=[0, 1, 2, 3], initiative=[3, 1, 0, 2])
    after = play(d, "wager:2", "wager:4", "wager:2", "wager:4")
    assert after["order"] == [0, 2, 3, 1]


def test_w3_the_first_in_the_new_order_scores_1_prestige():
    after = play(wager_position(players=3), "wager:3", "wager:5", "wager:2")
    assert each(after, "prestige") == [5, 5, 6]


def test_w3_one_seat_only_scores_on_a_tie_for_the_fewest():
    d = wager_position(players=3, initiative=[1, 2, 0])
    after = play(d, "wager:1", "wager:1", "wager:1")
    assert each(after, "prestige") == [5, 6, 5]


def test_w4_the_initiative_track_is_emptied():
    after = play(wager_position(players=2), "wager:2", "wager:3")
    assert after["initiative"] == []


def test_w4_the_wagered_cylinders_are_available():
    after = play(wager_position(), "wager:5", "wager:2", "wager:4", "wager:1")
    assert each(after, "cylinders") == [5, 2, 4, 1]
    assert each(after, "wager") == [5, 2, 4, 1]


def test_w4_a_wager_sets_how_often_a_seat_can_activate():
    d = wager_position(players=2, seats={0: seat(["iago"])})
    after = play(d, "wager:1", "wager:2", "activate:iago", "activate:falstaff", "recruit:assistant")
    # Seat 0 has no cylinder left: it recruits, and that is the end of its day.
    assert (after["to_move"], after["seats"][0]["cylinders"]) == (1, 0)


@pytest.mark.parametrize("move", ["wager:0", "wager:6"])
def test_w1_wagering_none_or_more_than_five_is_no_move(move):
    game = Position.from_dict(wager_position())
    assert move not in game.moves()
    with pytest.raises(ValueError, match=move):
        game.push(move)
