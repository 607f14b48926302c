"""Tracing: the effects of a move, described from the calls of the rules that play it.

To describe a move, Python itself runs the rules, which are otherwise compiled, on a copy of the
record. This takes less than a millisecond. Some of the calls are put into words, so the description
cannot differ from what the engine does.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event

Function = Callable[..., Any]


@dataclass(frozen=True)
class Call:
    """A call of a rule."""

    before: Record  # a read-only copy of the record before the call
    after: Record  # the record after the call, which later calls go on changing
    args: tuple[Any, ...]  # the arguments after the record
    forced: bool  # whether the call belongs to a forced move, which nobody chose (Rules D1)
    viewer: int | None  # the seat whose knowledge counts, as in `Presentation.events`
    inner: list[Event]  # the events of the calls inside this one


Teller = Callable[[Call], Iterable[Event]]
"""Returns the events of a call, which include those of the calls inside it."""


class Tracer:
    """A runner of rules without the compiler, which collects the events of some of their calls.

    Args:
        play: The rule `Rules.play`.
        legal: The rule `Rules.legal`.
        n_actions: The number of actions, which is the length of a mask.
        tellers: The teller of each rule whose calls have events.
        replacements: The function to call in place of a rule, by rule.
    """

    def __init__(
        self,
        play: Function,
        legal: Function,
        n_actions: int,
        tellers: Mapping[Function, Teller],
        replacements: Mapping[Function, Function] | None = None,
    ) -> None:
        self._n_actions = n_actions
        self._tellers = {_python_function(rule): teller for rule, teller in tellers.items()}
        # What copies of rules call in place of a rule, by its Python function.
        self._copies: dict[FunctionType, Function] = {}
        for rule, replacement in (replacements or {}).items():
            self._copies[_python_function(rule)] = replacement
        self._modules: dict[ModuleType, _Module] = {}
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._forced = False
        self._viewer: int | None = None
        self._play = self._copy(play)
        self._legal = self._copy(legal)

    def run(
        self, record: Record, action: int, viewer: int | None = None
    ) -> tuple[Record, list[Event]]:
        """Play a legal action and the forced moves after it; return the new record and events."""
        game = np.array([record])[0]  # a copy
        mask = np.zeros(self._n_actions, np.bool_)
        # The state of the random generator overflows on purpose.
        with self._lock, np.errstate(over="ignore"):
            self._events = []
            self._forced = False
            self._viewer = viewer
            self._play(game, action)
            # `legal` marks the legal actions and returns their number. One alone is forced.
            while game["to_move"] >= 0 and self._legal(game, mask) == 1:
                self._forced = True
                self._play(game, int(mask.argmax()))
                mask[:] = False
            return game, self._events

    def _copy(self, rule: Function) -> Function:
        """Return a copy of a rule that runs without the compiler and calls copies of others."""
        source = _python_function(rule)
        if source not in self._copies:
            names: dict[str, Any] = {}
            cells = []
            for cell in source.__closure__ or ():
                cells.append(CellType(self._copy_value(cell.cell_contents)))
            function = FunctionType(
                source.__code__, names, source.__name__, source.__defaults__, tuple(cells)
            )
            self._copies[source] = self._traced(function, self._tellers.get(source))
            # The copy is stored before its names are filled in, since a rule may call itself.
            for name in source.__globals__.keys() & set(source.__code__.co_names):
                names[name] = self._copy_value(source.__globals__[name])
        return self._copies[source]

    def _copy_value(self, value: Any) -> Any:
        """Return the value that a copy of a rule uses in place of one that the rule uses."""
        # A compiled rule has a `py_func`. Without the compiler, a rule has a `__wrapped__`.
        if hasattr(value, "py_func") or hasattr(value, "__wrapped__"):
            return self._copy(value)
        if isinstance(value, ModuleType) and value is not np:
            return self._modules.setdefault(value, _Module(value, self._copy_value))
        return value

    def _traced(self, function: Function, teller: Teller | None) -> Function:
        """Return a function that also adds the events of its calls."""

        def call(*args: Any) -> Any:
            # NumPy would compute sums of int8 in eight bits.
            wide = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
            if teller is None:
                return function(*wide)
            record = args[0]
            # Thirty times as fast as `record.copy`, which copies field by field.
            before = np.frombuffer(record.tobytes(), record.dtype)[0]
            outer = self._events
            self._events = []
            result = function(*wide)
            traced = Call(before, record, tuple(wide[1:]), self._forced, self._viewer, self._events)
            self._events = [*outer, *teller(traced)]
            return result

        return call


def interpreted(
    rule: Function, replacements: Mapping[Function, Function] | None = None
) -> Function:
    """Return a rule that runs without the compiler.

    It calls `replacements[other]` in place of another rule.
    """
    if replacements:
        return _untraced(rule, replacements)
    return _interpreted(rule)


@cache
def _interpreted(rule: Function) -> Function:
    return _untraced(rule, {})


def _untraced(rule: Function, replacements: Mapping[Function, Function]) -> Function:
    # This tracer only copies the rule. It plays no move, so the other arguments do not matter.
    tracer = Tracer(play=rule, legal=rule, n_actions=0, tellers={}, replacements=replacements)
    return tracer._play


class _Module:
    """A view of a module in which rules are replaced by their copies."""

    def __init__(self, module: ModuleType, copy_value: Callable[[Any], Any]) -> None:
        self._module = module
        self._copy_value = copy_value

    def __getattr__(self, name: str) -> Any:
        value = self._copy_value(getattr(self._module, name))
        setattr(self, name, value)
        return value


def _python_function(rule: Any) -> FunctionType:
    """Return the Python function that a rule was compiled from."""
    function: FunctionType = inspect.unwrap(getattr(rule, "py_func", rule))
    return function
