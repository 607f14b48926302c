"""Turns and rounds in which several rules meet, played as scenes."""

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import IllegalMove
from tests.contract.playing import legal, play
from tests.figaro.cards import deck
from tests.figaro.positions import ALL_SEATS, gained, in_play, position, table, targets

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FIVE_COLOURS = {0: "red-1", 1: "orange-1", 2: "green-1", 3: "blue-1", 4: "purple-1"}


# ---- rings ---------------------------------------------------------------------------------------


def test_full_piles_move_round_the_corner_and_nobody_takes():
    # Totals of 5, 4, 0 and 5; the last seat's pile comes before the first.
    front = {0: "red-3 red-2", 1: "jester-2 ring green-2", 3: "blue-2 jester-1 blue-2 ring"}
    d = position(to_move=3, front=front, hands={3: "ring ...", 0: "blue-1 red-1 green-2 ring"})
    after = play(d, "ring")
    assert after["front"] == table(
        "blue-2 jester-1 blue-2 ring ring", "red-3 red-2", "jester-2 ring green-2", ""
    )
    assert gained(d, after) == [0, 0, 0, 0]
    moves = legal(d, "ring")
    assert [targets(moves, card) for card in ("blue-1", "red-1", "green-2")] == [{0}, {1}, {2}]
    # Any of them makes the new owner of the pile take 10 or more, played by whomever.
    for card, owner, cards in (("blue-1", 0, 11), ("red-1", 1, 11), ("green-2", 2, 11)):
        filled = play(d, "ring", f"play:{card}>{owner}")
        assert gained(d, filled)[owner] == sum(gained(d, filled)) == cards
        assert filled["to_move"] == owner


@SEAT_COUNTS
def test_rings_played_one_after_the_other_gather_on_one_pile(players):
    # Every seat plays one, as far as there are rings: two with three seats, five with six.
    rings = min(players, deck(players)["ring"])
    piles = ["red-1", "green-2", "blue-3", "jester-1", "", "jester-2"][:players]
    d = position(
        players=players, front=dict(enumerate(piles)), hands=dict.fromkeys(range(rings), "ring ...")
    )
    after = play(d, *["ring"] * rings)
    # The pile that began before seat 0 has been before every seat that played a ring.
    expected = [pile.split() for pile in piles]
    expected[0] += ["ring"] * rings
    assert after["front"] == expected[players - rings :] + expected[: players - rings]


def test_a_ring_moves_the_pile_away_from_its_player():
    # Seat 0 holds a pile of 5 off; its next neighbour has to live with it.
    d = position(front={0: "red-3 red-2"}, hands={0: "ring red-1", 1: "red-2 blue-1 ..."})
    after = play(d, "ring", "play:blue-1>0")
    assert after["front"] == table("blue-1", "red-3 red-2 ring", "", "")


def test_a_jester_pile_that_moved_still_has_no_colour():
    d = position(front={1: "jester-1", 2: "green-1"}, hands={0: "ring ...", 1: "red-1 green-2"})
    moves = legal(d, "ring")
    assert targets(moves, "red-1") == {0, 1, 2}
    assert targets(moves, "green-2") == {3}


# ---- six seats, five colours ---------------------------------------------------------------------


def test_with_five_colours_out_only_jesters_come_before_the_sixth_seat():
    d = position(players=6, to_move=5, front=FIVE_COLOURS, hands={5: "jester-1 red-2 purple-2"})
    assert legal(d) == {
        *(f"play:jester-1>{seat}" for seat in range(6)),
        "play:red-2>0",
        "play:purple-2>4",
        "take",
    }


def test_jesters_alone_fill_the_sixth_seats_pile():
    d = position(
        players=6,
        front=FIVE_COLOURS | {5: "jester-2 jester-1 jester-1"},
        hands={0: "jester-2 ...", 5: "green-2 ..."},
    )
    after = play(d, "play:jester-2>5")
    assert gained(d, after) == [0, 0, 0, 0, 0, 9]
    assert after["to_move"] == 5
    assert targets(legal(d, "play:jester-2>5"), "green-2") == set(range(6))


def test_with_five_or_six_seats_a_coloured_card_can_always_be_played():
    for players in (5, 6):
        d = position(players=players, front=FIVE_COLOURS, hands={0: "purple-2"})
        assert legal(d) == {"play:purple-2>4", "take"}


# ---- takes ---------------------------------------------------------------------------------------


def test_a_ring_leaves_the_next_seat_nothing_but_a_take():
    # Before, between and after: the engine plays the take, the seat its own card.
    front = {0: "red-1", 1: "orange-1", 2: "green-1", 3: "jester-1 blue-2"}
    d = position(front=front, hands={0: "ring ...", 1: "purple-1 purple-2", 2: "..."})
    forced = play(d, "ring")
    assert gained(d, forced) == [0, 6, 0, 0]
    assert (forced["to_move"], forced["front"]) == (1, table("", "", "", ""))
    assert legal(d, "ring") == {f"play:purple-{v}>{s}" for v in (1, 2) for s in range(4)}
    after = play(d, "ring", "play:purple-2>0")
    assert (after["to_move"], after["front"]) == (2, table("purple-2", "", "", ""))


