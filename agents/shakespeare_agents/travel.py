"""Agents on their way to workers, with the game's box or file in which they play there."""

from __future__ import annotations

import hashlib
import platform
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import cloudpickle

from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.identity import agent_digest, describes_itself
from shakespeare_agents.naming import AgentSpec, Entrant, make, parsed
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import WorkerError
from shakespeare_env.own_files import load_file
from shakespeare_env.play.agent import AgentLike, AnyAgent


class AgentSet:
    """Agents of one game, which travel when pickled and are made again on arrival.

    One object at several seats stays one; `given` is what each was made from.
    """

    def __init__(self, game: Game, agents: Sequence[AnyAgent], given: Sequence[AgentLike]) -> None:
        self.game = game
        self.agents = list(agents)
        self._given = list(given)

    def __reduce__(self) -> tuple[Any, ...]:
        recipes: dict[int, Recipe] = {}
        for given, agent in zip(self._given, self.agents, strict=True):
            if id(agent) not in recipes:
                recipes[id(agent)] = recipe_of(given, agent, self.game)
        order = list(recipes)
        seats = [order.index(id(agent)) for agent in self.agents]
        return _rebuilt, (box_of(self.game), list(recipes.values()), seats)


def agent_set(entrants: Sequence[Entrant], game: Game) -> AgentSet:
    """Return the agents of entrants, ready to travel to workers."""
    return AgentSet(game, [one.agent for one in entrants], [one.given for one in entrants])


def _rebuilt(
    box: tuple[str, str, bytes | None, str], recipes: Sequence[Recipe], seats: Sequence[int]
) -> AgentSet:
    game = put_in_force(*box)
    made = [recipe(game) for recipe in recipes]
    agents = [made[seat] for seat in seats]
    return AgentSet(game, agents, agents)


def recipe_of(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> Recipe:
    """Return a picklable recipe for rebuilding an agent in another process.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent cannot travel.
    """
    own_recipe = agent.recipe() if describes_itself(agent) else None
    if own_recipe is not None:
        return own_recipe

    spec = parsed(given)
    if isinstance(spec, AgentSpec):
        return partial(named_agent, spec.from_any_folder(), agent_digest(spec, agent, game))

    try:
        return partial(_unpickled, cloudpickle.dumps(agent))
    except Exception as fault:
        raise TypeError(
            f"{agent!r} cannot travel to a worker ({type(fault).__name__}: {fault}); name it as "
            "my.py:NAME, make it picklable, or play it without workers"
        ) from fault


def named_agent(name: str | AgentSpec, digest: str, game: Game) -> AnyAgent:
    """Make an agent by its name.

    Raises:
        WorkerError: it cannot be made, or its digest is another one here.
    """
    spec = AgentSpec.parse(name) if isinstance(name, str) else name
    try:
        agent = make(spec, game)
        is_same = agent_digest(spec, agent, game) == digest
    except (ValueError, TypeError, ImportError, OSError) as fault:
        raise WorkerError(f"the agent {spec.text!r} on {platform.node()}: {fault}") from fault
    if not is_same:
        raise WorkerError(
            f"the agent {spec.text!r} is another one on {platform.node()}: its code or options "
            "differ; put the same version there"
        )
    return agent


def _unpickled(content: bytes, _game: Game) -> AnyAgent:
    return cloudpickle.loads(content)  # type: ignore[no-any-return]


def box_of(game: Game) -> tuple[str, str, bytes | None, str]:
    """A game's name, its digest, its file's content unless it is the package's own, and its place.

    The file is the box, or that which defines a game without a box.
    """
    is_there = not registry.has_box(game.name) or game.box != registry.own_box(game.name)
    content = game.box.read_bytes() if is_there and game.box.is_file() else None
    return game.name, registry.box_digest(game.name), content, str(game.box)


def put_in_force(name: str, digest: str, content: bytes | None, place: str) -> Game:
    """The game of a file from elsewhere, as of `box_of`; this process plays with it from now on."""
    if name not in registry.names():
        _register_from(name, content, Path(place))
    box = registry.own_box(name)
    if content is not None and registry.has_box(name):
        box = Path(_box_folder().name) / f"{digest}.toml"
        box.write_bytes(content)
    game = registry.game(name, box)
    if fault := registry.box_fault(name, digest):
        raise WorkerError(f"{name} on {platform.node()} is {fault}")
    return game


def _register_from(name: str, content: bytes | None, file: Path) -> None:
    """Register a game from its file if that is here, too, and else from a copy."""
    if content is None:
        raise WorkerError(
            f"{name} is not known on {platform.node()}: workers read a game from its file; define "
            "it in one, not in a notebook"
        )
    if not file.is_file() or file.read_bytes() != content:
        file = Path(_box_folder().name) / f"{hashlib.sha256(content).hexdigest()}.py"
        file.write_bytes(content)
    try:
        found = [one for one in vars(load_file(file)).values() if isinstance(one, Game)]
    except (Exception, SystemExit) as fault:
        raise WorkerError(
            f"{name} on {platform.node()}: {type(fault).__name__}: {fault}"
        ) from fault
    for game in found:
        if game.name == name:
            registry.register(game)


@cache
def _box_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shakespeare-env-")
