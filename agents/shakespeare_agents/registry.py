"""From a name to an agent: `make` finds what is meant, and `agent_from` makes an agent of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

from shakespeare_agents import naming
from shakespeare_agents.greedy import GreedyAgent
from shakespeare_agents.naming import HOW_TO_NAME, PythonName, names
from shakespeare_agents.networks.bundled import NEWEST, bundled_checkpoint, bundled_versions
from shakespeare_agents.networks.checkpoint import (
    check_fits,
    load_checkpoint,
    read_card,
    warn_of_another_box,
)
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.python_agents import (
    RULE,
    agent_from,
    belongings,
    fault_in_words,
    load,
    noted,
)
from shakespeare_agents.random_agent import RandomAgent
from shakespeare_agents.search.agent import TEMPERATURE, Plan, network_search, plain_search
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_agents.search.policies import at_random, by_rules_of_thumb
from shakespeare_env.checks.values import did_you_mean
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError, own_steps
from shakespeare_env.play.agent import Agent, AnyAgent, Player, Searcher

_HEURISTICS = "shakespeare_agents.heuristics"


def default(game: Game) -> str:
    """The strongest built-in agent for a game.

    `network` if a bundled one is for this game, else `heuristic`, else `random`.
    """
    if bundled_versions(game):
        try:
            folder = bundled_checkpoint(game)
            check_fits(read_card(folder), game, folder)
            return "network"
        except CheckpointError:
            pass  # a box of other actions is in force, for which a network has to be trained
    return unlearned(game)


def unlearned(game: Game) -> str:
    """The best way to play a game without a network: `heuristic`, or `random` if it has none."""
    return "heuristic" if has_heuristics(game) else "random"


def make(player: Player, game: Game, **options: Any) -> AnyAgent:
    """An agent for a game.

    Args:
        player: A name of `names()`, a checkpoint's folder, `path/to/my.py:NAME`,
            `package.module:NAME`, or an object as these may name (see `agent_from`). Text may carry
            options: `"network,greedy=false"`. Python that a text names is imported, once a process:
            give no text from a source you do not trust.
        game: The game that it plays.
        **options: The agent's options (see `NetworkAgent`, `GreedyAgent`).

    Raises:
        ValueError: no agent, folder or object has this name, or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: it is none of these, or lacks the option.
        ImportError: Python that it names cannot be imported.
    """
    given: Any = player
    label, written = repr(player), dict[str, Any]()
    if isinstance(player, str):
        label, written = naming.split_options(player)
        given = _named(label)
        written = {k: value for k, value in written.items() if k not in belongings(player)}
    elif not isinstance(player, os.PathLike | Agent | Searcher) and not callable(player):
        raise TypeError(
            f"{label} cannot play: give one of {', '.join(names())}, {HOW_TO_NAME}, or {RULE}"
        )
    if isinstance(given, os.PathLike):
        label = os.fspath(given)
        if not os.path.isdir(label):  # Path.is_dir does not take any text
            raise ValueError(
                f"there is no agent or folder {label!r}{did_you_mean(label, names())}; give one of "
                f"{', '.join(names())}, {HOW_TO_NAME}"
            )
        given = partial(_from_checkpoint, Path(label))
    try:
        return agent_from(given, label, game, {**written, **options})
    except Exception as fault:
        if not (isinstance(player, str) and own_steps(fault)):
            raise
        raise TypeError(f"{label} makes no agent: {fault_in_words(fault)}") from fault


def _named(name: str) -> Any:
    """What a name without options stands for: a maker of agents, an object, or a folder."""
    if name in _MAKERS:
        return _MAKERS[name]
    if name in naming.installed():
        entry = naming.installed()[name]
        try:
            found = entry.load()
        except (ImportError, AttributeError) as fault:
            raise ImportError(f"{entry.value}: {fault}; repair or uninstall it") from fault
        return noted(PythonName(entry.module, entry.attr), found, sys.modules[entry.module])
    python = naming.python_name(name)
    return Path(name) if python is None else load(python)


def _from_checkpoint(folder: Path, game: Game, *, greedy: bool = True) -> AnyAgent:
    return _network_agent(folder, game, greedy, str(folder))


def _network(game: Game, *, greedy: bool = True, version: int = NEWEST) -> AnyAgent:
    name = "network" if version == NEWEST else f"network,version={version}"
    return _network_agent(bundled_checkpoint(game, version), game, greedy, name)


def _network_agent(folder: Path, game: Game, greedy: bool, name: str) -> NetworkAgent:
    network, card = load_checkpoint(folder, game)
    warn_of_another_box(card, game, name)
    return NetworkAgent(network, greedy=greedy)


def checkpoint_named(name: str, game: Game) -> Path | None:
    """The folder of the checkpoint that an agent of that name plays from; None if there is none.

    Raises:
        ValueError: no such network of the game is bundled.
    """
    label, options = naming.split_options(name)
    if label == "network":
        return bundled_checkpoint(game, options.get("version", NEWEST))
    return Path(label) if label not in names() and os.path.isdir(label) else None


def has_heuristics(game: Game) -> bool:
    """Whether there is a heuristic agent for a game."""
    return find_spec(f"{_HEURISTICS}.{game.name}") is not None


def _heuristics(game: Game) -> Any:
    if not has_heuristics(game):
        raise ValueError(
            f"heuristic, and greedy by its judgement, know nothing of {game.name}; random and "
            "search play every game"
        )
    return import_module(f"{_HEURISTICS}.{game.name}")


def usual_horizon(game: Game) -> int:
    """The horizon of searches over a network that are given none."""
    return TO_THE_END if game.forecast_horizon is None else game.forecast_horizon


def _search(
    game: Game,
    *,
    network: str = "network",
    version: int = NEWEST,
    rollouts: str = "",
    simulations: int = Plan.simulations,
    seconds: float = Plan.seconds,
    considered: int = Plan.considered,
    utility: str = Plan.utility,
    sharpness: float = Plan.sharpness,
    near_certain: float = Plan.near_certain,
    horizon: str = "",
    temperature: float = TEMPERATURE,
    threads: int = 1,
) -> AnyAgent:
    plan = Plan(simulations, seconds, considered, utility, sharpness, near_certain)
    if not rollouts:
        is_there = network != "network" or bundled_versions(game)
        rollouts = "network" if is_there else unlearned(game)
    if rollouts not in _ROLLOUTS:
        raise ValueError(
            f"rollouts={rollouts!r}{did_you_mean(rollouts, _ROLLOUTS)}: choose one of "
            f"{', '.join(_ROLLOUTS)}"
        )
    if rollouts != "network":
        given = {"network": network, "version": version, "horizon": horizon}
        given |= {"considered": considered, "temperature": temperature}
        takes = signature(_search).parameters
        if unused := [name for name, value in given.items() if value != takes[name].default]:
            raise ValueError(
                f"rollouts={rollouts} tries every move and asks no network: drop "
                f"{', '.join(unused)}"
            )
        choose = at_random if rollouts == "random" else by_rules_of_thumb(_heuristics(game).score)
        return plain_search(game, choose, plan, threads=threads)
    if network != "network" and version != NEWEST:
        raise ValueError(f"version={version} is of bundled networks, not of {network!r}: drop it")
    named = network if version == NEWEST else f"network,version={version}"
    folder = checkpoint_named(named, game)
    if folder is None:
        raise ValueError(f"network={network!r} is no checkpoint; give its folder")
    if horizon and horizon != "end" and not horizon.isdigit():
        raise ValueError(f"horizon={horizon}: give end, or a number of decisions of each seat")
    ends = {"": usual_horizon(game), "end": TO_THE_END}
    return network_search(
        game,
        _network_agent(folder, game, True, named).network,
        plan,
        horizon=ends[horizon] if horizon in ends else int(horizon),
        temperature=temperature,
        threads=threads,
    )


_ROLLOUTS = ("network", "heuristic", "random")
_MAKERS: dict[str, Callable[..., AnyAgent]] = {
    "random": lambda game: RandomAgent(),
    "greedy": lambda game, *, samples=1: GreedyAgent(_heuristics(game).evaluate, samples),
    "heuristic": lambda game: _heuristics(game).HeuristicAgent(),
    "network": _network,
    "search": _search,
}
"""The makers of the agents `naming.BUILT_IN`."""
