"""Games played with search, as shards for any process, and what they teach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.identity import AgentSet
from shakespeare_agents.networks.network import Network
from shakespeare_agents.search.agent import Found, Plan, SearchAgent, network_search
from shakespeare_agents.workers import Tell
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Lineup
from shakespeare_training.ppo.games import TOO_LARGE


class Examples(NamedTuple):
    """Decisions to learn from.

    Attributes:
        observations: int8[k, D].
        masks: bool[k, A].
        prior: float32[k, A], the policy before the search; rows add up to 1.
        advantages: float32[k, A] (see `advantages`).
        players: int64[k], seats at the table.
        shares: float32[k, S], of the victory, by seat clockwise of the one that decided; 0 where
            nobody sits, as in `changes`.
        changes: float32[k, S], of the scores from the decision to the end, in units of
            `Game.score_scale`.
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    prior: NDArray[np.float32]
    advantages: NDArray[np.float32]
    players: NDArray[np.int64]
    shares: NDArray[np.float32]
    changes: NDArray[np.float32]

    @property
    def size(self) -> int:
        """The number of decisions, k."""
        return len(self.players)

    def rows(self, chosen: NDArray[np.int64]) -> Examples:
        """The decisions with the indices int64[m]."""
        return Examples._make(array[chosen] for array in self)


@dataclass(frozen=True)
class Decisions:
    """Decisions of some games of a group.

    Attributes:
        rows: int64[k], the number of each decision's game in the group.
        steps: int64[k], the number of decisions before it in that game.
        examples: What they teach.
    """

    rows: NDArray[np.int64]
    steps: NDArray[np.int64]
    examples: Examples

    @classmethod
    def joined(cls, parts: Sequence[Decisions]) -> Examples:
        """The decisions of a whole group by step, then by game, whoever played them."""
        rows = np.concatenate([part.rows for part in parts])
        steps = np.concatenate([part.steps for part in parts])
        order = np.lexsort((rows, steps))
        arrays = zip(*(part.examples for part in parts), strict=True)
        return Examples._make(np.concatenate(array)[order] for array in arrays)


class GameLog:
    """The decisions of games in progress.

    Args:
        batch: The games, played once to their end with `autoreset=False`.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._noted: list[tuple[NDArray[Any], ...]] = []

    def add(
        self,
        step: int,
        rows: NDArray[np.int64],
        prior: NDArray[np.float32],
        advantages: NDArray[np.float32],
    ) -> None:
        """Note the decisions to be made now in the games int64[m]; for the rest see `Examples`.

        `step` is the number of all seats' decisions before these in each game.
        """
        batch = self._batch
        seats, scores = batch.to_move[rows].astype(np.int64), batch.scores(rows).astype(np.float32)
        steps = np.full(len(rows), step)
        seen = (batch.obs[rows], batch.mask[rows])
        self._noted.append((rows, steps, seats, scores, *seen, prior, advantages))

    def decisions(self, games: NDArray[np.int64]) -> Decisions:
        """All decisions once the games are over, whose numbers in their group are int64[m]."""
        rows, steps, seats, scores, *found = map(np.concatenate, zip(*self._noted, strict=True))
        batch = self._batch
        players = batch.players[rows].astype(np.int64)
        places = np.arange(batch.game.max_seats)
        clockwise = (seats[:, None] + places) % players[:, None]
        present = places < players[:, None]
        winners = batch.final_winners.astype(np.float32)
        winners /= winners.sum(axis=1, keepdims=True).clip(1.0)
        changes = (batch.final_scores[rows] - scores) / np.float32(batch.game.score_scale)
        shares, changes = (
            np.where(present, np.take_along_axis(of_seats, clockwise, 1), np.float32(0.0))
            for of_seats in (winners[rows], changes)
        )
        return Decisions(games[rows], steps, Examples._make((*found, players, shares, changes)))


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


class Part(NamedTuple):
    """Some games of a group, to be played to their end.

    Attributes:
        rows: int64[m], the games' numbers in the group.
        records: [m], their first positions, the chance to come included.
        generators: uint64[m], the states of the agents' generators.
        seats: int32[m, S], see `Lineup`: the learner is `OUTSIDE`, others are opponents of the job.
    """

    rows: NDArray[np.int64]
    records: Records
    generators: NDArray[np.uint64]
    seats: NDArray[np.int32]


class Played(NamedTuple):
    """A part's games at their end.

    Attributes:
        rows: See `Part`.
        chance: uint64[m], the records' random states.
        generators: uint64[m].
        scores: int16[m, S], final.
        decisions: The learner's decisions.
    """

    rows: NDArray[np.int64]
    chance: NDArray[np.uint64]
    generators: NDArray[np.uint64]
    scores: NDArray[np.int16]
    decisions: Decisions


@dataclass(frozen=True)
class SearchedGames:
    """The job of playing a group of games with search; its shards are the group's parts.

    Attributes:
        agents: The expert, which holds the learner's seats, then the opponents.
        names: The names of the opponents.
        batch_of: Makes the games from records (`Batch.maker`).
        is_searched: Whether the expert searches rather than plays by its policy alone.
    """

    agents: AgentSet
    names: tuple[str, ...]
    batch_of: Callable[[Records, int], Batch]
    is_searched: bool

    def start(self) -> Callable[[Part, Tell], Played]:
        """See `Job.start`."""
        return self._play

    def _play(self, part: Part, tell: Tell) -> Played:
        expert: Any
        expert, *opponents = self.agents.agents
        batch = self.batch_of(part.records, 0)
        generators = GameGenerators(part.generators.copy())
        lineup = Lineup(opponents, part.seats, generators, list(self.names))
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
                actions[own], prior, gained = _decide(expert, games, rng, self.is_searched)
                log.add(step, rows[own], prior, gained)
            batch.step(actions, rows)
            ended = batch.done[rows]
            tell(int(own.sum()), int(ended.sum()))
            rows = rows[~ended]
            step += 1
        return Played(
            part.rows,
            batch.save(slice(None))["random"],
            lineup.generators.states,
            batch.final_scores,
            log.decisions(part.rows),
        )


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
        raise FloatingPointError(TOO_LARGE)
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
