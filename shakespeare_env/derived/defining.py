"""Definition of a game from its rules and the fields of its record.

A game must say how it is set up, what is legal, what a move does and what the scores are. Its
fields say who sees what. Everything else is derived. docs/adding_a_game.md walks through a small
game, and both games of this package are defined in the same way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import (
    ActionTable,
    Block,
    Game,
    ObservationLayout,
    PositionFault,
    Record,
    Rules,
)
from shakespeare_env.core.records import StateField, state_type
from shakespeare_env.derived.notation import Notation, OwnNotation
from shakespeare_env.derived.presentation import DerivedPresentation, GamePresentation
from shakespeare_env.derived.rules import (
    Check,
    derive_checks,
    derive_determinize,
    derive_fault,
    derive_observe,
    scratch_fields,
)
from shakespeare_env.derived.secrecy import Secrecy

_RULE_NAMES = ("set_up", "legal", "play", "scores", "observe", "determinize", "rewind", "is_hidden")


@dataclass(frozen=True, kw_only=True)
class GameRules:
    """The rules of a game, compiled with `@rule`, with its actions, variants and score units.

    `core.game.Rules` says what each rule is called with and what it does.

    Attributes:
        actions: A table, or an English description of each action by its text.
        scores: The rule `Rules.scores`. Scores must depend on nothing that is hidden.
        options: Variants, each with the seat counts that can play it.
        score_scale: The number of points that make one unit of reward.
        good_scores: Good winning scores by seat count. A game that can be played alone needs an
            entry for one seat.
        observe: The rule `Rules.observe`, by default derived from the fields.
        layout: The layout of what `observe` writes. Give both or neither.
        determinize: The rule `Rules.determinize`, by default derived from the fields.
        rewind: The rule `Rules.rewind`. The default takes nothing back, which is right for games in
            which every choice is seen.
        is_hidden: The rule `Rules.is_hidden`, for histories. By default, moves that are secret when
            they are made stay hidden.
    """

    actions: ActionTable | Mapping[str, str]
    set_up: Callable[[Record, int, int], None]
    legal: Callable[[Record, Any], int]
    play: Callable[[Record, int], None]
    scores: Callable[[Record, Any], None]
    options: Mapping[str, range] = field(default_factory=dict)
    score_scale: float = 1.0
    good_scores: Mapping[int, float] = field(default_factory=dict)
    observe: Callable[[Record, int, NDArray[Any]], None] | None = None
    layout: ObservationLayout | None = None
    determinize: Callable[[Record, int], None] | None = None
    rewind: Callable[[Record], bool] | None = None
    is_hidden: Callable[[Record, int, int], bool] | None = None


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """The fields of a game's record, the checks of its positions, and how they are written.

    Attributes:
        fields: The fields. `players`, `to_move` and `winners` are added if they are missing.
        checks: The conditions of every position that the fields alone do not imply.
        fault: The rule `Rules.fault`, in place of one made from the fields and `checks`.
        faults: The place and the words of each fault that `fault` finds, as in a `Check`.
        text: The name of the field for each key of the notation, in order. By default the notation
            has all fields but `winners`, under their own names.
        hidden_from_text: Fields that the game's own notation leaves out.
        notation: The game's own notation. Such a game must also define `is_secret` and all parts of
            its presentation.
        is_secret: A function (position, move) -> whether a move of the seat to move is hidden from
            the others. By default a move is hidden if another one could leave the table looking the
            same to them, or if that takes too long to find out.
    """

    fields: Sequence[StateField]
    checks: Sequence[Check] = ()
    fault: Callable[[Record], int] | None = None
    faults: Mapping[IntEnum, tuple[str, str]] = field(default_factory=dict)
    text: Mapping[str, str] | None = None
    hidden_from_text: Sequence[str] = ()
    notation: OwnNotation | None = None
    is_secret: Callable[[Mapping[str, Any], str], bool] | None = None


def define(
    name: str,
    *,
    seats: range,
    rules: GameRules,
    record: GameRecord,
    presentation: GamePresentation | None = None,
    box: Path | None = None,
    digest: str = "",
    forecast_horizon: int | None = None,
) -> Game:
    """Return a game, ready for `register`.

    Args:
        name: The name in lower case.
        seats: The seat counts.
        rules: The rules and the actions.
        record: The fields of the record, its checks and its notation.
        presentation: The game's own words and pictures, in place of those derived from the fields.
        box: The file with the facts that are printed on the game's components, such as its cards.
            By default it is the Python file that defines `set_up`.
        digest: See `Game`.
        forecast_horizon: See `Game`.

    Raises:
        ValueError: The name, a field or a rule is invalid, or one of two things that belong
            together is missing.
    """
    _check_definition(name, rules, record, presentation)
    all_fields = _with_standard_fields(record.fields, seats)
    for state_field in all_fields:
        _check_field(state_field, seats[-1])

    actions = rules.actions
    if not isinstance(actions, ActionTable):
        actions = ActionTable([Block("moves", tuple(actions), tuple(actions.values()))])

    checks = [*derive_checks(all_fields), *record.checks]
    fault = record.fault or derive_fault(checks)
    shown_fields = [each for each in all_fields if each.name != "winners"]
    layout = rules.layout
    observe = rules.observe
    if layout is None or observe is None:
        layout, observe = derive_observe(shown_fields, seats[-1])
    determinize = rules.determinize
    scratch: tuple[StateField, ...] = ()
    if determinize is None:
        scratch = scratch_fields(all_fields, actions.size)
        determinize = derive_determinize(all_fields, rules.legal, fault)
    scratch_names = [each.name for each in scratch]
    is_hidden = rules.is_hidden
    if is_hidden is None and all(each.visible == "all" for each in all_fields):
        is_hidden = never_hidden
    compiled = Rules(
        set_up=rules.set_up,
        legal=rules.legal,
        play=rules.play,
        observe=observe,
        determinize=determinize,
        scores=rules.scores,
        fault=fault,
        rewind=rules.rewind or _rewind,
        is_hidden=is_hidden,
    )

    state = state_type((*all_fields, *scratch))
    by_name = {each.name: each for each in all_fields}
    text = record.text or {each.name: each.name for each in shown_fields}
    keys = {key: by_name[field_name] for key, field_name in text.items()}
    derived = Notation(name, seats, state, all_fields, keys, checks)
    notation = record.notation or derived
    is_secret = record.is_secret or Secrecy(derived, actions, rules.legal, rules.play)
    explain = partial(_explain_own, record.faults) if record.faults else derived.explain
    derived_presentation = DerivedPresentation(derived, actions, rules.scores, is_secret)
    return Game(
        name=name,
        min_seats=seats[0],
        max_seats=seats[-1],
        options=rules.options,
        state=state,
        ranges={each.name: each for each in (*all_fields, *scratch)},
        hidden_from_text=("random", *record.hidden_from_text, *scratch_names),
        actions=actions,
        layout=layout,
        rules=compiled,
        good_scores=rules.good_scores,
        score_scale=rules.score_scale,
        to_dict=notation.to_dict,
        from_dict=notation.from_dict,
        explain=explain,
        phase=notation.phase,
        seen_by=notation.seen_by,
        is_secret=is_secret,
        presentation=derived_presentation.complete(presentation or GamePresentation()),
        box=box or Path(inspect.getfile(inspect.unwrap(rules.set_up))),
        digest=digest,
        forecast_horizon=forecast_horizon,
    )


def _with_standard_fields(given: Sequence[StateField], seats: range) -> tuple[StateField, ...]:
    """Return the given fields, and those that every record has if they are missing."""
    names = {each.name for each in given}
    max_seats = seats[-1]
    all_fields = list(given)
    if "to_move" not in names:
        all_fields.insert(0, StateField("to_move", -1, max_seats - 1, seats=True))
    if "players" not in names:
        all_fields.insert(0, StateField("players", seats[0], max_seats))
    if "winners" not in names:
        all_fields.append(StateField("winners", 0, 1, max_seats, by_seat=True))
    return tuple(all_fields)


def _check_definition(
    name: str, rules: GameRules, record: GameRecord, presentation: GamePresentation | None
) -> None:
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"name={name!r}: write it as an identifier in lower case")
    if (rules.observe is None) != (rules.layout is None):
        raise ValueError("observe and layout describe the same numbers; give both or neither")
    if (record.fault is None) == bool(record.faults):
        raise ValueError("faults describe what the rule fault finds; give both or neither")
    for role in _RULE_NAMES:
        _check_rule(role, getattr(rules, role))
    _check_rule("fault", record.fault)
    for check in record.checks:
        _check_rule(f"the check of {check.place!r}", check.broken)
    if record.notation is not None:
        parts = presentation or GamePresentation()
        missing = [part.name for part in fields(parts) if getattr(parts, part.name) is None]
        if record.is_secret is None:
            missing.append("is_secret")
        if missing:
            raise ValueError(
                f"a game with its own notation must also define {', '.join(missing)}, which cannot "
                "be derived without the notation of its fields"
            )


def _check_field(state_field: StateField, seats: int) -> None:
    name = state_field.name
    _check_rule(f"{name}: follows", state_field.follows)
    if callable(state_field.visible):
        _check_rule(f"{name}: visible", state_field.visible)
    if state_field.pool and state_field.form in ("counts", "list"):
        raise ValueError(
            f"{name}: form={state_field.form!r} counts cards, but the fields of a pool hold card "
            "numbers; store a number for each card, or leave out the pool"
        )
    if state_field.by_seat and state_field.rows != seats:
        raise ValueError(
            f"{name} has {state_field.rows} rows by seat; give it {seats}, one for each seat"
        )
    if state_field.visible == "owner" and not state_field.by_seat:
        raise ValueError(f"{name} has no owner; give it by_seat=True")
    numbers = state_field.high - state_field.low + 1
    if state_field.words and len(state_field.words) != numbers:
        raise ValueError(
            f"{name} has {len(state_field.words)} words; give {numbers}, one for each number"
        )


def _check_rule(role: str, function: Callable[..., Any] | None) -> None:
    """Refuse a function that is not a compiled rule. Compiled rules could not call it."""
    if function is not None and not hasattr(function, "__wrapped__"):
        raise ValueError(f"{role} is not a rule; put @rule before it")


def _explain_own(
    faults: Mapping[IntEnum, tuple[str, str]], record: Record, number: int
) -> PositionFault:
    """Return the fault for a number that the game's own rule `fault` has returned."""
    code = next(code for code in faults if code == number)
    place, says = faults[code]
    return PositionFault(code.name, place, np.asarray(record[place]).tolist(), says)


@rule
def never_hidden(game: Record, seat: int, action: int) -> bool:
    """Return False: the rule `Rules.is_hidden` of a game in which every choice is seen."""
    return False


@rule
def _rewind(game: Record) -> bool:
    """Take back nothing: the rule `Rules.rewind` of a game in which every choice is seen."""
    return False
