"""Cards, pieces and the beginning of a round: rules A1 to A4.

What chance decides is counted over the same seeds every time; the bounds are some four standard
deviations from what is expected, so that a fair engine meets them and a biased one does not.
"""

from collections import Counter
from functools import cache
from math import sqrt

import pytest

from shakespeare_env import Position
from tests.figaro.cards import HAND, deck
from tests.figaro.positions import ALL_SEATS, ended, in_play

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FEW = 20
GAMES = 600
"""Enough games to count what chance decides; tests that play them are marked slow."""


@cache
def new_games(players, games=GAMES):
    """Return the first positions of games."""
    return [Position.new("figaro", players=players, seed=seed).to_dict() for seed in range(games)]


def assert_as_often(found, expected, of):
    """Check that an event came about as often as is expected of independent trials."""
    spread = sqrt(expected * (1 - expected / of))
    assert abs(found - expected) < 4 * spread + 1, (found, expected, of)


@SEAT_COUNTS
def test_a1_all_cards_are_dealt_evenly(players):
    for d in new_games(players, FEW):
        assert in_play(d) == deck(players)
        assert [sum(hand.values()) for hand in d["hands"]] == [HAND[players]] * players
        assert d["front"] == d["taken"] == [[]] * players


@pytest.mark.parametrize("players", [2, 7])
def test_a1_three_to_six_seats_play(players):
    with pytest.raises(ValueError, match="players"):
        Position.new("figaro", players=players, seed=0)


@pytest.mark.slow
@SEAT_COUNTS
def test_a1_every_copy_is_as_likely_to_be_in_a_hand(players):
    for card in ("green-2", "jester-1", "ring"):
        copies = deck(players)[card]
        for seat in range(players):
            held = sum(d["hands"][seat].get(card, 0) for d in new_games(players))
            assert_as_often(held, GAMES * copies / players, GAMES * copies)


@SEAT_COUNTS
def test_a1_all_cards_are_dealt_anew_in_every_round(players):
    deals = []
    for seed in range(FEW):
        d = ended([HAND[players]] + [0] * (players - 1), ender=1, seed=seed)
        assert in_play(d) == deck(players)
        assert [sum(hand.values()) for hand in d["hands"]] == [HAND[players]] * players
        deals.append(str(d["hands"]))
    assert len(set(deals)) == FEW


@pytest.mark.slow
@SEAT_COUNTS
def test_a2_all_pieces_are_of_different_lengths_from_one_to_fifteen(players):
    found = set()
    for d in new_games(players):
        lengths = [length for pieces in d["pieces"] for length in pieces]
        assert len(set(lengths)) == len(lengths)
        found.update(lengths)
    assert found == set(range(1, 16))


@pytest.mark.slow
@SEAT_COUNTS
def test_a3_a_round_has_one_piece_less_than_seats_shown_long_to_short(players):
    for d in new_games(players):
        assert [len(pieces) for pieces in d["pieces"]] == [players - 1] * 3
        assert d["pieces"] == [sorted(pieces, reverse=True) for pieces in d["pieces"]]
        assert d["roads"] == [[]] * players


@pytest.mark.slow
@SEAT_COUNTS
def test_a3_every_piece_is_as_likely_in_every_round(players):
    found = [Counter[int](), Counter[int](), Counter[int]()]
    for d in new_games(players):
        for number, pieces in enumerate(d["pieces"]):
            found[number].update(pieces)
    for counts in found:
        for length in range(1, 16):
            assert_as_often(counts[length], GAMES * (players - 1) / 15, GAMES)


@pytest.mark.slow
@SEAT_COUNTS
def test_a4_a_random_seat_has_the_king_and_begins(players):
    first = Counter(d["to_move"] for d in new_games(players))
    for seat in range(players):
        assert_as_often(first[seat], GAMES / players, GAMES)
    assert all((d["king"], d["round"]) == (d["to_move"], 1) for d in new_games(players))


@SEAT_COUNTS
def test_a4_the_seat_with_the_king_begins_a_later_round(players):
    for in_round in (1, 2):
        for ender in range(players):
            # The King has been with another seat so far.
            d = ended([9] * players, ender=ender, king=(ender + 1) % players, in_round=in_round)
            assert (d["round"], d["king"], d["to_move"]) == (in_round + 1, ender, ender)
