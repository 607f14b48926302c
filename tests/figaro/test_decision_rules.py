"""How the rules become decisions, and what a seat knows: rules D1 and D2."""

from collections import Counter

import numpy as np
import pytest

from shakespeare_env import Position
from tests.contract.playing import legal, play
from tests.figaro.cards import KINDS
from tests.figaro.positions import ALL_SEATS, gained, in_play, position, table

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FULL_TABLE = {0: "red-1", 1: "orange-1", 2: "green-1"}


# ---- D1 ------------------------------------------------------------------------------------------


def test_d1_a_seat_that_can_only_take_is_not_asked():
    d = position(front=FULL_TABLE, hands={0: "blue-1 ...", 1: "purple-1 purple-2"}, heap=0)
    after = play(d, "play:blue-1>3")
    assert gained(d, after) == [0, 4, 0, 0]
    assert after["to_move"] == 1
    assert after["hands"][1] == {"purple-1": 1, "purple-2": 1}
    assert after["front"] == table("", "", "", "")


def test_d1_a_seat_with_only_rings_is_not_asked_on_an_empty_table():
    d = position(front={2: "red-1"}, hands={0: "ring ring"})
    after = play(d, "take")
    assert (after["to_move"], after["hands"][0]) == (1, {"ring": 1})
    assert after["front"] == table("", "ring", "", "")


def test_d1_a_seat_that_can_take_or_play_a_ring_is_asked():
    d = position(hands={0: "red-1 ...", 1: "ring"})
    assert legal(d, "play:red-1>2") == {"ring", "take"}


def test_d1_a_seat_that_can_take_or_play_one_card_is_asked():
    d = position(front=FULL_TABLE, hands={0: "blue-1 ...", 1: "blue-2 purple-1"})
    assert legal(d, "play:blue-1>3") == {"play:blue-2>3", "take"}


def test_d1_a_single_card_is_asked_for_its_target():
    d = position(hands={0: "red-1"}, front={1: "green-1"})
    assert legal(d, "take") == {f"play:red-1>{seat}" for seat in range(4)}


def test_d1_a_position_that_is_read_is_left_as_it_is():
    d = position(front=FULL_TABLE | {3: "blue-1"}, hands={0: "purple-1 purple-2"})
    assert legal(d) == {"take"}
    assert Position.from_dict(d).to_dict()["front"] == d["front"]


@SEAT_COUNTS
def test_d1_there_are_always_two_moves_to_choose_from(players):
    for seed in range(6):
        game, step = Position.new("figaro", players=players, seed=seed), 0
        while game.to_move is not None:
            moves = game.moves()
            assert len(moves) == len(set(moves)) >= 2
            game.push(moves[(7 * step + seed) % len(moves)])
            step += 1


@pytest.mark.parametrize(
    ("front", "held", "others"),
    [
        (FULL_TABLE | {3: "blue-1"}, "red-2", ("purple-1 purple-1 purple-2", "purple-2 purple-3")),
        ({}, "red-2", ("ring ring", "ring ring")),
    ],
)
def test_d1_in_a_guess_the_seat_to_move_has_a_choice_too(front, held, others):
    # Most deals of the unseen cards would leave seat 1 nothing to decide: it would not be asked.
    hands = {1: held, 2: others[0], 3: others[1]}
    game = Position.from_dict(position(to_move=1, front=front, hands=hands))
    for seat in (0, 2, 3):
        for seed in range(10):
            guess = game.determinize(seat, seed)
            assert guess.to_move == 1
            assert len(guess.moves()) >= 2


# ---- D2: what a seat knows is what its view, its observation and its guesses keep ----------------


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


def other_deals(d, observer, number=30):
    """The same position with the cards of the other hands dealt otherwise, sizes kept."""
    rng = np.random.default_rng(5)
    unseen = [
        card for seat, hand in enumerate(d["hands"]) if seat != observer
        for card in Counter(hand).elements()
    ]  # fmt: skip
    for _ in range(number):
        cards = [str(card) for card in rng.permutation(unseen)]
        hands = [
            hand if seat == observer
            else dict(Counter(cards.pop() for _ in range(sum(hand.values()))))
            for seat, hand in enumerate(d["hands"])
        ]  # fmt: skip
        yield d | {"hands": hands}


@SEAT_COUNTS
def test_d2_a_seat_sees_all_but_the_other_hands(players):
    game = Position.from_dict(middle_of_a_game(players))
    true = game.to_dict()
    for seat in range(players):
        seen = game.seen_by(seat)
        for field in true:
            if field != "hands":
                assert seen[field] == true[field], field
        for other, hand in enumerate(true["hands"]):
            size = sum(hand.values())
            assert seen["hands"][other] == (hand if other == seat else {"?": size} if size else {})


@SEAT_COUNTS
def test_d2_an_observation_does_not_depend_on_who_holds_what(players):
    d = middle_of_a_game(players)
    for seat in range(players):
        observed = Position.from_dict(d).observation(seat)
        for other in other_deals(d, seat):
            assert np.array_equal(Position.from_dict(other).observation(seat), observed)


def test_d2_an_observation_counts_the_own_hand_and_all_other_hands_together():
    d = middle_of_a_game()
    game = Position.from_dict(d)
    own, unseen = (game.game.layout[name].start for name in ("own_hand", "own_unseen"))
    for seat, hand in enumerate(d["hands"]):
        observed = game.observation(seat).tolist()
        others = in_play(d | {"hands": d["hands"][:seat] + d["hands"][seat + 1 :]})
        others -= in_play(d | {"hands": []})
        assert observed[own : own + len(KINDS)] == [hand.get(card, 0) for card in KINDS]
        assert observed[unseen : unseen + len(KINDS)] == [others[card] for card in KINDS]


def test_d2_an_observation_tells_the_own_hand_and_all_that_is_public():
    d = middle_of_a_game()
    changes = {
        "king": 0,
        "front": table("green-2 green-1", "", "jester-2", "ring"),
        "taken": [["blue-1", "orange-2"], [], ["red-2"], []],
        "roads": [[13], [12], [], [11]],
        "pieces": [[], d["pieces"][2], d["pieces"][1]],
    }
    mine, theirs = dict(d["hands"][1]), dict(d["hands"][2])
    own, other = next((a, b) for a in mine for b in theirs if a not in theirs and b not in mine)
    for hand, gone, come in ((mine, own, other), (theirs, other, own)):
        hand[gone] -= 1
        hand[come] = 1
    swapped = [d["hands"][0], mine, theirs, d["hands"][3]]
    changes["hands"] = [{card: n for card, n in hand.items() if n} for hand in swapped]
    observed = Position.from_dict(d).observation(1)
    for field, value in changes.items():
        changed = Position.from_dict(d | {field: value}).observation(1)
        assert not np.array_equal(changed, observed), field


@SEAT_COUNTS
def test_d2_roads_and_who_took_which_cards_stay_known(players):
    game = Position.from_dict(middle_of_a_game(players))
    true = game.to_dict()
    for seat in range(players):
        for seed in range(20):
            guess = game.determinize(seat, seed).to_dict()
            assert (guess["roads"], guess["taken"]) == (true["roads"], true["taken"])
        seen = game.seen_by(seat)
        assert (seen["roads"], seen["taken"]) == (true["roads"], true["taken"])


@SEAT_COUNTS
def test_d2_a_guess_keeps_all_but_the_other_hands(players):
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


def test_d2_no_move_is_secret():
    game = Position.from_dict(middle_of_a_game())
    for move in game.moves():
        assert not game.game.is_secret(game.to_dict(), move)
