"""Agents and boxes that travel to other processes and machines.

Networks travel as weights, by digest; other named agents are made again from their names at the
destination and must be the same there. Users' own objects are pickled.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import cloudpickle
import safetensors.numpy

from shakespeare_agents import naming
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import belongings, make
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_agents.search.agent import Plan, SearchAgent, network_search
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_fault
from shakespeare_env.errors import WorkerError
from shakespeare_env.play.agent import AnyAgent, Player

AgentParcel = Callable[[Game], AnyAgent]
"""An agent on its way: makes it again for a game; WorkerError if it is another one there."""


def parcel_of(given: Player, agent: AnyAgent, game: Game) -> AgentParcel:
    """An agent ready to travel.

    Args:
        given: The value that it was made from.
        agent: The agent made for the game.
        game: What it plays.

    Raises:
        TypeError: it cannot be pickled.
    """
    # Subclasses may play otherwise.
    if type(agent) is NetworkAgent:
        return partial(_network_agent, _weights(agent.network), agent.greedy)
    if type(agent) is SearchAgent and isinstance(agent.prior, NetworkAgent):
        player, weights = agent.player, _weights(agent.prior.network)
        return partial(_searching, weights, agent.plan, player.horizon, player.temperature)
    if isinstance(given, str):
        return partial(named_agent, _from_anywhere(given), agent_digest(given, agent, game))
    try:
        return partial(_unpickled, cloudpickle.dumps(agent))
    except Exception as fault:
        raise TypeError(
            f"{agent!r} cannot travel to a worker ({type(fault).__name__}: {fault}); name it as "
            "my.py:NAME, make it picklable, or play it without workers"
        ) from fault


def named_agent(name: str, digest: str, game: Game) -> AnyAgent:
    """An agent by its name, which must have this digest here, too."""
    try:
        agent = make(name, game)
        found = agent_digest(name, agent, game)
    except (ValueError, TypeError, ImportError, OSError) as fault:
        raise WorkerError(f"the agent {name!r} on {_here()}: {fault}") from fault
    if found != digest:
        raise WorkerError(
            f"the agent {name!r} is another one on {_here()}: its code or options differ; put the "
            "same version there"
        )
    return agent


def _network_agent(weights: bytes, greedy: bool, game: Game) -> AnyAgent:
    return NetworkAgent(_network(weights, game), greedy=greedy)


def _searching(
    weights: bytes, plan: Plan, horizon: int, temperature: float, game: Game
) -> AnyAgent:
    """A search over a network, on one thread, as workers share the cores."""
    network = _network(weights, game)
    return network_search(game, network, plan, horizon=horizon, temperature=temperature, threads=1)


def _unpickled(content: bytes, _game: Game) -> AnyAgent:
    try:
        agent: AnyAgent = cloudpickle.loads(content)
    except Exception as fault:  # their code
        raise WorkerError(
            f"an agent cannot be unpickled on {_here()} ({type(fault).__name__}: {fault}); "
            "install what it imports there"
        ) from fault
    return agent


def _weights(network: Network) -> bytes:
    content: bytes = safetensors.numpy.save(dict(network.tensors))
    return content


def _network(weights: bytes, game: Game) -> Network:
    return Network(safetensors.numpy.load(weights), game.layout)


def _from_anywhere(name: str) -> str:
    """A name with its paths made absolute, for use in another folder."""
    python, files = naming.python_name(name), belongings(name).get("files")
    if files is not None:
        name = name.replace(f",files={files}", f",files={Path(files).resolve()}")
    if python is None or not python.is_file:
        return name
    return f"{Path(python.source).resolve()}{name.removeprefix(python.source)}"


def _here() -> str:
    return platform.node() or "this machine"


@dataclass(frozen=True)
class BoxParcel:
    """The box that a game is played with.

    Attributes:
        digest: Of its facts.
        content: Of its file; None for the package's own box.
    """

    game: str
    digest: str
    content: bytes | None

    @classmethod
    def of(cls, game: Game) -> BoxParcel:
        """The box in force."""
        is_own = game.box == registry.own_box(game.name)
        content = None if is_own else game.box.read_bytes()
        return cls(game.name, registry.box_digest(game.name), content)

    def put_in_force(self) -> Game:
        """Let this process play the game with it.

        Raises:
            BoxError: it plays with another already.
            WorkerError: the package has another box here.
        """
        box = registry.own_box(self.game)
        if self.content is not None:
            box = Path(_box_folder().name) / f"{self.digest}.toml"
            box.write_bytes(self.content)
        game = registry.game(self.game, box)
        if fault := box_fault(self.game, self.digest):
            raise WorkerError(f"{self.game} on {_here()} is {fault}")
        return game


class AgentSet:
    """Agents of one game, which travel as parcels when pickled and are made again on arrival.

    Attributes:
        game: What they play.
        agents: The agents as given, or as made again.

    Args:
        game: What they play.
        agents: The agents, each once or several times; one object stays one.
        given: What each was made from.
    """

    def __init__(self, game: Game, agents: Sequence[AnyAgent], given: Sequence[Player]) -> None:
        self.game = game
        self.agents = list(agents)
        self._given = list(given)

    def __reduce__(self) -> tuple[Any, ...]:
        parcels: dict[int, AgentParcel] = {}
        for given, agent in zip(self._given, self.agents, strict=True):
            if id(agent) not in parcels:
                parcels[id(agent)] = parcel_of(given, agent, self.game)
        order = list(parcels)
        seats = [order.index(id(agent)) for agent in self.agents]
        box = BoxParcel.of(self.game)
        return _arrived, (box, tuple(parcels.values()), tuple(seats))


def _arrived(box: BoxParcel, parcels: Sequence[AgentParcel], seats: Sequence[int]) -> AgentSet:
    game = box.put_in_force()
    made = [parcel(game) for parcel in parcels]
    agents = [made[seat] for seat in seats]
    return AgentSet(game, agents, agents)


@cache
def _box_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shakespeare-env-")
