"""A game from its rules; the rest follows from the fields of its record.

A game must say how it is set up, what is legal, what a move does and what the scores are; its
fields say who sees what. docs/adding_a_game.md walks through one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import ActionTable, Block, Game, ObservationLayout, Record, Rules
from shakespeare_env.core.presentation import Presentation
from shakespeare_env.core.records import Ranges, StateField, state_type
from shakespeare_env.derived import faults, words
from shakespeare_env.derived.determinizing import determinizing, scratch
from shakespeare_env.derived.drawing import SEAT_COLOURS, Drawing
from shakespeare_env.derived.notation import Notation
from shakespeare_env.derived.observing import observing
from shakespeare_env.derived.redaction import seeing

PHASE = "phase"
"""A field of this name, with words, says in which phase a game is."""
_TURN, _OVER = "turn", "over"


class Better(TypedDict, total=False):
    """What a game may define itself; `observe` needs `layout`.

    See `Game` and `Rules`. Nothing else follows from how a game is shown, so drawings and words of
    its own are put into `Game.presentation` afterwards, by `dataclasses.replace`.
    """

    observe: Callable[[Record, int, NDArray[np.int8]], None]
    layout: ObservationLayout
    determinize: Callable[[Record, int], None]
    fault: Callable[[Record], int]
    rewind: Callable[[Record], bool]
    explain: Callable[[Record, int], tuple[str, str, str]]
    phase: Callable[[Record], str]
    seen_by: Callable[[Mapping[str, Any], int], dict[str, Any]]
    is_secret: Callable[[Mapping[str, Any], str], bool]


def define(
    name: str,
    *,
    seats: range,
    fields: Sequence[StateField],
    actions: ActionTable | Mapping[str, str],
    set_up: Callable[[Record, int, int], None],
    legal: Callable[[Record, Any], int],
    play: Callable[[Record, int], None],
    scores: Callable[[Record, Any], None],
    options: Mapping[str, range] | None = None,
    score_scale: float = 1.0,
    good_scores: Mapping[int, float] | None = None,
    **better: Unpack[Better],
) -> Game:
    """A game, ready for `register`.

    The record gets the fields `players`, `to_move` and `winners` before the ones given.

    Args:
        name: The name in lower case.
        seats: Seat counts.
        fields: The fields of the record; see `StateField` for who sees them.
        actions: A table, or an English description of each action by its text.
        set_up: As of `Rules`, and so are `legal`, `play` and `scores`. Scores depend on nothing
            that is hidden.
        legal: See `set_up`.
        play: See `set_up`.
        scores: See `set_up`.
        options: Variants, each with the seat counts it is for.
        score_scale: Points that count as one unit of reward.
        good_scores: Good winning scores by seat count; needed for one seat if it can play alone.
        **better: Whatever the game can define better than its fields do.

    Raises:
        ValueError: the name, a field or the pair `observe` and `layout` is not as described.
    """
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"name={name!r}: write it as an identifier in lower case")
    if ("observe" in better) != ("layout" in better):
        raise ValueError("observe and layout describe the same numbers; give both, or none")
    most = seats[-1]
    table = actions if isinstance(actions, ActionTable) else _table(actions)
    said = (
        StateField("players", seats[0], most),
        StateField("to_move", -1, most - 1, seats=True),
        *fields,
        StateField("winners", 0, 1, most, by_seat=True),
    )
    _check(said, most)
    hidden = scratch(said, table.size)
    state = state_type((*said, *hidden))
    layout, observe = observing([f for f in said if f.name != "winners"], most)
    fault = faults.and_own(better.get("fault"))
    rules = Rules(
        set_up,
        legal,
        play,
        better.get("observe", observe),
        better.get("determinize") or determinizing(said, legal, fault),
        scores,
        fault,
        better.get("rewind", faults.rewind),
    )
    notation = Notation(name, seats, said)
    colours = tuple(SEAT_COLOURS[i % len(SEAT_COLOURS)] for i in range(most))
    drawing = Drawing(name, said, colours, _phase_of_dict)
    scored = words.scores_of(name, state, most, scores, notation.from_seen)
    is_secret = better.get("is_secret", _nothing_is_secret)
    by_words = next((field for field in said if field.name == PHASE and field.words), None)
    return Game(
        name=name,
        min_seats=seats[0],
        max_seats=most,
        options=options or {},
        state=state,
        ranges=Ranges(state, (*said, *hidden)),
        hidden_from_text=("random", *(field.name for field in hidden)),
        actions=table,
        layout=better.get("layout", layout),
        rules=rules,
        good_scores=good_scores or {},
        score_scale=score_scale,
        to_dict=notation.to_dict,
        from_dict=notation.from_dict,
        explain=faults.explaining(better.get("explain")),
        phase=better.get("phase", _phase_by(by_words)),
        seen_by=better.get("seen_by", seeing(name, state, said, notation.from_dict)),
        is_secret=is_secret,
        presentation=Presentation(
            chapter=PHASE if by_words else "players",
            draw=drawing.draw,
            draw_compact=drawing.draw,
            picture=drawing.picture,
            board=drawing.board,
            headline=drawing.headline,
            places=_no_places,
            seat_colours=colours,
            topics=words.topics(table),
            events=words.events(scored, table, notation.to_dict, is_secret),
            score_sheet=lambda position: [("points", scored(position))],
        ),
        box=Path(inspect.getfile(inspect.unwrap(set_up))),
    )


def _table(actions: Mapping[str, str]) -> ActionTable:
    return ActionTable([Block("moves", tuple(actions), tuple(actions.values()))])


def _check(fields: Iterable[StateField], seats: int) -> None:
    found: set[str] = set()
    for field in fields:
        if field.name in found or field.name in ("random", "game"):
            raise ValueError(f"the field {field.name!r} is there already; give it another name")
        found.add(field.name)
        if field.by_seat and field.rows != seats:
            raise ValueError(f"{field.name}: {field.rows} rows by seat; give it {seats}, one each")
        if field.visible == "owner" and not field.by_seat:
            raise ValueError(f"{field.name} has no owner; give it by_seat=True")
        if field.words and len(field.words) != field.high - field.low + 1:
            wanted = field.high - field.low + 1
            raise ValueError(f"{field.name}: {len(field.words)} words; give {wanted}")


def _nothing_is_secret(position: Mapping[str, Any], move: str) -> bool:
    return False


def _no_places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    return ()


def _phase_by(field: StateField | None) -> Callable[[Record], str]:
    if field is None:
        return lambda record: _OVER if record["to_move"] < 0 else _TURN
    return lambda record: field.words[int(record[field.name]) - field.low]


def _phase_of_dict(position: Mapping[str, Any]) -> str:
    found = position.get(PHASE)
    if isinstance(found, str):
        return found
    return _OVER if position["to_move"] is None else _TURN
