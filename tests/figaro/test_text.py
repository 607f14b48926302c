"""The drawing of a position: everything in it, in its place, within the width."""

import copy

import pytest

from shakespeare_env.figaro.drawing.text import WIDTH, draw
from shakespeare_env.figaro.redaction import seen_by
from tests.drawings import line_with
from tests.figaro.shown import CARDS, END, LONG_PILE, MIDDLE, changes, crowded, table

SEATS = range(3, 7)


def rows(drawing, part):
    """The cells of a part's rows, seat by seat, after the line with its title."""
    lines = drawing.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(part))
    found = []
    for line in lines[first + 1 :]:
        if not line.strip(" ▶").startswith("Seat"):
            break
        found.append(line.replace("▶", "").split()[2:])
    return found


def positions(players):
    yield from (table(players), crowded(players))
    for seat in range(players):
        yield seen_by(table(players, to_move=seat), seat)
    # A seat that has taken all there is, as the last cards are played.
    empty: list[list[str]] = [[] for _ in range(1, players)]
    yield table(players, taken=[CARDS, *empty], hands=[{}] * players)


@pytest.mark.parametrize("players", SEATS)
def test_every_table_fits_the_width(players):
    for position in positions(players):
        lines = draw(position).splitlines()
        assert max(map(len, lines)) <= WIDTH <= 80
        assert not any(line != line.rstrip() for line in lines)
        assert len(lines) == len(draw(table(players)).splitlines())


def test_the_same_position_is_the_same_text_and_stays_as_it_is():
    before = copy.deepcopy(MIDDLE)
    assert draw(MIDDLE) == draw(copy.deepcopy(MIDDLE))
    assert before == MIDDLE


@pytest.mark.parametrize("position", [MIDDLE, END, table(3), table(6)])
def test_a_change_of_any_entry_changes_the_text(position):
    drawn = draw(position)
    for what, other in changes(position):
        if other != position:
            assert draw(other) != drawn, what


class TestHead:
    def test_says_the_round_the_king_and_who_decides(self):
        drawing = draw(MIDDLE)
        assert line_with(drawing, "Figaro · 4 seats", "round 3 of 3 · King: seat 1")
        assert line_with(drawing, "▶ Seat 0: play a card, or take the 8 cards face up.")

    def test_one_takes_only_if_there_is_something_to_take(self):
        assert line_with(draw(table(4)), "▶ Seat 3: play a card.")
        one = table(3, front=[[], ["ring"], []])
        assert line_with(draw(one), "▶ Seat 2: play a card, or take the card face up.")

    def test_names_the_winner(self):
        drawing = draw(END)
        assert line_with(drawing, "Winner: seat 0, with a road of 10")
        assert "▶" not in drawing
        assert "tied" not in drawing

    def test_names_the_winner_of_a_tie(self):
        tied = END | {"roads": [[9, 1], [10], [7, 6], [12]], "winners": [1]}
        assert line_with(draw(tied), "Winner: seat 1, with a road of 10, nearest to the King")


class TestEnd:
    def test_roads_stand_in_the_order_of_their_places(self):
        lines = draw(END).splitlines()
        first = next(at for at, line in enumerate(lines) if line.startswith("1."))
        assert [line.split() for line in lines[first : first + 5]] == [
            ["1.", "Seat", "0", "9+1", "=", "10", "1", "wins"],
            ["2.", "Seat", "2", "7+6", "=", "13", "0"],
            ["3.", "Seat", "3", "King", "12+10", "=", "22", "3"],
            ["4.", "Seat", "1", "11+8+5", "=", "24", "3"],
            ["─" * WIDTH],
        ]

    def test_what_decides_ties_is_said(self):
        tied = draw(END | {"roads": [[10], [9, 1], [7], [6, 4]], "winners": [2]})
        assert line_with(tied, "1.", "Seat 2")
        assert line_with(tied, "Seat 3: tied with seat 0, but has the King")
        assert line_with(tied, "Seat 0: tied with seat 3, which has the King")
        assert line_with(tied, "Seat 1: tied with seat 0, which is nearer clockwise to the King")


class TestTable:
    def test_the_road_pieces_of_every_round(self):
        told = line_with(draw(table(4, round=2, pieces=[[], [11, 9, 6], [8, 7, 1]])), "Road pieces")
        assert told.split("  ")[1:] == ["round 1: laid", "▶ round 2: 11 9 6", "round 3: 8 7 1"]

    def test_what_lies_before_a_seat_in_the_order_played(self):
        seats = rows(draw(MIDDLE), "               before it")
        assert seats == [
            ["O2", "J1", "O1", "○", "orange", "4/6", "9", "0", "10+9", "=", "19"],
            ["King", "B2", "B1", "blue", "3/6", "8", "16", "11+5", "=", "16"],
            ["·", "·", "8", "0", "6"],
            ["○", "R1", "red", "1/6", "8", "0", "·"],
        ]

    def test_jesters_and_rings_have_no_colour(self):
        position = table(3, front=[["jester-2", "ring"], [], []])
        told = rows(draw(position), "               before it")[0]
        assert told == ["King", "J2", "○", "·", "2/6", "15", "0", "·"]

    def test_a_long_pile_is_told_in_full(self):
        drawing = draw(table(6, front=[LONG_PILE, *[[]] * 5]))
        assert line_with(drawing, "Seat 0", "○ R1 ○ ○ J1 R1 ○ R1 J1 ○ ○  red 5/6")
        longer = table(6, front=[[*LONG_PILE, *LONG_PILE], *[[]] * 5])
        assert line_with(draw(longer), "Seat 0", "○R1○○J1R1○R1J1○○" * 2)


class TestCards:
    def test_hands_by_colour_and_value(self):
        assert rows(draw(MIDDLE), "Hands") == [
            ["12223", "·", "22", "·", "12", "·", "·"],
            ["22", "12", "222", "·", "·", "·", "○"],
            ["·", "·", "13", "122", "22", "1", "·"],
            ["·", "223", "1", "1", "112", "·", "·"],
        ]

    def test_taken_cards_by_colour_and_value(self):
        taken = rows(draw(MIDDLE), "Taken")
        assert taken == [["·"] * 7, ["1", "122", "12", "2223", "2", "122", "○○"], *[["·"] * 7] * 2]
        everything = draw(table(4, taken=[[], [], CARDS[::-1], []]))
        whole = ["1112222223"] * 5
        assert rows(everything, "Taken")[2] == [*whole, "11122", "○○○○○"]

    def test_a_hand_that_is_not_known_lies_face_down(self):
        drawing = draw(seen_by(MIDDLE, 2))
        assert rows(drawing, "Hands") == [
            ["?", "9", "cards", "face", "down"],
            ["?", "8", "cards", "face", "down"],
            ["·", "·", "13", "122", "22", "1", "·"],
            ["?", "8", "cards", "face", "down"],
        ]
        assert "face down" not in draw(MIDDLE)

    def test_a_colour_that_is_out_of_play_has_no_column(self):
        assert "purple" not in draw(table(3))
        assert "purple" in draw(table(4))

    @pytest.mark.parametrize("seat", range(4))
    def test_nothing_of_it_is_told(self, seat):
        other = copy.deepcopy(MIDDLE)
        for index, hand in enumerate(other["hands"]):
            if index != seat:
                other["hands"][index] = {"blue-3": sum(hand.values())}
        assert draw(other) != draw(MIDDLE)
        assert draw(seen_by(other, seat)) == draw(seen_by(MIDDLE, seat))
