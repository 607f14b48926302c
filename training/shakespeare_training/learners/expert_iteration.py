"""Expert iteration (Anthony et al. 2017): a network learns from games of a search that uses it.

The learner plays a round of games to the end before it learns from them. The round is split into
shards, which any process may play. In some of the games the policy may play alone, many times as
fast. It learns from their outcomes, as in PPO.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.search.agent import SearchAgent, SearchResult, SearchSettings
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import Progress, Workers
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Records
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Lineup
from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.decisions import (
    DecisionArrays,
    GameBuffer,
    advantage_estimates,
    join,
    take,
)
from shakespeare_training.learners.games import TOO_LARGE, HostGames
from shakespeare_training.learners.league import FinishedGames
from shakespeare_training.learners.learner import (
    GamesCallback,
    LearnerSettings,
    RoundLearner,
    Schedule,
    ignore_games,
)
from shakespeare_training.learners.rollout import normalised_advantages
from shakespeare_training.networks.policy import Policy, forecast_losses, log_shares

GAMES_PER_SHARD = 8
"""The number of games that a worker plays in parallel. It does not depend on the number of workers,
because users' agents may round differently in batches of another size."""
LEAST_PLAYING = 0.25
"""Games wait for a search until fewer than this share of the games play on without one."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class ExpertIterationSettings(LearnerSettings):
    """Settings of expert iteration.

    Attributes:
        search: Settings of the search in the learner's seats.
        horizon: Decisions of each seat in a playout before the network values it.
        temperature: Temperature of the policy in playouts.
        warmup_decisions: Decisions to learn from before moves are searched, because untrained heads
            would mislead the search.
        target_sharpness: Coefficient of the policy's gain of utility in the policy loss. The loss
            is the divergence from the policy that played, less this coefficient times the gain.
        searched_share: The share of a round's games whose moves are searched.
        gae_lambda: Bias against variance in the advantages of the other games' moves.
        score_reward_coef: Coefficient of the change of the score in the reward of these moves.
        win_reward_coef: Coefficient of the share of the victory in their reward.
    """

    search: SearchSettings
    horizon: int
    temperature: float
    warmup_decisions: int
    target_sharpness: float
    searched_share: float = 1.0
    gae_lambda: float = 0.95
    score_reward_coef: Schedule = lambda _progress_remaining: 1.0
    win_reward_coef: float = 0.0


class GameShard(NamedTuple):
    """m games of a round, to be played to their end."""

    rows: Integers  # [m], the games' numbers in the round
    records: Records  # [m], the first positions, with the random states that decide what follows
    generators: NDArray[np.uint64]  # [m], the states of the agents' generators
    # [m, S], as in `Lineup`; an opponent is an index into those of `RoundGames.agents`
    seats: NDArray[np.int32]
    is_searched: bool  # whether the learner's moves are searched; otherwise the policy draws them


class PlayedShard(NamedTuple):
    """The results of a shard's games, and the learner's k decisions in them."""

    shard: GameShard
    random: NDArray[np.uint64]  # [m], the records' random states after the games
    generators: NDArray[np.uint64]  # [m], the states of the agents' generators after the games
    scores: NDArray[np.int16]  # [m, S], final scores
    decisions: DecisionArrays
    """With the games' numbers in the round, and three more columns: `actions`, int64[k], that were
    played; `prior`, float32[k, A], the policy before a search; and `advantages`, float32[k, A],
    from `search_advantages`. In games without search these are 0."""


class ExpertIteration(RoundLearner):
    """A learner that plays a round of games to their end with search, then learns from the round.

    The decisions of a round do not depend on the processes that play it.

    Args:
        games: The games.
        settings: The learner's settings.
        group: The processes that learn together.
        make_device_search: Makes a search on a GPU, which follows the policy's weights. It plays
            all games in step, unless there are workers to play them.

    Attributes:
        workers: The workers that play the games; by default this process.
    """

    settings: ExpertIterationSettings

    def __init__(
        self,
        games: HostGames,
        settings: ExpertIterationSettings,
        group: ProcessGroup = ALONE,
        make_device_search: Callable[[Policy], SearchAgent] | None = None,
    ) -> None:
        super().__init__(games, settings, group)
        self.workers: Workers = Workers()
        self._device_search: SearchAgent | None = None
        if make_device_search is not None:
            self._device_search = make_device_search(self.policy)

    def _device_expert(self) -> SearchAgent | None:
        """Return the search on a GPU, or None if there is none or workers play the games."""
        # `Workers` itself plays in this process. Its subclasses play elsewhere.
        return self._device_search if type(self.workers) is Workers else None

    def experts(self) -> list[AnyAgent]:
        """Return the one agent that the network learns from: a search with the current weights."""
        settings = self.settings
        expert = self._device_expert() or self.policy.search(
            settings.search, horizon=settings.horizon, temperature=settings.temperature
        )
        return [expert]

    def play(self, on_games: GamesCallback = ignore_games) -> None:
        """Play a round of games to its end, on the workers if there are any.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
            WorkerError: workers are lost.
        """
        self.decisions = None
        batch = self.league.batch
        is_warmup = self.num_timesteps < self.settings.warmup_decisions
        is_searched = np.zeros(batch.n, np.bool_) if is_warmup else self._draw_searched()
        score_coef = self.settings.score_reward_coef(self.progress_remaining)
        decisions_before = self.num_timesteps
        decisions_under_way = 0  # in shards that have not come back yet
        played: list[PlayedShard] = []
        no_games = np.zeros(0, np.int64)

        def report(finished: Integers) -> None:
            decisions_played = sum(len(shard.decisions["games"]) for shard in played)
            self.num_timesteps = decisions_before + decisions_played + decisions_under_way
            self.check_stop()
            on_games(self.league.finished_games(finished))

        report(no_games)
        shards = self._shards(is_searched)
        with closing(self.workers.run(self._job(), shards)) as progress:
            for step in progress:
                decisions_under_way += step.decisions
                result = step.result
                if result is None:
                    report(no_games)
                    continue
                played.append(result)
                decisions_under_way -= len(result.decisions["games"])
                batch.final_scores[result.shard.rows] = result.scores
                report(result.shard.rows)

        self.decisions = join_decisions(played)
        self.num_timesteps = decisions_before + len(self.decisions["games"])
        if not is_warmup and self.settings.searched_share < 1.0:
            self._add_outcome_advantages(self.decisions, ~is_searched, score_coef)
        self._begin_next_round(played)

    def _draw_searched(self) -> NDArray[np.bool_]:
        """Draw which games of a round are searched: about the same share at tables of each size."""
        batch = self.league.batch
        share = self.settings.searched_share
        if share == 1.0:
            return np.ones(batch.n, np.bool_)
        order = self.rng.permutation(batch.n)
        order = order[np.argsort(batch.players[order], kind="stable")]
        # Games are searched where this count reaches another whole number. It begins at random, so
        # that the share is right on average, however few games there are.
        counts = np.floor(np.arange(batch.n + 1) * share + self.rng.random())
        is_searched = np.zeros(batch.n, np.bool_)
        is_searched[order] = np.diff(counts) > 0
        return is_searched

    def _add_outcome_advantages(
        self, decisions: DecisionArrays, is_unsearched: NDArray[np.bool_], score_coef: float
    ) -> None:
        """Fill in the advantages of moves that were not searched, from the outcomes of their games.

        An advantage is divided by the probability of the move, so that the policy's gain has the
        gradient of PPO. Advantages are normalised at tables of each size, and the policy loss
        counts a standard deviation as 1.

        Args:
            decisions: The decisions of a round.
            is_unsearched: bool[n], the games without search.
            score_coef: The coefficient of the change of the score in the reward.
        """
        settings = self.settings
        indices = np.flatnonzero(is_unsearched[decisions["games"]])
        names = ("games", "steps", "seats", "actions", "players", "shares", "changes")
        unsearched = take({name: decisions[name] for name in names}, indices)
        outcomes = np.stack([unsearched["shares"][:, 0], unsearched["changes"][:, 0]], axis=1)
        errors = outcomes - self._own_forecasts(decisions, indices)
        normalised = normalised_advantages(
            torch.from_numpy(advantage_estimates(errors, unsearched, settings.gae_lambda)),
            torch.from_numpy(unsearched["players"]),
            max_seats=self.league.batch.game.max_seats,
            win_coef=settings.win_reward_coef,
            score_coef=score_coef,
            group=self.group,
        ).numpy()
        actions = unsearched["actions"]
        probabilities = decisions["prior"][indices, actions]
        advantages = normalised / (probabilities * settings.target_sharpness)
        decisions["advantages"][indices, actions] = advantages

    def _own_forecasts(self, decisions: DecisionArrays, indices: Integers) -> NDArray[np.float32]:
        """Return forecasts for the seats that decided, in the decisions with indices int64[k].

        Returns:
            float32[k, 2]: the share of the victory and the change of the score.
        """
        forecasts = np.zeros((len(indices), 2), np.float32)
        size = self.settings.batch_size
        with torch.no_grad(), self.policy.keep_weights():
            for first in range(0, len(indices), size):
                some = indices[first : first + size]
                outputs = self.policy.outputs(
                    self._tensor(decisions["observations"][some]),
                    self._tensor(decisions["masks"][some]),
                )
                players = self._tensor(decisions["players"][some])
                shares = log_shares(outputs.win_logits, players).exp()
                own = torch.stack([shares[:, 0], outputs.changes[:, 0]], dim=1)
                forecasts[first : first + size] = own.cpu().numpy()
        return forecasts

    def _opponent_indices(self) -> NDArray[np.int32]:
        """Return the league's indices of the opponents in the games, in ascending order."""
        seats = self.league.lineup.seats
        return np.unique(seats[seats >= 0])

    def _job(self) -> RoundGames:
        batch = self.league.batch
        opponents = [self.league.opponents[index] for index in self._opponent_indices()]
        # The learner's own agents are sent as they are, and named ones by their names.
        entrants = [Entrant("learner", expert) for expert in self.experts()]
        entrants += [Entrant(each.name, each.agent, each.given) for each in opponents]
        return RoundGames(agents=AgentSet(batch.game, entrants), make_batch=batch.maker())

    def _shards(self, is_searched: NDArray[np.bool_]) -> Iterator[GameShard]:
        """Yield the games of a round, first the searched ones, bool[n], which take longer."""
        batch = self.league.batch
        lineup = self.league.lineup
        indices_in_job = np.searchsorted(self._opponent_indices(), lineup.seats)
        seats = np.where(lineup.seats >= 0, indices_in_job, lineup.seats).astype(np.int32)
        size = GAMES_PER_SHARD if self._device_expert() is None else batch.n
        for searches in (True, False):
            games = np.flatnonzero(is_searched == searches)
            for first in range(0, len(games), size):
                rows = games[first : first + size]
                states = lineup.generators.states[rows]
                yield GameShard(rows, batch.save(rows), states, seats[rows], searches)

    def _begin_next_round(self, played: Sequence[PlayedShard]) -> None:
        """Begin the next games, whose random states continue those of the last round."""
        league = self.league
        batch = league.batch
        all_rows = np.arange(batch.n)
        records = batch.save(all_rows)
        for result in played:
            rows = result.shard.rows
            records["random"][rows] = result.random
            league.lineup.generators.states[rows] = result.generators
        league.record_results(FinishedGames(league.lineup.seats, batch.final_scores.copy()))
        batch.load(all_rows, records)
        batch.restart(all_rows)
        league.assign_seats(all_rows)

    def losses(self, minibatch: DecisionArrays) -> dict[str, torch.Tensor]:
        """Return the losses of the policy and the forecasts, and statistics."""
        tensors = {name: self._tensor(array) for name, array in minibatch.items()}
        prior = tensors["prior"]
        outputs = self.policy.outputs(tensors["observations"], tensors["masks"])
        policy = outputs.log_probabilities.exp()
        gain = (policy * tensors["advantages"]).sum(dim=1).mean()
        log_ratio = outputs.log_probabilities - prior.clamp(min=1e-30).log()
        divergence = (policy * log_ratio).sum(dim=1).mean()
        win_loss, score_loss = forecast_losses(
            outputs, tensors["players"], tensors["shares"], tensors["changes"]
        )
        return {
            # The loss is linear in the advantages, so that the noise of few playouts cancels over
            # many decisions. A target like prior * exp(advantage) would turn noise into entropy.
            "policy_loss": divergence - self.settings.target_sharpness * gain,
            "policy_gain": gain,
            "policy_kl": divergence,
            "win_loss": win_loss,
            "score_loss": score_loss,
        }


