"""Picture and board of a position: a place for every move, and no text without room."""

import copy
from typing import Any
from xml.etree import ElementTree

import pytest

from shakespeare_env.core import registry
from shakespeare_env.figaro.drawing.board import board, picture, places
from shakespeare_env.figaro.drawing.shapes import CARDS as CARD_COLOURS
from shakespeare_env.figaro.drawing.shapes import SEAT_COLOURS
from shakespeare_env.figaro.text.wording import headline
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
"""All cards of the box, by kind."""
LONG_PILE = ["ring", "red-1", "ring", "ring", "jester-1", "red-1", "ring", "red-1", "jester-1",
             "ring"]  # fmt: skip

OVER: dict[str, Any] = {"round": 3, "to_move": None, "winners": [1], "pieces": [[], [], []]}
SEATS = pytest.mark.parametrize("players", range(3, 7))
PHONE = 366
PHONE_SUMMARY = 328
"""The width of a summary beside the button that opens its panel."""
FINGER = 44


def table(players, **fields):
    """Return the first turn of a game, with hands that have a bit of everything."""
    return copy.deepcopy(position(players=players, to_move=players - 1) | fields)


def crowded(players):
    """Return a position with as much in every place as can be, though not all at once."""
    pieces_left = [[], [15, 14, 13, 12, 11][: players - 1], [10, 9, 8, 7, 1][: players - 1]]
    fields = {"front": [LONG_PILE] * players, "taken": [CARDS] * players, "pieces": pieces_left}
    return table(players, round=2, roads=[[15, 14, 13]] * players, **fields)


def elements(given, names=()):
    """Return the board's pieces by name, as pages show them."""
    return pieces(board(given, names))


@SEATS
def test_texts_keep_to_their_room_and_pictures_to_one_size(players):
    """So do those of an empty and of a crowded table, and of the end."""
    sizes = set()
    full = crowded(players)
    names = ["A very long name indeed, longer than its room"] * players
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
    cards = [CARD_COLOURS[colour][0] for colour in COLOURS]
    assert_apart(cards + [fill for fill, _ in SEAT_COLOURS], eye, 20)


@pytest.mark.parametrize("table", OURS, ids=str)
def test_every_legal_move_has_its_places_once(table):
    for reached in positions(table, seed=3, every=23):
        complete = reached.to_dict()
        seen = seen_by(complete, reached.to_move or 0)
        for drawn in (elements(seen).values(), [picture(seen)], [picture(complete)]):
            shown = places_in(drawn)
            assert max(shown.values()) == 1
            for move in reached.moves():
                clicked = places(seen, move)
                assert len(clicked) == {"ring": 1, "take": 0}.get(move, 2)
                assert all(shown[place] for place in clicked), move


@SEATS
def test_what_is_clicked_is_wide_enough_on_a_phone(players):
    """This holds for every kind in the hand, even under other cards, and for every pile."""
    full = table(players, front=[[], ["ring"] * 10, *[["red-1"]] * (players - 2)])
    mover = full["to_move"]
    kinds = [f"{colour}-{n}" for colour in ("red", "orange", "green", "blue") for n in (1, 2, 3)]
    full["hands"][mover] = dict.fromkeys([*kinds, "jester-1", "jester-2", "ring"], 1)
    for name, drawn in elements(seen_by(full, mover)).items():
        root = ElementTree.fromstring(drawn)
        room = PHONE_SUMMARY if name.endswith("-summary") else PHONE
        scale = min(1, room / float(root.attrib["viewBox"].split()[2]))
        for one in root.iter():
            if one.get("data-place", "").startswith((f"hand{mover}", "front")):
                assert min(map(float, one.attrib["data-size"].split())) * scale >= FINGER
