"""The pieces of the board: every move has its places, and no piece is too wide for a phone."""

import re
from collections import defaultdict
from itertools import combinations

import pytest

from shakespeare_env.shakespeare.drawing.board import board, places
from tests.contract.random_games import PLAIN_TABLES, sample_positions
from tests.drawings import assert_in_place, pieces, places_in
from tests.shakespeare.positions import position, seat, turn_position

SHAKESPEARE = [table for table in PLAIN_TABLES if table.game == "shakespeare"]
NAMES = ("Anna", "heuristic-2", "Clara of the long name", 'D & <D> "')
WIDEST = 420
BUTTONS = ("pass", "done")


def may_share(one, other):
    """Return whether two moves have the same places on purpose."""
    kinds = {one.partition(":")[0], other.partition(":")[0]}
    cards = {move.partition(":")[2].removesuffix("+3") for move in (one, other)}
    return len(cards) == 1 and kinds in ({"recruit", "extra"}, {"activate"})


@pytest.mark.parametrize("table", SHAKESPEARE, ids=str)
def test_every_move_has_its_places_on_the_movers_board(table):
    """Each place is there once, and every piece fits a phone and has room for its texts."""
    phases = set()
    for game in sample_positions(table, seed=1, every=60):
        if game.to_move is None:
            continue
        phases.add(game.phase)
        seen = game.seen_by(game.to_move)
        drawn = pieces(board(seen, NAMES))
        shown = places_in(drawn.values())
        moves_at = defaultdict(list)
        assert set(shown.values()) == {1}
        assert all(re.fullmatch(r"[\w.-]+", place) for place in shown)
        for move in game.moves():
            clicked = places(seen, move)
            assert clicked == places(game.to_dict(), move)
            assert bool(clicked) == (move not in BUTTONS), move
            assert all(shown[place] == 1 for place in clicked), (move, clicked)
            moves_at[clicked].append(move)
        moves_at.pop((), None)
        for moves in moves_at.values():
            assert all(may_share(*pair) for pair in combinations(moves, 2)), moves
        for panel in board(seen, NAMES):
            assert all(piece.title and piece.block.width <= WIDEST for piece in panel.pieces)
        for piece in drawn.values():
            assert_in_place(piece)
    assert {"draft", "turn", "craft", "quill", "queen", "objective"} <= phases


def copies(**fields):
    """Return a turn with three jewelers, the first used, the second resting, and one face down."""
    mine = seat(["jeweler", "jeweler", "extra:jeweler", "jeweler"], used=["jeweler"])
    mine["troupe"][5]["rest"] = True
    return turn_position(players=2, to_move=1, seats={1: mine}, **fields)


def resting():
    mine = seat(["jeweler", "jeweler"])
    mine["troupe"][5]["cylinder"] = True
    return position("rest", seats={0: mine})


def crafting():
    return position("craft", seats={0: seat(["extra:lear", "extra:puck", "lear"])})


ACTS = {"I": {7: [2, 0]}, "II": {4: [0]}}


@pytest.mark.parametrize(
    ("game", "move", "where"),
    [
        # Of several copies, the one that the engine uses; a token has no place of its own.
        (copies(), "activate:jeweler", ["seat1.troupe.7"]),
        (copies(), "activate:handyman_board+3", ["seat1.troupe.2"]),
        (resting(), "keep:jeweler", ["seat0.troupe.5"]),
        (crafting(), "costume:pink>extra2", ["display.costumes.pink", "seat0.troupe.5"]),
        (crafting(), "costume:pink>lear", ["display.costumes.pink", "seat0.troupe.6"]),
        (crafting(), "set:blue>b2", ["display.sets.blue", "seat0.stage.b2"]),
        # The space ahead or behind.
        (position("quill", acts=ACTS), "quill:I", ["piles.I.8"]),
        (position("back", acts=ACTS), "back:II", ["piles.II.3"]),
        (position("wager", to_move=2), "wager:4", ["seat2.cylinders.4"]),
        (position("queen"), "queen:money", ["queen.money"]),
        (position("objective"), "objective:jewels", ["pending.drawn.jewels"]),
    ],
)
def test_a_move_is_clicked_where_it_happens(game, move, where):
    assert places(game, move) == tuple(where)


def test_objectives_drawn_come_first_and_show_their_backs_to_others():
    cards = {"drawn": ["jewels", "wardrobe", "great_company"]}
    first = board(position("objective", pending=cards))[0]
    assert first.pieces[2].title == "Objective Actors in the troupe brings 0 now"
    first = board(position("objective", pending={"drawn": ["?", "?", "?"]}))[0]
    assert {piece.title for piece in first.pieces} == {"Unknown objective"}
    assert not places_in(pieces([first]).values())
