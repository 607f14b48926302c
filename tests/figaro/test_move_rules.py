"""The moves of a turn: rules B1 to B6."""

import pytest

from tests.contract.playing import legal, play
from tests.figaro.positions import ALL_SEATS, gained, position, table, targets

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)


# ---- B1 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_b1_a_card_can_be_played_before_any_seat_oneself_included(players):
    for seat in range(players):
        d = position(players=players, to_move=seat, hands={seat: "red-2 jester-1 ..."})
        for card in ("red-2", "jester-1"):
            assert targets(legal(d), card) == set(range(players))


@SEAT_COUNTS
def test_b1_the_card_leaves_the_hand_and_lies_before_its_target(players):
    for target in range(players):
        d = position(players=players, hands={0: "red-2 red-2 green-1"})
        after = play(d, f"play:red-2>{target}")
        assert after["hands"][0] == {"red-2": 1, "green-1": 1}
        assert after["front"] == [["red-2"] if seat == target else [] for seat in range(players)]
        assert after["hands"][1:] == d["hands"][1:]
        assert after["to_move"] == 1


def test_b1_cards_lie_in_the_order_played():
    d = position(front={2: "red-2 jester-1"}, hands={0: "red-1 ...", 1: "jester-1 ..."})
    after = play(d, "play:red-1>2", "play:jester-1>2")
    assert after["front"] == table("", "", "red-2 jester-1 red-1 jester-1", "")


def test_b1_only_cards_of_ones_own_hand_are_played():
    d = position(hands={0: "red-1 jester-2", 1: "red-2 green-1 jester-1 ring"})
    cards = {move.removeprefix("play:").split(">")[0] for move in legal(d)}
    assert cards == {"red-1", "jester-2"}


def test_b1_copies_of_a_card_are_one_move():
    one, two = (position(hands={0: cards}) for cards in ("red-2 ring", "red-2 red-2 ring ring"))
    assert legal(one) == legal(two) == {*(f"play:red-2>{seat}" for seat in range(4)), "ring"}


# ---- B2 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_b2_a_colour_goes_only_where_it_lies(players):
    for seat in range(players):
        mover = (seat + 2) % players
        d = position(
            players=players,
            to_move=mover,
            front={seat: "red-1"},
            hands={mover: "red-1 red-2 jester-1 ...", (mover + 1) % players: "red-3 blue-1"},
        )
        for card in ("red-1", "red-2"):
            assert targets(legal(d), card) == {seat}
        for move in (f"play:red-2>{seat}", f"play:jester-1>{seat}", f"play:jester-1>{mover}"):
            assert targets(legal(d, move), "red-3") == {seat}


@SEAT_COUNTS
def test_b2_no_second_colour_comes_before_a_seat(players):
    for seat in range(players):
        d = position(players=players, front={seat: "red-1"}, hands={0: "green-1 blue-3 ..."})
        for card in ("green-1", "blue-3"):
            assert targets(legal(d), card) == set(range(players)) - {seat}


@pytest.mark.parametrize("colour", ["red", "orange", "green", "blue", "purple"])
def test_b2_every_colour_keeps_to_its_seat(colour):
    others = [other for other in ("red", "orange", "green", "blue", "purple") if other != colour]
    hand = " ".join(f"{one}-1" for one in (colour, *others))
    d = position(front={1: f"{colour}-2"}, hands={0: hand})
    assert targets(legal(d), f"{colour}-1") == {1}
    for other in others:
        assert targets(legal(d), f"{other}-1") == {0, 2, 3}


def test_b2_a_colour_without_a_seat_left_cannot_be_played():
    front = {0: "red-1", 1: "orange-1", 2: "green-1", 3: "blue-1"}
    d = position(front=front, hands={0: "purple-1 purple-2 red-1"})
    assert legal(d) == {"play:red-1>0", "take"}


def test_b2_jesters_change_nothing_about_the_colour_of_a_pile():
    for pile, card in (("red-1", "jester-1"), ("jester-1", "red-1")):
        d = position(front={1: pile}, hands={0: f"{card} ...", 1: "red-1 green-1"})
        for moves in (legal(d, f"play:{card}>1"), legal(play(d, f"play:{card}>1"))):
            assert targets(moves, "red-1") == {1}
            assert targets(moves, "green-1") == {0, 2, 3}


def test_b2_a_colour_is_free_again_once_its_pile_is_taken():
    d = position(front={1: "red-1"}, hands={0: "red-2 green-1"})
    assert targets(legal(d, "take"), "red-2") == {0, 1, 2, 3}
    assert targets(legal(d, "take"), "green-1") == {0, 1, 2, 3}


