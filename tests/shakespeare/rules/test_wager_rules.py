"""Phase 1, the wager: rules W1 to W4."""

from tests.contract.playing import legal, play
from tests.shakespeare.positions import each, seat, wager_position


def test_w1_every_seat_chooses_1_to_5_cylinders():
    choices = {f"wager:{k}" for k in range(1, 6)}
    for made in range(4):
        assert legal(wager_position(), *["wager:3"] * made) == choices


def test_w1_nothing_happens_before_all_wagers_are_in():
    d = wager_position(players=3, order=[2, 0, 1])
    after = play(d, "wager:1", "wager:4")
    assert (after["phase"], after["to_move"]) == ("wager", 1)
    assert each(after, "wager") == [4, None, 1]
    for field in ("cylinders", "prestige"):
        assert each(after, field) == each(d, field)
    assert (after["order"], after["initiative"]) == (d["order"], d["initiative"])


def test_w2_the_fewest_cylinders_come_first_and_w4_initiative_is_emptied():
    after = play(wager_position(), "wager:5", "wager:2", "wager:4", "wager:1")
    assert (after["order"], after["initiative"]) == ([3, 1, 2, 0], [])
    assert (after["phase"], after["to_move"]) == ("turn", 3)


def test_w2_ties_go_to_the_higher_place_on_the_initiative_track():
    d = wager_position(initiative=[2, 3, 1, 0], order=[0, 1, 2, 3])
    assert play(d, *["wager:3"] * 4)["order"] == [2, 3, 1, 0]
    d = wager_position(initiative=[3, 1, 0, 2], order=[0, 1, 2, 3])
    assert play(d, "wager:2", "wager:4", "wager:2", "wager:4")["order"] == [0, 2, 3, 1]


def test_w3_the_first_in_the_new_order_scores_1_prestige_one_seat_only():
    after = play(wager_position(players=3), "wager:3", "wager:5", "wager:2")
    assert each(after, "prestige") == [5, 5, 6]
    d = wager_position(players=3, initiative=[1, 2, 0])
    assert each(play(d, *["wager:1"] * 3), "prestige") == [5, 6, 5]


def test_w4_the_wagered_cylinders_are_available():
    d = wager_position(players=2, seats={0: seat(["iago"])})
    after = play(d, "wager:1", "wager:2")
    assert (each(after, "cylinders"), each(after, "wager")) == ([1, 2], [1, 2])
    after = play(after, "activate:iago", "activate:falstaff", "recruit:assistant")
    # Seat 0 has no cylinder left: it recruits, and that is the end of its day.
    assert (after["to_move"], after["seats"][0]["cylinders"]) == (1, 0)
