"""Consequences of a move in Shakespeare: what a seat does and scores, as sentences compare it.

Every number is a fact of a game that was played on, up to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import takewhile

from shakespeare_env.core.consequences import Consequence, Continuation, KeptMove
from shakespeare_env.core.game import Record
from shakespeare_env.play.tracing import interpreted
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.rules.scoring import wage
from shakespeare_env.shakespeare.state import CRAFT, OVER, QUILL, REST, TURN, WAGER
from shakespeare_env.shakespeare.text.advice import ADVICE, MOST_FOR_OBJECTIVE

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


def _during_day(game: Continuation) -> Iterator[KeptMove]:
    """Yield the seat's moves in the turns of the day of the decision."""
    day = game.start["day"]
    for move in game.own_moves:
        if move.record["day"] == day and move.record["phase"] in (TURN, CRAFT, QUILL):
            yield move


def _wagered(game: Continuation) -> float | None:
    """Return how many cylinders the seat wagers; None of any other move."""
    action = game.moves[0].action
    return action - a.WAGER + 1 if a.WAGER <= action < a.RECRUIT else None


def _place_in_order(game: Continuation) -> float | None:
    """Return the seat's place in Order, from 1, after it has wagered; None of any other move."""
    turn = next(_during_day(game), None)
    if _wagered(game) is None or turn is None:
        return None
    return turn.record["order"].tolist().index(game.seat) + 1


def _unused_cylinders(game: Continuation) -> float | None:
    """Return how many cylinders the seat does not place on the day of the decision.

    It is None if it has not wagered them yet.
    """
    turns = list(_during_day(game))
    if game.start["phase"] == WAGER or not turns:
        return None
    last = turns[-1]
    is_activation = a.ACTIVATE <= last.action < a.QUILL
    return int(last.record["cylinders"][game.seat]) - is_activation


def _resting(game: Continuation) -> float | None:
    """Return how many characters of the seat rest on the day after the decision."""
    if game.start["phase"] == REST:
        return None
    for move in game.own_moves:
        if move.record["day"] == game.start["day"] + 1 and move.record["phase"] in (WAGER, TURN):
            return int(move.record["rest"][game.seat].sum())
    return None


def _hires(game: Continuation) -> bool:
    """Return whether the decision is to take a character."""
    action = game.moves[0].action
    return a.DRAFT <= action < a.WAGER or a.RECRUIT <= action < a.ACTIVATE


def _troupe(kinds: Collection[int], game: Continuation) -> float | None:
    """Return how many characters of some kinds the seat has after taking one, extras left out.

    It is None of a decision not to take a character.
    """
    if not _hires(game):
        return None
    members = range(int(game.after["troupe_len"][game.seat]))
    faces_up = [member for member in members if not game.after["extra"][game.seat, member]]
    return sum(t.KIND[game.after["card"][game.seat, member]] in kinds for member in faces_up)


def _elements(game: Continuation) -> float | None:
    """Return how many elements the seat takes with the character that it activates or activated."""
    action = game.moves[0].action
    is_activation = a.ACTIVATE <= action < a.QUILL
    if not is_activation and game.start["phase"] != CRAFT:
        return None
    _, *later = game.own_moves
    taking = takewhile(lambda move: move.record["phase"] in (CRAFT, QUILL), later)
    actions = [action, *(move.action for move in taking)]
    return sum(a.COSTUME <= each < a.DONE for each in actions)


def _takes_objective(game: Continuation) -> float | None:
    """Return whether the Queen gives the seat an objective; None if she gives nothing."""
    action = game.moves[0].action
    is_gift = action in (a.QUEEN_MONEY, a.QUEEN_OBJECTIVES)
    return float(action == a.QUEEN_OBJECTIVES) if is_gift else None


def _begun_costumes(game: Continuation) -> float | None:
    """Return how many costumes of the seat are begun but not complete after it took an element."""
    if not a.COSTUME <= game.moves[0].action < a.SET:
        return None
    lengths = game.after["costume_len"][game.seat]
    return int(((lengths > 0) & (lengths < t.N_SLOTS)).sum())


