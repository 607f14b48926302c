"""Turns, rounds and games in which several rules meet, played as scenes."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import legal, play
from tests.figaro.cards import deck
from tests.figaro.positions import (
    ALL_SEATS,
    ending,
    gained,
    in_play,
    last_card,
    position,
    table,
    targets,
)

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FIVE_COLOURS = {0: "red-1", 1: "orange-1", 2: "green-1", 3: "blue-1", 4: "purple-1"}


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


def test_a_target_without_cards_ends_the_round_with_the_king():
    front = {2: "green-3 green-2", 1: "jester-2 red-1 ring"}
    d = position(front=front, hands={0: "green-1 ...", 2: ""}, king=3, heap=0)
    after = play(d, "play:green-1>2")
    assert (after["round"], after["king"], after["to_move"]) == (2, 2, 2)
    assert after["roads"] == [[15], [], [12], []]
    assert in_play(after) == deck(4)


@SEAT_COUNTS
def test_after_the_third_round_what_was_taken_stays(players):
    d = ending([8] * players, ender=1, king=0, in_round=3, front={1: "green-1 ring"})
    after = play(d, last_card(1, players))
    assert (after["to_move"], after["round"], after["king"]) == (None, 3, 1)
    assert after["taken"] == d["taken"]
    assert after["front"] == [[]] * players
    assert after["hands"] == [{}] * players
    assert after["pieces"] == [[], [], []]
    assert len(after["winners"]) == 1
    assert Position.from_dict(after).moves() == []
