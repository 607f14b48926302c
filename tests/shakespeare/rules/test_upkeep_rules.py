"""Phase 5, upkeep: rules U1 to U3."""

from collections import Counter

import pytest

from tests.contract.playing import play
from tests.shakespeare.positions import COLOURS, COPIES, last_turn

SHOWN = ["hamlet", "jeweler"]


def evening(players=4, day=3, **fields):
    """Return the last turn of a day with two cards still shown."""
    return last_turn(players=players, day=day, **({"shown": SHOWN} | fields))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_u1_cards_left_over_are_discarded_and_two_more_than_seats_drawn_at_random(players):
    d = evening(players)
    rows = set()
    for seed in range(6):
        after = play(d, "pass", seed=seed)
        shown = after["display"]["characters"]
        assert (after["discarded_characters"], len(shown)) == (SHOWN, max(players, 2) + 2)
        assert Counter(after["deck"]) + Counter(shown) == Counter(d["deck"])
        rows.add(tuple(shown))
    assert len(rows) > 1


def test_u1_if_the_deck_is_short_the_discards_are_shuffled_into_a_new_one():
    d = evening(deck=["lear", "viola"])
    returned = set()
    for seed in range(20):
        after = play(d, "pass", seed=seed)
        shown = after["display"]["characters"]
        deck = after["deck"]
        # What is left of the old deck is drawn first.
        assert {"lear", "viola"} <= set(shown)
        assert (len(shown), after["discarded_characters"]) == (6, [])
        # Today's leftovers were discarded before, so they are in the new deck too.
        assert Counter(shown) + Counter(deck) == COPIES
        returned |= {"hamlet"} & set(shown)
    assert returned


def test_u1_a_deck_that_is_just_enough_is_not_shuffled():
    deck = ["beatrice", "iago", "lear", "puck", "romeo", "viola"]
    d = evening(deck=deck)
    after = play(d, "pass")
    assert (after["display"]["characters"], after["deck"]) == (deck, [])
    assert Counter(after["discarded_characters"]) == Counter(d["discarded_characters"] + SHOWN)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["sets", "costumes"])
def test_u2_elements_left_over_are_discarded_and_three_for_each_seat_drawn(players, kind):
    left = {"pink": 1, "yellow": 2}
    d = evening(players, sets=left, costumes=left)
    drawn = set()
    for seed in range(6):
        after = play(d, "pass", seed=seed)
        discarded = {
            colour: d["discarded"][kind][colour] + left.get(colour, 0) for colour in COLOURS
        }
        assert after["discarded"][kind] == discarded
        assert sum(after["display"][kind].values()) == 3 * max(players, 2)
        together = Counter(after["bags"][kind]) + Counter(after["display"][kind])
        assert together == Counter(d["bags"][kind])
        drawn.add(tuple(after["display"][kind].values()))
    assert len(drawn) > 1


def test_u3_there_is_no_upkeep_on_day_6():
    d = evening(day=6, sets={"pink": 2}, costumes={"yellow": 1})
    after = play(d, "pass")
    assert (after["phase"], after["day"]) == ("over", 6)
    for field in ("display", "bags", "discarded", "deck", "discarded_characters"):
        assert after[field] == d[field], field