def _spaces(game: Continuation) -> float | None:
    """Return how far the seat's discs advance by the decision and the quills that it gives."""
    action = game.moves[0].action
    if not a.ACTIVATE <= action < a.QUILL:
        return None
    _, *later = game.moves
    afterwards = (move.record for move in later if move.record["phase"] != QUILL)
    after = next(afterwards, game.end)
    discs = after["disc_space"][:, game.seat].astype(int) - game.start["disc_space"][:, game.seat]
    return int(discs.sum())


def _on_grey_spaces(game: Continuation) -> float:
    """Return on how many acts the seat's disc is among the spaces that cost prestige."""
    return int((game.after["disc_space"][:, game.seat] <= t.GREY_SPACES).sum())


_ACTS = tuple(f"Act {act}" for act in ACTS)
_ALL = (
    "costumes",
    "stage",
    "yellow elements",
    "unpaid wages",
    *_ACTS,
    "objectives",
    "first in Order",
    "mood",
    "actors",
    "costume powers",
)
"""The topics that most causes have an effect on, by way of the characters that are activated."""


def _on(
    topic: str,
    words: str,
    number: Callable[[Continuation], float | None],
    *,
    is_good: bool = True,
    effects: Collection[str] = (),
    source: str = "",
) -> Consequence:
    """Return a consequence with the advice of its topic."""
    return Consequence(topic, words, number, is_good, effects, source, ADVICE[topic])


def _of_act(act: int) -> list[Consequence]:
    name = f"Act {ACTS[act]}"
    first_paid = int(t.ACT_I_POUNDS.nonzero()[0][0]) if act == t.ACT_I else 0
    what_for = f", which pays pounds from space {first_paid} on" if first_paid else ""
    return [
        _on(
            name,
            f"{{seat}} {{lose}} {{ours}} prestige on {name} instead of {{theirs}}, since each of "
            f"its first {t.GREY_SPACES} spaces costs 1 at a rehearsal",
            partial(_lost, name),
            is_good=False,
            source=name,
        ),
        _on(
            name,
            f"{{seat}} {{get}} {{ours}} prestige on {name} at rehearsals instead of {{theirs}}",
            partial(_gained, name),
            source=name,
        ),
        _on(
            name,
            f"{{seat}} {{get}} to space {{ours}} of {name} instead of {{theirs}}{what_for}",
            partial(_final_space, act),
        ),
    ]


