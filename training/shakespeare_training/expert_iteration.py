"""Expert iteration (Anthony et al. 2017): a network learns from games that its search played.

A group of games is played to its end, in parts that any process may play, before it is learned
from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_agents.networks.network import Network
from shakespeare_agents.search.agent import (
    SearchAgent,
    SearchResult,
    SearchSettings,
    network_search,
)
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import ProgressCallback, Workers
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Lineup
from shakespeare_training.games import TOO_LARGE, HostGames
from shakespeare_training.league import Ended
from shakespeare_training.learner import Learner
from shakespeare_training.policy import forecast_losses

_GAMES_A_PART = 8
"""Games that one worker plays together, whatever the number of workers, since users' agents may
round differently in other batches."""
Rows = NDArray[np.int64]


class Examples(NamedTuple):
    """k decisions to learn from; S is the most seats of the game."""

    observations: NDArray[np.int8]  # [k, D]
    masks: NDArray[np.bool_]  # [k, A]
    prior: NDArray[np.float32]  # [k, A], the policy before the search
    search_advantages: NDArray[np.float32]  # [k, A], see `search_advantages`
    players: Rows  # [k], seats at the table
    shares: NDArray[np.float32]  # [k, S], of the victory, by seat clockwise of the one that decided
    changes: NDArray[np.float32]  # [k, S], of scores until the end, in `Game.score_scale`

    def rows(self, chosen: Rows) -> Examples:
        """The decisions with the indices int64[m]."""
        return Examples._make(array[chosen] for array in self)


@dataclass(frozen=True)
class Searching:
    """How the learner's seats search; `horizon` and `temperature` are those of playouts."""

    plan: SearchSettings
    horizon: int
    temperature: float
    threads: int

    def expert(self, game: Game, network: Network) -> SearchAgent:
        """The searching agent over a network; threads change no result."""
        return network_search(
            game,
            network,
            self.plan,
            horizon=self.horizon,
            temperature=self.temperature,
            threads=self.threads,
        )


class Part(NamedTuple):
    """Some games of a group, to be played to their end."""

    rows: Rows  # [m], their numbers in the group
    records: Records  # [m], their first positions, the chance to come included
    generators: NDArray[np.uint64]  # [m], the states of the agents' generators
    seats: NDArray[np.int32]  # [m, S], see `Lineup`; others than the learner are of the job


class Played(NamedTuple):
    """A part's games at their end, and the learner's decisions in them."""

    part: Part
    chance: NDArray[np.uint64]  # [m], the records' random states
    generators: NDArray[np.uint64]  # [m]
    scores: NDArray[np.int16]  # [m, S], final
    order: NDArray[np.int64]  # [2, k], each decision's game in the group, and those before it there
    examples: Examples


class _Halted(Exception):  # noqa: N818 - nothing has failed
    """The callback wants no more games."""


