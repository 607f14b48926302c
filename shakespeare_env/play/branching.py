"""Symbolic execution of rules, on records in which some numbers are not known.

The interpreter runs a rule on a record in which some numbers are open: each may have any of several
values. What is computed from an open number is open, too, until the rule branches on it. The run
then follows one of the possible execution paths, and further runs follow the others.
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
_MOST_READS = 5_000
"""Reads of fields and of open numbers, by all runs together, before the search is given up."""
_MOST_COMBINATIONS = 4096
"""Combinations of the values of open numbers that `values_of` tries."""
_NOT_FOLLOWED = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
"""Errors that a rule raises when it uses an open number where only a known number will do."""


class NotFollowedError(Exception):
    """A rule has too many execution paths, or computes what open numbers do not allow."""


class _TooManyError(Exception):
    """More than `_MOST_READS` have been counted."""


class ImpossibleError(Exception):
    """An execution path leads to a position that no game can reach."""


def followable(rule: Function) -> Function:
    """Return a rule in a form that runs on an `OpenRecord`; random draws become open numbers."""
    return interpreted(rule, {below: _draw, shuffle: _shuffle})


def execution_paths(run: Callable[[Branches], T]) -> Iterator[T]:
    """Yield the result of a run for each execution path that a game can take.

    Raises:
        NotFollowedError: the paths cannot all be followed.
    """
    branches = Branches()
    try:
        while True:
            with _skipping_impossible():
                yield run(branches)
            if not branches.advance():
                return
    except (_TooManyError, *_NOT_FOLLOWED) as fault:
        raise NotFollowedError from fault


@contextmanager
def _skipping_impossible() -> Iterator[None]:
    """Leave a block where the path turns out to be impossible.

    An index out of bounds also shows that a path is impossible, since rules stay within bounds in
    every position that a game can reach.
    """
    try:
        yield
    except ImpossibleError:
        pass
    except IndexError as fault:
        if "out of " not in str(fault):  # out of bounds, out of range
            raise


@dataclass
class _Branch:
    """A branch of the path of the current run."""

    n_options: int
    chosen: int = 0


class Branches:
    """Chooses at every branch, run after run, so that each execution path is followed once."""

    def __init__(self) -> None:
        self._path: list[_Branch] = []
        self._depth = 0  # branches passed by the current run
        self._reads = 0

    def count_read(self) -> None:
        """Count a read of a field or of an open number; raise an error when they are too many."""
        self._reads += 1
        if self._reads > _MOST_READS:
            raise _TooManyError

    def choose(self, options: Sequence[T]) -> T:
        """Return the option that the current path takes. Each option has paths of its own."""
        self.count_read()
        if len(options) == 1:
            return options[0]
        if self._depth == len(self._path):
            self._path.append(_Branch(len(options)))
        branch = self._path[self._depth]
        self._depth += 1
        return options[branch.chosen]

    def advance(self) -> bool:
        """Turn to the next path, depth first; return False if there is none."""
        self._depth = 0
        while self._path:
            last = self._path[-1]
            last.chosen += 1
            if last.chosen < last.n_options:
                return True
            self._path.pop()
        return False

    def open_number(self, values: Iterable[int]) -> Any:
        """Return a number that may have any of the values."""
        unknown = _Unknown(self, [*values])
        return _Open((unknown,), lambda: unknown.tried)


class OpenRecord(dict[str, Any]):
    """A record with open numbers in some places, for rules in the interpreter."""

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
        self.branches.count_read()
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        held = self.get(name)
        if isinstance(held, np.ndarray):
            held[...] = value
        else:
            super().__setitem__(name, value)

    def copied(self, name: str) -> Any:
        """Return a copy of a field."""
        held = self.get(name)
        return held.copy() if isinstance(held, np.ndarray) else held

    def numbers(self, name: str) -> list[Any]:
        """Return the numbers of a field, flattened."""
        held = self.get(name)
        return held.reshape(-1).tolist() if isinstance(held, np.ndarray) else [held]


@dataclass(eq=False)
class _Unknown:
    """An unknown number of a record. Open numbers are computed from such ones."""

    branches: Branches
    values: list[int]  # those that the current path leaves possible
    tried: int = 0  # the value with which open numbers are computed at the moment


def _lazily(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of `_Open` that computes nothing before a rule branches on the result."""

    def operate(self: _Open, *other: Any) -> Any:
        return _Open.of(operation, self, *other)

    return operate


