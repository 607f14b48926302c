"""The drawing of a position: everything in it, in its place, within the width."""

import copy

import pytest

from shakespeare_env import Position
from shakespeare_env.shakespeare import redaction as secrecy
from shakespeare_env.shakespeare.drawing.compact import draw_compact
from shakespeare_env.shakespeare.drawing.text import WIDTH, draw
from shakespeare_env.shakespeare.drawing.wording import worth_now
from tests.drawings import line_with
from tests.shakespeare.positions import (
    OBJECTIVES,
    finished,
    position,
    seat,
    turn_position,
    wager_position,
)
from tests.shakespeare.test_picture import PHASES, any_position


def seat_part(drawing, index):
    """The lines of one seat's board, without its heading."""
    after = drawing.split(f"── Seat {index} ─")[1]
    return after.split("\n──", 1)[0].split("\n", 1)[1]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_positions_of_a_game_fit_the_width(players):
    game = Position.new("shakespeare", players=players, seed=players)
    number = 0
    while game.to_move is not None:
        if number % 9 == 0:
            lines = draw(game.to_dict()).splitlines()
            assert max(map(len, lines)) <= WIDTH <= 80
            assert not any(line != line.rstrip() for line in lines)
        legal = game.moves()
        game.push(legal[number * 7 % len(legal)])
        number += 1
    end = draw(game.to_dict())
    assert ("Winner" in end) == ("wins" in end) == (players > 1)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("phase", PHASES)
def test_crowded_tables_fit_the_width(phase, players):
    game = any_position(phase, players)
    full = game["seats"][0] | {"prestige": -12, "pounds": 118, "kept": "costume_mistress_6"}
    full |= {"unpaid": 11, "objectives": [*OBJECTIVES[:5]], "cylinders": 2, "wager": 5}
    game |= {"seats": [copy.deepcopy(full) for _ in range(players)], "strategic_rest": True}
    game["display"]["characters"] = ["costume_mistress_6"] * 8
    game["queue"] = list(range(1, players))
    for drawn in (draw(game), draw_compact(game)):
        assert max(map(len, drawn.splitlines())) <= 80


def test_the_drawing_leaves_the_position_alone():
    game = Position.new("shakespeare", players=2, seed=1)
    before = game.to_dict()
    draw(before)
    assert before == game.to_dict()
    assert str(game) == draw(before)


class TestHead:
    @pytest.mark.parametrize(
        ("phase", "fields", "words"),
        [
            ("draft", {"day": 1}, ["setup", "take one of the characters shown"]),
            ("wager", {}, ["phase 1, wager", "secret"]),
            ("turn", {}, ["phase 2", "recruit or activate"]),
            (
                "craft",
                {
                    "pending": {
                        "value": 5, "costumes": True, "sets": True, "optional": True,
                        "colours": ["black", "pink"],
                    }
                },
                ["phase 2", "take costume and stage set elements, up to 5 in value"],
            ),
            (
                "craft",
                {
                    "pending": {
                        "value": 3, "costumes": True, "sets": True, "optional": False,
                        "colours": ["yellow"],
                    }
                },
                ["take one yellow costume or stage set element"],
            ),
            (
                "quill",
                {"pending": {"quills": 2, "then": "turn"}},
                ["phase 2", "a white quill, 2 left"],
            ),
            (
                "quill",
                {
                    "pending": {
                        "quills": 1,
                        "then": {
                            "value": 5, "costumes": True, "sets": False, "optional": False,
                            "colours": ["green"],
                        },
                    }
                },
                ["phase 2", "1 left; then take one green costume element"],
            ),
            ("quill", {"pending": {"quills": 1, "then": "mood"}}, ["phase 3, mood"]),
            ("quill", {"pending": {"quills": 1, "then": "rehearsal"}}, ["phase 4, dress"]),
            ("back", {}, ["phase 3, mood", "moves back"]),
            ("queen", {}, ["4 pounds, or one of 3 objectives"]),
            (
                "objective",
                {"pending": {"drawn": ["jewels", "wardrobe"]}},
                ["keep one of: Yellow elements, Complete costumes"],
            ),
            ("rest", {"queue": [2, 3]}, ["phase 6, rest", "stays free", "Afterwards: seats 2, 3"]),
        ],
    )  # fmt: skip
    def test_says_the_phase_and_what_is_asked_of_whom(self, phase, fields, words):
        lines = draw(position(phase, **({"to_move": 1} | fields))).split("\n\n")[0]
        head = " ".join(lines.split())
        for word in (*words, "▶ Seat 1:", f"day {fields.get('day', 3)} of 6", "4 seats"):
            assert word in head

    def test_after_recruiting_one_may_pass(self):
        drawing = draw(turn_position(seats={0: seat(recruited=True)}))
        assert "activate a character or pass" in drawing

    def test_names_the_variant_and_the_solo_game(self):
        assert "strategic rest" in draw(turn_position(strategic_rest=True))
        assert "solo" in draw(turn_position(players=1))

    def test_names_the_winners(self):
        seats = {index: finished(unpaid=index, prestige=9) for index in range(2)}
        end = position("over", players=2, day=6, seats=seats, winners=[0, 1])
        drawing = draw(end | {"to_move": None})
        assert "Winners: seats 0, 1" in drawing
        assert line_with(drawing, "wages due", "unpaid")
        assert line_with(drawing, "Seat 1", "1", "wins")
        assert "pounds" not in drawing.split("\n\n")[0]

    def test_names_the_winner_on_pounds(self):
        seats = {index: finished(unpaid=0, prestige=9, pounds=index) for index in range(3)}
        end = position("over", players=3, day=6, seats=seats, winners=[2]) | {"to_move": None}
        assert line_with(draw(end), "Winner: seat 2, on pounds")

    def test_a_solo_score_is_held_against_its_target(self):
        seats = {0: finished(unpaid=0, prestige=13)}
        end = position("over", players=1, day=6, seats=seats, winners=[0]) | {"to_move": None}
        drawing = draw(end)
        assert line_with(drawing, "The game is over: 13 prestige; a good solo game passes 30")
        assert "Winner" not in drawing
        assert "wins" not in drawing


