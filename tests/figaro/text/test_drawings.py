"""Picture, text and board of a position: everything in it, and no text without room."""

import copy
import itertools
from typing import Any
from xml.etree import ElementTree

import pytest
from shakespeare_env.figaro.drawing.board import board
from shakespeare_env.figaro.drawing.picture import picture
from shakespeare_env.figaro.drawing.places import places
from shakespeare_env.figaro.text.drawing import draw
from shakespeare_env.figaro.text.redaction import seen_by
from shakespeare_env.figaro.text.wording import asked, held, ranking
from shakespeare_env.figaro.words.glossary import topics

from shakespeare_env.core.presentation import Marks
from shakespeare_env.figaro.drawing import palette
from tests.drawings import (
    EYES,
    assert_apart,
    assert_in_place,
    assert_readable,
    height,
    pieces,
    placed,
    places_in,
    words,
)
from tests.figaro.cards import COLOURS, deck
from tests.figaro.positions import position
from tests.figaro.samples import OURS, positions

CARDS = [*deck(4).elements()]
"""All cards of the box, kind by kind."""
LONG_PILE = ["ring", "red-1", "ring", "ring", "jester-1", "red-1", "ring", "red-1", "jester-1",
             "ring", "ring"]  # fmt: skip

MIDDLE: dict[str, Any] = {
    "game": "figaro", "players": 4, "round": 3, "to_move": 0, "king": 1,
    "roads": [[10, 9], [11, 5], [6], []], "winners": None, "pieces": [[], [], [8, 7, 1]],
    "hands": [
        {"green-2": 2, "purple-1": 1, "purple-2": 1, "red-1": 1, "red-2": 3, "red-3": 1},
        {"green-2": 3, "orange-1": 1, "orange-2": 1, "red-2": 2, "ring": 1},
        {"blue-1": 1, "blue-2": 2, "green-1": 1, "green-3": 1, "jester-1": 1, "purple-2": 2},
        {"blue-1": 1, "green-1": 1, "orange-2": 2, "orange-3": 1, "purple-1": 2, "purple-2": 1},
    ],
    "front": [
        ["orange-2", "jester-1", "orange-1", "ring"], ["blue-2", "blue-1"], [], ["ring", "red-1"],
    ],
    "taken": [
        [],
        ["blue-2", "blue-2", "blue-2", "blue-3", "green-1", "green-2", "jester-1", "jester-2",
         "jester-2", "orange-1", "orange-2", "orange-2", "purple-2", "red-1", "ring", "ring"],
        [],
        [],
    ],
}  # fmt: skip
END: dict[str, Any] = {
    "game": "figaro", "players": 4, "round": 3, "to_move": None, "king": 3,
    "roads": [[9, 1], [11, 8, 5], [7, 6], [12, 10]], "winners": [0], "pieces": [[], [], []],
    "hands": [{}, {}, {}, {}], "front": [[], [], [], []],
    "taken": [["orange-3"], ["blue-1", "jester-2", "ring"], [], ["green-2", "green-3", "red-1"]],
}  # fmt: skip


def counted(cards):
    """Cards as the notation lists a hand."""
    return {card: cards.count(card) for card in sorted(set(cards))}


def table(players, **fields):
    """A first turn with full hands that hold a bit of everything, all pieces to come."""
    return copy.deepcopy(position(players=players, to_move=players - 1) | fields)


def crowded(players):
    """As much in every place as there can be, though not at once."""
    return table(
        players,
        round=2,
        front=[LONG_PILE] * players,
        taken=[CARDS] * players,
        roads=[[15, 14, 13]] * players,
        pieces=[[], [15, 14, 13, 12, 11][: players - 1], [10, 9, 8, 7, 1][: players - 1]],
    )


