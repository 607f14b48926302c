"""The picture of a position: everything in it, in its place, and no text without room."""

import copy
import itertools
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from shakespeare_env.figaro.drawing import palette
from shakespeare_env.figaro.drawing.picture import WIDTH, picture
from shakespeare_env.figaro.drawing.wording import asked, held, ranking
from shakespeare_env.figaro.redaction import seen_by
from shakespeare_env.raster import pixels
from tests.drawings import EYES, SVG, lab, placed, texts, words
from tests.figaro.cards import COLOURS
from tests.figaro.samples import OURS, positions
from tests.figaro.shown import CARDS, END, LONG_PILE, MIDDLE, changes, counted, crowded, table

SEATS = range(3, 7)
FIRST_FOUR = ("1.", "2.", "3.", "4.")


def names(drawn, kind, seat, place):
    """What a place of a seat holds, in the order it is drawn."""
    return [
        one.name
        for one in placed(drawn, kind, ("part", f"seat-{seat}"), ("place", f"{place}{seat}"))
    ]


def size(drawn):
    root = ElementTree.fromstring(drawn)
    return root.get("width"), root.get("height")


def shown(players):
    """Positions of a table, from an empty to a crowded one."""
    yield from (table(players), crowded(players), seen_by(crowded(players), 1))
    over: dict[str, Any] = {"round": 3, "to_move": None, "winners": [1], "pieces": [[], [], []]}
    yield crowded(players) | over | {"hands": [{}] * players}


@pytest.mark.parametrize("players", SEATS)
def test_texts_keep_to_the_picture_and_to_their_room(players):
    for position in shown(players):
        drawn = picture(position)
        root = ElementTree.fromstring(drawn)
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        assert width == WIDTH
        assert root.get("role") == "img"
        assert asked(position) in (root.findtext(f"{SVG}title") or "")
        assert asked(position) in words(drawn, "head")
        for line in texts(drawn):
            assert line.left >= 0, line
            assert line.right <= width, line
            assert line.top >= 0, line
            assert line.bottom <= height, line
            assert line.room is None or line.width <= line.room + 0.5, line


@pytest.mark.parametrize("players", SEATS)
def test_no_text_lies_on_another(players):
    for position in shown(players):
        lines = sorted((line for line in texts(picture(position)) if line.text),
                       key=lambda line: line.top)  # fmt: skip
        for number, upper in enumerate(lines):
            for lower in lines[number + 1 :]:
                if lower.top >= upper.bottom:
                    break
                assert lower.left >= upper.right or upper.left >= lower.right, (upper, lower)


def test_all_pictures_are_of_one_size():
    """Every frame of a film has as many pixels, whatever the table."""
    sizes = {size(picture(position)) for players in SEATS for position in shown(players)}
    sizes |= {size(picture(position)) for position in (MIDDLE, END)}
    assert len(sizes) == 1


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("many", [1, 2, 6, 11, 15, 25])
def test_cards_keep_to_their_place(players, many):
    """Long piles and hands draw closer together; every card shows its left edge."""
    pile = [*LONG_PILE, *LONG_PILE, *LONG_PILE][:many]
    hand = counted(CARDS[::2][:many])
    drawn = picture(table(players, front=[pile] * players, hands=[hand] * players))
    for seat in range(players):
        part = ("part", f"seat-{seat}")
        inside = placed(drawn, "part", part)[0]
        fronts = placed(drawn, "card", part, ("place", f"front{seat}"))
        hands = placed(drawn, "card", part, ("place", f"hand{seat}"))
        assert max(one.right for one in fronts) < min(one.left for one in hands)
        for row in (fronts, hands):
            assert [one.name for one in row] == (pile if row is fronts else held(hand))
            for card in row:
                assert inside.left < card.left < card.right < inside.right
                assert inside.top + 25 < card.top < card.bottom < inside.bottom - 44
            for one, two in itertools.pairwise(row):
                assert two.left - one.left > 17 or two.top > one.bottom


