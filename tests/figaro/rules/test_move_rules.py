"""The moves of a turn: rules B1 to B6."""

import pytest

from tests.contract.playing import legal, play
from tests.figaro.cards import COLOURS
from tests.figaro.positions import ALL_SEATS, gained, position, table, targets

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
PILES = ["red-1", "", "jester-2", "orange-2 ring", "green-3", "blue-1"]


@SEAT_COUNTS
def test_b1_a_card_leaves_the_hand_and_lies_before_any_seat_oneself_included(players):
    for target in range(players):
        d = position(players=players, to_move=2, front={target: "red-1"}, hands={2: "red-2 red-2"})
        after = play(d, f"play:red-2>{target}")
        assert after["hands"][2] == {"red-2": 1}
        pile = ["red-1", "red-2"]  # in the order played
        assert after["front"] == [pile if seat == target else [] for seat in range(players)]
        assert after["hands"][:2] + after["hands"][3:] == d["hands"][:2] + d["hands"][3:]
        assert after["to_move"] == 3 % players


def test_b1_only_cards_of_ones_own_hand_are_played_and_copies_are_one_move():
    d = position(hands={0: "red-2 red-2 ring ring", 1: "green-1 jester-1"})
    assert legal(d) == {*(f"play:red-2>{seat}" for seat in range(4)), "ring"}


@SEAT_COUNTS
@pytest.mark.parametrize("pile", ["red-1", "jester-1 red-1", "red-1 ring"])
def test_b2_a_colour_goes_only_where_it_lies_and_no_second_one_comes_there(players, pile):
    for seat in range(players):
        hand = "red-1 red-2 green-1 blue-3 jester-1 ..."
        d = position(players=players, to_move=1, front={seat: pile}, hands={1: hand})
        moves = legal(d)
        for card in ("red-1", "red-2"):
            assert targets(moves, card) == {seat}
        for card in ("green-1", "blue-3"):
            assert targets(moves, card) == set(range(players)) - {seat}


@SEAT_COUNTS
def test_b3_a_jester_can_always_be_played_before_anyone(players):
    colours = COLOURS[: 4 if players == 3 else 5]
    front = {seat: f"{colour}-1" for seat, colour in zip(range(players), colours, strict=False)}
    d = position(players=players, front=front, hands={0: "jester-1 jester-2"})
    for card in ("jester-1", "jester-2"):
        assert targets(legal(d), card) == set(range(players))


@pytest.mark.parametrize("pile", ["jester-1", "jester-2 jester-1", "ring jester-1", "ring"])
def test_b3_a_pile_of_only_jesters_and_rings_has_no_colour(pile):
    d = position(front={1: pile, 2: "red-1"}, hands={0: "red-2 green-1 ...", 1: "green-2 blue-1"})
    assert targets(legal(d), "green-1") == {0, 1, 3}
    assert targets(legal(d), "red-2") == {2}
    moves = legal(d, "play:green-1>1")  # it takes the colour that comes upon it
    assert (targets(moves, "green-2"), targets(moves, "blue-1")) == ({1}, {0, 3})


@SEAT_COUNTS
def test_b4_every_pile_goes_to_the_next_seat_the_ring_with_the_players_own(players):
    piles = PILES[:players]
    for seat in range(players):
        front = dict(enumerate(piles))
        d = position(players=players, to_move=seat, front=front, hands={seat: "ring ..."})
        assert [move for move in legal(d) if "ring" in move] == ["ring"]
        with_ring = [pile.split() + ["ring"] * (at == seat) for at, pile in enumerate(piles)]
        after = play(d, "ring")
        assert after["front"] == [with_ring[-1], *with_ring[:-1]]
        assert after["to_move"] == (seat + 1) % players
        assert after["hands"][seat].get("ring", 0) == d["hands"][seat]["ring"] - 1


def test_b4_a_ring_has_no_colour_and_no_value():
    d = position(front={1: "ring ring ring"}, hands={0: "red-2 ring", 1: "green-3 green-2 ..."})
    assert targets(legal(d), "red-2") == {0, 1, 2, 3}
    filled = play(d, "play:red-2>0", "play:green-3>1")
    assert filled["front"] == table("red-2", "ring ring ring green-3", "", "")


@SEAT_COUNTS
def test_b5_a_seat_may_take_all_cards_of_all_seats_and_begins_anew_with_a_card(players):
    piles = PILES[:players]
    for seat in range(players):
        front = dict(enumerate(piles))
        mine = {seat: "red-2 ring"}
        d = position(
            players=players, to_move=seat, front=front, hands=mine, taken={seat: "green-1"}
        )
        after = play(d, "take")
        assert (after["front"], after["to_move"]) == ([[]] * players, seat)
        took = sorted(" ".join(piles).split())
        assert after["taken"][seat] == sorted([*d["taken"][seat], *took])
        assert gained(d, after) == [len(took) * (place == seat) for place in range(players)]
        assert after["hands"] == d["hands"]
        assert legal(after) == {*(f"play:red-2>{target}" for target in range(players)), "ring"}
        assert play(after, "play:red-2>0")["to_move"] == (seat + 1) % players


def test_b5_there_must_be_a_card_to_take_be_it_a_ring():
    d = position(hands={0: "red-1 ring ...", 1: "blue-1 ..."})
    assert "take" not in legal(d)
    assert "take" in legal(d, "play:red-1>2")
    assert "take" in legal(d, "ring")


@SEAT_COUNTS
@pytest.mark.parametrize(
    ("pile", "card"),
    [
        ("red-3 red-2", "red-1"),
        ("red-2 red-2 red-1", "red-3"),
        ("red-2 jester-2", "red-2"),
        ("red-2 red-2", "jester-2"),
    ],
)
def test_b6_a_seat_with_a_total_of_6_or_more_takes_all_and_leads(players, pile, card):
    for target in range(players):
        front = {target: pile, (target + 1) % players: "green-2 ring green-2"}
        d = position(players=players, front=front, hands={0: f"{card} ..."})
        after = play(d, f"play:{card}>{target}")
        cards = [*pile.split(), card, "green-2", "ring", "green-2"]
        assert (after["front"], after["to_move"]) == ([[]] * players, target)
        assert after["taken"][target] == sorted(d["taken"][target] + cards)
        assert gained(d, after)[target] == sum(gained(d, after)) == len(cards)


@pytest.mark.parametrize(
    ("pile", "card"),
    [("red-3", "red-2"), ("red-2 red-2", "red-1"), ("ring jester-2 ring", "jester-2")],
)
def test_b6_a_total_of_5_or_less_is_not_taken_nor_are_totals_of_several_seats_added(pile, card):
    d = position(front={2: pile, 3: "green-2 green-2"}, hands={0: f"{card} ..."})
    after = play(d, f"play:{card}>2")
    assert (gained(d, after), after["to_move"]) == ([0, 0, 0, 0], 1)
    assert after["front"][2] == [*pile.split(), card]


def test_b6_after_a_ring_it_is_the_new_owner_who_fills():
    hands = {0: "ring ...", 1: "red-1 green-2 ..."}
    d = position(front={0: "red-3 red-2", 1: "green-1"}, hands=hands)
    assert gained(d, play(d, "ring")) == [0, 0, 0, 0]
    assert gained(d, play(d, "ring", "play:red-1>1")) == [0, 5, 0, 0]
    assert gained(d, play(d, "ring", "play:green-2>2")) == [0, 0, 0, 0]