def test_with_three_seats_three_colours_leave_no_place_for_the_fourth():
    d = position(
        players=3,
        to_move=2,
        front={0: "red-1", 1: "orange-1"},
        hands={2: "green-1 ...", 0: "blue-1 blue-2"},
    )
    assert gained(d, play(d, "play:green-1>2")) == [3, 0, 0]


def test_a_voluntary_take_is_followed_by_ones_own_card():
    front = {0: "red-2", 3: "jester-2 ring"}
    d = position(to_move=2, front=front, hands={2: "red-1 blue-1 ...", 3: "..."})
    after = play(d, "take", "play:blue-1>2")
    assert gained(d, after) == [0, 0, 3, 0]
    assert after["front"] == table("", "", "blue-1", "")
    assert after["to_move"] == 3


def test_a_take_may_bring_cards_that_lie_before_oneself_alone():
    d = position(front={0: "ring"}, hands={0: "red-1 ..."})
    assert gained(d, play(d, "take")) == [1, 0, 0, 0]


def test_take_ring_and_the_end_of_the_round_follow_each_other():
    # After the take a ring is all that seat 1 has; it passes to seat 2, which has no cards.
    d = position(
        to_move=1,
        king=0,
        front={3: "red-1 ring"},
        hands={1: "ring", 2: ""},
        taken={0: "blue-1", 2: "green-1 green-2 green-2 green-2"},
    )
    after = play(d, "take", seed=3)
    assert (after["round"], after["king"], after["to_move"]) == (2, 2, 2)
    # Seat 1 has two cards: the ring that was played last counts for nobody.
    counts = [len(pile) for pile in d["taken"]]
    assert counts[2] == 4
    assert counts[3] > 4
    assert after["roads"] == [[], [9], [12], [15]]


# ---- made to take --------------------------------------------------------------------------------


def test_the_target_leads_and_the_turns_go_on_from_it():
    d = position(
        players=5,
        front={3: "green-3 green-2", 1: "red-1"},
        hands={0: "green-1 ...", 3: "red-2 ...", 4: "..."},
    )
    after = play(d, "play:green-1>3", "play:red-2>2")
    assert gained(d, after) == [0, 0, 0, 4, 0]
    assert after["front"] == table("", "", "red-2", "", "")
    assert after["to_move"] == 4


def test_a_seat_that_fills_its_own_pile_plays_again():
    d = position(front={0: "green-3 green-2"}, hands={0: "green-1 red-1"})
    after = play(d, "play:green-1>0")
    assert (after["to_move"], after["hands"][0]) == (0, {"red-1": 1})
    assert gained(d, after) == [3, 0, 0, 0]


def test_a_target_with_only_rings_leads_with_one():
    d = position(front={2: "green-3 green-2"}, hands={0: "green-1 ...", 2: "ring ring"})
    after = play(d, "play:green-1>2")
    assert gained(d, after) == [0, 0, 3, 0]
    assert after["front"] == table("", "", "", "ring")
    assert (after["to_move"], after["hands"][2]) == (3, {"ring": 1})


def test_a_target_without_cards_ends_the_round_with_the_king():
    front = {2: "green-3 green-2", 1: "jester-2 red-1 ring"}
    d = position(front=front, hands={0: "green-1 ...", 2: ""}, king=3, heap=0)
    after = play(d, "play:green-1>2")
    assert (after["round"], after["king"], after["to_move"]) == (2, 2, 2)
    assert after["roads"] == [[15], [], [12], []]
    assert in_play(after) == deck(4)


def test_ones_last_card_on_ones_own_full_pile_ends_the_round():
    d = position(front={0: "green-3 green-2"}, hands={0: "green-1"}, king=2)
    after = play(d, "play:green-1>0")
    assert (after["round"], after["king"], after["to_move"]) == (2, 0, 0)


def test_a_seat_without_cards_is_passed_over_when_another_leads():
    d = position(front={2: "green-3 green-2"}, hands={0: "green-1 ...", 1: "", 2: "red-1 ..."})
    after = play(d, "play:green-1>2")
    assert (after["round"], after["to_move"]) == (1, 2)


def test_a_seat_without_cards_ends_the_round_after_the_one_that_was_made_to_lead():
    hands = {3: "green-1 ...", 0: "red-1 ...", 1: ""}
    d = position(to_move=3, front={0: "green-3 green-2"}, hands=hands)
    led = play(d, "play:green-1>0")
    assert (led["round"], led["to_move"]) == (1, 0)
    after = play(d, "play:green-1>0", "play:red-1>3")
    assert (after["round"], after["king"]) == (2, 1)


def test_the_last_card_of_a_hand_fills_a_pile_of_a_seat_that_has_more():
    d = position(front={3: "red-2 red-2 red-1"}, hands={0: "red-3", 3: "blue-1 ..."})
    after = play(d, "play:red-3>3")
    assert gained(d, after) == [0, 0, 0, 4]
    assert (after["round"], after["to_move"], after["hands"][0]) == (1, 3, {})


# ---- what is no move ---------------------------------------------------------------------------


def test_a_move_against_the_rules_is_refused_and_changes_nothing():
    d = position(front={1: "red-1"}, hands={0: "red-2 green-1"})
    game = Position.from_dict(d)
    before = game.to_dict()
    for move in ("play:red-2>0", "play:green-1>1", "play:blue-1>2", "play:red-2>4", "ring", "draw"):
        with pytest.raises(IllegalMove):
            game.push(move)
    assert game.to_dict() == before