# ---- B3 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_b3_a_jester_can_always_be_played_before_anyone(players):
    colours = ("red", "orange", "green", "blue", "purple")[: 4 if players == 3 else 5]
    front = {seat: f"{colour}-1" for seat, colour in zip(range(players), colours, strict=False)}
    d = position(players=players, front=front, hands={0: "jester-1 jester-2"})
    for card in ("jester-1", "jester-2"):
        assert targets(legal(d), card) == set(range(players))


@pytest.mark.parametrize("pile", ["jester-1", "jester-2 jester-1", "ring jester-1", "ring"])
def test_b3_a_pile_of_only_jesters_and_rings_has_no_colour(pile):
    d = position(front={1: pile, 2: "red-1"}, hands={0: "red-2 green-1 blue-1 purple-1 orange-1"})
    for card in ("green-1", "blue-1", "purple-1", "orange-1"):
        assert targets(legal(d), card) == {0, 1, 3}
    assert targets(legal(d), "red-2") == {2}


def test_b3_a_pile_of_jesters_takes_the_colour_that_comes_upon_it():
    d = position(front={1: "jester-1"}, hands={0: "green-1 ...", 1: "green-2 red-1"})
    moves = legal(d, "play:green-1>1")
    assert targets(moves, "green-2") == {1}
    assert targets(moves, "red-1") == {0, 2, 3}


def test_b3_several_piles_of_jesters_stand_side_by_side():
    d = position(front={0: "jester-1", 1: "jester-1", 3: "jester-2"}, hands={0: "blue-1 ring"})
    assert targets(legal(d), "blue-1") == {0, 1, 2, 3}


def test_b3_jesters_count_their_value():
    d = position(front={1: "jester-2 jester-1 jester-1"}, hands={0: "jester-1 jester-2"})
    after = play(d, "play:jester-1>1")
    assert after["front"] == table("", "jester-2 jester-1 jester-1 jester-1", "", "")
    assert gained(d, play(d, "play:jester-2>1")) == [0, 4, 0, 0]


# ---- B4 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_b4_a_ring_is_one_move_whatever_lies_there(players):
    for front in ({}, {0: "red-1"}, {1: "red-2 red-3"}, {0: "jester-1", 2: "green-2"}):
        d = position(players=players, front=front, hands={0: "ring ..."})
        assert [move for move in legal(d) if "ring" in move] == ["ring"]


@SEAT_COUNTS
def test_b4_every_pile_goes_to_the_next_seat_the_ring_with_the_players_own(players):
    piles = ["red-1", "", "jester-2", "orange-2 orange-1", "green-3", "blue-1"][:players]
    for seat in range(players):
        front = dict(enumerate(piles))
        d = position(players=players, to_move=seat, front=front, hands={seat: "ring ..."})
        with_ring = [
            [*pile.split(), "ring"] if place == seat else pile.split()
            for place, pile in enumerate(piles)
        ]
        after = play(d, "ring")
        assert after["front"] == [with_ring[-1], *with_ring[:-1]]
        assert after["to_move"] == (seat + 1) % players
        assert after["hands"][seat].get("ring", 0) == d["hands"][seat]["ring"] - 1


def test_b4_colours_go_with_their_piles():
    d = position(front={0: "red-1", 3: "green-1"}, hands={0: "ring ...", 1: "red-2 green-2 blue-1"})
    moves = legal(d, "ring")
    assert targets(moves, "red-2") == {1}
    assert targets(moves, "green-2") == {0}
    assert targets(moves, "blue-1") == {2, 3}


def test_b4_a_ring_has_no_colour_and_no_value():
    d = position(front={1: "ring ring ring"}, hands={0: "red-2 ring", 1: "green-3 green-2 ..."})
    assert targets(legal(d), "red-2") == {0, 1, 2, 3}
    filled = play(d, "play:red-2>0", "play:green-3>1")
    assert filled["front"] == table("red-2", "ring ring ring green-3", "", "")


# ---- B5 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_b5_a_seat_may_take_all_cards_of_all_seats(players):
    piles = ["red-1", "", "jester-2", "orange-2 ring", "green-3", "blue-1"][:players]
    for seat in range(players):
        d = position(
            players=players,
            to_move=seat,
            front=dict(enumerate(piles)),
            hands={seat: "red-2 ..."},
            taken={seat: "green-1"},
        )
        after = play(d, "take")
        assert after["front"] == [[]] * players
        took = sorted(" ".join(piles).split())
        assert after["taken"][seat] == sorted([*d["taken"][seat], *took])
        assert gained(d, after) == [len(took) if place == seat else 0 for place in range(players)]
        assert after["hands"] == d["hands"]


