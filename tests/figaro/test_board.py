"""The board in pieces: every move has its places there, wide enough for a finger."""

from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.figaro.drawing.board import board
from shakespeare_env.figaro.drawing.picture import picture
from shakespeare_env.figaro.drawing.places import places
from shakespeare_env.figaro.redaction import seen_by
from shakespeare_env.panels import Marks
from tests.drawings import texts
from tests.figaro.samples import OURS, positions
from tests.figaro.shown import END, MIDDLE, crowded, table

PHONE = 366
FINGER = 40


def elements(position, names=()):
    """The board's pieces by name, as pages show them."""
    return {
        piece.name: piece_svg(piece, f"piece-{piece.name}")
        for panel in board(position, names)
        for piece in panel.pieces
    }


def places_in(*drawings):
    """How often each place is drawn."""
    roots = map(ElementTree.fromstring, drawings)
    names = (one.get("data-place") for root in roots for one in root.iter())
    return Counter(name for name in names if name)


@pytest.mark.parametrize("table", OURS, ids=str)
def test_every_legal_move_has_its_places_once(table):
    for reached in positions(table, seed=3, every=23):
        whole, seen = reached.to_dict(), seen_by(reached.to_dict(), reached.to_move or 0)
        for drawn in (elements(seen).values(), [picture(seen)], [picture(whole)]):
            shown = places_in(*drawn)
            assert max(shown.values()) == 1
            for move in reached.moves():
                at = places(seen, move)
                assert len(at) == {"ring": 1, "take": 0}.get(move, 2)
                assert all(shown[place] for place in at), move


def test_a_move_is_clicked_on_the_card_then_before_the_seat():
    assert places(MIDDLE, "play:red-2>3") == ("hand0.red-2", "front3")
    assert places(MIDDLE | {"to_move": 1}, "ring") == ("hand1.ring",)
    assert places(MIDDLE, "take") == ()


@pytest.mark.parametrize("players", range(3, 7))
def test_what_is_clicked_is_wide_enough_on_a_phone(players):
    """Every kind in the hand, also under the cards that cover it, and every pile."""
    most = table(players, front=[[], ["ring"] * 10, *[["red-1"]] * (players - 2)])
    mover = most["to_move"]
    most["hands"][mover] = dict.fromkeys(crowded_hand(), 1)
    for panel in board(seen_by(most, mover), ["A very long name"] * players):
        for piece in panel.pieces:
            root = ElementTree.fromstring(piece_svg(piece, "one"))
            scale = min(1, PHONE / piece.block.width)
            for one in root.iter():
                place = one.get("data-place", "")
                if place.startswith((f"hand{mover}", "front")):
                    wide, high = map(float, one.attrib["data-size"].split())
                    assert min(wide, high) * scale >= FINGER, place


def crowded_hand():
    """As many kinds as a hand can hold."""
    kinds = [f"{colour}-{n}" for colour in ("red", "orange", "green", "blue") for n in (1, 2, 3)]
    return [*kinds, "jester-1", "jester-2", "ring"]


@pytest.mark.parametrize("players", range(3, 7))
def test_texts_keep_to_their_piece_and_to_their_room(players):
    names = ["A very long name indeed, longer than its room"] * players
    over: dict[str, Any] = {"round": 3, "to_move": None, "winners": [1], "pieces": [[], [], []]}
    for position in (table(players), crowded(players), crowded(players) | over):
        for name, drawn in elements(position, names).items():
            _, _, wide, high = map(float, ElementTree.fromstring(drawn).attrib["viewBox"].split())
            for line in texts(drawn):
                assert line.left >= -0.5, (name, line)
                assert line.right <= wide + 0.5, (name, line)
                assert line.top >= 0, (name, line)
                assert line.bottom <= high, (name, line)
                assert line.room is None or line.width <= line.room + 0.5, (name, line)


def test_pieces_keep_their_names_through_a_game():
    """Until its end, when nothing is left to be won."""
    *reached, end = [tuple(elements(p.to_dict())) for p in positions(OURS[0], seed=1, every=7)]
    assert len({*reached}) == 1
    assert end[0] == "roads"
    hands = {f"seat-{seat}-hand" for seat in range(OURS[0].players)}
    assert {*reached[0]} - {*end} == {"piles", "pieces", *hands}


