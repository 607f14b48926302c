"""Rules followed where numbers of a record are not known.

The interpreter runs a rule on a record in which some numbers are open: each may have any of some
values. What is computed from them is open, too, until the rule's course depends on it. Then the run
stays with one of the possible courses, and further runs take the others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import below, shuffle
from shakespeare_env.play.tracing import Function, interpreted

T = TypeVar("T")

OpenPlace = tuple[str, int, range]
"""A field, a place in it when it is flattened, and the values that the number there may have."""
_PATIENCE = 5_000
"""Reads of fields and of open numbers after which a rule's courses are too many to follow."""
_MOST_COMBINATIONS = 4096
_NOT_FOLLOWED = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
"""Errors of rules that do with a number what cannot be done with an open one."""


class NotFollowedError(Exception):
    """A rule has too many courses, or computes what cannot be computed with open numbers."""


class _TooManyError(Exception):
    """More was read than courses are followed for."""


class ImpossibleError(Exception):
    """A course leads to where no game can come, since rules are safe in those that can be."""


def followable(rule: Function) -> Function:
    """Return a rule for records with open numbers; chance may draw anything."""
    return interpreted(rule, {below: _draw, shuffle: _shuffle})


def execution_paths(run: Callable[[Branches], T]) -> Iterator[T]:
    """Yield the results of a run, one for each of its courses that a game can take.

    Raises:
        NotFollowedError: the courses cannot all be followed.
    """
    branches = Branches()
    try:
        while True:
            with _possible_alone():
                yield run(branches)
            if not branches.advance():
                return
    except (_TooManyError, *_NOT_FOLLOWED) as fault:
        raise NotFollowedError from fault


@contextmanager
def _possible_alone() -> Iterator[None]:
    """Leave a block where it shows that the game cannot be."""
    try:
        yield
    except ImpossibleError:
        pass
    except IndexError as fault:
        if "out of " not in str(fault):  # out of bounds, out of range
            raise


class Branches:
    """Chooses at every branch, run after run, so that each course is followed once."""

    def __init__(self) -> None:
        self._path: list[list[int]] = []  # the number chosen at each branch, and of how many
        self._at = 0
        self._spent = 0

    def spend(self) -> None:
        """Count a read; raises an error when there were too many."""
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
        unknown = _Unknown(self, [*values])
        return _Open((unknown,), lambda: unknown.tried)


class OpenRecord(dict[str, Any]):
    """A record for rules in the interpreter, with open numbers in some places."""

    def __init__(self, branches: Branches, record: Record, places: Iterable[OpenPlace]) -> None:
        self.branches = branches
        names = [name for name in record.dtype.names or () if name != "random"]
        super().__init__((name, np.array(record[name], object)[()]) for name in names)
        for name, place, values in places:
            number = branches.open_number(values)
            if isinstance(self[name], np.ndarray):
                self[name].flat[place] = number
            else:
                self[name] = number

    def __getitem__(self, name: str) -> Any:
        self.branches.spend()
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        held = self.get(name)
        if isinstance(held, np.ndarray):
            held[...] = value
        else:
            super().__setitem__(name, value)

    def copied(self, name: str) -> Any:
        """A field, in an array of its own."""
        held = self.get(name)
        return held.copy() if isinstance(held, np.ndarray) else held

    def numbers(self, name: str) -> list[Any]:
        """The numbers of a field, flattened."""
        held = self.get(name)
        return held.reshape(-1).tolist() if isinstance(held, np.ndarray) else [held]


@dataclass(eq=False)
class _Unknown:
    """A number of a record that is not known, and the values that are left for it."""

    branches: Branches
    values: list[int]
    tried: int = 0


