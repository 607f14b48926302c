"""Tracing: a move's effects, told from the calls of the rules that play it.

To describe a move, the interpreter runs the functions that are otherwise compiled, on a copy of the
record, which takes less than a millisecond. Some of their calls are put into words. So what is told
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

    before: Record  # before the call
    after: Record  # after it; it goes on changing
    args: tuple[Any, ...]  # besides the record
    forced: bool  # whether it belongs to a move that nobody chose (D1)
    viewer: int | None  # the seat whose knowledge counts, as in `Presentation.events`
    inner: list[Event]  # of the calls inside it


Teller = Callable[[Call], Iterable[Event]]
"""Returns the events of a call, including those of the calls inside it."""


class Tracer:
    """Runs rules in the interpreter, and collects the events of some of their calls.

    Args:
        play: The rule `Rules.play`.
        legal: The rule `Rules.legal`.
        n_actions: The length of a mask.
        tellers: The teller of each rule whose calls are told.
        instead: The function that is called in place of a rule, by rule.
    """

    def __init__(
        self,
        play: Function,
        legal: Function,
        n_actions: int,
        tellers: Mapping[Function, Teller],
        instead: Mapping[Function, Function] | None = None,
    ) -> None:
        self._n_actions = n_actions
        self._tellers = {_source(rule): teller for rule, teller in tellers.items()}
        self._twins = {_source(rule): function for rule, function in (instead or {}).items()}
        self._modules: dict[ModuleType, _Module] = {}
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._forced = False
        self._viewer: int | None = None
        self._play = self._twin(play)
        self._legal = self._twin(legal)

    def run(
        self, record: Record, action: int, viewer: int | None = None
    ) -> tuple[Record, list[Event]]:
        """Return the record after a legal action and the forced moves after it, and the events."""
        game = np.array([record])[0]
        mask = np.zeros(self._n_actions, np.bool_)
        with self._lock, np.errstate(over="ignore"):  # random states wrap around
            self._events = []
            self._forced = False
            self._viewer = viewer
            self._play(game, action)
            while game["to_move"] >= 0 and self._legal(game, mask) == 1:
                self._forced = True
                self._play(game, int(mask.argmax()))
                mask[:] = False
            return game, self._events

    def _twin(self, rule: Function) -> Function:
        """Return a copy of a rule for the interpreter, which calls such copies of other rules."""
        source = _source(rule)
        if source not in self._twins:
            names: dict[str, Any] = {}
            cells = [CellType(self._replaced(c.cell_contents)) for c in source.__closure__ or ()]
            plain = FunctionType(
                source.__code__, names, source.__name__, source.__defaults__, tuple(cells)
            )
            self._twins[source] = self._traced(plain, self._tellers.get(source))
            for name in source.__globals__.keys() & set(source.__code__.co_names):
                names[name] = self._replaced(source.__globals__[name])
        return self._twins[source]

    def _replaced(self, value: Any) -> Any:
        """Return the value that a twin uses in place of one that a rule refers to."""
        # What is compiled has a `py_func`; without the compiler, `rule` wraps it.
        if hasattr(value, "py_func") or hasattr(value, "__wrapped__"):
            return self._twin(value)
        if isinstance(value, ModuleType) and value is not np:
            return self._modules.setdefault(value, _Module(value, self._replaced))
        return value

    def _traced(self, plain: Function, teller: Teller | None) -> Function:
        """Return a function that adds the events of its calls."""

        def call(*args: Any) -> Any:
            # NumPy would keep sums of int8 in eight bits.
            wide = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
            if teller is None:
                return plain(*wide)
            record = args[0]
            before = record.copy()
            outer = self._events
            self._events = []
            result = plain(*wide)
            traced = Call(before, record, tuple(wide[1:]), self._forced, self._viewer, self._events)
            self._events = [*outer, *teller(traced)]
            return result

        return call


def interpreted(rule: Function, instead: Mapping[Function, Function] | None = None) -> Function:
    """Return a rule for the interpreter; it calls `instead[other]` in place of another rule."""
    if instead:
        return Tracer(rule, rule, 0, {}, instead)._play
    return _interpreted(rule)


@cache
def _interpreted(rule: Function) -> Function:
    return Tracer(rule, rule, 0, {})._play


class _Module:
    """A module as twins see it: its rules are replaced by their twins."""

    def __init__(self, module: ModuleType, replaced: Callable[[Any], Any]) -> None:
        self._module = module
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        value = self._replaced(getattr(self._module, name))
        setattr(self, name, value)
        return value


def _source(rule: Any) -> FunctionType:
    source: FunctionType = inspect.unwrap(getattr(rule, "py_func", rule))
    return source