def test_pieces_say_what_they_show_to_those_who_cannot_see_it():
    told = {piece.name: piece.title for panel in board(MIDDLE, ["Ada"]) for piece in panel.pieces}
    assert "before seat 0 orange-2, jester-1, orange-1, ring, 4 of 6" in told["piles"]
    assert "before seat 2 nothing; " in told["piles"]
    assert told["pieces"] == "Road pieces to be won: round 3 8, 7, 1"
    assert told["taken"].endswith("seat 0 0, seat 1 16, seat 2 0, seat 3 0")
    assert told["roads"] == "Roads: seat 0 19; seat 1 16; seat 2 6; seat 3 0"
    assert told["seat-0-hand"].startswith("Seat 0, Ada: hand of 9 cards, red-1, 3 × red-2, red-3")
    assert told["seat-3-taken"] == "Seat 3 has taken 0 cards"
    end = {piece.name: piece.title for panel in board(END) for piece in panel.pieces}
    assert end["roads"] == (
        "Roads, the shortest first: seat 0 10, wins; seat 2 13; seat 3 22; seat 1 24"
    )


def test_only_what_a_move_changes_is_drawn_differently():
    """A card played leaves the other cards of the hand as they were, and the other piles."""
    before = table(4)
    mover, card = before["to_move"], next(iter(before["hands"][3]))
    after = before | {"front": [[card], [], [], []], "to_move": 0}
    after["hands"] = [*before["hands"][:mover], before["hands"][mover] | {card: 4}]
    assert differing(before, after) == {f"hand{mover}.{card}", "front0"}


def differing(before, after):
    """Places drawn differently."""
    contents = []
    for position in (before, after):
        roots = map(ElementTree.fromstring, elements(position).values())
        contents.append(
            {
                one.get("data-place"): [ElementTree.tostring(inner) for inner in one]
                for root in roots
                for one in root.iter()
                if one.get("data-place")
            }
        )
    return {place for place in contents[0] if contents[0][place] != contents[1][place]}


def test_hands_face_down_are_a_few_backs_and_their_count():
    drawn = elements(seen_by(MIDDLE, 0))
    assert "8 cards" in [line.text for line in texts(drawn["seat-1-hand"])]
    assert not [place for place in places_in(drawn["seat-1-hand"]) if place != "hand1"]
    assert set(places_in(drawn["seat-0-hand"])) == {f"hand0.{card}" for card in MIDDLE["hands"][0]}


def test_free_colours_are_told():
    told = [line.text for line in texts(elements(MIDDLE)["piles"])]
    assert told[-3:] == ["Free colours:", "green", "purple"]


def test_at_the_end_roads_stand_in_the_order_of_their_places():
    told = [line.text for line in texts(elements(END, ["Ada", "Bo", "Cy", "Di"])["roads"])]
    assert [word for word in told if word.endswith(".")] == ["1.", "2.", "3.", "4."]
    assert [word for word in told if word in ("Ada", "Bo", "Cy", "Di")] == ["Ada", "Cy", "Di", "Bo"]


@pytest.mark.parametrize("position", [MIDDLE, END], ids=["middle", "end"])
def test_marks_frame_targets_and_changes(position):
    plain = picture(position).count("<rect")
    assert picture(position, Marks(targets=("road0",))).count("<rect") == plain + 1
    assert picture(position, Marks(changed=("road0", "taken1"))).count("<rect") == plain + 2
    assert picture(position, Marks(targets=("nowhere",))) == picture(position)


@pytest.mark.parametrize("position", [MIDDLE, END], ids=["middle", "end"])
def test_names_stand_at_their_seats(position):
    names = ["Ada", "Bo", "Cy", "Di"]
    for seat, name in enumerate(names):
        lines = texts(picture(position, Marks(names=names)))
        told = [line.text for line in lines if ("part", f"seat-{seat}") in line.places]
        assert sum(text.startswith(name) for text in told) == 1
        assert not [text for text in told if text.startswith(tuple({*names} - {name}))]