class TestTable:
    def test_discs_stand_under_what_their_space_brings(self):
        acts = {"I": {7: [2, 0], 5: [1]}, "III": {10: [3]}}
        lines = draw(turn_position(acts=acts)).splitlines()
        marks = next(index for index, line in enumerate(lines) if line.startswith("Act I "))
        spaces = [cell.strip() for cell in lines[marks].split("│")[1:-1]]
        discs = [cell.strip() for cell in lines[marks + 1].split("│")[1:-1]]
        assert spaces == ["-1★", "-1★", "-1★", "", "+1£", "+1£", "+3£", "+3£", "+5£"]
        assert discs == ["3", "", "", "", "1", "", "2 0", "", ""]
        third = next(index for index, line in enumerate(lines) if line.startswith("Act III"))
        assert lines[third].split("│")[10].strip() == "+3★"
        assert lines[third + 1].split("│")[10].strip() == "3"

    def test_the_neutral_disc_is_an_n(self):
        assert "N 0" in draw(turn_position(players=1, acts={"II": {4: ["neutral", 0]}}))

    @pytest.mark.parametrize(
        ("label", "kind", "column", "shown"),
        [("Costumes", "costumes", 4, "2"), ("Stage sets", "sets", 5, "1")],
    )
    def test_shows_display_bags_and_discards(self, label, kind, column, shown):
        d = turn_position(costumes={"green": 2}, sets={"yellow": 1})
        lines = draw(d).splitlines()
        at = next(index for index, line in enumerate(lines) if line.startswith(label))
        assert lines[at].removeprefix(label).split()[column] == shown
        for row, name, place in ((1, "in bag", "bags"), (2, "discarded", "discarded")):
            cells = lines[at + row].strip().removeprefix(name).split()
            assert cells[:6] == [str(count or "·") for count in d[place][kind].values()]

    def test_shows_the_characters_with_their_cost_and_the_piles(self):
        d = turn_position(shown=["hamlet", "jeweler"], order=[2, 0, 1, 3])
        drawing = draw(d)
        assert line_with(drawing, "Hamlet", "3£")
        assert line_with(drawing, "Order", "2 0 1 3")
        assert line_with(drawing, "Deck", str(len(d["deck"])))
        assert line_with(drawing, "+3 tokens", "8")


