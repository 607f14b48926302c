"""Expert iteration (Anthony et al. 2017): a network learns from games that its search played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_agents.identity import AgentSet
from shakespeare_agents.networks.network import Network
from shakespeare_agents.workers import Workers
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import Ended, League
from shakespeare_training.ppo.learner import SelfPlayLearner
from shakespeare_training.ppo.policy import forecast_losses
from shakespeare_training.searched_games import (
    Decisions,
    Examples,
    Part,
    Played,
    SearchedGames,
    Searching,
)

_GAMES_A_PART = 8
"""Games that one worker plays together, whatever the number of workers, since users' agents may
round differently in other batches."""


class _Halted(Exception):  # noqa: N818 - nothing has failed
    """The callback wants no more games."""


class ExpertIteration(SelfPlayLearner):
    """Learns from groups of games, which its search plays to their end, one after the other.

    What a group teaches does not depend on who plays it.

    Args:
        env: The games of a group; the next one goes on with their chance.
        league: Who has which seat; the learner's seats search.
        searching: How these seats search.
        warmup_decisions: The number of decisions to learn from before groups are searched, since
            untrained heads would mislead the search.
        target_sharpness: The coefficient of the policy's gain, beside its divergence from the one
            that played.
        **arguments: Arguments of `SelfPlayLearner`.

    Attributes:
        workers: The workers that play, by default this process.
    """

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        searching: Searching,
        warmup_decisions: int,
        target_sharpness: float,
        **arguments: Any,
    ) -> None:
        self.searching = searching
        self.warmup_decisions = warmup_decisions
        self.target_sharpness = target_sharpness
        self.workers: Workers = Workers()
        self._examples: Examples | None = None
        super().__init__(env, league, **arguments)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Have a group of games played, after a callback that may save the run.

        Returns:
            False if the callback stopped it.

        Raises:
            FloatingPointError: the network's numbers are too large to choose a move by.
            WorkerError: workers are lost.
        """
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.policy.set_training_mode(False)
        self._examples = None
        callback.on_rollout_start()
        league, learned, under_way = self.league, self.num_timesteps, 0
        parts: list[Played] = []

        nothing = np.zeros(0, np.int64)

        def go_on(rows: NDArray[np.int64] = nothing) -> None:
            """Let the callback know how far the group is, and which of its games have ended."""
            self.check_stop()
            done = sum(len(part.decisions.rows) for part in parts)
            self.num_timesteps = learned + done + under_way
            callback.update_locals({"ended": league.ended(rows)})
            if not callback.on_step():
                raise _Halted

        def tell(decisions: int, _games: int) -> None:
            nonlocal under_way
            under_way += decisions
            go_on()

        try:
            go_on()
            results = self.workers.run(self._job(), self._shards(), tell)
            try:
                for _, part in results:
                    parts.append(part)
                    under_way -= len(part.decisions.rows)
                    league.batch.final_scores[part.rows] = part.scores
                    go_on(part.rows)
            finally:
                results.close()
        except _Halted:
            return False
        self._examples = Decisions.joined([part.decisions for part in parts])
        self.num_timesteps = learned + self._examples.size
        self._begin_anew(parts)
        callback.on_rollout_end()
        return True

    def experts(self) -> list[AnyAgent]:
        """The search that it learns from, with the current network."""
        game = self.league.batch.game
        return [self.searching.expert(game, Network(self.policy.tensors(), game.layout))]

    @property
    def _seated(self) -> NDArray[np.int32]:
        """The opponents in the games, as indices of the league's."""
        seats = self.league.lineup.seats
        return np.unique(seats[seats >= 0])

    def _job(self) -> SearchedGames:
        met = [self.league.opponents[index] for index in self._seated]
        names, agents = [one.name for one in met], [one.agent for one in met]
        every: list[AnyAgent] = [*self.experts(), *agents]
        batch = self.league.batch
        travelling = AgentSet(batch.game, every, ["", *names])
        is_searched = self.num_timesteps >= self.warmup_decisions
        return SearchedGames(travelling, tuple(names), batch.maker(), is_searched)

    def _shards(self) -> Iterator[Part]:
        batch, lineup = self.league.batch, self.league.lineup
        seats = lineup.seats
        own = np.where(seats >= 0, np.searchsorted(self._seated, seats), seats).astype(np.int32)
        for rows in np.split(np.arange(batch.n), range(_GAMES_A_PART, batch.n, _GAMES_A_PART)):
            yield Part(rows, batch.save(rows), lineup.generators.states[rows], own[rows])

    def _begin_anew(self, parts: Sequence[Played]) -> None:
        """Count the results of a group, and begin the games of the next one."""
        league, batch = self.league, self.league.batch
        every = np.arange(batch.n)
        records = batch.save(every)
        scores = np.empty((batch.n, batch.game.max_seats), np.int16)
        for part in parts:
            records["random"][part.rows] = part.chance
            league.lineup.generators.states[part.rows] = part.generators
            scores[part.rows] = part.scores
        batch.load(every, records)
        league.record_results(Ended(league.lineup.seats, scores))
        batch.restart(every)
        league.assign_seats(every)

    def _minibatches(self) -> Iterator[Examples]:
        examples = self._examples
        assert examples is not None
        assert self.batch_size is not None
        parts = max(1, round(examples.size / self.batch_size))
        for chosen in np.array_split(self.rng.permutation(examples.size), parts):
            yield examples.rows(chosen)

    def _policy_loss(self, losses: Mapping[str, torch.Tensor]) -> torch.Tensor:
        # Linear in the advantages, so that the noise of few playouts cancels over many decisions;
        # a target like prior * exp(advantage) would turn it into entropy.
        return losses["policy_kl"] - self.target_sharpness * losses["policy_gain"]

    def _losses(self, minibatch: Examples) -> dict[str, torch.Tensor]:
        observations, masks, prior, gained, players, shares, changes = (
            torch.from_numpy(array).to(self.device) for array in minibatch
        )
        found = self.policy.outputs(observations, masks)
        policy = found.log_probabilities.exp()
        surprise = policy * (found.log_probabilities - prior.clamp(min=1e-30).log())
        win_loss, score_loss = forecast_losses(found, players, shares, changes)
        return {
            "policy_gain": (policy * gained).sum(dim=1).mean(),
            "policy_kl": surprise.sum(dim=1).mean(),
            "win_loss": win_loss,
            "score_loss": score_loss,
        }
