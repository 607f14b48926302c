"""Consequences of a move in Shakespeare: what a seat does and scores, as sentences compare it.

Every number is a fact of a game that was played on, up to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from shakespeare_env.core.consequences import Consequence, Continuation
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.state import OVER

_Number = Callable[[Continuation], float | None]


def _activations(game: Continuation) -> float:
    """Return how many characters the seat activates on the day of the decision."""
    day = game.start["day"]
    actions = [move.action for move in game.own_moves if move.record["day"] == day]
    return sum(a.ACTIVATE <= action < a.QUILL for action in actions)


def _at_end(count: Callable[[Record, int], int], game: Continuation) -> float | None:
    """Return by how much a count of the seat grows until the game is over."""
    if game.end["phase"] != OVER:
        return None
    return count(game.end, game.seat) - count(game.start, game.seat)


def _complete_costumes(game: Record, seat: int) -> int:
    return int((game["costume_len"][seat] == t.N_SLOTS).sum())


def _stage_spaces(game: Record, seat: int) -> int:
    return int((game["stage"][seat] >= 0).sum())


def _candles(game: Record, seat: int) -> int:
    return int(((game["stage"][seat] >= 0) & t.CANDLE.astype(bool)).sum())


def _final_space(act: int, game: Continuation) -> float | None:
    """Return the space of an act on which the seat's disc ends."""
    return int(game.end["disc_space"][act, game.seat]) if game.end["phase"] == OVER else None


def _count_of(field: str) -> _Number:
    """Return the number (game) by which a field of the seat grows until the end."""
    return partial(_at_end, lambda game, seat: int(game[field][seat]))


def _prestige(source: str, game: Continuation) -> float:
    return sum(game.points(source))


def _gains(source: str, game: Continuation) -> float:
    """Return how often a row of the score sheet brings the seat prestige."""
    return sum(points > 0 for points in game.points(source))


def _losses(source: str, game: Continuation) -> float:
    """Return how often a row of the score sheet costs the seat prestige."""
    return sum(points < 0 for points in game.points(source))


def _of_act(act: int) -> list[Consequence]:
    name = f"Act {ACTS[act]}"
    return [
        Consequence(
            name,
            f"the disc of {{seat}} is still on the first {t.GREY_SPACES} spaces of {name} at "
            "{amounts} rehearsals, which costs 1 prestige each time",
            partial(_losses, name),
            is_good=False,
        ),
        Consequence(
            name,
            f"{{seat}} {{get}} {{amounts}} prestige for {name} at rehearsals",
            partial(_prestige, name),
        ),
        Consequence(
            name,
            f"the disc of {{seat}} ends on space {{amounts}} of {name}",
            partial(_final_space, act),
        ),
    ]


CONSEQUENCES = (
    Consequence("activations", "{seat} {activate} {amounts} characters on {chapter}", _activations),
    Consequence(
        "costumes",
        "{seat} {complete} {amounts} costumes by the end of the game",
        partial(_at_end, _complete_costumes),
    ),
    Consequence(
        "costumes",
        "{seat} {get} {amounts} prestige for completing costumes",
        partial(_prestige, "costumes"),
    ),
    Consequence(
        "stage",
        "{seat} {fill} {amounts} candle spaces of the stage, for 1 prestige each",
        partial(_at_end, _candles),
    ),
    Consequence(
        "stage",
        "{seat} {fill} {amounts} spaces of the stage by the end of the game",
        partial(_at_end, _stage_spaces),
    ),
    Consequence(
        "yellow elements",
        "{seat} {get} {amounts} yellow elements, which count 1 prestige each at the end",
        _count_of("yellow"),
    ),
    Consequence(
        "unpaid wages",
        f"{{seat}} {{leave}} {{amounts}} characters unpaid at the end, for {-t.UNPAID} prestige each",
        _count_of("unpaid"),
        is_good=False,
    ),
    *(consequence for act in range(3) for consequence in _of_act(act)),
    Consequence("objectives", "{seat} {keep} {amounts} objectives", _count_of("objectives_len")),
    Consequence(
        "objectives",
        "{seat} {get} {amounts} prestige for objectives at the end",
        partial(_prestige, "objectives"),
    ),
    Consequence(
        "first in Order",
        "{seat} {be} first in Order on {amounts} days, for 1 prestige each time",
        partial(_gains, "first in Order"),
    ),
    Consequence("mood", "{seat} {get} {amounts} prestige for the mood", partial(_prestige, "mood")),
    Consequence(
        "actors", "{seat} {get} {amounts} prestige from actors", partial(_prestige, "actors")
    ),
    Consequence(
        "costume powers",
        "{seat} {get} {amounts} prestige from the powers of costumes at rehearsals",
        partial(_prestige, "costume powers"),
    ),
)
"""The consequences that are named, those of one topic one after the other."""
