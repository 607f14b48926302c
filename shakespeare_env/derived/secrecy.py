"""Which moves the other seats can tell apart, whatever is hidden from them.

A move is open if no other one can leave the table looking as it may leave it, in any game that the
others consider possible. The rules themselves say so. They are run in the interpreter on a record
whose hidden numbers are left open, and where their course depends on such a number, every course
is followed. The answer depends on nothing but what all others see, so it gives nothing away.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import NO_SEAT, ActionTable, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.core.rng import below, shuffle
from shakespeare_env.derived.notation import Notation
from shakespeare_env.play.tracing import interpreted

T = TypeVar("T")

_PATIENCE = 20_000
"""Reads of fields and of hidden numbers after which all courses of a rule are too many to follow."""
_MOST_COMBINATIONS = 4096
_NOT_FOLLOWED = (TypeError, ValueError, AttributeError, LookupError, RecursionError)
"""Errors of rules that do with a hidden number what cannot be done with an open one."""

View = tuple[frozenset[int] | None, ...]
"""The values that each number in sight may have; None for any."""


class Secrecy:
    """The function `Game.is_secret` of a game with fields, derived from its rules.

    Where the courses of a move are too many to follow, it is secret.
    """

    def __init__(
        self,
        notation: Notation,
        actions: ActionTable,
        legal: Callable[[Record, Any], int],
        play: Callable[[Record, int], None],
    ) -> None:
        chance = {below: _open_draw, shuffle: _open_shuffle}
        self._notation = notation
        self._actions = actions
        self._legal = interpreted(legal, chance)
        self._play = interpreted(play, chance)
        self._hides = any(each.visible != "all" for each in notation.fields)
        self._shown = {
            each.name: interpreted(each.visible)
            for each in notation.fields
            if callable(each.visible)
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
        return views is None or any(
            _may_be_equal(views, self._views(public, other)) for other in others
        )

    def _public(self, record: Record) -> _Public:
        """What all seats but the mover, and spectators, see of a position."""
        mover, known = int(record["to_move"]), record.copy()
        hidden, totals = [], []
        known["random"] = 0
        for each in self._notation.fields:
            for row in range(each.rows):
                if not self._is_seen(each, record, mover, row):
                    total = int(_row_of(each, row, known).sum())
                    hidden.append((each.name, row))
                    totals.append(total if each.form == "counts" else None)
                    if each.shape == ():
                        known[each.name] = 0
                    else:
                        known[each.name].reshape(each.rows, -1)[row] = 0
        return _Public(known.tobytes(), tuple(hidden), tuple(totals))

    def _is_seen(self, each: StateField, game: Any, mover: int, row: int) -> bool:
        """Return whether every seat but the mover, and a spectator, sees a row of a field."""
        if each.name in self._shown:
            viewers = [NO_SEAT, *range(int(game["players"]))]
            sees = self._shown[each.name]
            return all(sees(game, viewer, row) for viewer in viewers if viewer != mover)
        return each.visible == "all"

    def _find_possible_actions(self, public: _Public) -> list[int]:
        """Return the actions that may be legal; those not found illegal in time are among them."""
        found = np.zeros(self._actions.size, np.bool_)
        branches = _Branches()
        try:
            while not found.all():
                game, mask = self._opened(public, branches), np.zeros(len(found), object)
                with _in_possible_games():
                    self._legal(game, mask)
                    found |= [_values(legal, bool) != {False} for legal in mask]
                if not branches.advance():
                    return np.flatnonzero(found).tolist()
        except (_TooManyError, *_NOT_FOLLOWED):
            pass
        return list(range(self._actions.size))

    def _find_views(self, public: _Public, action: int) -> frozenset[View] | None:
        """Return how an action may leave the table for the others; None if in too many ways."""
        found, branches = set(), _Branches()
        try:
            while True:
                game = self._opened(public, branches)
                before = {name: np.array(value) for name, value in game.items()}
                with _in_possible_games():
                    self._play(game, action)
                    found.add(self._view(public, before, game))
                if not branches.advance():
                    return frozenset(found)
        except (_TooManyError, *_NOT_FOLLOWED):
            return None

    def _opened(self, public: _Public, branches: _Branches) -> _OpenRecord:
        """Return a record for the interpreter with open numbers where the others see none."""
        known = np.frombuffer(public.known, self._notation.state)[0]
        fields = {each.name: each for each in self._notation.fields}
        game = _OpenRecord(branches)
        for name, each in fields.items():
            value = known[name]
            dict.__setitem__(game, name, value.astype(object) if each.shape != () else int(value))
        for (name, row), total in zip(public.hidden, public.totals, strict=True):
            each = fields[name]
            most = each.high if total is None else min(each.high, total)
            numbers = _row_of(each, row, game)
            for place in np.ndindex(numbers.shape):
                numbers[place] = branches.open_number(range(each.low, most + 1))
            if each.shape == ():
                game[name] = numbers[()]
        return game

    def _view(self, public: _Public, before: Mapping[str, Any], game: _OpenRecord) -> View:
        """Return what the others see of a record after a move: its numbers, of counts their sum."""
        mover = int(np.frombuffer(public.known, self._notation.state)[0]["to_move"])
        totals = dict(zip(public.hidden, public.totals, strict=True))
        view: list[frozenset[int] | None] = []
        for each in self._notation.fields:
            for row in range(each.rows):
                numbers = _row_of(each, row, game).reshape(-1).tolist()
                seen = self._is_seen(each, game, mover, row)
                view.append(frozenset([int(seen)]))
                if seen:
                    view += map(_values, numbers)
                elif each.form == "counts":
                    held = _row_of(each, row, before).reshape(-1).tolist()
                    view.append(_total(numbers, held, totals.get((each.name, row))))
        return tuple(view)


def _row_of(each: StateField, row: int, game: Any) -> NDArray[Any]:
    """Return the numbers of a row of a record's field, in place unless it is a single number."""
    numbers = np.asarray(game[each.name], None if isinstance(game, np.void) else object)
    return numbers[row : row + 1] if each.by_seat else numbers


