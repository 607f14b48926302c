"""Secrecy: which moves are hidden from the other seats.

A move is public if the others can tell it apart from every other move, whatever the values of the
numbers that are hidden from them. The rules themselves decide this: they are executed on a record
in which every hidden number is open, so that it may have any value of its range (`play.branching`).
The answer depends only on what all others see, so the secrecy of a move reveals nothing to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from shakespeare_env.core.game import SPECTATOR, ActionTable, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.derived.notation import Notation
from shakespeare_env.play.branching import (
    Branches,
    ImpossibleError,
    NotFollowedError,
    OpenPlace,
    OpenRecord,
    execution_paths,
    followable,
    is_open,
    play_forced_moves,
    values_of,
)
from shakespeare_env.play.tracing import interpreted

_ILLEGAL = frozenset([0])
"""The values of an action's mask if the action is illegal on an execution path."""

View = tuple[frozenset[int] | None, ...]
"""The possible values of every number that the others see. None stands for any value."""


class _PublicPosition(NamedTuple):
    """A position as all seats but the mover see it."""

    record: bytes  # hidden numbers are 0
    hidden: tuple[OpenPlace, ...]
    sums: tuple[tuple[tuple[str, int], int], ...]  # those of hidden counts, by (field, row)


class Secrecy:
    """The function `Game.is_secret`, derived from a game's fields and rules.

    A move is secret if it has too many execution paths to follow.
    """

    def __init__(
        self,
        notation: Notation,
        actions: ActionTable,
        legal: Callable[[Record, Any], int],
        play: Callable[[Record, int], None],
    ) -> None:
        fields = notation.fields
        self._notation = notation
        self._actions = actions
        self._legal = followable(legal)
        self._play = followable(play)
        self._has_hidden_fields = any(field.visible != "all" for field in fields)
        self._visibility_rules = {
            field.name: interpreted(field.visible) for field in fields if callable(field.visible)
        }
        self._possible_actions = lru_cache(64)(self._find_possible_actions)
        self._views = lru_cache(2048)(self._find_views)

    def __call__(self, position: Mapping[str, Any], move: str) -> bool:
        """Return whether a move of the seat to move is hidden from any of the others."""
        if not self._has_hidden_fields:
            return False
        record = np.zeros(1, self._notation.state)[0]
        self._notation.from_dict(position, record)
        public = self._public_position(record)
        played = self._actions.ids_for(position["to_move"], position["players"])[move]
        views = self._views(public, played)
        others = (action for action in self._possible_actions(public) if action != played)
        return any(_may_be_equal(views, self._views(public, other)) for other in others)

    def _public_position(self, record: Record) -> _PublicPosition:
        mover = int(record["to_move"])
        shown = record.copy()
        shown["random"] = 0
        hidden: list[OpenPlace] = []
        sums = []
        for field in self._notation.fields:
            numbers = shown[field.name].reshape(-1)  # a copy if the field is a single number
            for row, places in enumerate(_rows(field)):
                if self._is_seen(field, record, mover, row):
                    continue
                values = range(field.low, field.high + 1)
                if field.shows_sum:
                    total = int(numbers[places.start : places.stop].sum())
                    values = range(field.low, min(field.high, total) + 1)
                    sums.append(((field.name, row), total))
                hidden += [(field.name, place, values) for place in places]
                numbers[places.start : places.stop] = 0
            shown[field.name] = numbers.reshape(shown[field.name].shape)
        return _PublicPosition(shown.tobytes(), tuple(hidden), tuple(sums))

    def _is_seen(self, field: StateField, game: Any, mover: int, row: int) -> bool:
        """Return whether every seat but the mover, and a spectator, sees a row of a field."""
        if field.name in self._visibility_rules:
            viewers = [SPECTATOR, *range(int(game["players"]))]
            sees = self._visibility_rules[field.name]
            return all(sees(game, viewer, row) for viewer in viewers if viewer != mover)
        return field.visible == "all"

    def _record(self, public: _PublicPosition) -> Record:
        return np.frombuffer(public.record, self._notation.state)[0]

    def _find_possible_actions(self, public: _PublicPosition) -> list[int]:
        """Return the actions that may be legal.

        If there are too many execution paths to follow, all actions that are not yet decided count
        as possible.
        """
        record = self._record(public)

        def run(branches: Branches) -> list[Any]:
            mask = np.zeros(self._actions.size, object)
            self._legal(OpenRecord(branches, record, public.hidden), mask)
            return mask.tolist()

        ids = self._actions.ids_for(int(record["to_move"]), int(record["players"]))
        undecided = {*ids.values()}
        possible = set[int]()
        try:
            for mask in execution_paths(run):
                for action in undecided:
                    if values_of(mask[action], bool) != _ILLEGAL:
                        possible.add(action)
                undecided -= possible
                if not undecided:
                    break
        except NotFollowedError:
            possible |= undecided
        return sorted(possible)

    def _find_views(self, public: _PublicPosition, action: int) -> frozenset[View] | None:
        """Return the views that the others may have after an action; None if any is possible."""
        record = self._record(public)
        mover = int(record["to_move"])
        sums = dict(public.sums)

        def run(branches: Branches) -> View:
            game = OpenRecord(branches, record, public.hidden)
            before = {field.name: game.numbers(field.name) for field in self._notation.fields}
            self._play(game, action)
            play_forced_moves(game, self._legal, self._play, self._actions.size)
            if not self._allows_sums(before, sums):
                raise ImpossibleError
            return self._view(game, before, sums, mover)

        try:
            # If every path turns out to be impossible, nothing is known about the views.
            return frozenset(execution_paths(run)) or None
        except NotFollowedError:
            return None

    def _allows_sums(
        self, before: Mapping[str, Sequence[Any]], sums: Mapping[tuple[str, int], int]
    ) -> bool:
        """Return whether the counts before a move can have their public sums on this path.

        A path may have narrowed down the possible values of some counts.
        """
        for field in self._notation.fields:
            for row, places in enumerate(_rows(field)):
                total = sums.get((field.name, row))
                if total is None:
                    continue
                counts = [values_of(before[field.name][place]) or () for place in places]
                least = sum(map(min, counts))
                greatest = sum(map(max, counts))
                if not least <= total <= greatest:
                    return False
        return True

    def _view(
        self,
        game: OpenRecord,
        before: Mapping[str, Sequence[Any]],
        sums: Mapping[tuple[str, int], int],
        mover: int,
    ) -> View:
        """Return what the others see of a record after a move: numbers, and the sums of counts."""
        view: list[frozenset[int] | None] = []
        for field in self._notation.fields:
            numbers = game.numbers(field.name)
            for row, places in enumerate(_rows(field)):
                row_after = [numbers[place] for place in places]
                is_seen = self._is_seen(field, game, mover, row)
                # The others also notice whether they see the row at all.
                view.append(frozenset([int(is_seen)]))
                if is_seen:
                    view += map(values_of, row_after)
                elif field.shows_sum:
                    row_before = [before[field.name][place] for place in places]
                    sum_before = sums.get((field.name, row))
                    view.append(_possible_sums(row_before, row_after, sum_before))
        return tuple(view)


def _rows(field: StateField) -> list[range]:
    """Return the places of each row of a flattened field."""
    length = field.size // field.rows
    return [range(row * length, (row + 1) * length) for row in range(field.rows)]


def _possible_sums(
    before: Sequence[Any], after: Sequence[Any], sum_before: int | None
) -> frozenset[int] | None:
    """Return the sums that counts may have after a move, given their sum before it if known."""
    if sum_before is None or not any(map(is_open, after)):
        return values_of(sum(after))
    # Counts that the move left alone cancel out, so fewer values have to be tried.
    pairs = zip(before, after, strict=True)
    return values_of(sum_before + sum(new - old for old, new in pairs if new is not old))


def _may_be_equal(views: Iterable[View] | None, others: Iterable[View] | None) -> bool:
    """Return whether two sets of views may share a view. None is the set of all views."""
    if views is None or others is None:
        return True
    return any(_agree(view, other) for view, other in product(views, others))


def _agree(view: View, other: View) -> bool:
    """Return whether every number may have the same value in two views."""
    pairs = zip(view, other, strict=True)
    return all(first is None or second is None or first & second for first, second in pairs)