class ExpertIteration(Learner):
    """Learns from groups of games, which its search plays to their end, one after the other.

    What a group teaches does not depend on who plays it.

    Args:
        games: Those of a group; the next one goes on with their chance.
        searching: How the learner's seats search.
        warmup_decisions: The number of decisions to learn from before groups are searched, since
            untrained heads would mislead the search.
        target_sharpness: The coefficient of the policy's gain, beside its divergence from the one
            that played.
        **arguments: Arguments of `Learner`.

    Attributes:
        workers: The workers that play, by default this process.
    """

    def __init__(
        self,
        games: HostGames,
        *,
        searching: Searching,
        warmup_decisions: int,
        target_sharpness: float,
        **arguments: Any,
    ) -> None:
        super().__init__(games, **arguments)
        self.searching = searching
        self.warmup_decisions, self.target_sharpness = warmup_decisions, target_sharpness
        self.workers: Workers = Workers()
        self.examples: Examples | None = None

    def experts(self) -> list[AnyAgent]:
        """The search that it learns from, with the current network."""
        game = self.league.batch.game
        return [self.searching.expert(game, Network(self.policy.tensors(), game.layout))]

    def collect(self, callback: BaseCallback) -> bool:
        """Have a group of games played, after a callback that may save the run.

        Raises:
            FloatingPointError: the network's numbers are too large to choose a move by.
            WorkerError: workers are lost.
        """
        self.examples = None
        callback.on_rollout_start()
        batch, learned, under_way = self.league.batch, self.num_timesteps, 0
        parts: list[Played] = []
        nothing = np.zeros(0, np.int64)

        def go_on(rows: Rows = nothing) -> None:
            """Let the callback know how far the group is, and which of its games have ended."""
            self.check_stop()
            done = sum(len(played.examples.players) for played in parts)
            self.num_timesteps = learned + done + under_way
            callback.update_locals({"ended": self.league.ended(rows)})
            if not callback.on_step():
                raise _Halted

        def tell(decisions: int, _games: int) -> None:
            nonlocal under_way
            under_way += decisions
            go_on()

        try:
            go_on()
            results = self.workers.run(self._job(), self._parts(), tell)
            try:
                for _, played in results:
                    parts.append(played)
                    under_way -= len(played.examples.players)
                    batch.final_scores[played.part.rows] = played.scores
                    go_on(played.part.rows)
            finally:
                results.close()
        except _Halted:
            return False
        self.examples = joined(parts)
        self.num_timesteps = learned + len(self.examples.players)
        self._begin_anew(parts)
        callback.on_rollout_end()
        return True

    def _seated(self) -> NDArray[np.int32]:
        """The opponents in the games, as indices of the league's."""
        seats = self.league.lineup.seats
        return np.unique(seats[seats >= 0])

    def _job(self) -> SearchedGames:
        met = [self.league.opponents[index] for index in self._seated()]
        names, batch = [opponent.name for opponent in met], self.league.batch
        every: list[AnyAgent] = [*self.experts(), *(opponent.agent for opponent in met)]
        is_searched = self.num_timesteps >= self.warmup_decisions
        agents = AgentSet(batch.game, every, ["", *names])
        return SearchedGames(agents, tuple(names), batch.maker(), is_searched)

    def _parts(self) -> Iterator[Part]:
        batch, lineup = self.league.batch, self.league.lineup
        seats = lineup.seats
        own = np.where(seats >= 0, np.searchsorted(self._seated(), seats), seats).astype(np.int32)
        for rows in np.split(np.arange(batch.n), range(_GAMES_A_PART, batch.n, _GAMES_A_PART)):
            yield Part(rows, batch.save(rows), lineup.generators.states[rows], own[rows])

    def _begin_anew(self, parts: Sequence[Played]) -> None:
        league, batch = self.league, self.league.batch
        every = np.arange(batch.n)
        records = batch.save(every)
        for played in parts:
            records["random"][played.part.rows] = played.chance
            league.lineup.generators.states[played.part.rows] = played.generators
        league.record_results(Ended(league.lineup.seats, batch.final_scores.copy()))
        batch.load(every, records)
        batch.restart(every)
        league.assign_seats(every)

    def _minibatches(self) -> Iterator[Examples]:
        examples = self.examples
        assert examples is not None
        count = len(examples.players)
        parts = max(1, round(count / self.batch_size))
        for chosen in np.array_split(self.rng.permutation(count), parts):
            yield examples.rows(chosen)

    def _losses(self, minibatch: Examples) -> dict[str, torch.Tensor]:
        observations, masks, prior, gained, players, shares, changes = (
            torch.from_numpy(array).to(self.device) for array in minibatch
        )
        outputs = self.policy.outputs(observations, masks)
        policy = outputs.log_probabilities.exp()
        surprise = policy * (outputs.log_probabilities - prior.clamp(min=1e-30).log())
        win_loss, score_loss = forecast_losses(outputs, players, shares, changes)
        gain, divergence = (policy * gained).sum(dim=1).mean(), surprise.sum(dim=1).mean()
        return {
            # Linear in the advantages, so that the noise of few playouts cancels over many
            # decisions; a target like prior * exp(advantage) would turn it into entropy.
            "policy_loss": divergence - self.target_sharpness * gain,
            "policy_gain": gain,
            "policy_kl": divergence,
            "win_loss": win_loss,
            "score_loss": score_loss,
        }


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

    def start(self) -> Callable[[Part, ProgressCallback], Played]:
        """See `Job.start`."""
        return self._play

    def _play(self, part: Part, tell: ProgressCallback) -> Played:
        expert: Any
        expert, *opponents = self.agents.agents
        batch = self.batch_of(part.records, 0)
        generators = GameGenerators(part.generators.copy())
        lineup = Lineup(opponents, part.seats, generators, list(self.names))
        log = GameBuffer(batch)
        rows, step = np.arange(batch.n), 0
        while len(rows):
            own = lineup.to_move(batch, rows) == OUTSIDE
            actions = np.empty(len(rows), np.int64)
            if not own.all():
                actions[~own] = lineup.decide(batch, rows[~own])
            if own.any() or not step:  # the log needs at least one, maybe empty, entry
                games, rng = InformationSets(batch, rows[own]), lineup.generators[rows[own]]
                actions[own], prior, gained = _decide(expert, games, rng, self.is_searched)
                log.add(step, rows[own], prior, gained)
            try:
                batch.step(actions, rows)
            except IllegalMove as fault:
                lineup.name_chooser(fault, batch)
                raise
            ended = batch.done[rows]
            tell(int(own.sum()), int(ended.sum()))
            rows = rows[~ended]
            step += 1
        chance = batch.save(slice(None))["random"]
        ends = chance, lineup.generators.states, batch.final_scores
        return Played(part, *ends, *log.decisions(part.rows))