class _Public(NamedTuple):
    """What everybody but the mover sees: a record, (field, row) not seen, and sums of counts."""

    known: bytes
    hidden: tuple[tuple[str, int], ...]
    totals: tuple[int | None, ...]


class _TooManyError(Exception):
    """A rule has more courses than are followed."""


class _ImpossibleError(Exception):
    """A rule has come to where no game can come, since rules are safe in those that can be."""


@contextmanager
def _in_possible_games() -> Iterator[None]:
    """Leave a block where a rule shows that the game cannot be."""
    try:
        yield
    except (_ImpossibleError, ZeroDivisionError):
        pass
    except IndexError as fault:
        if "out of " not in str(fault):  # out of bounds, out of range
            raise


class _Branches:
    """Chooses at every branch, run after run, so that each course is followed once."""

    def __init__(self) -> None:
        self._path: list[list[int]] = []  # the number chosen at each branch, and of how many
        self._at = 0
        self._spent = 0

    def spend(self) -> None:
        """Count a read; raises `_TooManyError` when there were too many."""
        self._spent += 1
        if self._spent > _PATIENCE:
            raise _TooManyError

    def choose(self, options: Sequence[T]) -> T:
        """Return one of some options, another one in another run."""
        self.spend()
        if len(options) == 1:
            return options[0]
        if self._at == len(self._path):
            self._path.append([0, len(options)])
        self._at += 1
        return options[self._path[self._at - 1][0]]

    def advance(self) -> bool:
        """Turn to the next course; False if there is none."""
        self._at = 0
        while self._path:
            self._path[-1][0] += 1
            if self._path[-1][0] < self._path[-1][1]:
                return True
            self._path.pop()
        return False

    def open_number(self, values: Iterable[int]) -> Any:
        """Return a number that may have any of some values."""
        hidden = _Hidden(self, [*values])
        return _Open((hidden,), lambda: hidden.tried)


class _OpenRecord(dict[str, Any]):
    """A record for rules in the interpreter, with open numbers."""

    def __init__(self, branches: _Branches) -> None:
        super().__init__()
        self.branches = branches

    def __getitem__(self, name: str) -> Any:
        self.branches.spend()
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        held = self.get(name)
        if isinstance(held, np.ndarray):
            held[...] = value
        else:
            super().__setitem__(name, value)


@dataclass(eq=False)
class _Hidden:
    """A number of a record that is not known, and the values that are left for it."""

    branches: _Branches
    values: list[int]
    tried: int = field(default=0)


