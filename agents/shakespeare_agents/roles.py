"""Objects of Python as agents: an object may be an agent or make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any

from shakespeare_env.agent import Act, Agent, AnyAgent, Searcher
from shakespeare_env.game import Game

RULE = (
    "an object with act() or search(), a function of observations, masks and generators, or a "
    "class or function that makes an agent, of the game or of nothing"
)
"""A description of what can play."""
_GIVEN = ("observations", "masks", "rng")
"""The arguments of act()."""
_KINDS = (bool, int, float, str)
"""The types of options."""


@dataclass(frozen=True)
class FunctionAgent:
    """Plays what a function like `Agent.act` chooses."""

    act: Act

    def __repr__(self) -> str:
        return getattr(self.act, "__qualname__", repr(self.act))


def agent_from(given: Any, name: str, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    """The agent that an object is or makes.

    An object with act() or search() plays.  Classes and functions are looked at by their positional
    parameters: a function that three fit is an `Agent.act`; one parameter without default is the
    `Game`; without any, nothing is given.  Keyword-only parameters with defaults of type bool, int,
    float or str are options.

    Raises:
        TypeError: it is none of these, lacks an option, or makes something else.
    """
    is_class = isinstance(given, type)
    if not is_class and isinstance(given, Agent | Searcher):
        _refuse_options(name, options)
        return _checked_agent(name, given)
    if not callable(given):
        raise TypeError(f"{name} cannot play: it is {_shown(given)}; give {RULE}")
    try:
        found = signature(given)
    except (TypeError, ValueError):  # it is written in C
        found = Signature([Parameter("arguments", Parameter.VAR_POSITIONAL)])
    needed = _needed(found)
    if not is_class and _fits(found, len(_GIVEN)) and (needed > 1 or _is_open(found)):
        _refuse_options(name, options)
        return FunctionAgent(given)
    if needed > 1:
        raise TypeError(f"{name} takes {needed} positional arguments, {found}; give {RULE}")
    return _called(name, given, (game,) * needed, _checked(name, found, options))


def called(
    name: str, factory: Callable[..., Any], game: Game, options: Mapping[str, Any]
) -> AnyAgent:
    """The agent that a function of the game makes; TypeError as above."""
    return _called(name, factory, (game,), _checked(name, signature(factory), options))


def _needed(found: Signature) -> int:
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in found.parameters.values())


def _is_open(found: Signature) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in found.parameters.values())


def _fits(found: Signature, arguments: int) -> bool:
    try:
        found.bind(*[None] * arguments)
    except TypeError:
        return False
    return True


def _refuse_options(name: str, options: Mapping[str, Any]) -> None:
    if options:
        raise TypeError(
            f"{name} is an agent already; it takes no options: drop {', '.join(options)}"
        )


def _checked(name: str, found: Signature, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the names and types that a function takes."""
    keywords = [p for p in found.parameters.values() if p.kind is p.KEYWORD_ONLY]
    if bare := [p.name for p in keywords if p.default is p.empty]:
        raise TypeError(f"{name} needs a default for its option {bare[0]!r}; write {bare[0]}=...")
    takes = {p.name: type(p.default) for p in keywords if type(p.default) in _KINDS}
    checked = dict(options)
    for option, value in options.items():
        if option not in takes:
            known = ", ".join(takes) or "none"
            raise TypeError(f"the agent {name!r} has no option {option!r}; its options: {known}")
        if type(value) is int and takes[option] is float:
            checked[option] = float(value)
        elif type(value) in (int, float) and takes[option] is str:
            checked[option] = str(value)  # a name may look like a number
        elif type(value) is not takes[option]:
            kind = takes[option].__name__
            raise TypeError(f"{option}={value!r} of the agent {name!r} must be of type {kind}")
    return checked


def _called(
    name: str, make: Callable[..., Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> AnyAgent:
    agent = make(*arguments, **options)
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {_shown(agent)}, which has neither act() nor search()"
        )
    return _checked_agent(name, agent)


def _checked_agent(name: str, agent: AnyAgent) -> AnyAgent:
    """The agent, once its method takes what it will be given."""
    method, given = ("search", ("games", "rng")) if hasattr(agent, "search") else ("act", _GIVEN)
    try:
        found = signature(getattr(agent, method))
    except (TypeError, ValueError):  # it is written in C
        return agent
    if not _fits(found, len(given)):
        raise TypeError(
            f"{method}{found} of the agent {name!r} cannot be called with {', '.join(given)}; "
            f"write {method}(self, {', '.join(given)})"
        )
    return agent


def _shown(value: object) -> str:
    return repr(value)[:200]