def _decide(
    expert: SearchAgent, games: InformationSets, rng: GameGenerators, is_searched: bool
) -> tuple[Rows, NDArray[np.float32], NDArray[np.float32]]:
    """Actions, int64[m], prior and advantages, float32[m, A] each."""
    if is_searched:
        searched = expert.look_ahead(games, rng)
        actions, prior = searched.actions, searched.prior.astype(np.float32)
        gained = search_advantages(searched)
    else:
        prior = expert.prior.probabilities(games.observations, games.masks)
        actions, gained = rng.choose(prior), np.zeros_like(prior)
    if not np.isfinite(prior).all():
        raise FloatingPointError(TOO_LARGE)
    return actions, prior, gained


def search_advantages(searched: SearchResult) -> NDArray[np.float32]:
    """float32[m, A]: a move's value less the mean of those tried, weighted by their prior.

    Completed values (Danihelka et al. 2022): an untried move counts as that mean, so its advantage
    is 0, as are all advantages of a decision without search.
    """
    tried = searched.visits > 0
    values = np.where(tried, searched.values, 0.0)
    weights = np.where(tried, searched.prior, 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    mean = (weights * values).sum(axis=1, keepdims=True) / total
    gained: NDArray[np.float32] = np.where(tried, values - mean, 0.0).astype(np.float32)
    return gained


class GameBuffer:
    """The decisions of a batch's games, played once to their end with `autoreset=False`."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._noted: list[tuple[NDArray[Any], ...]] = []

    def add(
        self, step: int, rows: Rows, prior: NDArray[np.float32], advantages: NDArray[np.float32]
    ) -> None:
        """Note the decisions to be made now in the games int64[m]; for the rest see `Examples`.

        `step` is the number of all seats' decisions before these in each game.
        """
        batch = self._batch
        seats, scores = batch.to_move[rows].astype(np.int64), batch.scores(rows).astype(np.float32)
        seen = (batch.obs[rows], batch.mask[rows])
        self._noted.append(
            (rows, np.full(len(rows), step), seats, scores, *seen, prior, advantages)
        )

    def decisions(self, numbers: Rows) -> tuple[NDArray[np.int64], Examples]:
        """`Played.order` and examples once the games are over, given their numbers, int64[n]."""
        rows, steps, seats, scores, *seen = map(np.concatenate, zip(*self._noted, strict=True))
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
        order = np.stack([numbers[rows], steps])
        return order, Examples._make((*seen, players, shares, changes))


def joined(parts: Sequence[Played]) -> Examples:
    """The decisions of a whole group by step, then by game, whoever played them."""
    order = np.lexsort(np.concatenate([played.order for played in parts], axis=1))
    arrays = zip(*(played.examples for played in parts), strict=True)
    return Examples._make(np.concatenate(array)[order] for array in arrays)