def _lazily(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of `_Open` that computes nothing before a rule's course depends on it."""

    def operate(self: _Open, *other: Any) -> Any:
        return _Open.of(operation, self, *other)

    return operate


def _reversed(operation: Callable[..., Any]) -> Callable[..., Any]:
    return _lazily(lambda one, other: operation(other, one))


class _Open:
    """A number that follows from hidden ones; a rule whose course depends on it branches."""

    def __init__(self, hidden: tuple[_Hidden, ...], find: Callable[[], Any]) -> None:
        self.hidden = hidden  # what it follows from
        self.find = find  # its value where each hidden number is the one tried

    @classmethod
    def of(cls, operation: Callable[..., Any], *numbers: Any) -> Any:
        """Return the result of an operation."""
        if any(isinstance(number, np.ndarray) for number in numbers):
            return NotImplemented
        finds = [n.find if isinstance(n, _Open) else lambda n=n: n for n in numbers]
        hidden = dict.fromkeys(h for n in numbers if isinstance(n, _Open) for h in n.hidden)
        return cls(tuple(hidden), lambda: operation(*(find() for find in finds)))

    def settle(self, kind: Callable[[Any], T]) -> T:
        """Return one of its values, of a kind, and stay with it for the rest of this course."""
        *first, last = sorted(self.hidden, key=lambda hidden: len(hidden.values))
        for hidden in first:
            hidden.tried = last.branches.choose(hidden.values)
            hidden.values = [hidden.tried]
        leads_to: dict[T, list[int]] = {}
        for last.tried in last.values:
            with suppress(ZeroDivisionError):  # no game that can be divides by 0
                leads_to.setdefault(kind(self.find()), []).append(last.tried)
        if not leads_to:
            raise _ImpossibleError
        found = last.branches.choose(sorted(leads_to, reverse=True))  # True first
        last.values = leads_to[found]
        last.tried = last.values[0]
        return found

    def __bool__(self) -> bool:
        return self.settle(bool)

    def __int__(self) -> int:
        return self.settle(int)

    __index__ = __int__
    __hash__ = None  # type: ignore[assignment]

    __add__, __radd__ = _lazily(operator.add), _reversed(operator.add)
    __sub__, __rsub__ = _lazily(operator.sub), _reversed(operator.sub)
    __mul__, __rmul__ = _lazily(operator.mul), _reversed(operator.mul)
    __floordiv__, __rfloordiv__ = _lazily(operator.floordiv), _reversed(operator.floordiv)
    __mod__, __rmod__ = _lazily(operator.mod), _reversed(operator.mod)
    __and__, __rand__ = _lazily(operator.and_), _reversed(operator.and_)
    __or__, __ror__ = _lazily(operator.or_), _reversed(operator.or_)
    __xor__, __rxor__ = _lazily(operator.xor), _reversed(operator.xor)
    __lshift__, __rlshift__ = _lazily(operator.lshift), _reversed(operator.lshift)
    __rshift__, __rrshift__ = _lazily(operator.rshift), _reversed(operator.rshift)
    __neg__, __abs__, __invert__ = map(_lazily, (operator.neg, operator.abs, operator.invert))
    __eq__, __ne__ = _lazily(operator.eq), _lazily(operator.ne)
    __lt__, __le__ = _lazily(operator.lt), _lazily(operator.le)
    __gt__, __ge__ = _lazily(operator.gt), _lazily(operator.ge)


def _open_draw(game: _OpenRecord, n: Any) -> Any:
    """Return a number below n, which chance may have drawn, in place of the rule `below`."""
    if int(n) <= 0:
        raise _ImpossibleError
    return game.branches.open_number(range(int(n)))


def _open_shuffle(game: _OpenRecord, items: NDArray[Any], size: Any) -> None:
    """Let each item be any of them, in place of the rule `shuffle`."""
    shuffled = items[: int(size)].tolist()
    values = [_values(item) for item in shuffled]
    if None in values:
        raise _TooManyError
    any_of_them = sorted(set().union(*filter(None, values)))
    for place in range(len(shuffled)):
        items[place] = game.branches.open_number(any_of_them)


def _values(number: Any, kind: Callable[[Any], int] = int) -> frozenset[int] | None:
    """Return the values that a number may have; None if they are too many to find out."""
    if not isinstance(number, _Open):
        return frozenset([kind(number)])
    if prod(len(hidden.values) for hidden in number.hidden) > _MOST_COMBINATIONS:
        return None
    found = set()
    for values in product(*(hidden.values for hidden in number.hidden)):
        for hidden, hidden.tried in zip(number.hidden, values, strict=True):
            pass
        with suppress(ZeroDivisionError):
            found.add(kind(number.find()))
    return frozenset(found)


def _total(
    numbers: Sequence[Any], held: Sequence[Any], before: int | None
) -> frozenset[int] | None:
    """Return the sums that counts may have after a move, where all see their sum before it."""
    if before is None or not any(isinstance(number, _Open) for number in numbers):
        return _values(sum(numbers))
    changes = (now - then for now, then in zip(numbers, held, strict=True) if now is not then)
    return _values(before + sum(changes))


def _may_be_equal(views: Iterable[View], others: Iterable[View] | None) -> bool:
    """Return whether one of some views may be one of the others; None is any."""
    if others is None:
        return True
    return any(
        all(one is None or other is None or one & other for one, other in zip(*pair, strict=True))
        for pair in product(views, others)
    )
