"""Recorded games of every number of seats are replayed, and observations compared by number.

The games of three, five and six seats were recorded by an independent implementation of the same
numbered rules, the one of four seats by another program.
"""

from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from shakespeare_env import observation_layout
from tests.contract.random_games import play_by_rule
from tests.contract.recorded_games import RecordedGame
from tests.figaro.cards import COLOURS, KINDS, RING, colour_named
from tests.figaro.positions import OURS

pytestmark = pytest.mark.slow
DATA = Path(__file__).parent / "data"
SEATS = ("three_seats", "four_seats", "five_seats", "six_seats")
GAMES = pytest.mark.parametrize("game", [RecordedGame(DATA, name) for name in SEATS], ids=str)


def dealt(before, after):
    """Return the keys that chance decides: the hands if a new round was dealt (A1)."""
    return ["hands"] if after["round"] > before["round"] else []


@GAMES
def test_positions_legal_moves_moves_winners_and_scores_are_those_recorded(game):
    game.check_positions()
    game.check_legal_moves()
    game.check_moves(dealt)
    game.check_result(lambda last: [-sum(road) for road in last["roads"]])


MOST_SEATS = 6
MOST_PIECES = 5
LAYOUT = observation_layout("figaro")
tables = pytest.mark.parametrize("table", OURS, ids=str)


def assert_as_expected(reached, seat):
    """Assert that every field holds what plain Python computes; absent seats hold zeros."""
    seen = reached.observation(seat)
    assert seen.dtype == np.int8
    fields = expected(reached.to_dict(), seat)
    for field in LAYOUT:
        numbers = fields.pop(field.name, None)
        if numbers is None:
            absent = [f"seat{place}." for place in range(reached.players, MOST_SEATS)]
            assert field.name.startswith(tuple(absent)), field.name
            numbers = [0] * field.size
        assert seen[field.slice].tolist() == numbers, (field.name, seat)
        assert field.low <= min(numbers) <= max(numbers) <= field.high
    assert not fields


@tables
def test_played_games_are_observed_number_by_number(table):
    """Every seat observes every decision of a game, and its end."""
    for reached in play_by_rule(table.position(70), salt=70):
        for seat in range(table.players):
            assert_as_expected(reached, seat)


# What each field of an observation must hold, in plain Python. Only the names are the engine's.


def expected(d, observer):
    """Return the numbers of an observation by field."""
    players = d["players"]
    seats = [seat_fields(d, (observer + place) % players) for place in range(players)]
    by_seat = {f"seat{i}.{name}": seat[name] for i, seat in enumerate(seats) for name in seat}
    return by_seat | table_fields(d) | own_fields(d, observer)


def one_hot(index, size):
    return [int(place == index) for place in range(size)]


def amounts(cards):
    counts = Counter(cards)
    return [counts[kind] for kind in KINDS]


def padded(lengths, size):
    return lengths + [0] * (size - len(lengths))


def value(card):
    return 0 if card == RING else int(card[-1])


def colour_of(pile):
    """Return the colour of a pile, None if it has only jesters and rings (B3, B4)."""
    found = {colour_named(card) for card in pile} & {*COLOURS}
    assert len(found) <= 1
    return COLOURS.index(found.pop()) if found else None


def seat_fields(d, seat):
    """Return the fields in the block of one seat, which are public (D2)."""
    pile = d["front"][seat]
    taken = d["taken"][seat]
    road = d["roads"][seat]
    return {
        "present": [1],
        "to_move": [int(d["to_move"] == seat)],
        "king": [int(d["king"] == seat)],
        "hand_size": [sum(d["hands"][seat].values())],
        "taken_count": [len(taken)],
        "road_length": [sum(road)],
        "road": padded(road, 3),
        "total": one_hot(sum(map(value, pile)), 6),
        "colour": one_hot(colour_of(pile), len(COLOURS)),
        "front": amounts(pile),
        "taken": amounts(taken),
    }


def table_fields(d):
    """Return the fields of the table, which everybody sees."""
    to_come = d["pieces"][d["round"] - 1 :]
    pieces = [padded(row, MOST_PIECES) for row in to_come]
    return {
        "players": one_hot(d["players"] - 3, 4),
        "round": one_hot(d["round"] - 1, 3),
        "pieces": padded([*chain.from_iterable(pieces)], 3 * MOST_PIECES),
        "face_up": [sum(map(len, d["front"]))],
    }


def own_fields(d, observer):
    """Return the observer's own fields: its cards, and the sum of the other hands."""
    hands = [Counter(hand) for hand in d["hands"]]
    own = hands.pop(observer)
    others = sum(hands, Counter())
    return {
        "own_hand": amounts(own.elements()),
        "own_unseen": amounts(others.elements()),
        "own_fillers": fillers(d, observer, own),
        "own_threats": fillers(d, observer, others),
    }


def fillers(d, observer, cards):
    """Return, by place, how many of the cards would bring a pile's total to 6 (B2, B3, B6)."""
    counts = []
    for place in range(d["players"]):
        pile = d["front"][(observer + place) % d["players"]]
        elsewhere = {colour_of(other) for other in d["front"] if other is not pile}
        filling = 0
        for card, count in cards.items():
            fits = card.startswith("jester") or goes_with(card, pile, elsewhere)
            if card != RING and fits and sum(map(value, [*pile, card])) >= 6:
                filling += count
        counts.append(filling)
    return padded(counts, MOST_SEATS)


def goes_with(card, pile, elsewhere):
    """Return whether a coloured card fits a pile; `elsewhere` are the other piles' colours (B2)."""
    colour = colour_of([card])
    return colour_of(pile) in (None, colour) and colour not in elsewhere