def changes(position):
    """Every position that differs in one entry: its key, and the position.

    A finished game has no cards in play and no pieces to be won.
    """
    over = position["to_move"] is None
    other = 1 - (position["to_move"] or 0)
    for key, value in {"round": 2, "to_move": other, "king": 2}.items():
        yield key, position | {key: value}
    new = {"pieces": [] if over else [*range(3)], "roads": [*range(position["players"])]}
    for key, numbers in new.items():
        for place in set(numbers):
            lists = copy.deepcopy(position[key])
            lists[place] = [*lists[place], 2]
            yield f"{key}[{place}]", position | {key: lists}
    for key, seat in itertools.product(
        ("taken",) if over else ("front", "taken"), range(position["players"])
    ):
        for cards in (["red-2"], ["red-3"], ["green-2"], ["jester-2"], ["ring"]):
            lists = copy.deepcopy(position[key])
            lists[seat] = [*lists[seat], *cards]
            yield f"{key}[{seat}] + {cards}", position | {key: lists}
    holders = range(0 if over else position["players"])
    for seat, card in itertools.product(holders, ("red-1", "jester-1", "ring")):
        hands = copy.deepcopy(position["hands"])
        hands[seat][card] = hands[seat].get(card, 0) + 1
        yield f"hands[{seat}] + {card}", position | {"hands": hands}


SEATS = pytest.mark.parametrize("players", range(3, 7))
OVER: dict[str, Any] = {"round": 3, "to_move": None, "winners": [1], "pieces": [[], [], []]}
NAMES = ["A very long name indeed, longer than its room"]
PHONE, FINGER = 366, 40


def elements(position, names=()):
    """The board's pieces by name, as pages show them."""
    return pieces(board(position, names))


@SEATS
def test_texts_keep_to_their_room_and_lie_on_no_other(players):
    """From an empty to a crowded table; all pictures are of one size, as frames of a film are."""
    sizes = set()
    full = crowded(players)
    for given in (table(players), full, seen_by(full, 1), full | OVER | {"hands": [{}] * players}):
        before = copy.deepcopy(given)
        drawn = picture(given)
        assert given == before
        sizes.add(height(drawn))
        assert_readable(drawn, asked(given))
        for piece in elements(given, NAMES * players).values():
            assert_in_place(piece)
        assert max(map(len, draw(given).splitlines())) <= 80
    assert len(sizes) == 1


@SEATS
@pytest.mark.parametrize("many", [1, 11, 25])
def test_cards_keep_to_their_place(players, many):
    """Long piles and hands draw closer together; every card shows its left edge."""
    pile = [*LONG_PILE, *LONG_PILE, *LONG_PILE][:many]
    hand = counted(CARDS[::2][:many])
    drawn = picture(table(players, front=[pile] * players, hands=[hand] * players))
    for seat in range(players):
        for part, place, expected, apart in (
            (f"seat-{seat}", f"hand{seat}", held(hand), 17),
            ("table", f"front{seat}", pile, 80 / many),
        ):
            inside = placed(drawn, "part", ("part", part))[0]
            cards = placed(drawn, "card", ("part", part), ("place", place))
            assert [one.name for one in cards] == expected
            for card in cards:
                assert inside.left < card.left < card.right < inside.right
                assert inside.top + 25 < card.top < card.bottom < inside.bottom
            for one, two in itertools.pairwise(cards):
                assert two.left - one.left > apart or two.top > one.bottom


def test_roads_are_stones_end_to_end_and_of_the_right_length_also_of_another_box():
    drawn = picture(crowded(4))
    for part in ("pieces", "race"):
        stones = placed(drawn, "piece", ("part", part))
        units = {round((one.right - one.left + 1) / int(one.name), 1) for one in stones}
        assert max(units) - min(units) < 0.35
    road = placed(drawn, "piece", ("place", "road0"))
    assert [one.name for one in road] == ["15", "14", "13"]
    assert all(0 <= two.left - one.right < 1.5 for one, two in itertools.pairwise(road))
    longer = {"roads": [[60, 30], [40], []], "pieces": [[], [50, 45], [20, 2]], "round": 2}
    for drawn in elements(table(3, **longer)).values():
        width = float(ElementTree.fromstring(drawn).attrib["width"])
        stones = [one for one in placed(drawn, "piece") if one.name.isdigit()]
        assert all(0 < stone.left < stone.right < width for stone in stones)