@SEAT_COUNTS
def test_b5_the_seat_that_takes_begins_anew_with_a_card(players):
    front = {0: "red-1", 2: "blue-1"}
    d = position(players=players, to_move=1, front=front, hands={1: "red-2 ring"})
    assert play(d, "take")["to_move"] == 1
    assert legal(d, "take") == {*(f"play:red-2>{seat}" for seat in range(players)), "ring"}
    assert play(d, "take", "play:red-2>0")["to_move"] == 2


def test_b5_a_take_is_a_choice_beside_any_card():
    for hand in ("red-1", "jester-1", "ring", "green-1 green-1"):
        d = position(front={2: "red-1"}, hands={0: hand})
        assert "take" in legal(d)
        assert len(legal(d)) > 1


def test_b5_a_seat_without_a_legal_card_must_take():
    front = {0: "red-1", 1: "orange-1", 2: "green-1", 3: "blue-1"}
    d = position(front=front, hands={0: "purple-1 purple-2"})
    assert legal(d) == {"take"}
    assert gained(d, play(d, "take")) == [4, 0, 0, 0]


@SEAT_COUNTS
def test_b5_there_must_be_a_card_to_take(players):
    d = position(players=players, hands={0: "red-1 ring ...", 1: "blue-1 ..."})
    assert "take" not in legal(d)
    assert "take" in legal(d, "play:red-1>2")
    assert "take" in legal(d, "ring")


# ---- B6 ------------------------------------------------------------------------------------------

FILLING = (
    ("red-3 red-2", "red-1"),
    ("red-2 red-2", "red-2"),
    ("red-2 red-2 red-1", "red-3"),
    ("red-2 jester-2", "red-2"),
    ("red-2 red-2", "jester-2"),
)


@SEAT_COUNTS
@pytest.mark.parametrize(("pile", "card"), FILLING)
def test_b6_a_seat_with_a_total_of_6_or_more_takes_all_and_leads(players, pile, card):
    for target in range(players):
        other = (target + 1) % players
        front = {target: pile, other: "green-1 ring"}
        d = position(players=players, front=front, hands={0: f"{card} ..."})
        after = play(d, f"play:{card}>{target}")
        cards = [*pile.split(), card, "green-1", "ring"]
        assert after["front"] == [[]] * players
        assert after["taken"][target] == sorted(d["taken"][target] + cards)
        assert gained(d, after)[target] == sum(gained(d, after)) == len(cards)
        assert after["to_move"] == target


@pytest.mark.parametrize(
    ("pile", "card"),
    [("red-3", "red-2"), ("red-2 red-2", "red-1"), ("ring jester-2 ring", "jester-2")],
)
def test_b6_a_total_of_5_or_less_is_not_taken(pile, card):
    d = position(front={2: pile}, hands={0: f"{card} ..."})
    after = play(d, f"play:{card}>2")
    assert gained(d, after) == [0, 0, 0, 0]
    assert after["front"][2] == [*pile.split(), card]
    assert after["to_move"] == 1


def test_b6_totals_of_several_seats_are_not_added():
    d = position(front={0: "red-2 red-3", 1: "green-2 green-2"}, hands={0: "blue-3 ..."})
    assert gained(d, play(d, "play:blue-3>2")) == [0, 0, 0, 0]


@SEAT_COUNTS
def test_b6_passing_by_a_ring_changes_no_total(players):
    piles = ["red-3 red-2", "green-2 green-2", "blue-3 blue-2"]
    d = position(players=players, front=dict(enumerate(piles)), hands={0: "ring ...", 1: "..."})
    after = play(d, "ring")
    assert gained(d, after) == [0] * players
    moved = table("", "red-3 red-2 ring", "green-2 green-2", "blue-3 blue-2")
    expected = [moved[3], *moved[1:3]] if players == 3 else moved + [[]] * (players - 4)
    assert after["front"] == expected


def test_b6_after_a_ring_it_is_the_new_owner_who_fills():
    d = position(
        front={0: "red-3 red-2", 1: "green-1"}, hands={0: "ring ...", 1: "red-1 green-2 ..."}
    )
    filled = play(d, "ring", "play:red-1>1")
    assert gained(d, filled) == [0, 5, 0, 0]
    assert gained(d, play(d, "ring", "play:green-2>2")) == [0, 0, 0, 0]