@pytest.mark.parametrize("players", SEATS)
def test_roads_are_stones_end_to_end_and_of_the_right_length(players):
    drawn = picture(crowded(players))
    stones = placed(drawn, "piece")
    units = {round((one.right - one.left + 1) / int(one.name), 1) for one in stones}
    assert max(units) - min(units) < 0.35
    for seat in range(players):
        road = placed(drawn, "piece", ("part", f"seat-{seat}"))
        assert [one.name for one in road] == ["15", "14", "13"]
        assert all(0 <= two.left - one.right < 1.5 for one, two in itertools.pairwise(road))


def test_longer_pieces_keep_to_their_place():
    """Those of another box."""
    position = table(3, roads=[[60, 30], [40], []], pieces=[[], [50, 45], [20, 2]], round=2)
    drawn = picture(position)
    for part in ("pieces", "seat-0"):
        inside = placed(drawn, "part", ("part", part))[0]
        for stone in placed(drawn, "piece", ("part", part)):
            assert inside.left < stone.left < stone.right < inside.right
    cards = placed(drawn, "card", ("part", "seat-0"), ("place", "hand0"))
    assert placed(drawn, "piece", ("part", "seat-0"))[-1].right < cards[0].left


def test_the_same_position_is_the_same_picture_and_stays_as_it_is():
    before = copy.deepcopy(MIDDLE)
    assert picture(MIDDLE) == picture(copy.deepcopy(MIDDLE))
    assert before == MIDDLE


@pytest.mark.parametrize("position", [MIDDLE, END, table(3), table(6)])
def test_a_change_of_any_entry_changes_the_picture(position):
    drawn = picture(position)
    for what, other in changes(position):
        if other != position:
            assert picture(other) != drawn, what


def test_it_is_drawn_in_pixels():
    drawn = pixels(picture(MIDDLE), width=400)
    assert drawn.shape[1] == 400
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 100


class TestTable:
    def test_head(self):
        shown = words(picture(MIDDLE), "head")
        assert {"Figaro", "4 seats", "round 3 of 3", "King: seat 1"} <= set(shown)
        assert "Seat 0: play a card, or take the 8 cards face up." in shown

    def test_road_pieces_of_every_round(self):
        position = table(4, round=2, pieces=[[], [11, 9, 6], [8, 7, 1]])
        shown = words(picture(position), "pieces")
        assert shown[1:] == ["Round 1", "laid in the roads", "Round 2", "now", "11", "9", "6",
                             "Round 3", "to come", "8", "7", "1"]  # fmt: skip

    def test_who_has_which_colour(self):
        shown = words(picture(MIDDLE), "colours")
        assert shown[1:] == ["red", "3", "orange", "0", "green", "free", "blue", "1",
                             "purple", "free"]  # fmt: skip

    def test_how_much_each_seat_has_taken(self):
        shown = words(picture(MIDDLE), "taken")
        assert shown[1:] == ["0", "0", "1", "16", "2", "0", "3", "0"]

    def test_the_legend_tells_letters_and_signs(self):
        shown = words(picture(MIDDLE), "legend")
        assert {"R red", "O orange", "G green", "B blue", "P purple", "King"} <= set(shown)


class TestSeats:
    def test_what_lies_before_a_seat_in_the_order_played(self):
        drawn = picture(MIDDLE)
        for seat, pile in enumerate(MIDDLE["front"]):
            assert names(drawn, "card", seat, "front") == pile
        assert {"orange", "4 of 6"} <= set(words(drawn, "seat-0"))
        assert "nothing before it" in words(drawn, "seat-2")

    def test_jesters_and_rings_have_no_colour(self):
        drawn = picture(table(3, front=[["jester-2", "ring"], [], []]))
        assert {"no colour", "2 of 6"} <= set(words(drawn, "seat-0"))

    def test_a_hand_by_colour_and_value(self):
        drawn = picture(MIDDLE)
        assert "Hand: 8 cards" in words(drawn, "seat-1")
        assert names(drawn, "card", 1, "hand") == [
            "red-2", "red-2", "orange-1", "orange-2", "green-2", "green-2", "green-2", "ring",
        ]  # fmt: skip

    def test_a_road_with_its_length(self):
        drawn = picture(MIDDLE)
        assert names(drawn, "piece", 0, "road") == ["10", "9"]
        assert "19" in words(drawn, "seat-0")
        assert "no piece yet" in words(drawn, "seat-3")

    def test_what_a_seat_has_taken(self):
        shown = words(picture(MIDDLE), "seat-1")
        strip = shown[shown.index("taken") - 1 :]
        assert strip == ["16", "taken", "R1", "1", "O1", "1", "O2", "2", "G1", "1", "G2", "1",
                         "B2", "3", "B3", "1", "P2", "1", "J1", "1", "J2", "2", "2"]  # fmt: skip

    @pytest.mark.parametrize("seat", range(4))
    def test_the_banner_has_the_colour_of_who_decides(self, seat):
        drawn = picture(MIDDLE | {"to_move": seat})
        head = drawn.split('data-part="head"')[1].split('data-part="table"')[0]
        assert palette.SEATS[seat] in head

    def test_the_king_and_the_winner(self):
        drawn = picture(END)
        kings = [seat for seat in range(4) if "King" in words(drawn, f"seat-{seat}")]
        won = [seat for seat in range(4) if "wins" in words(drawn, f"seat-{seat}")]
        assert (kings, won) == ([3], [0])
        assert "Winner: seat 0, with a road of 10" in words(drawn, "head")


