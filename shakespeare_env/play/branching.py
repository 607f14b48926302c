"""Symbolic execution of rules on records in which some numbers are unknown.

Python runs a rule, without the compiler, on a record in which some numbers are open, which means
that each may have any of several values. What is computed from an open number is open, too, until
the rule branches on it. The run then follows one of the possible execution paths, and further runs
follow the others.
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
"""A field, an index into the flattened field, and the values that the number there may have."""
_MOST_READS = 5_000
"""The most reads of fields and open numbers in all runs together."""
_MOST_COMBINATIONS = 4096
"""The most combinations of the values of open numbers that `values_of` tries."""
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
    """A rule has too many execution paths, or uses an open number where it cannot be used."""


class _TooManyError(Exception):
    """The execution paths take more than `_MOST_READS` reads or too many combinations."""


class ImpossibleError(Exception):
    """An execution path leads to a position that no game can reach."""


def followable(rule: Function) -> Function:
    """Return a form of a rule that runs on an `OpenRecord`. Its random draws are open numbers."""
    return interpreted(rule, {below: _draw, shuffle: _shuffle})


def execution_paths(run: Callable[[Branches], T]) -> Iterator[T]:
    """Yield the result of a run for each execution path that a game can take.

    Raises:
        NotFollowedError: Not all paths can be followed.
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
    """End a `with` block without an error as soon as the path turns out to be impossible.

    An index out of bounds also shows that a path is impossible, since rules stay within bounds in
    every position that a game can reach.
    """
    try:
        yield
    except ImpossibleError:
        pass
    except IndexError as fault:
        is_out_of_bounds = "out of " in str(fault)  # "out of bounds" or "out of range"
        if not is_out_of_bounds:
            raise  # an open number was used in a way that NumPy does not allow for an index


@dataclass
class _Branch:
    """A branch on the execution path of the current run."""

    n_options: int
    chosen: int = 0


class Branches:
    """The branches on execution paths. They make every run follow another path."""

    def __init__(self) -> None:
        self._path: list[_Branch] = []
        self._depth = 0  # the number of branches that the current run has passed
        self._reads = 0

    def count_read(self) -> None:
        """Count a read of a field or of an open number, and raise an error beyond the limit."""
        self._reads += 1
        if self._reads > _MOST_READS:
            raise _TooManyError

    def choose(self, options: Sequence[T]) -> T:
        """Return the option that the current path takes. Other paths take the other options."""
        self.count_read()
        if len(options) == 1:
            return options[0]
        if self._depth == len(self._path):
            self._path.append(_Branch(len(options)))
        branch = self._path[self._depth]
        self._depth += 1
        return options[branch.chosen]

    def advance(self) -> bool:
        """Go to the next path, depth first, and return whether there is one."""
        self._depth = 0
        while self._path:
            last = self._path[-1]
            last.chosen += 1
            if last.chosen < last.n_options:
                return True
            self._path.pop()
        return False

    def open_number(self, values: Iterable[int]) -> Any:
        """Return an open number that may have any of the values."""
        unknown = _Unknown(self, [*values])
        return _Open((unknown,), lambda: unknown.tried)


class OpenRecord(dict[str, Any]):
    """A record that holds open numbers in some places, for rules in the form of `followable`."""

    def __init__(self, branches: Branches, record: Record, places: Iterable[OpenPlace]) -> None:
        self.branches = branches
        names = [name for name in record.dtype.names or () if name != "random"]
        # The index `[()]` turns a single number's array into the number, and keeps other arrays.
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
        field = self.get(name)
        if isinstance(field, np.ndarray):
            field[...] = value
        else:
            super().__setitem__(name, value)

    def copied(self, name: str) -> Any:
        """Return a copy of a field."""
        field = self.get(name)
        return field.copy() if isinstance(field, np.ndarray) else field

    def numbers(self, name: str) -> list[Any]:
        """Return the numbers of a field, flattened."""
        field = self.get(name)
        return field.reshape(-1).tolist() if isinstance(field, np.ndarray) else [field]


@dataclass(eq=False)
class _Unknown:
    """An unknown number of a record. Open numbers are computed from unknown numbers."""

    branches: Branches
    values: list[int]  # the values that are still possible on the current path
    tried: int = 0  # the value with which open numbers are computed at the moment