def _lazily(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of `_Open` that computes nothing before a rule's course depends on it."""

    def operate(self: _Open, *other: Any) -> Any:
        return _Open.of(operation, self, *other)

    return operate


def _reversed(operation: Callable[..., Any]) -> Callable[..., Any]:
    return _lazily(lambda one, other: operation(other, one))


def _quotient(number: Any, divisor: Any) -> Any:
    return number // divisor if divisor else 0  # as compiled rules have it


def _remainder(number: Any, divisor: Any) -> Any:
    return number % divisor if divisor else 0


class _Open:
    """A number that follows from unknown ones; a rule whose course depends on it branches."""

    def __init__(self, unknown: tuple[_Unknown, ...], find: Callable[[], Any]) -> None:
        self.unknown = unknown  # what it follows from
        self.find = find  # its value where each unknown number is the one tried

    @classmethod
    def of(cls, operation: Callable[..., Any], *numbers: Any) -> Any:
        """Return the result of an operation."""
        if any(isinstance(number, np.ndarray) for number in numbers):
            return NotImplemented
        open_ones = [number for number in numbers if isinstance(number, _Open)]
        unknown = dict.fromkeys(one for number in open_ones for one in number.unknown)
        return cls(tuple(unknown), lambda: operation(*map(_found, numbers)))

    def settle(self, kind: Callable[[Any], int]) -> int:
        """Return one of its values, of a kind, and stay with it for the rest of this course."""
        *first, last = sorted(self.unknown, key=lambda one: len(one.values))
        for one in first:
            one.tried = one.branches.choose(one.values)
            one.values = [one.tried]
        leads_to: dict[int, list[int]] = {}
        for value in last.values:
            last.tried = value
            leads_to.setdefault(kind(self.find()), []).append(value)
        found = last.branches.choose(sorted(leads_to, reverse=True))  # True first
        last.values = leads_to[found]
        return found

    def __bool__(self) -> bool:
        return bool(self.settle(bool))

    def __int__(self) -> int:
        return self.settle(int)

    __index__ = __int__
    __hash__ = None  # type: ignore[assignment]

    __add__, __radd__ = _lazily(operator.add), _reversed(operator.add)
    __sub__, __rsub__ = _lazily(operator.sub), _reversed(operator.sub)
    __mul__, __rmul__ = _lazily(operator.mul), _reversed(operator.mul)
    __floordiv__, __rfloordiv__ = _lazily(_quotient), _reversed(_quotient)
    __mod__, __rmod__ = _lazily(_remainder), _reversed(_remainder)
    __and__, __rand__ = _lazily(operator.and_), _reversed(operator.and_)
    __or__, __ror__ = _lazily(operator.or_), _reversed(operator.or_)
    __xor__, __rxor__ = _lazily(operator.xor), _reversed(operator.xor)
    __lshift__, __rlshift__ = _lazily(operator.lshift), _reversed(operator.lshift)
    __rshift__, __rrshift__ = _lazily(operator.rshift), _reversed(operator.rshift)
    __neg__, __abs__ = _lazily(operator.neg), _lazily(operator.abs)
    __invert__ = _lazily(operator.invert)
    __eq__, __ne__ = _lazily(operator.eq), _lazily(operator.ne)
    __lt__, __le__ = _lazily(operator.lt), _lazily(operator.le)
    __gt__, __ge__ = _lazily(operator.gt), _lazily(operator.ge)


def _found(number: Any) -> Any:
    return number.find() if isinstance(number, _Open) else number


def values_of(number: Any, kind: Callable[[Any], int] = int) -> frozenset[int] | None:
    """Return the values that a number may have; None if they are too many to find out."""
    if not isinstance(number, _Open):
        return frozenset([kind(number)])
    if prod(len(one.values) for one in number.unknown) > _MOST_COMBINATIONS:
        return None
    found = set()
    for values in product(*(one.values for one in number.unknown)):
        for one, value in zip(number.unknown, values, strict=True):
            one.tried = value
        found.add(kind(number.find()))
    return frozenset(found)


def is_open(number: Any) -> bool:
    """Return whether a number may have several values."""
    return isinstance(number, _Open)


def play_forced_moves(game: OpenRecord, legal: Function, play: Function, actions: int) -> None:
    """Play on while the mover has a single legal move, as games do before anybody looks.

    Args:
        game: The record, which is changed.
        legal: The rule `Rules.legal`, as of `followable`.
        play: The rule `Rules.play`, as of `followable`.
        actions: The length of a mask.
    """
    while game["to_move"] >= 0:
        mask: NDArray[Any] = np.zeros(actions, object)
        if int(legal(game, mask)) != 1:
            return
        play(game, next(action for action, allowed in enumerate(mask) if allowed))


def _draw(game: OpenRecord, n: Any) -> Any:
    """Return a number below n that chance may draw, in place of the rule `below`."""
    if int(n) <= 0:
        raise ImpossibleError
    return game.branches.open_number(range(int(n)))


def _shuffle(game: OpenRecord, items: NDArray[Any], size: Any) -> None:
    """Let each item be any of them, in place of the rule `shuffle`."""
    values: set[int] = set()
    for item in items[: int(size)]:
        if (may_be := values_of(item)) is None:
            raise _TooManyError
        values |= may_be
    for place in range(int(size)):
        items[place] = game.branches.open_number(sorted(values))
