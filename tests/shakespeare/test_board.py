"""The board in pieces: a place for every move, names that stay, nothing too wide for a phone."""

import re
from collections import Counter, defaultdict
from itertools import combinations
from xml.etree import ElementTree

import pytest

from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.shakespeare.drawing.board import board
from shakespeare_env.shakespeare.drawing.places import places
from tests.contract.random_games import PLAIN_TABLES, sampled
from tests.drawings import texts
from tests.shakespeare.positions import position, seat, turn_position

SHAKESPEARE = [table for table in PLAIN_TABLES if table.game == "shakespeare"]
NAMES = ("Anna", "heuristic-2", "Clara of the long name", "D & <D>")
WIDEST = 420
BUTTONS = ("pass", "done")


def pieces(game, names=()):
    """Every piece of a board by its name."""
    panels = board(game, names)
    assert len({panel.name for panel in panels}) == len(panels)
    found = [piece for panel in panels for piece in panel.pieces]
    assert len({piece.name for piece in found}) == len(found)
    return {piece.name: piece for piece in found}


def drawn(piece):
    return piece_svg(piece, f"piece-{piece.name}")


def places_on(game):
    """How often each place is on the board."""
    counts: Counter[str] = Counter()
    for piece in pieces(game).values():
        root = ElementTree.fromstring(drawn(piece))
        counts.update(place for part in root.iter() if (place := part.get("data-place")))
    return counts


def may_share(one, other):
    """Whether two moves are meant to be told apart after all their places are clicked."""
    kinds = {one.partition(":")[0], other.partition(":")[0]}
    cards = {move.partition(":")[2].removesuffix("+3") for move in (one, other)}
    return len(cards) == 1 and kinds in ({"recruit", "extra"}, {"activate"})


@pytest.mark.parametrize("table", SHAKESPEARE, ids=str)
def test_every_move_has_its_places_on_the_movers_board(table):
    phases = set()
    for game in sampled(table, seed=1, every=25):
        if game.to_move is None:
            continue
        phases.add(game.phase)
        seen = game.seen_by(game.to_move)
        there, moves_at = places_on(seen), defaultdict(list)
        for move in game.moves():
            where = places(seen, move)
            assert where == places(game.to_dict(), move)
            assert bool(where) == (move not in BUTTONS), move
            assert all(there[place] == 1 for place in where), (move, where)
            moves_at[where].append(move)
        moves_at.pop((), None)
        for moves in moves_at.values():
            assert all(may_share(*pair) for pair in combinations(moves, 2)), moves
    assert {"draft", "turn", "craft", "quill", "queen", "objective"} <= phases


@pytest.mark.parametrize("players", [1, 4])
def test_every_place_is_on_the_board_once_and_of_plain_letters(players):
    hired = ["othello", "extra:lear", "jeweler", "jeweler"]
    game = turn_position(
        players=players,
        seats={0: seat(hired, objectives=["jewels", "wardrobe"], stage={"a1": "blue"})},
        shown=["assistant", "assistant", "hamlet", "viola", "romeo", "puck"][: players + 2],
    )
    there = places_on(game)
    assert set(there.values()) == {1}
    assert all(re.fullmatch(r"[\w.-]+", place) for place in there)
    assert {
        "display.characters.assistant", "display.costumes.black", "display.sets.yellow",
        "piles.II.10", "seat0.troupe.0", "seat0.troupe.7", "seat0.stage.c3", "seat0.prestige",
        "seat0.pounds", "seat0.mood", "seat0.tokens", "seat0.objectives.1", "order", "initiative",
    } <= set(there)  # fmt: skip


class TestPlaces:
    """Where copies lie, the one that the engine uses."""

    def test_the_first_copy_that_is_free_is_activated(self):
        mine = seat(["jeweler", "jeweler", "extra:jeweler", "jeweler"], used=["jeweler"])
        mine["troupe"][5]["rest"] = True
        game = turn_position(seats={0: mine})
        assert places(game, "activate:jeweler") == ("seat0.troupe.7",)

    def test_a_token_changes_no_place(self):
        game = turn_position(players=2, seats={1: seat(["set_dresser_6"])}, to_move=1)
        assert places(game, "activate:set_dresser_6+3") == ("seat1.troupe.4",)

    def test_the_first_copy_that_was_activated_stays_free(self):
        mine = seat(["jeweler", "jeweler"])
        mine["troupe"][5]["cylinder"] = True
        game = position("rest", seats={0: mine})
        assert places(game, "keep:jeweler") == ("seat0.troupe.5",)

    def test_elements_are_taken_and_then_placed(self):
        game = position("craft", seats={0: seat(["extra:lear", "extra:puck", "lear"])})
        assert places(game, "costume:pink>extra2") == ("display.costumes.pink", "seat0.troupe.5")
        assert places(game, "costume:pink>lear") == ("display.costumes.pink", "seat0.troupe.6")
        assert places(game, "set:blue>b2") == ("display.sets.blue", "seat0.stage.b2")

    def test_a_disc_arrives_on_the_space_ahead_or_behind(self):
        acts = {"I": {7: [2, 0]}, "II": {4: [0]}}
        assert places(position("quill", acts=acts), "quill:I") == ("piles.I.8",)
        assert places(position("back", acts=acts), "back:II") == ("piles.II.3",)

    def test_wagers_and_the_queen(self):
        assert places(position("wager", to_move=2), "wager:4") == ("seat2.cylinders.4",)
        assert places(position("queen"), "queen:money") == ("queen.money",)
        assert places(position("objective"), "objective:jewels") == ("pending.drawn.jewels",)


@pytest.mark.parametrize("table", SHAKESPEARE[-1:], ids=str)
def test_pieces_fit_a_phone_and_hold_their_text(table):
    for game in sampled(table, seed=2, every=60):
        viewer = game.to_move or 0
        for piece in pieces(game.seen_by(viewer), NAMES).values():
            width, height = piece.block.width, piece.block.height
            assert width <= WIDEST
            assert re.fullmatch(r"[\w-]+", piece.name)
            assert piece.title
            for line in texts(drawn(piece)):
                assert line.left >= -0.5, (piece.name, line)
                assert line.right <= width + 0.5, (piece.name, line)
                assert line.top >= 0, (piece.name, line)
                assert line.bottom <= height, (piece.name, line)
                assert line.room is None or line.width <= line.room + 0.5, (piece.name, line)
