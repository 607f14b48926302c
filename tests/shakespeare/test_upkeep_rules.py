"""Phase 5, upkeep: rules U1 to U3."""

from collections import Counter

import pytest

from tests.contract.playing import play
from tests.shakespeare.positions import COLOURS, COPIES, last_turn

SEAT_COUNTS = pytest.mark.parametrize("players", [1, 2, 3, 4])
SHOWN = ["hamlet", "jeweler"]


def row(players):
    """Cards in a full row."""
    return max(players, 2) + 2


def evening(players=4, day=3, **fields):
    """The last pass of a day with two cards still shown."""
    return last_turn(players=players, day=day, **({"shown": SHOWN} | fields))


@SEAT_COUNTS
def test_u1_cards_left_over_are_discarded_and_two_more_than_seats_drawn(players):
    d = evening(players)
    after = play(d, "pass")
    assert after["discarded_characters"] == SHOWN
    assert len(after["display"]["characters"]) == row(players)
    assert Counter(after["deck"]) + Counter(after["display"]["characters"]) == Counter(d["deck"])


def test_u1_cards_are_drawn_at_random():
    rows = {tuple(play(evening(), "pass", seed=seed)["display"]["characters"]) for seed in range(6)}
    assert len(rows) > 1


def test_u1_if_the_deck_is_short_the_discards_are_shuffled_into_a_new_one():
    d = evening(deck=["lear", "viola"])
    for seed in range(6):
        after = play(d, "pass", seed=seed)
        shown, deck = after["display"]["characters"], after["deck"]
        # What is left of the old deck is drawn first.
        assert {"lear", "viola"} <= set(shown)
        assert len(shown) == 6
        # Today's leftovers were discarded before, so they are in the new deck too.
        pool = Counter(d["discarded_characters"]) + Counter(SHOWN) + Counter(["lear", "viola"])
        assert Counter(shown) + Counter(deck) == pool
        assert after["discarded_characters"] == []


def test_u1_todays_leftovers_can_come_back_with_a_new_deck():
    back = [
        play(evening(deck=[]), "pass", seed=seed)["display"]["characters"] for seed in range(40)
    ]
    assert any("hamlet" in shown for shown in back)


def test_u1_a_deck_that_is_just_enough_is_not_shuffled():
    deck = ["beatrice", "iago", "lear", "puck", "romeo", "viola"]
    d = evening(deck=deck)
    after = play(d, "pass")
    assert (after["display"]["characters"], after["deck"]) == (deck, [])
    assert Counter(after["discarded_characters"]) == Counter(d["discarded_characters"] + SHOWN)


def test_u1_no_card_is_lost():
    for deck in (None, ["lear"], []):
        after = play(evening(deck=deck), "pass")
        everything = after["deck"] + after["discarded_characters"] + after["display"]["characters"]
        assert Counter(everything) == COPIES


@SEAT_COUNTS
@pytest.mark.parametrize("kind", ["sets", "costumes"])
def test_u2_elements_left_over_are_discarded_and_three_for_each_seat_drawn(players, kind):
    left = {"pink": 1, "yellow": 2}
    d = evening(players, sets=left, costumes=left)
    after = play(d, "pass")
    gone = {colour: d["discarded"][kind][colour] + left.get(colour, 0) for colour in COLOURS}
    assert after["discarded"][kind] == gone
    assert sum(after["display"][kind].values()) == 3 * max(players, 2)
    together = Counter(after["bags"][kind]) + Counter(after["display"][kind])
    assert together == Counter(d["bags"][kind])


def test_u2_elements_are_drawn_at_random():
    drawn = {tuple(play(evening(), "pass", seed=s)["display"]["sets"].values()) for s in range(6)}
    assert len(drawn) > 1


def test_u2_the_bag_is_drawn_empty_on_the_last_evening():
    d = evening(day=5)
    after = play(d, "pass")
    assert set(after["bags"]["sets"].values()) == {0}
    assert after["display"]["sets"] == d["bags"]["sets"]


@pytest.mark.parametrize("day", [1, 2, 3, 4, 5])
def test_u3_the_day_advances(day):
    assert play(evening(day=day), "pass")["day"] == day + 1


def test_u3_there_is_no_upkeep_on_day_6():
    d = evening(day=6, sets={"pink": 2}, costumes={"yellow": 1})
    after = play(d, "pass")
    assert (after["phase"], after["day"]) == ("over", 6)
    for field in ("display", "bags", "discarded", "deck", "discarded_characters"):
        assert after[field] == d[field], field