class TestSeats:
    def test_numbers_of_a_seat(self):
        mine = seat(
            ["hamlet", "extra:othello"], used=["queen"], prestige=-2, pounds=13, tokens=1, mood=2,
            cylinders=2, recruited=True,
        )  # fmt: skip
        drawing = draw(turn_position(seats={0: mine}, supply_tokens=7))
        row = line_with(drawing, "▶ Seat 0 ").split()
        assert row == ["▶", "Seat", "0", "-2", "13", "3", "1", "+2", "3", "●○○", "yes", "no"]

    def test_a_secret_choice_of_rest_is_shown_while_it_is_one(self):
        mine = seat(used=["author", "queen"], kept="author")
        drawing = draw(position("rest", seats={0: mine}, to_move=1))
        assert line_with(drawing, "cylinders", "stays free")
        assert line_with(drawing, "Seat 0", "Author")

    def test_troupe_costumes_and_objectives(self):
        mine = seat(
            ["lear", "extra:jeweler", "set_dresser_6", "extra:juliet"],
            used=["lear"],
            resting=["set_dresser_6"],
            costumes={"lear": ["blue"], "extra2": ["pink", "purple", "yellow"]},
            objectives=["jewels", "patronage"],
        )
        part = seat_part(draw(turn_position(seats={1: mine})), 1)
        assert line_with(part, "● Lear 3£", "blu ··· ···", "4")
        assert line_with(part, "z Set Dresser 6 1£")
        assert line_with(part, "extra1 Jeweler ", "··· ··· ···")
        assert line_with(part, "extra2 Juliet ", "pnk pur yel ✓ 8")
        assert line_with(part, "◆ Yellow elements: 0★")
        assert line_with(part, "◆ Patronage: give up 2 or 5 pounds: 0★")

    def test_objectives_are_told_with_what_they_are_worth_so_far(self):
        d = turn_position(seats={1: seat(objectives=["patronage", "even_play"], pounds=7)})
        worth = [worth_now(d, 1, card) or 0 for card in ("patronage", "even_play")]
        part = seat_part(draw(d), 1)
        assert min(worth) == 0 < max(worth)
        assert line_with(part, "◆ Patronage: give up 2 or 5 pounds:", f"+{worth[0]}★")
        assert line_with(part, "◆ All three acts: 0★")
        assert "★" not in seat_part(draw(Position.from_dict(d).seen_by(0)), 1)

    def test_the_stage_is_a_wall_in_brick_bond(self):
        stage = {"a1": "purple", "a2": "blue", "b1": "green"}
        part = seat_part(draw(turn_position(seats={0: seat(stage=stage)})), 0)
        lines = part.splitlines()
        lefts = [line.index(first) for line, first in zip(lines, "┌│┌│┌│└", strict=True)]
        drawn = [line[left:] for line, left in zip(lines, lefts, strict=True)]
        assert drawn == [
            "┌───┬───┬───┬───┬───┐",
            "│ c1│c2*│c3*│c4*│ c5│",
            "┌─┴─┬─┴─┬─┴─┬─┴─┬─┴─┬─┴─┐",
            "│███│GRN│ b2│ b3│b4*│███│",
            "┌─┴─┬─┴─┬─┴─┬─┴─┬─┴─┬─┴─┬─┴─┐",
            "│███│pur│blu│ a3│ a4│ a5│███│",
            "└───┴───┴───┴───┴───┴───┴───┘",
        ]
        assert lefts == [lefts[0], lefts[0], *[lefts[0] - 2] * 2, *[lefts[0] - 4] * 3]


class TestSeenByASeat:
    """What the seat does not know is drawn as `?`."""

    def test_the_others_objectives(self):
        seats = {0: seat(objectives=["jewels"]), 1: seat(objectives=["patronage", "wardrobe"])}
        drawing = draw(Position.from_dict(turn_position(seats=seats)).seen_by(0))
        assert "◆ Yellow elements" in seat_part(drawing, 0)
        assert seat_part(drawing, 1).count("◆ ?") == 2
        assert "Patronage" not in drawing

    def test_objectives_another_seat_has_drawn(self):
        game = Position.from_dict(turn_position())
        for move in ("activate:queen", "queen:objectives"):
            game.push(move)
        assert line_with(draw(game.seen_by(1)), "▶ Seat 0: keep one of: ?, ?, ?.")
        assert "?" not in draw(game.seen_by(0))

    def test_a_wager_and_a_choice_of_rest(self):
        game = Position.from_dict(wager_position(players=2))
        game.push("wager:4")
        assert line_with(draw(game.seen_by(0)), "Seat 0", "4  ·")
        assert line_with(draw(game.seen_by(1)), "Seat 0", "?  ·")
        mine = seat(used=["author", "queen"], kept="author")
        drawing = draw(secrecy.seen_by(position("rest", seats={0: mine}, to_move=1), 1))
        assert line_with(drawing, "Seat 0", "?")
