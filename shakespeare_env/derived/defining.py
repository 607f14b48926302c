"""A game from its rules; the rest follows from the fields of its record.

A game must say how it is set up, what is legal, what a move does and what the scores are; its
fields say who sees what. docs/adding_a_game.md walks through one, and Figaro is defined so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import ActionTable, Block, Game, ObservationLayout, Record, Rules
from shakespeare_env.core.records import StateField, state_type
from shakespeare_env.derived.notation import Notation
from shakespeare_env.derived.presentation import OVER, TURN, DerivedPresentation
from shakespeare_env.derived.rules import Check, checks_of, determinizing, faulting, observing
from shakespeare_env.derived.rules import scratch as scratch_of
from shakespeare_env.derived.secrecy import Secrecy


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
    checks: Sequence[Check] = (),
    text: Mapping[str, str] | None = None,
    options: Mapping[str, range] | None = None,
    score_scale: float = 1.0,
    good_scores: Mapping[int, float] | None = None,
    observe: Callable[[Record, int, NDArray[np.int8]], None] | None = None,
    layout: ObservationLayout | None = None,
    determinize: Callable[[Record, int], None] | None = None,
    shown: Mapping[str, Any] | None = None,
    box: Path | None = None,
    digest: str = "",
    forecast_horizon: int | None = None,
    is_secret: Callable[[Mapping[str, Any], str], bool] | None = None,
) -> Game:
    """A game, ready for `register`.

    Args:
        name: The name in lower case.
        seats: Seat counts.
        fields: The fields of the record; see `StateField` for who sees them. `players`, `to_move`
            and `winners` are added where they are not given.
        actions: A table, or an English description of each action by its text.
        set_up: The rule `Rules.set_up`.
        legal: The rule `Rules.legal`.
        play: The rule `Rules.play`.
        scores: The rule `Rules.scores`; scores depend on nothing that is hidden.
        checks: What holds for every position, besides what follows from the fields.
        text: The fields of the notation by their keys there, in order; by default all but
            `winners`, under their names.
        options: Variants, each with the seat counts it is for.
        score_scale: Points that count as one unit of reward.
        good_scores: Good winning scores by seat count; needed for one seat if it can play alone.
        observe: The rule `Rules.observe`, with its `layout`, in place of those from the fields.
        layout: See `observe`.
        determinize: The rule `Rules.determinize`, in place of that from the fields.
        shown: Parts of the `Presentation`, by their names.
        box: The component file in force; by default the file of `set_up`.
        digest: See `Game`.
        forecast_horizon: See `Game`.
        is_secret: See `Game`; by default a move is secret if the others could see the same after
            another one, whatever is hidden from them, or if that takes too long to find out.

    Raises:
        ValueError: the name, a field, a rule or the pair `observe` and `layout` is not as
            described.
    """
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"name={name!r}: write it as an identifier in lower case")
    if (observe is None) != (layout is None):
        raise ValueError("observe and layout describe the same numbers; give both, or none")
    _check_rule("set_up", set_up)
    _check_rule("legal", legal)
    _check_rule("play", play)
    _check_rule("scores", scores)
    _check_rule("observe", observe)
    _check_rule("determinize", determinize)
    for check in checks:
        _check_rule(f"the check of {check.key!r}", check.broken)
    most = seats[-1]
    if isinstance(actions, ActionTable):
        table = actions
    else:
        table = ActionTable([Block("moves", tuple(actions), tuple(actions.values()))])
    given = {field.name for field in fields}
    standard = (
        StateField("players", seats[0], most),
        StateField("to_move", -1, most - 1, seats=True),
        StateField("winners", 0, 1, most, by_seat=True),
    )
    *first, winners = ([] if field.name in given else [field] for field in standard)
    all_fields = (*first[0], *first[1], *fields, *winners)
    for field in all_fields:
        _check(field, most)
    checks = [*checks_of(all_fields), *checks]
    seen = [field for field in all_fields if field.name != "winners"]
    if layout is None or observe is None:
        layout, observe = observing(seen, most)
    fault = faulting(checks)
    scratch: tuple[StateField, ...] = ()
    if determinize is None:
        scratch = scratch_of(all_fields, table.size)
        determinize = determinizing(all_fields, legal, fault)
    state = state_type((*all_fields, *scratch))
    rules = Rules(set_up, legal, play, observe, determinize, scores, fault, _rewind)
    by_name = {field.name: field for field in all_fields}
    in_text = {key: by_name[name] for key, name in (text or {f.name: f.name for f in seen}).items()}
    notation = Notation(name, seats, state, all_fields, in_text, checks)
    is_secret = is_secret or Secrecy(notation, table, legal, play)
    derived = DerivedPresentation(notation, table, scores, is_secret)
    return Game(
        name=name,
        min_seats=seats[0],
        max_seats=most,
        options=options or {},
        state=state,
        ranges={field.name: field for field in (*all_fields, *scratch)},
        hidden_from_text=("random", *(field.name for field in scratch)),
        actions=table,
        layout=layout,
        rules=rules,
        good_scores=good_scores or {},
        score_scale=score_scale,
        to_dict=notation.to_dict,
        from_dict=notation.from_dict,
        explain=notation.explain,
        phase=lambda record: OVER if record["to_move"] < 0 else TURN,
        seen_by=notation.seen_by,
        is_secret=is_secret,
        presentation=derived.presentation(**(shown or {})),
        box=box or Path(inspect.getfile(inspect.unwrap(set_up))),
        digest=digest,
        forecast_horizon=forecast_horizon,
    )


def _check(field: StateField, seats: int) -> None:
    wanted = field.high - field.low + 1
    _check_rule(f"{field.name}: follows", field.follows)
    if callable(field.visible):
        _check_rule(f"{field.name}: visible", field.visible)
    if field.pool and field.form in ("counts", "list"):
        raise ValueError(
            f"{field.name}: form={field.form!r} counts cards, but the fields of a pool hold card "
            "numbers; give it a number for each card, or leave out its pool"
        )
    if field.by_seat and field.rows != seats:
        raise ValueError(f"{field.name}: {field.rows} rows by seat; give it {seats}, one each")
    if field.visible == "owner" and not field.by_seat:
        raise ValueError(f"{field.name} has no owner; give it by_seat=True")
    if field.words and len(field.words) != wanted:
        raise ValueError(f"{field.name}: {len(field.words)} words; give {wanted}")


def _check_rule(role: str, function: Callable[..., Any] | None) -> None:
    """Refuse a function that is not compiled, which compiled rules cannot call."""
    if function is not None and not hasattr(function, "__wrapped__"):
        raise ValueError(f"{role} is no rule; put @rule before it")


@rule
def _rewind(game: Record) -> bool:
    """`Rules.rewind` of a game in which every choice is seen."""
    return False
