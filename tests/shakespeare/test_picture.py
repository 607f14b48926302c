"""The picture of a position: everything in it, in its place, and no text without room."""

import copy
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.drawing.palette import GOLD, INK
from shakespeare_env.panels import Marks
from shakespeare_env.shakespeare.box import COLOURS
from shakespeare_env.shakespeare.box_loading import load_box
from shakespeare_env.shakespeare.drawing import palette, wording
from shakespeare_env.shakespeare.drawing.board import board
from shakespeare_env.shakespeare.drawing.headline import headline
from shakespeare_env.shakespeare.drawing.picture import WIDTH, picture
from shakespeare_env.shakespeare.drawing.wording import asked
from tests.contract.random_games import TABLES, sampled
from tests.drawings import EYES, SVG, lab, texts, words
from tests.shakespeare.positions import (
    ACTOR_CARDS,
    COPIES,
    OBJECTIVES,
    finished,
    position,
    seat,
    turn_position,
)

CRAFT = {"value": 5, "costumes": True, "sets": True, "colours": ["pink", "blue"], "optional": True}
PHASES: dict[str, dict[str, Any]] = {
    "draft": {"day": 1},
    "wager": {},
    "turn": {},
    "craft": {"pending": CRAFT},
    "quill": {"pending": {"quills": 2, "then": "mood"}},
    "back": {},
    "queen": {},
    "objective": {"pending": {"drawn": ["jewels", "patronage", "wardrobe"]}},
    "rest": {},
    "over": {"to_move": None, "winners": [0], "day": 6},
}

PARTS = ("in play, and objectives", "yellow elements", "unpaid wages")


def discs(drawn, act, space):
    """What stands on the discs of a space, from the bottom up."""
    at = ("place", f"piles.{act}.{space}")
    on = [line for line in texts(drawn) if at in line.places]
    number = next(line for line in on if line.text == str(space))
    pile = [line for line in on if line is not number and re.fullmatch("[0-9]|N", line.text)]
    return [line.text for line in sorted(pile, key=lambda line: -line.bottom)]


def rich_seat(**fields):
    """A seat with as many characters as there can be, and something of everything."""
    hired = ["lady_macbeth", "costume_mistress_6", "extra:othello", "titania"]
    hired += ["extra:costume_mistress_8", "lear", "assistant"]
    given: dict[str, Any] = {
        "used": ["author", "lear"],
        "resting": ["titania"],
        "costumes": {
            "lady_macbeth": ["green", "purple", "yellow"],
            "extra1": ["pink"],
            "author": ["black", "blue"],
        },
        "stage": {"a1": "purple", "a2": "blue", "b1": "green"},
        "objectives": ["jewels", "patronage", "wardrobe", "even_play", "grand_stage"],
        "prestige": 17, "pounds": 23, "tokens": 2, "mood": -1, "recruited": True,
    }  # fmt: skip
    return seat(hired, **(given | fields))


def any_position(phase, players):
    fields = {"to_move": 0} | PHASES[phase]
    mine = rich_seat(objectives=["even_play"], unpaid=1)
    return position(phase, players=players, seats={0: mine}, **fields) | fields