def _reversed(operation: Callable[..., Any]) -> Callable[..., Any]:
    return _lazily(lambda one, other: operation(other, one))


def _quotient(number: Any, divisor: Any) -> Any:
    return number // divisor if divisor else 0  # compiled rules also return 0


def _remainder(number: Any, divisor: Any) -> Any:
    return number % divisor if divisor else 0


class _Open:
    """A number that is computed from unknown ones; to ask for its value makes a branch."""

    def __init__(self, unknown: tuple[_Unknown, ...], find: Callable[[], Any]) -> None:
        self.unknown = unknown  # the numbers that it is computed from
        self.find = find  # computes it from the `tried` values of these numbers

    @classmethod
    def of(cls, operation: Callable[..., Any], *numbers: Any) -> Any:
        """Return the open result of an operation."""
        if any(isinstance(number, np.ndarray) for number in numbers):
            return NotImplemented
        open_ones = [number for number in numbers if isinstance(number, _Open)]
        unknown = dict.fromkeys(one for number in open_ones for one in number.unknown)
        return cls(tuple(unknown), lambda: operation(*map(_found, numbers)))

    def settle(self, kind: Callable[[Any], int]) -> int:
        """Choose one of its values and keep to it for the rest of the path.

        `kind`, which is `bool` or `int`, converts the values before the choice. All unknown numbers
        are fixed but the one with most values, which keeps every value that leads to the same
        result.
        """
        *others, last = sorted(self.unknown, key=lambda one: len(one.values))
        for other in others:
            other.tried = other.branches.choose(other.values)
            other.values = [other.tried]
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

    __add__ = _lazily(operator.add)
    __radd__ = _reversed(operator.add)
    __sub__ = _lazily(operator.sub)
    __rsub__ = _reversed(operator.sub)
    __mul__ = _lazily(operator.mul)
    __rmul__ = _reversed(operator.mul)
    __floordiv__ = _lazily(_quotient)
    __rfloordiv__ = _reversed(_quotient)
    __mod__ = _lazily(_remainder)
    __rmod__ = _reversed(_remainder)
    __and__ = _lazily(operator.and_)
    __rand__ = _reversed(operator.and_)
    __or__ = _lazily(operator.or_)
    __ror__ = _reversed(operator.or_)
    __xor__ = _lazily(operator.xor)
    __rxor__ = _reversed(operator.xor)
    __lshift__ = _lazily(operator.lshift)
    __rlshift__ = _reversed(operator.lshift)
    __rshift__ = _lazily(operator.rshift)
    __rrshift__ = _reversed(operator.rshift)
    __neg__ = _lazily(operator.neg)
    __abs__ = _lazily(operator.abs)
    __invert__ = _lazily(operator.invert)
    __eq__ = _lazily(operator.eq)
    __ne__ = _lazily(operator.ne)
    __lt__ = _lazily(operator.lt)
    __le__ = _lazily(operator.le)
    __gt__ = _lazily(operator.gt)
    __ge__ = _lazily(operator.ge)


def _found(number: Any) -> Any:
    return number.find() if isinstance(number, _Open) else number


def values_of(number: Any, kind: Callable[[Any], int] = int) -> frozenset[int] | None:
    """Return the values that a number may have on this path; None if there are too many to try."""
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
    """Play on while the mover has a single legal move, as games do before each real decision.

    Args:
        game: The record, which is changed.
        legal: The rule `Rules.legal`, as `followable` returns it.
        play: The rule `Rules.play`, as `followable` returns it.
        actions: The length of a mask.
    """
    while game["to_move"] >= 0:
        mask: NDArray[Any] = np.zeros(actions, object)
        if int(legal(game, mask)) != 1:
            return
        play(game, next(action for action, allowed in enumerate(mask) if allowed))


def _draw(game: OpenRecord, n: Any) -> Any:
    """Return an open number below n, in place of the rule `below`."""
    if int(n) <= 0:
        raise ImpossibleError
    return game.branches.open_number(range(int(n)))


def _shuffle(game: OpenRecord, items: NDArray[Any], size: Any) -> None:
    """Give each item an open number with the values of all items; replaces the rule `shuffle`."""
    values: set[int] = set()
    for item in items[: int(size)]:
        possible = values_of(item)
        if possible is None:
            raise _TooManyError
        values |= possible
    for place in range(int(size)):
        items[place] = game.branches.open_number(sorted(values))
