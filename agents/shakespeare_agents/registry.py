"""Agents by name or checkpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

from shakespeare_agents.checkpoint import check_fits, load_checkpoint, read_card
from shakespeare_agents.greedy import GreedyAgent
from shakespeare_agents.network import NetworkAgent
from shakespeare_agents.random_agent import RandomAgent
from shakespeare_env.agent import Act, Agent, AnyAgent, Player, Searcher
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game

ENTRY_POINTS = "shakespeare_env.agents"
"""The entry point group where other distributions register agents.

Each is a function of a `Game`; keyword-only arguments with defaults of type bool, int, float or str
are the agent's options.
"""

_HEURISTICS = "shakespeare_agents.heuristics"
Factory = Callable[..., AnyAgent]


def _network(game: Game, *, greedy: bool = True) -> AnyAgent:
    folder = bundled_checkpoint(game)
    if not folder.is_dir():
        raise ValueError(f"no checkpoint of {game.name} is bundled; train one and give its folder")
    return _from_checkpoint(folder, game, greedy=greedy)


def _from_checkpoint(folder: Path, game: Game, *, greedy: bool = True) -> AnyAgent:
    return NetworkAgent(load_checkpoint(folder, game)[0], greedy=greedy)


def _heuristics(game: Game) -> Any:
    if not _has_heuristics(game):
        raise ValueError(
            f"there is no heuristic agent for {game.name}; write "
            f"agents/{_HEURISTICS.replace('.', '/')}/{game.name}.py"
        )
    return import_module(f"{_HEURISTICS}.{game.name}")


def _has_heuristics(game: Game) -> bool:
    return find_spec(f"{_HEURISTICS}.{game.name}") is not None


_BUILT_IN: dict[str, Factory] = {
    "random": lambda game: RandomAgent(),
    "greedy": lambda game, *, samples=1: GreedyAgent(_heuristics(game).evaluate, samples),
    "heuristic": lambda game: _heuristics(game).HeuristicAgent(),
    "network": _network,
}


@cache
def _installed() -> Mapping[str, EntryPoint]:
    """Agents of other distributions; built-in names take precedence."""
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    return {name: entry for name, entry in sorted(found.items()) if name not in _BUILT_IN}


def names() -> tuple[str, ...]:
    """The agents with names.

    `random`; `greedy`, which looks one move ahead with the heuristic's evaluation; `heuristic`, a
    careful beginner; `network`, the bundled checkpoint; and those registered under `ENTRY_POINTS`.
    """
    return (*_BUILT_IN, *_installed())


def bundled_checkpoint(game: Game) -> Path:
    """The folder of a game's bundled checkpoint; it may not exist."""
    return Path(__file__).parent / "checkpoints" / game.name


def default(game: Game) -> str:
    """The strongest built-in agent for a game.

    `network` if one is bundled for this game and box, else `heuristic`, else `random`.
    """
    folder = bundled_checkpoint(game)
    if folder.is_dir():
        try:
            check_fits(read_card(folder), game, folder)
            return "network"
        except CheckpointError:
            pass  # another box is in force, for which a network has to be trained
    return "heuristic" if _has_heuristics(game) else "random"


def make(player: Player, game: Game, **options: Any) -> AnyAgent:
    """An agent for a game.

    Args:
        player: A name of `names()`, a checkpoint's folder, an agent, or a function like
            `Agent.act`. Text may carry options: `"network,greedy=false"`.
        game: What it plays.
        **options: Of the agent (see `NetworkAgent`, `GreedyAgent`).

    Raises:
        ValueError: no agent or folder has this name, or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: it is none of these, or lacks the option.
        ImportError: a registered agent cannot be loaded.
    """
    if isinstance(player, str):
        name, written = _split(player)
        options = {**written, **options}
        if name in _BUILT_IN:
            return _called(name, _BUILT_IN[name], game, options)
        if name in _installed():
            return _called(name, _loaded(_installed()[name]), game, options)
        if not name:
            raise ValueError(f"an agent needs a name: give one of {', '.join(names())}")
        player = Path(name)
    if isinstance(player, os.PathLike):
        folder = Path(player)
        if not os.path.isdir(folder):  # unlike Path.is_dir it takes any text
            raise ValueError(
                f"no agent is named {str(folder)!r}, and no folder: "
                f"give one of {', '.join(names())} or the folder of a checkpoint"
            )
        return _called(str(folder), partial(_from_checkpoint, folder), game, options)
    if options:
        raise TypeError(f"{player!r} is an agent already; it takes no options: {sorted(options)}")
    if isinstance(player, Agent | Searcher) and not isinstance(player, type):
        return player
    if callable(player) and not isinstance(player, type):
        return FunctionAgent(player)
    raise TypeError(
        f"{player!r} cannot play: give one of {', '.join(names())}, the folder of a checkpoint, "
        "an agent or a function of observations, masks and generators"
    )


def _loaded(entry: EntryPoint) -> Factory:
    try:
        factory: Factory = entry.load()
    except (ImportError, AttributeError) as fault:
        raise ImportError(
            f"the agent {entry.name!r} is registered as {entry.value!r}, which cannot be loaded "
            f"({fault}); repair or uninstall its distribution"
        ) from fault
    return factory


def _called(name: str, factory: Factory, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    """Make an agent, checking the names and types of its options."""
    takes = {
        option.name: type(option.default)
        for option in signature(factory).parameters.values()
        if option.kind is option.KEYWORD_ONLY
    }
    for option, value in options.items():
        if option not in takes:
            known = ", ".join(takes) or "none"
            raise TypeError(f"the agent {name!r} has no option {option!r}; its options: {known}")
        if type(value) is int and takes[option] is float:
            options = {**options, option: float(value)}
        elif type(value) is not takes[option]:
            kind = takes[option].__name__
            raise TypeError(f"{option}={value!r} of the agent {name!r} must be of type {kind}")
    agent = factory(game, **options)
    if not isinstance(agent, Agent | Searcher):
        raise TypeError(f"the agent {name!r} is {agent!r}, which has neither act() nor search()")
    return agent


def _split(text: str) -> tuple[str, dict[str, Any]]:
    name, *parts = text.split(",")
    if not all("=" in part for part in parts):  # a folder may have commas in its name
        return text, {}
    options: dict[str, Any] = {}
    for part in parts:
        option, _, value = part.partition("=")
        try:
            options[option.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            options[option.strip()] = value
    return name, options


@dataclass(frozen=True)
class FunctionAgent:
    """Plays what a function like `Agent.act` chooses."""

    act: Act
