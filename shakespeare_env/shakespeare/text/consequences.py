"""Consequences of a move in Shakespeare: what a seat does and scores, as sentences compare it.

Every number is a fact of a game that was played on, up to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import takewhile

from shakespeare_env.core.consequences import Consequence, Continuation
from shakespeare_env.core.game import Record
from shakespeare_env.play.tracing import interpreted
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.rules.scoring import wage
from shakespeare_env.shakespeare.state import OVER

_wage = interpreted(wage)
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


def _today(count: Callable[[Record, int], int], game: Continuation) -> float | None:
    """Return by how much a count of the seat grows until the day of the decision is over."""
    end = game.chapter_end("day")
    return None if end is None else count(end, game.seat) - count(game.start, game.seat)


def _at_once(count: Callable[[Record, int], int], game: Continuation) -> float:
    """Return by how much a count of the seat grows by the decision."""
    return count(game.after, game.seat) - count(game.start, game.seat)


def _gained_at_once(counter: str, game: Continuation) -> float:
    """Return how much of a counter the decision brings the seat, before anybody else moves."""
    events = takewhile(lambda event: event.seat is not None, game.moves[0].events)
    return sum(event.counters.get(counter, 0) for event in events if event.seat == game.seat)


def _wages_after_recruiting(game: Continuation) -> float | None:
    """Return the wages that are due after the seat has recruited; None of any other move."""
    is_recruiting = a.RECRUIT <= game.moves[0].action < a.ACTIVATE
    return _wages(game.after, game.seat) if is_recruiting else None


def _wages(game: Record, seat: int) -> int:
    members = range(int(game["troupe_len"][seat]))
    return sum(int(_wage(game["card"][seat, i], game["extra"][seat, i])) for i in members)


def _gained(source: str, game: Continuation) -> float:
    """Return the prestige that a row of the score sheet brings the seat, losses aside."""
    return sum(points for points in game.points(source) if points > 0)


def _lost(source: str, game: Continuation) -> float:
    """Return the prestige that a row of the score sheet costs the seat, gains aside."""
    return -sum(points for points in game.points(source) if points < 0)


def _times(source: str, game: Continuation) -> float:
    """Return how often a row of the score sheet brings the seat prestige."""
    return sum(points > 0 for points in game.points(source))


def _of_act(act: int) -> list[Consequence]:
    name = f"Act {ACTS[act]}"
    first_paid = int(t.ACT_I_POUNDS.nonzero()[0][0]) if act == t.ACT_I else 0
    what_for = f", which pays pounds from space {first_paid} on" if first_paid else ""
    return [
        Consequence(
            name,
            f"{{seat}} {{lose}} {{ours}} prestige on {name} instead of {{theirs}}, since each of "
            f"its first {t.GREY_SPACES} spaces costs 1 at a rehearsal",
            partial(_lost, name),
            is_good=False,
        ),
        Consequence(
            name,
            f"{{seat}} {{get}} {{ours}} prestige on {name} at rehearsals instead of {{theirs}}",
            partial(_gained, name),
        ),
        Consequence(
            name,
            f"{{seat}} {{get}} to space {{ours}} of {name} instead of {{theirs}}{what_for}",
            partial(_final_space, act),
        ),
    ]


CONSEQUENCES = (
    Consequence(
        "activations",
        "{seat} {activate} {ours character} on {chapter} instead of {theirs}",
        _activations,
    ),
    Consequence(
        "costumes",
        "{seat} {complete} {ours costume} at once instead of {theirs}",
        partial(_at_once, _complete_costumes),
    ),
    Consequence(
        "pounds",
        "{seat} {get} {ours pound} at once instead of {theirs}",
        partial(_gained_at_once, "pounds"),
    ),
    Consequence(
        "wages",
        "{seat} {owe} {ours pound} of wages at the end instead of {theirs}",
        _wages_after_recruiting,
        is_good=False,
    ),
    Consequence(
        "costumes",
        "{seat} {complete} {ours costume} by the end of the game instead of {theirs}",
        partial(_at_end, _complete_costumes),
    ),
    Consequence(
        "costumes",
        "{seat} {get} {ours} prestige for completing costumes instead of {theirs}",
        partial(_gained, "costumes"),
    ),
    Consequence(
        "stage",
        "{seat} {fill} {ours candle space} of the stage on {chapter} instead of {theirs}",
        partial(_today, _candles),
    ),
    Consequence(
        "stage",
        "{seat} {fill} {ours candle space} of the stage by the end of the game instead of "
        "{theirs}, for 1 prestige each",
        partial(_at_end, _candles),
    ),
    Consequence(
        "stage",
        "{seat} {fill} {ours space} of the stage by the end of the game instead of {theirs}",
        partial(_at_end, _stage_spaces),
    ),
    Consequence(
        "yellow elements",
        "{seat} {get} {ours yellow element} instead of {theirs}, for 1 prestige each at the end",
        _count_of("yellow"),
    ),
    Consequence(
        "unpaid wages",
        f"{{seat}} cannot pay {{ours character}} at the end instead of {{theirs}}, which costs "
        f"{-t.UNPAID} prestige each",
        _count_of("unpaid"),
        is_good=False,
    ),
    *(consequence for act in range(3) for consequence in _of_act(act)),
    Consequence(
        "objectives",
        "{seat} {keep} {ours objective} more instead of {theirs}",
        _count_of("objectives_len"),
    ),
    Consequence(
        "objectives",
        "{seat} {get} {ours} prestige for objectives at the end instead of {theirs}",
        partial(_gained, "objectives"),
    ),
    Consequence(
        "first in Order",
        "{seat} {go} first in Order on {ours day} instead of {theirs}, for 1 prestige each time",
        partial(_times, "first in Order"),
    ),
    Consequence(
        "mood",
        "{seat} {lose} {ours} prestige by bad mood instead of {theirs}",
        partial(_lost, "mood"),
        is_good=False,
    ),
    Consequence(
        "mood",
        "{seat} {get} {ours} prestige by good mood instead of {theirs}",
        partial(_gained, "mood"),
    ),
    Consequence(
        "actors",
        "{seat} {get} {ours} prestige from activated actors instead of {theirs}",
        partial(_gained, "actors"),
    ),
    Consequence(
        "costume powers",
        "{seat} {get} {ours} prestige from worn costumes at rehearsals instead of {theirs}",
        partial(_gained, "costume powers"),
    ),
)
"""The consequences that are named."""