@pytest.mark.parametrize("given", [MIDDLE, END, table(3)])
def test_a_change_of_any_entry_changes_picture_and_text(given):
    shown = picture(given), draw(given)
    for what, other in changes(given):
        if other != given:
            assert picture(other) != shown[0], what
            assert draw(other) != shown[1], what


@pytest.mark.parametrize("seat", range(4))
def test_what_a_seat_does_not_know_lies_face_down(seat):
    drawn = picture(seen_by(MIDDLE, seat))
    for other, hand in enumerate(MIDDLE["hands"]):
        cards = [one.name for one in placed(drawn, "card", ("place", f"hand{other}"))]
        assert cards == (held(hand) if other == seat else ["?"] * 5)
        counted = f"{sum(hand.values())} cards" in words(drawn, f"seat-{other}")
        assert counted == (other != seat)


def test_the_end_ranks_roads_and_says_what_decides_ties():
    end = {**END, "roads": [[10], [9, 1], [7], [6, 4]], "winners": [2]}
    assert ranking(end) == [2, 3, 0, 1]
    for drawn in (" ".join(words(picture(end))), draw(end)):
        assert "tied with seat 0, but has the King" in drawn
        assert "tied with seat 3, which has the King" in drawn
        assert "tied with seat 0, which is nearer clockwise to the King" in drawn
    assert "Winner: seat 0, with a road of 10" in words(picture(END), "head")
    assert "round 3 of 3 · King: seat 3" in words(picture(END), "head")


def test_marks_frame_targets_and_changes_and_name_the_seats():
    plain = picture(MIDDLE).count("<rect")
    assert picture(MIDDLE, Marks(targets=("road0",))).count("<rect") == plain + 1
    assert picture(MIDDLE, Marks(changed=("road0", "taken1"))).count("<rect") == plain + 2
    names = ["Ada", "Bo", "Cy", "Di"]
    drawn = picture(MIDDLE, Marks(names=names))
    for seat, name in enumerate(names):
        assert [one for one in words(drawn, f"seat-{seat}") if one.startswith((*names,))] == [name]


@pytest.mark.parametrize("eye", EYES)
def test_card_and_seat_colours_stay_apart(eye):
    cards = [palette.CARDS[colour][0] for colour in COLOURS]
    assert_apart((*cards, *palette.SEATS), eye, 20)


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


def test_a_move_is_clicked_on_the_card_then_before_the_seat():
    assert places(MIDDLE, "play:red-2>3") == ("hand0.red-2", "front3")
    assert places(MIDDLE | {"to_move": 1}, "ring") == ("hand1.ring",)


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


def test_pieces_keep_their_names_through_a_game():
    """Until its end, when nothing is left to be won."""
    *reached, end = [tuple(elements(p.to_dict())) for p in positions(OURS[0], seed=1, every=7)]
    assert len({*reached}) == 1
    assert end[0] == "roads"


def test_pieces_say_what_they_show_to_those_who_cannot_see_it():
    titles = {piece.name: piece.title for panel in board(MIDDLE, ["Ada"]) for piece in panel.pieces}
    assert "before seat 0 orange-2, jester-1, orange-1, ring, 4 of 6" in titles["piles"]
    assert titles["roads"] == "Roads: seat 0 19; seat 1 16; seat 2 6; seat 3 0"
    assert titles["seat-0-hand"].startswith("Seat 0, Ada: hand of 9 cards, red-1, 3 × red-2, red-3")
    assert titles["seat-3-taken"] == "Seat 3 has taken 0 cards"


def test_a_card_tells_its_copies_where_they_are_seen():
    d = position(hands={0: "red-3", 1: "red-1 red-1", 2: "..."}, front={2: "red-1 red-2"}, heap=3)
    now = "Now: 2 in the hand of seat 1; 1 before seat 2."
    assert topics(d)["red-1"].split("\n") == ["3 such cards in play, of value 1.", now]
    assert topics(seen_by(d, 0))["red-1"].split("\n")[1] == "Now: 1 before seat 2."
    assert topics(seen_by(d, 1))["red-3"].split("\n")[1] == "Now: unseen."
    assert topics(d)["red"].split("\n")[1] == "Now: before seat 2."
    assert topics(position(players=3))["purple"] == "Not in play with so few seats."