class TestEnd:
    """Roads are ranked."""

    def test_the_shortest_road_comes_first(self):
        drawn = picture(END)
        parts = {line.places[1][1]: line.top for line in texts(drawn) if line.text in FIRST_FOUR}
        assert sorted(parts, key=lambda part: parts[part]) == [
            "seat-0",
            "seat-2",
            "seat-3",
            "seat-1",
        ]
        assert [word for word in words(drawn) if word in FIRST_FOUR] == ["1.", "2.", "3.", "4."]

    def test_who_is_first_of_those_tied_is_said(self):
        tied = picture(END | {"roads": [[10], [9, 1], [7], [6, 4]], "winners": [2]})
        assert "tied with seat 0, but has the King" in words(tied, "seat-3")
        assert "tied with seat 3, which has the King" in words(tied, "seat-0")
        assert "tied with seat 0, which is nearer clockwise to the King" in words(tied, "seat-1")
        assert not [word for word in words(tied, "seat-2") if "tied" in word]

    @pytest.mark.parametrize("table", OURS, ids=str)
    def test_the_winner_is_first(self, table):
        for seed in range(3):
            end = [reached.to_dict() for reached in positions(table, seed)][-1]
            assert ranking(end)[0] == end["winners"][0]


class TestSeenByASeat:
    """What the seat does not know lies face down."""

    def test_the_other_hands(self):
        drawn = picture(seen_by(MIDDLE, 2))
        assert names(drawn, "card", 1, "hand") == ["?"] * 8
        assert "Hand: 8 cards" in words(drawn, "seat-1")
        assert words(drawn, "seat-1").count("?") == 8
        assert names(drawn, "card", 2, "hand") == held(MIDDLE["hands"][2])
        assert drawn.count("?") > picture(MIDDLE).count("?")

    @pytest.mark.parametrize("players", SEATS)
    def test_nothing_of_them_is_shown(self, players):
        position = table(players)
        for seat in range(players):
            hands = position["hands"]
            turned = [hands[seat] if at == seat else hands[at - 1] for at in range(players)]
            counts = [sum(hand.values()) for hand in hands]
            assert len(set(counts)) == 1
            other = position | {"hands": turned}
            assert picture(other) != picture(position)
            assert picture(seen_by(other, seat)) == picture(seen_by(position, seat))


@pytest.mark.parametrize("eye", EYES)
def test_card_and_seat_colours_stay_apart(eye):
    cards = [palette.CARDS[colour][0] for colour in COLOURS]
    seen = [lab(colour, eye) for colour in (*cards, *palette.SEATS)]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > 20


def test_colours_have_letters_and_symbols_of_their_own():
    """A colour can be told by the letter on its cards, and by the shape of their pips."""
    faces = {}
    for colour in COLOURS:
        drawn = picture(table(3, hands=[{f"{colour}-1": 1}, {}, {}]))
        shown = words(drawn, "seat-0")
        letter = shown[shown.index("1") + 1]
        card = drawn.split(f'data-card="{colour}-1"')[1]
        path = re.search(r'<path [^>]*d="([^"]*)"', card)
        faces[letter] = path and path[1]
    assert set(faces) == set("ROGBP")
    assert len(set(faces.values())) == len(COLOURS)