def changed(value):
    """A value of the same kind that is another one."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case "character":
            return "extra"
        case "queen" | None:
            return "author"
        case str():
            return "queen"
        case [_, *rest]:
            return rest
        case {**entries}:
            first = next(iter(entries))
            return {key: entry for key, entry in entries.items() if key != first}
    raise TypeError(value)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_with_every_number_of_seats(phase, players):
    game = any_position(phase, players) | {"queue": list(range(1, players))}
    if phase == "over":
        for mine in game["seats"]:
            mine["unpaid"] = 2
    drawn = picture(game)
    root = ElementTree.fromstring(drawn)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    assert width == WIDTH
    assert root.get("role") == "img"
    assert asked(game) in (root.findtext(f"{SVG}title") or "")
    lines = texts(drawn)
    assert asked(game) in words(drawn, "head")
    for line in lines:
        assert line.left >= 0, line
        assert line.right <= width, line
        assert line.top >= 0, line
        assert line.bottom <= height, line
        assert line.room is None or line.width <= line.room + 0.5, line


@pytest.mark.parametrize("players", [1, 2, 4])
@pytest.mark.parametrize("phase", ["turn", "craft", "rest", "over"])
def test_no_text_lies_on_another(phase, players):
    game = any_position(phase, players)
    for mine in game["seats"]:
        mine.setdefault("unpaid", 10)
        mine |= {"prestige": -12, "pounds": 118, "kept": "author"}
    lines = sorted((line for line in texts(picture(game)) if line.text), key=lambda line: line.top)
    for number, upper in enumerate(lines):
        for lower in lines[number + 1 :]:
            if lower.top >= upper.bottom:
                break
            assert lower.left >= upper.right or upper.left >= lower.right, (upper, lower)


@pytest.mark.slow
@pytest.mark.parametrize(
    "table", [table for table in TABLES if table.game == "shakespeare"], ids=str
)
def test_all_pictures_of_a_table_are_of_one_size(table):
    """Every frame of a film has as many pixels, also where as much is drawn as there can be."""
    heights = set()
    for seed in range(2):
        heights |= {height(game.to_dict()) for game in sampled(table, seed, every=9)}
    full = seat(ACTOR_CARDS[:7], objectives=list(OBJECTIVES))
    cards = [card for card, copies in COPIES.items() for _ in range(copies)]
    names = sorted(OBJECTIVES, key=lambda card: len(wording.objective_name(card)))
    for pile in (names, names[::-1], names[::2] + names[1::2][::-1]):
        game = turn_position(players=table.players, others=lambda: copy.deepcopy(full))
        game |= {"deck": cards, "discarded_characters": cards[::-1], "objective_deck": pile}
        heights.add(height(game))
    assert len(heights) == 1


def page_of(game):
    """What a page shows of a position."""
    drawn = [piece_svg(piece, piece.name) for panel in board(game) for piece in panel.pieces]
    return headline(game), drawn


def height(game):
    """How high the picture of a position is."""
    return ElementTree.fromstring(picture(game)).get("height")


def test_many_objectives_keep_to_their_panel():
    for many in range(1, len(OBJECTIVES) + 1):
        held = seat(objectives=OBJECTIVES[:many])
        lines = texts(picture(turn_position(players=2, seats={0: held})))
        here = [line for line in lines if ("part", "seat-0") in line.places]
        below = min(line.top for line in lines if ("part", "seat-1") in line.places)
        names = [wording.objective_name(card) for card in OBJECTIVES[:many]]
        told = [line for line in here if line.text in names]
        assert [line.text for line in told] == names
        assert told[-1].bottom < below - 12
        assert all(one.bottom <= two.top for one, two in itertools.pairwise(told))


def test_the_same_position_is_the_same_picture_and_stays_as_it_is():
    game = any_position("turn", 3)
    before = copy.deepcopy(game)
    assert picture(game) == picture(copy.deepcopy(game))
    assert game == before


class TestBoard:
    def test_the_discs_of_a_space_are_piled_from_the_bottom_up(self):
        acts = {"I": {7: [2, 0, 3, 1]}, "II": {5: [1, 3]}, "III": {8: [3]}}
        drawn = picture(turn_position(acts=acts))
        assert discs(drawn, "I", 7) == ["2", "0", "3", "1"]
        assert discs(drawn, "II", 5) == ["1", "3"]
        assert discs(drawn, "II", 1) == ["0", "2"]
        assert discs(drawn, "III", 8) == ["3"]

    def test_the_neutral_disc_is_an_n(self):
        drawn = picture(turn_position(players=1, acts={"II": {4: ["neutral", 0]}}))
        assert discs(drawn, "II", 4) == ["N", "0"]
        assert {"N", "neutral disc"} <= set(words(drawn, "legend"))
        assert "neutral disc" not in words(picture(turn_position(players=2)), "legend")

    def test_the_legend_explains_a_complete_costume(self):
        shown = words(picture(turn_position()), "legend")
        assert shown[shown.index("✓8") + 1] == "complete costume, its value"

    def test_a_space_tells_what_it_brings(self):
        drawn = picture(turn_position())
        on = {
            (act, space): [
                line.text
                for line in texts(drawn)
                if ("place", f"piles.{act}.{space}") in line.places
            ]
            for act in ("I", "II", "III")
            for space in range(1, 11)
        }
        assert on["I", 3][1:] == ["−1"]
        assert on["I", 7][1:] == ["+3£"]
        assert on["II", 7][1:] == []
        assert on["III", 10][1:] == ["+3"]
        assert on["I", 10] == []

    def test_head_and_piles(self):
        game = turn_position(strategic_rest=True, deck=["hamlet", "handyman", "handyman"])
        drawn = picture(game)
        assert {"4 seats · strategic rest", "day 3 of 6"} <= set(words(drawn, "head"))
        piles = " ".join(words(drawn, "piles"))
        assert "Hamlet · Handyman ×2" in piles
        assert "1. First on the acts · 2. Complete costumes" in piles
        assert "Deck (sorted)" in piles

    def test_the_characters_shown_have_name_and_cost(self):
        shown = words(picture(turn_position(shown=["hamlet", "jeweler"])), "board")
        for word in ("Hamlet", "3£", "actor", "Jeweler", "jeweler", "taken", "others", "−1"):
            assert word in shown

    def test_the_elements_shown_are_counted(self):
        game = turn_position(costumes={"green": 7}, sets={"yellow": 6})
        shown = words(picture(game), "board")
        assert {"green 5", "×7", "×6"} <= set(shown)


class TestSeats:
    def test_what_a_seat_has(self):
        drawn = picture(turn_position(seats={1: rich_seat()}, to_move=1))
        shown = words(drawn, "seat-1")
        assert {"Seat", "1", "17", "23", "wages 13£", "×2"} <= set(shown)
        assert {"✓ recruited", "not passed"} <= set(shown)
        assert {"Wager", "4", "2 left, 2 used"} <= set(shown)
        names = ["Author", "Falstaff", "Handyman (board)", "Queen", "Lady Macbeth"]
        names += ["Costume Mistress 6", "extra1", "(Othello)", "Titania", "extra2"]
        names += ["(Costume Mistress 8)", "Lear", "Assistant"]
        assert [word for word in shown if word in names] == names
        assert {"✓11", "=2", "=5", "z"} <= set(shown)
        assert {"Yellow elements", "Patronage: give up 2 or 5 pounds"} <= set(shown)
        assert {"a1", "c5"} <= set(shown)

    def test_the_end(self):
        seats = {0: finished(unpaid=3, prestige=-9), 1: finished(unpaid=0, prestige=9)}
        end = position("over", players=2, day=6, seats=seats, winners=[1]) | {"to_move": None}
        drawn = picture(end)
        assert "Winner: seat 1" in words(drawn, "head")
        assert {"−9", "3 unpaid"} <= set(words(drawn, "seat-0"))
        told = words(drawn, "seat-0")
        parts = [(told[at - 1], told[at]) for at, word in enumerate(told) if word in PARTS]
        assert parts == list(zip(("−3", "0", "−6"), PARTS, strict=True))
        assert "wins" in words(drawn, "seat-1")
        assert "wins" not in words(drawn, "seat-0")

    def test_the_end_on_pounds(self):
        seats = {number: finished(unpaid=0, prestige=9, pounds=number) for number in range(3)}
        end = position("over", players=3, day=6, seats=seats, winners=[2]) | {"to_move": None}
        assert "Winner: seat 2, on pounds" in words(picture(end), "head")

    def test_the_end_of_a_solo_game(self):
        seats = {0: finished(unpaid=0, prestige=13)}
        end = position("over", players=1, day=6, seats=seats, winners=[0]) | {"to_move": None}
        drawn = picture(end)
        told = "The game is over: 13 prestige; a good solo game passes 30"
        assert told in words(drawn, "head")
        assert not [text for text in words(drawn) if text == "wins" or "Winner" in text]
        # Its picture differs from one without winners in nothing: no crown, no frame.
        assert picture(end | {"winners": []}) == drawn

    def test_a_secret_choice_of_rest_is_shown(self):
        mine = seat(used=["author", "queen"], kept="author")
        drawn = picture(position("rest", seats={0: mine}, to_move=1))
        assert "free: Author" in words(drawn, "seat-0")


class TestObjectives:
    """Beside each objective that the viewer knows stands what it would bring now."""

    def told(self, game, number=0):
        at = ("place", f"seat0.objectives.{number}")
        return [line.text for line in texts(picture(game)) if at in line.places]

    def test_what_it_would_bring_now(self):
        held = seat(["viola", "romeo"], objectives=["great_company", "jewels"])
        game = turn_position(seats={0: held})
        assert self.told(game) == ["Actors in the troupe", "+1"]
        assert self.told(game, 1) == ["Yellow elements", "+0"]

    def test_it_follows_the_game(self):
        rich, poor = (seat(objectives=["patronage"], pounds=pounds) for pounds in (5, 1))
        assert self.told(turn_position(seats={0: rich}))[1] == "+3"
        assert self.told(turn_position(seats={0: poor}))[1] == "+0"

    def test_of_an_unknown_one_nothing(self):
        assert self.told(turn_position(seats={0: seat(objectives=["?"])})) == ["?"]

    def test_in_the_end_nobody_can_tell_what_was_given_up(self):
        seats = {0: finished(unpaid=0, objectives=["patronage", "great_company"], pounds=9)}
        end = position("over", players=1, day=6, seats=seats, winners=[0]) | {"to_move": None}
        assert self.told(end) == ["Patronage: give up 2 or 5 pounds"]
        assert self.told(end, 1) == ["Actors in the troupe", "+0"]


class TestMarks:
    def frames(self, marks, game):
        """Places with a frame of their own, which lies on top, by its colour."""
        found = set()
        for group in ElementTree.fromstring(picture(game, marks)).iter(f"{SVG}g"):
            last = group[-1] if len(group) else None
            if group.get("data-place") and last is not None and last.get("x") == "-1":
                found.add((group.get("data-place"), last.get("stroke")))
        return found

    def test_targets_and_changes_are_framed(self):
        game = turn_position(players=2, seats={1: seat(["viola"])})
        marks = Marks(targets={"seat1.troupe.4", "piles.I.2"}, changed={"seat0.prestige"})
        assert self.frames(marks, game) == {
            ("seat1.troupe.4", INK),
            ("piles.I.2", INK),
            ("seat0.prestige", GOLD),
        }
        assert not self.frames(Marks(), game)

    def test_names_stand_in_the_bands(self):
        names = ("Anna of York", "heuristic-2:loose")
        drawn = picture(turn_position(players=2), Marks(names=names))
        assert words(drawn, "seat-0")[2:4] == ["Anna of", "York"]
        shown = words(drawn, "seat-1")
        assert shown[2:5] == ["heuristic-", "2:loose", "5"]


class TestEverythingIsShown:
    """A change of any entry changes the picture, and what a page shows."""

    def _differs(self, game, path):
        other = copy.deepcopy(game)
        inside = other
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = changed(inside[path[-1]])
        assert picture(other) != picture(game), path
        assert page_of(other) != page_of(game), path

    @pytest.mark.parametrize(
        "key",
        ["strategic_rest", "day", "to_move", "order", "initiative", "deck", "queue",
         "discarded_characters", "objective_deck", "supply_tokens"],
    )  # fmt: skip
    def test_of_the_table(self, key):
        acted = {0: rich_seat(), 2: seat(used=["author"])}
        game = turn_position(seats=acted, deck=["hamlet"], queue=[2])
        self._differs(game, [key])

    @pytest.mark.parametrize("place", ["display", "bags", "discarded"])
    @pytest.mark.parametrize("kind", ["costumes", "sets"])
    @pytest.mark.parametrize("colour", ["black", "yellow"])
    def test_of_the_elements(self, place, kind, colour):
        self._differs(turn_position(), [place, kind, colour])

    def test_of_the_characters_shown(self):
        self._differs(turn_position(), ["display", "characters", 0])

    @pytest.mark.parametrize("key", ["value", "costumes", "colours", "optional"])
    def test_of_what_is_pending(self, key):
        game = position("craft", pending=CRAFT, costumes={"pink": 1}, sets={"pink": 1})
        self._differs(game, ["pending", key])

    @pytest.mark.parametrize("key", [
        "prestige", "pounds", "tokens", "mood", "wager", "cylinders", "recruited", "passed",
        "objectives", "stage",
    ])  # fmt: skip
    def test_of_a_seat(self, key):
        self._differs(turn_position(seats={2: rich_seat()}), ["seats", 2, key])

    def test_of_a_seat_at_rest_and_at_the_end(self):
        self._differs(position("rest", seats={1: seat(kept=None)}), ["seats", 1, "kept"])
        end = position("over", seats={1: finished(unpaid=1)}, winners=[0]) | {"to_move": None}
        for mine in end["seats"]:
            mine.setdefault("unpaid", 0)
        self._differs(end, ["seats", 1, "unpaid"])
        self._differs(end, ["winners"])

    @pytest.mark.parametrize("key", ["card", "face", "costume", "cylinder", "rest"])
    @pytest.mark.parametrize("member", [0, 4])
    def test_of_a_character(self, key, member):
        mine = rich_seat(used=["lear"])
        self._differs(turn_position(seats={2: mine}), ["seats", 2, "troupe", member, key])


def test_another_box_is_drawn_too(tmp_path):
    """Longer acts, a higher stage and names that are long or hold the letters of XML."""
    text = load_box().source.read_text(encoding="utf-8")
    spaces = [
        f'{{ id = "{row}{at}", row = {number} }},'
        for number, row in enumerate("abcdef", 1)
        for at in range(1, 6)
    ]
    text = re.sub(r"space = \[.*?\n\]", "space = [\n" + "\n".join(spaces) + "\n]", text, flags=re.S)
    text = text.replace("length = [9, 10, 10]", "length = [12, 30, 24]")
    text = text.replace('"Hamlet"', '"Hamlet <Prince of Denmark> & his friends"')
    text = text.replace('"Yellow elements"', '"Yellow elements on everything that a seat has made"')
    box = tmp_path / "box.toml"
    box.write_text(text, encoding="utf-8")
    mine = rich_seat(objectives=["jewels"], stage={})
    game = turn_position(seats={0: mine}, acts={"II": {30: [0, 1, 2, 3]}}, shown=["hamlet"] * 2)
    script = "import json, sys; from shakespeare_env.shakespeare.drawing.picture import picture\n"
    done = subprocess.run(
        [sys.executable, "-c", script + "print(picture(json.load(sys.stdin)))"],
        input=json.dumps(game),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"SHAKESPEARE_BOX": str(box), "PYTHONIOENCODING": "utf-8"},
    )
    assert discs(done.stdout, "II", 30) == ["0", "1", "2", "3"]
    assert {"Hamlet <Prince …", "f5"} & set(words(done.stdout))
    for line in texts(done.stdout):
        assert line.left >= 0, line
        assert line.right <= WIDTH, line
        assert line.room is None or line.width <= line.room + 0.5, line


@pytest.mark.parametrize("eye", EYES)
def test_seats_and_elements_stay_apart(eye):
    elements = [palette.ELEMENTS[colour][0] for colour in COLOURS]
    seen = [lab(colour, eye) for colour in (*palette.SEATS, *elements)]
    for number, one in enumerate(seen):
        for other in seen[:number]:
            assert np.linalg.norm(one - other) > 15
