"""Picture and board of a position: a place for every move, and no text without room."""

import copy
from typing import Any
from xml.etree import ElementTree

import pytest

from shakespeare_env.core import registry
from shakespeare_env.figaro import drawing
from shakespeare_env.figaro.drawing import board, picture, places
from shakespeare_env.figaro.text import headline
from tests.drawings import (
    EYES,
    assert_apart,
    assert_in_place,
    assert_readable,
    height,
    pieces,
    places_in,
)
from tests.figaro.cards import COLOURS, deck
from tests.figaro.positions import OURS, position, positions

pytestmark = pytest.mark.slow
seen_by = registry.game("figaro").seen_by
CARDS = [*deck(4).elements()]
"""All cards of the box, kind by kind."""
LONG_PILE = ["ring", "red-1", "ring", "ring", "jester-1", "red-1", "ring", "red-1", "jester-1",
             "ring"]  # fmt: skip

OVER: dict[str, Any] = {"round": 3, "to_move": None, "winners": [1], "pieces": [[], [], []]}
SEATS = pytest.mark.parametrize("players", range(3, 7))
PHONE, FINGER = 366, 40


def table(players, **fields):
    """A first turn with full hands that hold a bit of everything, all pieces to come."""
    return copy.deepcopy(position(players=players, to_move=players - 1) | fields)


def crowded(players):
    """As much in every place as there can be, though not at once."""
    pieces_left = [[], [15, 14, 13, 12, 11][: players - 1], [10, 9, 8, 7, 1][: players - 1]]
    fields = {"front": [LONG_PILE] * players, "taken": [CARDS] * players, "pieces": pieces_left}
    return table(players, round=2, roads=[[15, 14, 13]] * players, **fields)


def elements(given, names=()):
    """The board's pieces by name, as pages show them."""
    return pieces(board(given, names))


@SEATS
def test_texts_keep_to_their_room_and_lie_on_no_other(players):
    """From an empty to a crowded table; all pictures are of one size, as frames of a film are."""
    sizes = set()
    full, names = crowded(players), ["A very long name indeed, longer than its room"] * players
    for given in (table(players), full, seen_by(full, 1), full | OVER | {"hands": [{}] * players}):
        before = copy.deepcopy(given)
        drawn = picture(given)
        assert given == before
        sizes.add(height(drawn))
        assert_readable(drawn, headline(given).sentence)
        for piece in elements(given, names).values():
            assert_in_place(piece)
    assert len(sizes) == 1


@pytest.mark.parametrize("eye", EYES)
def test_card_and_seat_colours_stay_apart(eye):
    cards = [drawing.CARDS[colour][0] for colour in COLOURS]
    assert_apart((*cards, *(fill for fill, _ in drawing.SEAT_COLOURS)), eye, 20)


@pytest.mark.parametrize("table", OURS, ids=str)
def test_every_legal_move_has_its_places_once(table):
    for reached in positions(table, seed=3, every=23):
        whole, seen = reached.to_dict(), seen_by(reached.to_dict(), reached.to_move or 0)
        for drawn in (elements(seen).values(), [picture(seen)], [picture(whole)]):
            shown = places_in(drawn)
            assert max(shown.values()) == 1
            for move in reached.moves():
                at = places(seen, move)
                assert len(at) == {"ring": 1, "take": 0}.get(move, 2)
                assert all(shown[place] for place in at), move


@SEATS
def test_what_is_clicked_is_wide_enough_on_a_phone(players):
    """Every kind in the hand, also under the cards that cover it, and every pile."""
    most = table(players, front=[[], ["ring"] * 10, *[["red-1"]] * (players - 2)])
    mover = most["to_move"]
    kinds = [f"{colour}-{n}" for colour in ("red", "orange", "green", "blue") for n in (1, 2, 3)]
    most["hands"][mover] = dict.fromkeys([*kinds, "jester-1", "jester-2", "ring"], 1)
    for drawn in elements(seen_by(most, mover)).values():
        root = ElementTree.fromstring(drawn)
        scale = min(1, PHONE / float(root.attrib["viewBox"].split()[2]))
        for one in root.iter():
            if one.get("data-place", "").startswith((f"hand{mover}", "front")):
                assert min(map(float, one.attrib["data-size"].split())) * scale >= FINGER