def _lazily(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator of `_Open`. Its result is computed only when a rule branches on it."""

    def operate(self: _Open, *other: Any) -> Any:
        return _Open.of(operation, self, *other)

    return operate


def _reversed(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return the lazy operator for an open number on the right-hand side."""
    return _lazily(lambda right, left: operation(left, right))


def _quotient(number: Any, divisor: Any) -> Any:
    return number // divisor if divisor else 0  # compiled rules also give 0


def _remainder(number: Any, divisor: Any) -> Any:
    return number % divisor if divisor else 0  # compiled rules also give 0


class _Open:
    """An open number, which is computed from unknown ones. Reading its value makes a branch."""

    def __init__(self, unknown: tuple[_Unknown, ...], compute: Callable[[], Any]) -> None:
        self.unknown = unknown  # the unknown numbers that it is computed from
        self.compute = compute  # computes it from the `tried` values of these numbers

    @classmethod
    def of(cls, operation: Callable[..., Any], *numbers: Any) -> Any:
        """Return the open result of an operation."""
        if any(isinstance(number, np.ndarray) for number in numbers):
            return NotImplemented  # NumPy then applies the operation to each element
        operands = [number for number in numbers if isinstance(number, _Open)]
        unknown = dict.fromkeys(source for operand in operands for source in operand.unknown)
        return cls(tuple(unknown), lambda: operation(*map(_computed, numbers)))

    def settle(self, kind: Callable[[Any], int]) -> int:
        """Choose one of the number's values, and keep it for the rest of the path.

        `kind`, which is `bool` or `int`, converts the values before the choice. The open number is
        computed from unknown ones. Each of these is fixed, except the one with the most values.
        That one keeps every value that leads to the chosen result.
        """
        *others, largest = sorted(self.unknown, key=lambda unknown: len(unknown.values))
        for other in others:
            other.tried = other.branches.choose(other.values)
            other.values = [other.tried]
        values_by_result: dict[int, list[int]] = {}
        for value in largest.values:
            largest.tried = value
            values_by_result.setdefault(kind(self.compute()), []).append(value)
        result = largest.branches.choose(sorted(values_by_result, reverse=True))  # True first
        largest.values = values_by_result[result]
        return result

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


def _computed(number: Any) -> Any:
    return number.compute() if isinstance(number, _Open) else number


def values_of(number: Any, kind: Callable[[Any], int] = int) -> frozenset[int] | None:
    """Return the values that a number may have on this path, or None if there are too many.

    `kind`, which is `bool` or `int`, converts the values.
    """
    if not isinstance(number, _Open):
        return frozenset([kind(number)])
    if prod(len(unknown.values) for unknown in number.unknown) > _MOST_COMBINATIONS:
        return None
    possible = set()
    for combination in product(*(unknown.values for unknown in number.unknown)):
        for unknown, value in zip(number.unknown, combination, strict=True):
            unknown.tried = value
        possible.add(kind(number.compute()))
    return frozenset(possible)


def is_open(number: Any) -> bool:
    """Return whether a number is open, so that it may have several values."""
    return isinstance(number, _Open)


def play_forced_moves(game: OpenRecord, legal: Function, play: Function, actions: int) -> None:
    """Play moves while the mover has a single legal one, as games do before each real decision.

    Args:
        game: The record to change.
        legal: The rule `Rules.legal`, as `followable` returns it.
        play: The rule `Rules.play`, as `followable` returns it.
        actions: The number of actions, which is the length of a mask.
    """
    while game["to_move"] >= 0:
        mask: NDArray[Any] = np.zeros(actions, object)
        if int(legal(game, mask)) != 1:
            return
        play(game, next(action for action, allowed in enumerate(mask) if allowed))


def _draw(game: OpenRecord, n: Any) -> Any:
    """Return an open number below n, in place of `below`."""
    if int(n) <= 0:
        raise ImpossibleError
    return game.branches.open_number(range(int(n)))


def _shuffle(game: OpenRecord, items: NDArray[Any], size: Any) -> None:
    """Make every item an open number with the values of all items, in place of `shuffle`."""
    values: set[int] = set()
    for item in items[: int(size)]:
        possible = values_of(item)
        if possible is None:
            raise _TooManyError
        values |= possible
    for place in range(int(size)):
        items[place] = game.branches.open_number(sorted(values))
