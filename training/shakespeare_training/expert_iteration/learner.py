"""Expert iteration: the network learns from games that its own search has played."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from shakespeare_agents.networks.network import Network
from shakespeare_agents.portable import AgentSet
from shakespeare_agents.workers import ThisProcess, Workers
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.expert_iteration.games import Examples, unpacked
from shakespeare_training.expert_iteration.groups import Groups, Order
from shakespeare_training.expert_iteration.playing import Played, SearchedGames, Searching
from shakespeare_training.league import Ended, League
from shakespeare_training.ppo.learner import SelfPlayLearner
from shakespeare_training.ppo.policy import forecast_losses


def orders_of(learner: SelfPlayLearner) -> Sequence[Order]:
    """The orders of a learner's groups ahead, if it has any; see `ExpertIteration.orders`."""
    return learner.orders if isinstance(learner, ExpertIteration) else ()


class _Halted(Exception):  # noqa: N818 - nothing has failed
    """The callback wants no more games."""


class ExpertIteration(SelfPlayLearner):
    """Learns from groups of games, which its search plays to their end, one after the other.

    While it learns from a group, `groups_ahead` later ones may be played: group k with the weights
    after update k - 1 - `groups_ahead`. The examples of a game are fixed when it is over, so it may
    be played by older weights. They do not depend on who plays it.

    Args:
        env: The games of `groups_ahead` + 1 groups. Group k is played by those of place k modulo
            that, and goes on with the chance of the last group there.
        league: Who has which seat; the learner's seats search.
        groups_ahead: See above.
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
        groups_ahead: int,
        searching: Searching,
        warmup_decisions: int,
        target_sharpness: float,
        **arguments: Any,
    ) -> None:
        self.groups_ahead = groups_ahead
        self.searching = searching
        self.warmup_decisions = warmup_decisions
        self.target_sharpness = target_sharpness
        self.workers: Workers = ThisProcess()
        self._orders: deque[Order] = deque()
        self._groups: Groups | None = None
        self._given = 0
        self._examples: Examples | None = None
        super().__init__(env, league, **arguments)

    @property
    def orders(self) -> Sequence[Order]:
        """The orders of the groups ahead, the next first; only valid between two rollouts."""
        self._order_until(self.groups_ahead)
        return list(self._orders)[: self.groups_ahead]

    @orders.setter
    def orders(self, orders: Sequence[Order]) -> None:
        self._orders = deque(orders)

    def learn(self, *arguments: Any, **options: Any) -> Self:
        """See `MaskablePPO.learn`; in the end groups ahead are dropped, to be played again."""
        try:
            return super().learn(*arguments, **options)
        finally:
            self._drop_groups()

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Take the next group of games, after a callback that may save the run.

        Returns:
            False if the callback stopped it.

        Raises:
            FloatingPointError: the network's numbers are too large to choose a move by.
            WorkerError: workers are lost again and again.
        """
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.policy.set_training_mode(False)
        self._examples = None
        self._order_until(self.groups_ahead)
        callback.on_rollout_start()
        league, number, learned = self.league, self._number, self.num_timesteps
        nothing = league.ended(np.zeros(0, np.int64))

        def follow(made: int, ended: Ended = nothing) -> None:
            self.check_stop()
            self.num_timesteps = learned + made
            callback.update_locals({"ended": ended})
            if not callback.on_step():
                raise _Halted

        parts: list[Played] = []
        try:
            follow(0)
            self._order_until(self.groups_ahead + 1)
            groups = self._begun()
            for part in groups.take(number, follow):
                parts.append(part)
                seats = league.lineup.seats[self._rows(number)[part.rows]]
                follow(groups.made(number), Ended(seats, part.scores))
        except _Halted:
            self._drop_groups()
            return False
        self._orders.popleft()
        self._examples = self._taken(parts)
        callback.on_rollout_end()
        return True

    def experts(self) -> list[AnyAgent]:
        """The search that it learns from, with the current network."""
        game = self.league.batch.game
        network = Network(self.policy.tensors(), game.layout, ())
        return [self.searching.expert(game, network)]

    @property
    def _number(self) -> int:
        """The number of the next group to learn from."""
        return self.league.finished // self._size

    @property
    def _size(self) -> int:
        """The number of games in a group."""
        return self.league.batch.n // (self.groups_ahead + 1)

    def _rows(self, number: int) -> NDArray[np.int64]:
        """The games of a group."""
        return number % (self.groups_ahead + 1) * self._size + np.arange(self._size)

    def _order_until(self, count: int) -> None:
        """Order groups to be played with the current weights, until there are `count` orders."""
        while len(self._orders) < count:
            is_searched = self.num_timesteps >= self.warmup_decisions
            self._orders.append(Order(self.policy.tensors(), is_searched))

    def _begun(self) -> Groups:
        """The groups, once all orders are given to the workers."""
        if self._groups is None:
            named, batch = self.league.named, self.league.batch
            names = [opponent.name for opponent in named]
            agents = AgentSet(batch.game, [one.agent for one in named], names, self.workers)
            job = SearchedGames(agents, tuple(names), batch.maker(), self.searching)
            self._groups, self._given = Groups(self.workers, job), self._number
        for number, order in enumerate(self._orders, self._number):
            if number >= self._given:
                self._groups.give(number, order, self.league, self._rows(number))
        self._given = self._number + len(self._orders)
        return self._groups

    def _drop_groups(self) -> None:
        if self._groups is not None:
            self._groups.close()
            self._groups = None

    def _taken(self, parts: Sequence[Played]) -> Examples:
        """The examples of a group; its results are counted, and the games begin anew."""
        league, batch, rows = self.league, self.league.batch, self._rows(self._number)
        records = batch.save(rows)
        scores = np.empty((len(rows), batch.game.max_seats), np.int16)
        for part in parts:
            records["random"][part.rows] = part.chance
            league.lineup.generators.states[rows[part.rows]] = part.generators
            scores[part.rows] = part.scores
        batch.load(rows, records)
        league.record_results(Ended(league.lineup.seats[rows], scores))
        batch.restart(rows)
        league.assign_seats(rows)
        game, decisions = batch.game, [part.decisions for part in parts]
        return unpacked(decisions, game.layout.size, game.actions.size, game.max_seats)

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