@dataclass(frozen=True)
class RoundGames:
    """The job of playing a round of games, with search or without, shard by shard.

    Attributes:
        agents: The expert, which holds the learner's seats, then the opponents.
        make_batch: Makes a batch from records (`Batch.maker`).
    """

    agents: AgentSet
    make_batch: Callable[[Records, int], Batch]

    def start(self) -> Callable[[GameShard], Iterator[Progress[PlayedShard]]]:
        """Return the function that plays a shard (`Job.start`)."""
        return self._play

    def _play(self, shard: GameShard) -> Iterator[Progress[PlayedShard]]:
        learner, *opponents = self.agents.entrants
        expert: Any = learner.agent
        seed = 0  # without effect, because the records have random states of their own
        batch = self.make_batch(shard.records, seed)
        generators = GameGenerators(shard.generators.copy())
        lineup = Lineup(
            [opponent.agent for opponent in opponents],
            shard.seats,
            generators,
            [opponent.name for opponent in opponents],
        )
        buffer = GameBuffer(batch)
        rows = np.arange(batch.n)  # the games that are not over
        steps = np.zeros(batch.n, np.int64)
        prior = np.zeros(batch.mask.shape, np.float32)
        waits = np.zeros(batch.n, np.bool_)  # whether a game waits for the search of a move
        while len(rows):
            asking = rows[~waits[rows]]
            asking = asking[lineup.to_move(batch, asking) == OUTSIDE]
            if len(asking):
                prior[asking] = expert.prior.probabilities(batch.obs[asking], batch.mask[asking])
            if not np.isfinite(prior[asking]).all():
                raise FloatingPointError(TOO_LARGE)
            if shard.is_searched:
                waits[asking] = prior[asking].max(axis=1) < expert.settings.near_certain

            # A search of many games at once is faster, so games wait until most others do.
            playing = rows[~waits[rows]]
            if len(playing) < LEAST_PLAYING * len(rows):
                playing = rows
                waits[:] = False
            is_own = lineup.to_move(batch, playing) == OUTSIDE
            own = playing[is_own]
            actions = np.empty(len(playing), np.int64)
            if len(own) < len(playing):
                actions[~is_own] = lineup.decide(batch, playing[~is_own])
            rng = lineup.generators[own]
            if shard.is_searched:
                searched = expert.look_ahead(InformationSets(batch, own), rng, prior[own])
                actions[is_own] = searched.actions
                advantages = search_advantages(searched)
            else:
                actions[is_own] = rng.choose(prior[own])
                advantages = np.zeros_like(prior[own])
            columns = {"actions": actions[is_own], "prior": prior[own], "advantages": advantages}
            buffer.add(steps[own], own, **columns)
            try:
                batch.step(actions, playing)
            except IllegalMove as fault:
                lineup.name_chooser(fault, batch)
                raise
            steps[playing] += 1
            ended = batch.done[playing]
            yield Progress(len(own), int(ended.sum()))
            rows = np.setdiff1d(rows, playing[ended], assume_unique=True)

        decisions = buffer.decisions()
        decisions["games"] = shard.rows[decisions["games"]]
        played = PlayedShard(
            shard=shard,
            random=batch.save(slice(None))["random"],
            generators=lineup.generators.states,
            scores=batch.final_scores,
            decisions=decisions,
        )
        yield Progress(result=played)


def search_advantages(searched: SearchResult) -> NDArray[np.float32]:
    """Return each move's value less the prior-weighted mean value of tried moves, float32[m, A].

    These are completed values (Danihelka et al. 2022): an untried move counts as that mean, so its
    advantage is 0. In a decision without search all advantages are 0.
    """
    advantages = np.zeros(searched.prior.shape, np.float32)
    rows = np.flatnonzero(searched.searched)
    tried = searched.visits[rows] > 0
    values = np.where(tried, searched.values[rows], 0.0)
    weights = np.where(tried, searched.prior[rows], 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    mean = (weights * values).sum(axis=1, keepdims=True) / total
    advantages[rows] = np.where(tried, values - mean, 0.0)
    return advantages


def join_decisions(played: Sequence[PlayedShard]) -> DecisionArrays:
    """Return the decisions of a round, sorted by step, then by game."""
    if len(played) == 1:  # those of a shard are sorted, and may fill much memory
        return played[0].decisions
    return join([shard.decisions for shard in played])
