"""Playing games with search, as shards that any process can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from shakespeare_agents.networks.network import Network
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.portable import AgentSet
from shakespeare_agents.search.agent import Found, Plan, SearchAgent
from shakespeare_agents.search.making import network_search
from shakespeare_agents.workers import Shared, Tell
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Lineup
from shakespeare_training.expert_iteration.games import GameLog, Packed

_MOST_KEPT = 4
"""The most networks kept: those of groups being played, and of snapshots in them."""

A = TypeVar("A")


@dataclass(frozen=True)
class Searching:
    """How the learner's seats search.

    Attributes:
        plan: How a move is searched.
        horizon: The horizon of playouts, as is `temperature` (`playouts_of`).
        threads: The threads that share the playouts; they change no result.
    """

    plan: Plan
    horizon: int
    temperature: float
    threads: int

    def expert(self, game: Game, network: Network) -> SearchAgent:
        """The searching agent over a network."""
        return network_search(
            game,
            network,
            self.plan,
            horizon=self.horizon,
            temperature=self.temperature,
            threads=self.threads,
        )


@dataclass(frozen=True)
class Part:
    """Some games of a group, to be played to their end.

    Attributes:
        group: Its number.
        rows: int64[m], the games' numbers in the group.
        records: [m], their first positions, the chance to come included.
        generators: uint64[m], the states of the agents' generators.
        seats: int32[m, S], see `Lineup`; the learner is `OUTSIDE`.
        opponents: The meaning of `seats`: a named agent's index, or a snapshot's name and weights.
        weights: The learner's weights.
        is_searched: Whether it searches rather than plays by its policy alone.
    """

    group: int
    rows: NDArray[np.int64]
    records: Records
    generators: NDArray[np.uint64]
    seats: NDArray[np.int32]
    opponents: tuple[int | tuple[str, Shared], ...]
    weights: Shared
    is_searched: bool


@dataclass(frozen=True)
class Played:
    """A part's games at their end.

    Attributes:
        group: See `Part`, as is `rows`.
        chance: uint64[m], the records' random states.
        generators: uint64[m].
        scores: int16[m, S], final.
        decisions: The learner's decisions.
    """

    group: int
    rows: NDArray[np.int64]
    chance: NDArray[np.uint64]
    generators: NDArray[np.uint64]
    scores: NDArray[np.int16]
    decisions: Packed


@dataclass(frozen=True)
class SearchedGames:
    """The job of playing games with search; its shards are parts of groups.

    Attributes:
        opponents: The named opponents.
        names: The names of the opponents.
        batch_of: Makes the games from records (`Batch.maker`).
        searching: How the learner's seats search.
    """

    opponents: AgentSet
    names: tuple[str, ...]
    batch_of: Callable[[Records, int], Batch]
    searching: Searching

    def start(self) -> Callable[[Part, Tell], Played]:
        """See `Job.start`."""
        return _Player(self).play


class _Player:
    def __init__(self, job: SearchedGames) -> None:
        self._job = job
        self._expert = _keeping(
            lambda w: job.searching.expert(job.opponents.game, self._network(w))
        )
        self._snapshot = _keeping(lambda w: NetworkAgent(self._network(w), greedy=False))

    def play(self, part: Part, tell: Tell) -> Played:
        batch = self._job.batch_of(part.records, 0)
        lineup = self._lineup(part)
        expert = self._expert(part.weights)
        log = GameLog(batch)
        rows = np.arange(batch.n)
        step = 0
        while len(rows):
            own = lineup.to_move(batch, rows) == OUTSIDE
            actions = np.empty(len(rows), np.int64)
            if not own.all():
                actions[~own] = lineup.decide(batch, rows[~own])
            if own.any() or not step:  # the log needs at least one, maybe empty, entry
                rng = lineup.generators[rows[own]]
                games = InformationSets(batch, rows[own])
                actions[own], prior, gained = _decide(expert, games, rng, part.is_searched)
                log.add(step, rows[own], prior, gained)
            batch.step(actions, rows)
            ended = batch.done[rows]
            tell(int(own.sum()), int(ended.sum()))
            rows = rows[~ended]
            step += 1
        return Played(
            part.group,
            part.rows,
            batch.save(slice(None))["random"],
            lineup.generators.states,
            batch.final_scores,
            log.packed(part.rows),
        )

    def _lineup(self, part: Part) -> Lineup:
        agents: list[AnyAgent] = []
        names: list[str] = []
        for one in part.opponents:
            if isinstance(one, int):
                agents.append(self._job.opponents.agents[one])
                names.append(self._job.names[one])
            else:
                name, weights = one
                agents.append(self._snapshot(weights))
                names.append(name)
        return Lineup(agents, part.seats, GameGenerators(part.generators.copy()), names)

    def _network(self, weights: Shared) -> Network:
        tensors = safetensors.numpy.load(weights.read())
        game = self._job.opponents.game
        return Network(tensors, game.layout, ())


def _keeping(make: Callable[[Shared], A]) -> Callable[[Shared], A]:
    """The same function, which makes nothing anew from the weights that it met latest."""
    made: dict[str, A] = {}

    def of(weights: Shared) -> A:
        found = made.pop(weights.digest) if weights.digest in made else make(weights)
        made[weights.digest] = found  # the latest last
        if len(made) > _MOST_KEPT:
            del made[next(iter(made))]
        return found

    return of


def _decide(
    expert: SearchAgent, games: InformationSets, rng: GameGenerators, is_searched: bool
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Actions, int64[m], prior and advantages, float32[m, A] each."""
    if is_searched:
        found = expert.look_ahead(games, rng)
        actions, prior = found.actions, found.prior.astype(np.float32)
        gained = advantages(found)
    else:
        prior = expert.prior.probabilities(games.observations, games.masks)
        actions, gained = rng.choose(prior), np.zeros_like(prior)
    if not np.isfinite(prior).all():
        raise FloatingPointError("the network's numbers are too large to choose a move by")
    return actions, prior, gained


def advantages(found: Found) -> NDArray[np.float32]:
    """float32[m, A]: a move's value less the mean of those tried, weighted by their prior.

    Completed values (Danihelka et al. 2022): an untried move counts as that mean, so its advantage
    is 0, as are all advantages of a decision without search.
    """
    tried = found.visits > 0
    values = np.where(tried, found.values, 0.0)
    weights = np.where(tried, found.prior, 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    mean = (weights * values).sum(axis=1, keepdims=True) / total
    gained: NDArray[np.float32] = np.where(tried, values - mean, 0.0).astype(np.float32)
    return gained
