"""The picture and the text of a position show everything in it, and no texts overlap."""

import copy
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.shakespeare.box.facts import COLOURS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.board import board, picture
from shakespeare_env.shakespeare.text import wording
from shakespeare_env.shakespeare.text.drawing import draw
from shakespeare_env.shakespeare.text.wording import headline
from tests.contract.playing import changed
from tests.drawings import EYES, SVG, assert_apart, assert_readable, height, pieces
from tests.shakespeare import positions as p

CRAFT = {"value": 5, "costumes": True, "sets": True, "colours": ["pink", "blue"], "optional": True}
PHASES: dict[str, dict[str, Any]] = {
    **{phase: {} for phase in ("wager", "turn", "back", "queen", "rest")},
    "draft": {"day": 1},
    "craft": {"pending": CRAFT},
    "quill": {"pending": {"quills": 2, "then": "mood"}},
    "objective": {"pending": {"drawn": ["jewels", "patronage", "wardrobe"]}},
    "over": {"to_move": None, "winners": [0], "day": 6},
}


def rich_seat(**fields):
    """Return a seat with as many characters as there can be, and something of everything."""
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
    return p.seat(hired, **(given | fields))


def crowded(phase, players):
    """Return a position in this phase in which every seat has as much as there can be."""
    game = p.position(phase, players=players, **({"to_move": 0} | PHASES[phase]))
    full = rich_seat(prestige=-12, pounds=118, wager=5, cylinders=2)
    full |= {"kept": "author", "unpaid": 11}
    game |= {"seats": [copy.deepcopy(full) for _ in range(players)], "strategic_rest": True}
    return game | PHASES[phase] | {"queue": list(range(1, players))}


@pytest.mark.parametrize("players", [1, 4])
@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_has_room_for_all_its_texts(phase, players):
    game = crowded(phase, players)
    before = copy.deepcopy(game)
    drawn = picture(game)
    assert game == before
    assert_readable(drawn, wording.headline(game).named(()).sentence)
    assert max(map(len, draw(game).splitlines())) <= 80


@pytest.mark.parametrize("players", range(1, 5))
def test_all_pictures_of_a_table_are_of_one_size(players):
    """Every frame of a film has as many pixels, also where as much is drawn as there can be."""
    full = p.seat(p.ACTOR_CARDS[:7], objectives=list(p.OBJECTIVES))
    games = [p.turn_position(players=players), *(crowded(phase, players) for phase in PHASES)]
    games.append(p.turn_position(players=players, others=lambda: copy.deepcopy(full)))
    games[-1]["deck"] = [card for card, copies in p.COPIES.items() for _ in range(copies)]
    assert len({height(picture(game)) for game in games}) == 1


def test_a_large_troupe_has_room_in_a_summary():
    """Names are complete and legible, and no costume lies on the next character."""
    panel = next(panel for panel in board(crowded("turn", 4)) if panel.name == "seat-1")
    assert panel.summary is not None
    root = ElementTree.fromstring(piece_svg(panel.summary, "summary"))
    tiles = [it for it in root.iter() if (it.get("data-place") or "").startswith("seat1.troupe.")]
    assert len(tiles) > 8
    for tile in tiles:
        width = float(tile.attrib["data-size"].split()[0])
        moved = [re.match(r"translate\((\S+) ", it.get("transform", "")) for it in tile.iter()]
        assert all(float(found[1]) <= width - 4 for found in moved[1:] if found), tile.attrib
        (name, *_) = tile.iter(f"{SVG}text")
        assert float(name.attrib["font-size"]) >= 13
        assert "…" not in (name.text or "")


@pytest.mark.parametrize("name", ["First steps 1", "Strongest 3", "Christopher"])
def test_the_name_of_the_mover_is_complete_in_a_summary(name):
    panels = board(crowded("turn", 4) | {"to_move": 1}, [name] * 4)
    summary = next(panel for panel in panels if panel.name == "seat-1").summary
    assert summary is not None
    assert f">{name}</text>" in piece_svg(summary, "summary")


def another(value):
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[1:]
    if isinstance(value, dict):
        return dict([*value.items()][1:])
    return {"character": "extra", "queen": "author", None: "author"}.get(value, "queen")


def page_of(game):
    """Return the page that shows a position."""
    return headline(game), pieces(board(game))


def a_turn():
    acted = {0: p.seat(used=["author"]), 2: rich_seat(used=["lear"])}
    return p.turn_position(seats=acted, deck=["hamlet"], queue=[2])


def a_craft():
    return p.position("craft", pending=CRAFT, costumes={"pink": 1}, sets={"pink": 1})


def a_rest():
    return p.position("rest", seats={1: p.seat(kept=None)})


def the_end():
    end = p.position("over", others=lambda: p.finished(unpaid=1), winners=[0])
    return end | {"to_move": None}


SHOWN = {
    a_turn: [
        "strategic_rest",
        "day",
        "to_move",
        "order",
        "initiative",
        "deck",
        "queue",
        "discarded_characters",
        "objective_deck",
        "supply_tokens",
        "display.characters.0",
        *(f"{heap}.{kind}.black" for heap in ("display", "bags") for kind in ("costumes", "sets")),
        *(f"discarded.{kind}.yellow" for kind in ("costumes", "sets")),
        *(f"seats.2.{key}" for key in ("prestige", "pounds", "tokens", "mood", "wager", "stage")),
        *(f"seats.2.{key}" for key in ("cylinders", "recruited", "passed", "objectives")),
        *(f"seats.2.troupe.{n}.{key}" for n in (0, 4) for key in ("card", "face", "costume")),
        *(f"seats.2.troupe.{n}.{key}" for n in (0, 4) for key in ("cylinder", "rest")),
    ],
    a_craft: [f"pending.{key}" for key in ("value", "costumes", "optional")],
    a_rest: ["seats.1.kept"],
    the_end: ["seats.1.unpaid", "winners"],
}


@pytest.mark.parametrize("make", SHOWN)
def test_a_change_of_any_entry_changes_picture_and_page(make):
    game = make()
    drawn = picture(game)
    page = page_of(game)
    for path in SHOWN[make]:
        value: Any = game
        for key in path.split("."):
            value = value[int(key) if isinstance(value, list) else key]
        other = changed(game, {path: another(value)})
        assert picture(other) != drawn, path
        assert page_of(other) != page, path


@pytest.mark.parametrize("eye", EYES)
def test_seats_and_elements_stay_apart(eye):
    elements = [shapes.ELEMENTS[colour][0] for colour in COLOURS]
    assert_apart((*shapes.SEATS, *elements), eye, 15)
