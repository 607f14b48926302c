"""How the rules become decisions, and what a seat knows: rules D1 and D2."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import legal, play
from tests.figaro.positions import ALL_SEATS, gained, in_play, position, table

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FULL_TABLE = {0: "red-1", 1: "orange-1", 2: "green-1"}


def test_d1_a_seat_with_one_move_is_not_asked():
    d = position(front=FULL_TABLE, hands={0: "blue-1 ...", 1: "purple-1 purple-2"}, heap=0)
    after = play(d, "play:blue-1>3")  # it can only take
    assert gained(d, after) == [0, 4, 0, 0]
    assert (after["to_move"], after["front"]) == (1, table("", "", "", ""))
    after = play(position(front={2: "red-1"}, hands={0: "ring ring"}), "take")
    assert (after["to_move"], after["hands"][0]) == (1, {"ring": 1})
    assert after["front"] == table("", "ring", "", "")


def test_d1_a_seat_that_can_take_or_play_one_card_is_asked():
    assert legal(position(hands={0: "red-1 ...", 1: "ring"}), "play:red-1>2") == {"ring", "take"}
    d = position(front=FULL_TABLE, hands={0: "blue-1 ...", 1: "blue-2 purple-1"})
    assert legal(d, "play:blue-1>3") == {"play:blue-2>3", "take"}


def middle_of_a_game(players=4):
    """Seat 1 is to move; some cards lie before seats, some are taken, roads have begun."""
    roads = [[length] for length in range(13, 13 - players, -1)]
    lengths = [length for length in range(15, 0, -1) if [length] not in roads]
    return position(
        players=players,
        in_round=2,
        to_move=1,
        king=2,
        hands={0: "red-1 red-2 ring ...", 1: "jester-1 ..."},
        front={0: "green-2 green-1", 2: "jester-2 ring"},
        taken={0: "red-2 blue-1", 2: "orange-2"},
        roads=[*roads[:-1], []],
        pieces=[[], lengths[: players - 1], lengths[1 - players :]] if players < 6 else SIX_PIECES,
    )


SIX_PIECES = [[], [15, 14, 8, 7, 6], [5, 4, 3, 2, 1]]


@SEAT_COUNTS
def test_d2_a_seat_sees_all_but_the_other_hands(players):
    game = Position.from_dict(middle_of_a_game(players))
    true = game.to_dict()
    for seat in range(players):
        seen = game.seen_by(seat)
        assert seen | {"hands": []} == true | {"hands": []}
        for other, hand in enumerate(true["hands"]):
            size = sum(hand.values())
            assert seen["hands"][other] == (hand if other == seat else {"?": size} if size else {})


@SEAT_COUNTS
def test_d2_roads_and_who_took_which_cards_are_kept_in_a_guess_of_the_other_hands(players):
    game = Position.from_dict(middle_of_a_game(players))
    true = game.to_dict()
    sizes = [sum(hand.values()) for hand in true["hands"]]
    for seat in range(players):
        guesses = [game.determinize(seat, seed).to_dict() for seed in range(20)]
        for guess in guesses:
            assert guess | {"hands": []} == true | {"hands": []}
            assert guess["hands"][seat] == true["hands"][seat]
            assert [sum(hand.values()) for hand in guess["hands"]] == sizes
            assert in_play(guess) == in_play(true)
        for other in range(players):
            held = {str(guess["hands"][other]) for guess in guesses}
            assert (len(held) > 1) is (other != seat and sizes[other] > 0)