CONSEQUENCES = (
    _on(
        "unused cylinders",
        "{seat} {leave} {ours cylinder} unused on {chapter} instead of {theirs}",
        _unused_cylinders,
        is_good=False,
        effects=_ALL,
    ),
    _on(
        "cylinders",
        "{seat} {have} {ours cylinder} for characters on {chapter} instead of {theirs}",
        _wagered,
        effects=_ALL,
    ),
    _on(
        "low wager",
        "{seat} {have} place {ours} in Order on {chapter} instead of {theirs}",
        _place_in_order,
        is_good=False,
        effects=_ALL,
    ),
    _on(
        "set dressers",
        "{seat} {have} {ours character} who can take stage sets instead of {theirs}",
        partial(_troupe, (t.SET_DRESSER, t.HANDYMAN)),
        effects=("stage", "objectives", "mood"),
    ),
    _on(
        "costume mistresses",
        "{seat} {have} {ours character} who can take costumes instead of {theirs}",
        partial(_troupe, (t.COSTUME_MISTRESS, t.HANDYMAN)),
        effects=("costumes", "costume powers", "objectives"),
    ),
    _on(
        "hired actors",
        "{seat} {have} {ours actor} to activate instead of {theirs}",
        partial(_troupe, (t.ACTOR,)),
        effects=(*_ACTS, "actors"),
    ),
    _on(
        "characters",
        "{seat} {have} {ours character} to activate instead of {theirs}",
        partial(_troupe, set(t.KIND.tolist()) - {t.ASSISTANT}),
        effects=_ALL,
    ),
    _on(
        "costumes",
        "{seat} {complete} {ours costume} at once instead of {theirs}",
        partial(_at_once, _complete_costumes),
        effects=("costumes",),
    ),
    _on(
        "objectives",
        f"{{seat}} {{keep}} an objective, which scores up to {MOST_FOR_OBJECTIVE} prestige at the "
        "end",
        _takes_objective,
        effects=("objectives",),
    ),
    _on(
        "begun costumes",
        "{seat} {have} {ours costume} begun and not complete instead of {theirs}",
        _begun_costumes,
        is_good=False,
        effects=("costumes",),
    ),
    _on(
        "elements",
        "{seat} {take} {ours element} with the activated character instead of {theirs}",
        _elements,
        effects=("costumes", "costume powers", "stage", "objectives", "mood"),
    ),
    _on(
        "spaces",
        "{seat's} discs advance {ours space} at once instead of {theirs}",
        _spaces,
        effects=_ACTS,
    ),
    _on(
        "grey spaces",
        f"{{seat}} {{have}} {{ours disc}} on the first {t.GREY_SPACES} spaces of acts instead of "
        "{theirs}",
        _on_grey_spaces,
        is_good=False,
        effects=_ACTS,
    ),
    _on(
        "pounds",
        "{seat} {get} {ours pound} at once instead of {theirs}",
        partial(_gained_at_once, "pounds"),
        effects=("unpaid wages", "objectives"),
    ),
    _on(
        "wages",
        "{seat} {owe} {ours pound} of wages at the end instead of {theirs}",
        _wages_after_recruiting,
        is_good=False,
        effects=("unpaid wages",),
    ),
    _on(
        "activations",
        "{seat} {activate} {ours character} on {chapter} instead of {theirs}",
        _activations,
        effects=_ALL,
    ),
    _on(
        "low wager",
        "{seat} {wager} {ours cylinder} instead of {theirs}",
        _wagered,
        is_good=False,
        effects=_ALL,
    ),
    _on(
        "rest",
        "{seat} {have} {ours character} at rest on the next day instead of {theirs}",
        _resting,
        is_good=False,
        effects=_ALL,
    ),
    _on(
        "costumes",
        "{seat} {complete} {ours costume} by the end of the game instead of {theirs}",
        partial(_at_end, _complete_costumes),
        source="costumes",
    ),
    _on(
        "costumes",
        "{seat} {get} {ours} prestige for completing costumes instead of {theirs}",
        partial(_gained, "costumes"),
        source="costumes",
    ),
    _on(
        "stage",
        "{seat} {fill} {ours candle space} of the stage on {chapter} instead of {theirs}",
        partial(_today, _candles),
        source="candles",
    ),
    _on(
        "stage",
        "{seat} {fill} {ours candle space} of the stage by the end of the game instead of "
        "{theirs}, for 1 prestige each",
        partial(_at_end, _candles),
        source="candles",
    ),
    _on(
        "stage",
        "{seat} {fill} {ours space} of the stage by the end of the game instead of {theirs}",
        partial(_at_end, _stage_spaces),
        source="candles",
    ),
    _on(
        "yellow elements",
        "{seat} {get} {ours yellow element} instead of {theirs}, for 1 prestige each at the end",
        _count_of("yellow"),
        source="yellow elements",
    ),
    _on(
        "unpaid wages",
        "{seat} {leave} {ours character} unpaid at the end instead of {theirs}, "
        f"which costs {-t.UNPAID} prestige each",
        _count_of("unpaid"),
        is_good=False,
        source="unpaid wages",
    ),
    *(consequence for act in range(3) for consequence in _of_act(act)),
    _on(
        "objectives",
        "{seat} {keep} {ours objective} more instead of {theirs}",
        _count_of("objectives_len"),
        source="objectives",
    ),
    _on(
        "objectives",
        "{seat} {get} {ours} prestige for objectives at the end instead of {theirs}",
        partial(_gained, "objectives"),
        source="objectives",
    ),
    _on(
        "first in Order",
        "{seat} {go} first in Order on {ours day} instead of {theirs}, for 1 prestige each time",
        partial(_times, "first in Order"),
        source="first in Order",
    ),
    _on(
        "mood",
        "{seat} {lose} {ours} prestige by bad mood instead of {theirs}",
        partial(_lost, "mood"),
        is_good=False,
        source="mood",
    ),
    _on(
        "mood",
        "{seat} {get} {ours} prestige by good mood instead of {theirs}",
        partial(_gained, "mood"),
        source="mood",
    ),
    _on(
        "actors",
        "{seat} {get} {ours} prestige from activated actors instead of {theirs}",
        partial(_gained, "actors"),
        source="actors",
    ),
    _on(
        "costume powers",
        "{seat} {get} {ours} prestige from worn costumes at rehearsals instead of {theirs}",
        partial(_gained, "costume powers"),
        source="costume powers",
    ),
)
"""The consequences that are named."""
