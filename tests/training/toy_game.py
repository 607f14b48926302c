"""A small game whose best moves are known, for tests of learning and of playing.

Seats take 1 to 3 counters in turn from one pile. The seat that takes the last one loses, and all
others win. So a winner's reward comes from another seat's move, which self-play learners often get
wrong. With two seats, the seat to move loses against best play exactly if the pile leaves 1 when
divided by 4. Every seat decides at least once, and at least two moves are always legal, even at a
pile of 1.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env import (
    ActionTable,
    Batch,
    GameRecord,
    GameRules,
    ObservationLayout,
    StateField,
    below,
    define,
    rule,
)
from shakespeare_env.core.game import Block, Record

NAME = "toy"
MAX_SEATS = 4
LARGEST_PILE = 14
_SMALLEST_PILE = 10

ACTIONS = ActionTable(
    [Block("take", ("take:1", "take:2", "take:3"), ("take one", "take two", "take three"))]
)
LAYOUT = ObservationLayout(
    [("pile", LARGEST_PILE + 1, 0, 1, "one-hot"), ("players", MAX_SEATS + 1, 0, 1, "one-hot")]
)
_PLAYERS_AT = LAYOUT["players"].start


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """Draw 10 to 14 counters, and the seat that begins."""
    game["players"] = players
    game["pile"] = _SMALLEST_PILE + below(game, LARGEST_PILE - _SMALLEST_PILE + 1)
    game["to_move"] = below(game, players)
    game["winners"][:] = 0


@rule
def legal(game: Record, mask: Any) -> int:
    """Allow to take three only from a pile of three or more; two from a pile of one takes one."""
    mask[0] = True
    mask[1] = True
    mask[2] = game["pile"] >= 3
    return 2 + int(mask[2])


@rule
def play(game: Record, action: int) -> None:
    """Take counters; the seat that takes the last one loses."""
    game["pile"] = max(game["pile"] - action - 1, 0)
    if game["pile"] > 0:
        game["to_move"] = (game["to_move"] + 1) % game["players"]
        return
    for seat in range(game["players"]):
        game["winners"][seat] = seat != game["to_move"]
    game["to_move"] = -1


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write the pile and the number of players; nothing is hidden."""
    out[int(game["pile"])] = 1
    out[_PLAYERS_AT + int(game["players"])] = 1


@rule
def scores(game: Record, out: Any) -> None:
    """Write 1 for each winner, 0 for the others."""
    for seat in range(MAX_SEATS):
        out[seat] = game["winners"][seat]


GAME = define(
    NAME,
    seats=range(1, MAX_SEATS + 1),
    rules=GameRules(
        actions=ACTIONS,
        set_up=set_up,
        legal=legal,
        play=play,
        scores=scores,
        good_scores={1: 1.0},
        layout=LAYOUT,
        observe=observe,
    ),
    record=GameRecord(fields=[StateField("pile", 0, LARGEST_PILE)]),
)


def make_toy(
    n: int = 4, *, players: int = 2, seed: int = 0, autoreset: bool = True, **options: Any
) -> Batch:
    """Return a batch of n games, which must be registered (fixture `toy` of tests/conftest.py)."""
    return Batch(NAME, n, players=players, seed=seed, autoreset=autoreset, **options)


def set_pile(batch: Batch, pile: int, to_move: Any) -> None:
    """Put the same position into every game."""
    records = batch.save(slice(None))
    records["pile"] = pile
    records["to_move"] = to_move
    batch.load(slice(None), records)
