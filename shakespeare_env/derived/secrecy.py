"""Secrecy: which moves the other seats can tell apart, whatever is hidden from them.

A move is open if no other one can leave the table looking as it may leave it, in any game that the
others consider possible. The rules themselves say so: they are followed on a record in which every
hidden number is open. The answer depends only on what all others see, so it gives nothing away
whether a move is told.
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

_NEVER = frozenset([0])

View = tuple[frozenset[int] | None, ...]
"""The values that each number in sight may have; None for any."""


class _Public(NamedTuple):
    """A position as everybody but the mover sees it."""

    known: bytes  # a record, with 0 where they do not see it
    unseen: tuple[OpenPlace, ...]
    sums: tuple[tuple[tuple[str, int], int], ...]  # of counts by (field, row)


class Secrecy:
    """The function `Game.is_secret` of a game with fields, derived from its rules.

    A move whose execution paths are too many to follow is secret.
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
        self._hides = any(field.visible != "all" for field in fields)
        self._shown = {
            field.name: interpreted(field.visible) for field in fields if callable(field.visible)
        }
        self._possible_actions = lru_cache(64)(self._find_possible_actions)
        self._views = lru_cache(2048)(self._find_views)

    def __call__(self, position: Mapping[str, Any], move: str) -> bool:
        """Return whether a move of the seat to move is hidden from any of the others."""
        if not self._hides:
            return False
        record = np.zeros(1, self._notation.state)[0]
        self._notation.from_dict(position, record)
        public = self._public(record)
        played = self._actions.ids_for(position["to_move"], position["players"])[move]
        views = self._views(public, played)
        others = (action for action in self._possible_actions(public) if action != played)
        return any(_may_be_equal(views, self._views(public, other)) for other in others)

    def _public(self, record: Record) -> _Public:
        mover = int(record["to_move"])
        known = record.copy()
        known["random"] = 0
        unseen: list[OpenPlace] = []
        sums = []
        for field in self._notation.fields:
            numbers = known[field.name].reshape(-1)  # a copy of a single number
            for row, places in enumerate(_rows(field)):
                if self._is_seen(field, record, mover, row):
                    continue
                values = range(field.low, field.high + 1)
                if field.shows_sum:
                    total = int(numbers[places.start : places.stop].sum())
                    values = range(field.low, min(field.high, total) + 1)
                    sums.append(((field.name, row), total))
                unseen += [(field.name, place, values) for place in places]
                numbers[places.start : places.stop] = 0
            known[field.name] = numbers.reshape(known[field.name].shape)
        return _Public(known.tobytes(), tuple(unseen), tuple(sums))

    def _is_seen(self, field: StateField, game: Any, mover: int, row: int) -> bool:
        """Return whether every seat but the mover, and a spectator, sees a row of a field."""
        if field.name in self._shown:
            viewers = [SPECTATOR, *range(int(game["players"]))]
            sees = self._shown[field.name]
            return all(sees(game, viewer, row) for viewer in viewers if viewer != mover)
        return field.visible == "all"

    def _record(self, public: _Public) -> Record:
        return np.frombuffer(public.known, self._notation.state)[0]

    def _find_possible_actions(self, public: _Public) -> list[int]:
        """Return the actions that may be legal; those not found illegal in time are among them."""
        known = self._record(public)

        def run(branches: Branches) -> list[Any]:
            mask = np.zeros(self._actions.size, object)
            self._legal(OpenRecord(branches, known, public.unseen), mask)
            return mask.tolist()

        ids = self._actions.ids_for(int(known["to_move"]), int(known["players"]))
        left = {*ids.values()}
        found = set[int]()
        try:
            for mask in execution_paths(run):
                found |= {action for action in left if values_of(mask[action], bool) != _NEVER}
                left -= found
                if not left:
                    break
        except NotFollowedError:
            found |= left
        return sorted(found)

    def _find_views(self, public: _Public, action: int) -> frozenset[View] | None:
        """Return how an action may leave the table for the others; None if in any way."""
        known = self._record(public)
        mover = int(known["to_move"])
        sums = dict(public.sums)

        def run(branches: Branches) -> View:
            game = OpenRecord(branches, known, public.unseen)
            before = {field.name: game.numbers(field.name) for field in self._notation.fields}
            self._play(game, action)
            play_forced_moves(game, self._legal, self._play, self._actions.size)
            if not self._has_sums(before, sums):
                raise ImpossibleError
            return self._view(game, before, sums, mover)

        try:
            return frozenset(execution_paths(run)) or None
        except NotFollowedError:
            return None

    def _has_sums(
        self, before: Mapping[str, Sequence[Any]], sums: Mapping[tuple[str, int], int]
    ) -> bool:
        """Return whether counts before a move, as far as a path fixes them, allow their sums."""
        for field in self._notation.fields:
            for row, places in enumerate(_rows(field)):
                total = sums.get((field.name, row))
                counts = [values_of(before[field.name][place]) or () for place in places]
                if total is not None and not (
                    sum(map(min, counts)) <= total <= sum(map(max, counts))
                ):
                    return False
        return True

    def _view(
        self,
        game: OpenRecord,
        before: Mapping[str, Sequence[Any]],
        sums: Mapping[tuple[str, int], int],
        mover: int,
    ) -> View:
        """Return what the others see of a record after a move: its numbers, of counts their sum."""
        view: list[frozenset[int] | None] = []
        for field in self._notation.fields:
            numbers = game.numbers(field.name)
            for row, places in enumerate(_rows(field)):
                held = [numbers[place] for place in places]
                seen = self._is_seen(field, game, mover, row)
                view.append(frozenset([int(seen)]))
                if seen:
                    view += map(values_of, held)
                elif field.shows_sum:
                    then = [before[field.name][place] for place in places]
                    view.append(_sum(held, then, sums.get((field.name, row))))
        return tuple(view)


def _rows(field: StateField) -> list[range]:
    """Return the places of each row of a flattened field."""
    length = field.size // field.rows
    return [range(row * length, (row + 1) * length) for row in range(field.rows)]


def _sum(numbers: Sequence[Any], then: Sequence[Any], before: int | None) -> frozenset[int] | None:
    """Return the sums that counts may have after a move, where all saw their sum before it."""
    if before is None or not any(map(is_open, numbers)):
        return values_of(sum(numbers))
    changed = (now - old for now, old in zip(numbers, then, strict=True) if now is not old)
    return values_of(before + sum(changed))


def _may_be_equal(views: Iterable[View] | None, others: Iterable[View] | None) -> bool:
    """Return whether two sets of views may have one in common; None is the set of all views."""
    if views is None or others is None:
        return True
    return any(_agree(view, other) for view, other in product(views, others))


def _agree(view: View, other: View) -> bool:
    """Return whether every number in sight may be the same in two views."""
    pairs = zip(view, other, strict=True)
    return all(mine is None or theirs is None or mine & theirs for mine, theirs in pairs)
