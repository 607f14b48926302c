"""A game small enough to know everything about, for tests of learning and of playing.

Seats take 1 to 3 counters in turn from one pile; whoever takes the last one loses, all others win.
What a winner gets is caused by another seat's move, which is what learners of self-play get wrong.
With two seats, the seat to move is lost exactly if the pile leaves 1 when divided by 4.  Every seat
decides at least once, and every decision is one: two moves are legal even at a pile of 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from shakespeare_env import Batch, registry
from shakespeare_env.action_table import ActionTable, Block
from shakespeare_env.compiled import rule
from shakespeare_env.drawing import shapes
from shakespeare_env.drawing.lettering import words
from shakespeare_env.errors import PositionError
from shakespeare_env.game import Event, Game, ObservationLayout, Record, Rules
from shakespeare_env.panels import Headline, Panel, Piece
from shakespeare_env.records import Ranges, StateField, state_type
from shakespeare_env.rng import below

NAME = "toy"
MAX_SEATS = 4
LARGEST_PILE = 14
_SMALLEST_PILE, _PILES, _LOW_PILES = 10, 5, 3

ACTIONS = ActionTable(
    [Block("take", ("take:1", "take:2", "take:3"), ("take one", "take two", "take three"))]
)
LAYOUT = ObservationLayout(
    [("pile", LARGEST_PILE + 1, 0, 1, "one-hot"), ("players", MAX_SEATS + 1, 0, 1, "one-hot")]
)
_PLAYERS_AT = LAYOUT["players"].start
_DIGEST = sha256(Path(__file__).read_bytes()).hexdigest()
"""Stands for the digest of a box, which this game does not have."""
FIELDS = (
    StateField("players", 1, MAX_SEATS),
    StateField("to_move", -1, MAX_SEATS - 1),
    StateField("pile", 0, LARGEST_PILE),
    StateField("winners", 0, 1, MAX_SEATS),
)
STATE = state_type(FIELDS)


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """10 to 14 counters, with the variant `low` 10 to 12; anyone may begin."""
    game["players"] = players
    game["pile"] = _SMALLEST_PILE + below(game, _LOW_PILES if options else _PILES)
    game["to_move"] = below(game, players)
    game["winners"][:] = 0


@rule
def legal(game: Record, mask: Any) -> int:
    """Three only from three; two from one takes the one."""
    mask[0] = mask[1] = True
    mask[2] = game["pile"] >= 3
    return 2 + int(mask[2])


@rule
def play(game: Record, action: int) -> None:
    """Whoever takes the last counter loses."""
    game["pile"] = max(game["pile"] - action - 1, 0)
    if game["pile"] > 0:
        game["to_move"] = (game["to_move"] + 1) % game["players"]
        return
    for seat in range(game["players"]):
        game["winners"][seat] = seat != game["to_move"]
    game["to_move"] = -1


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """The pile and the number of players; nothing is hidden."""
    out[int(game["pile"])] = 1
    out[_PLAYERS_AT + int(game["players"])] = 1


@rule
def determinize(game: Record, seat: int) -> None:
    """Nothing is hidden."""


@rule
def rewind(game: Record) -> bool:
    """No choice is secret."""
    return False


@rule
def scores(game: Record, out: Any) -> None:
    """1 for each winner."""
    for seat in range(MAX_SEATS):
        out[seat] = game["winners"][seat]


@rule
def fault(game: Record) -> int:
    """1 if someone is to move without counters, or nobody with some."""
    over = game["to_move"] < 0
    return int(game["to_move"] >= game["players"] or over != (game["pile"] == 0))


def explain(record: Record, fault: int) -> tuple[str, str, str]:
    return "to_move", f"{record['to_move']} at a pile of {record['pile']}", "name a seat with some"


def to_dict(record: Record) -> dict[str, Any]:
    facts = {name: int(record[name]) for name in ("players", "to_move", "pile")}
    return {"game": NAME, **facts, "winners": record["winners"].tolist()}


def from_dict(position: Mapping[str, Any], record: Record) -> None:
    for name in ("players", "to_move", "pile", "winners"):
        if name not in position:
            raise PositionError(f"{name}: missing")
        record[name] = position[name]


def events(before: Mapping[str, Any], move: str | None, after: Mapping[str, Any]) -> list[Event]:
    taken = Event(before["to_move"], f"{move}: {after['pile']} left")
    won = [
        Event(seat, "+1 point: did not take the last one", "not taking the last one", 1)
        for seat, wins in enumerate(after["winners"])
        if wins
    ]
    return [taken, *won]


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    return [("not taking the last one", position["winners"][: position["players"]])]


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    pile = shapes.Block([words(0, 20, str(position["pile"]))], 40, 24)
    whole = shapes.Block([pile.place("pile", 0, 0)], 40, 24)
    return [Panel("table", "Table", [Piece("pile", "Pile", whole)])]


GAME = Game(
    name=NAME,
    min_seats=1,
    max_seats=MAX_SEATS,
    options={"low": range(1, MAX_SEATS + 1)},
    state=STATE,
    ranges=Ranges(STATE, FIELDS),
    hidden_from_text=("random",),
    actions=ACTIONS,
    layout=LAYOUT,
    rules=Rules(set_up, legal, play, observe, determinize, scores, fault, rewind),
    good_scores={1: 1.0},
    score_scale=1.0,
    to_dict=to_dict,
    from_dict=from_dict,
    explain=explain,
    phase=lambda record: "take",
    seen_by=lambda position, seat: dict(position),
    is_secret=lambda position, move: False,
    chapter="pile",
    draw=lambda position: f"{position['pile']} counters",
    draw_compact=lambda position: f"{position['pile']} counters",
    picture=lambda position: f"<svg><text>{position['pile']}</text></svg>",
    board=board,
    headline=lambda position: Headline(NAME, "", "", "", f"{position['pile']} counters"),
    places=lambda position, move: ("pile",),
    seat_colours=(("#000000", "#ffffff"),) * MAX_SEATS,
    topics=lambda position: {"take": "take 1 to 3 counters; whoever takes the last one loses"},
    events=events,
    score_sheet=score_sheet,
    box=Path(__file__),
)


@contextmanager
def registered() -> Iterator[None]:
    """Make the game known by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._SEATS, NAME, range(1, MAX_SEATS + 1))
        patch.setitem(registry._loaded, NAME, registry._Loaded(GAME, _DIGEST, frozenset()))
        yield


def make_toy(
    n: int = 4, *, players: int = 2, seed: int = 0, autoreset: bool = True, **options: Any
) -> Batch:
    """n games of it, which must be registered (fixture `toy` of tests/conftest.py)."""
    return Batch(NAME, n, players=players, seed=seed, autoreset=autoreset, **options)


def set_pile(batch: Batch, pile: int, to_move: Any) -> None:
    """Put the same position into every game."""
    records = batch.save(slice(None))
    records["pile"], records["to_move"] = pile, to_move
    batch.load(slice(None), records)
