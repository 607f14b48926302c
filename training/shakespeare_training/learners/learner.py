"""The part that both learners (`PPO`, `ExpertIteration`) share: the network, league and updates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger

from shakespeare_agents.networks.threads import one_thread
from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.decisions import DecisionArrays, take
from shakespeare_training.learners.games import LearnerGames
from shakespeare_training.learners.league import FinishedGames, League
from shakespeare_training.networks.policy import Policy, PolicyMaker

_MAX_GRADIENT_NORM = 0.5  # for each of the network's parameter groups by itself
_MOST_LOGGED = 16  # size of the tensor of summed losses and statistics

Schedule = Callable[[float], float]
"""A coefficient as a function of the share of the run that remains, 1 to 0."""

GamesCallback = Callable[[FinishedGames], None]
"""Called during play with the games that have just finished. It may raise to stop playing."""


def linear(start: float, end: float) -> Schedule:
    """Return the schedule that goes from `start` to `end` over the run."""

    def at(progress_remaining: float) -> float:
        # The last rollout may overshoot the end, and the remaining share is then negative.
        return end + (start - end) * min(max(progress_remaining, 0.0), 1.0)

    return at


def never_stop() -> None:
    """Do nothing. This is the `check_stop` of a learner that nothing stops."""


def ignore_games(_finished: FinishedGames) -> None:
    """Do nothing with finished games."""


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """Settings that both learners have.

    Attributes:
        seed: Decides the initial weights and every draw.
        make_policy: Makes the network, and draws its initial weights.
        batch_size: Decisions per minibatch, approximately.
        n_epochs: Passes over the collected decisions in an update.
        learning_rate: Learning rate of Adam.
        vf_coef: Coefficient of the loss of the forecast changes of scores.
        win_coef: Coefficient of the loss of the forecast shares of the victory.
        target_kl: An update ends early at 1.5 times this KL divergence; None never ends it.
        device: The network's PyTorch device.
    """

    seed: int
    make_policy: PolicyMaker
    batch_size: int
    n_epochs: int
    learning_rate: Schedule
    vf_coef: float = 0.5
    win_coef: float = 0.5
    target_kl: float | None = None
    device: str = "cpu"


class Learner:
    """A network that learns from games against itself and a league of opponents.

    A subclass plays the games (`collect`), splits their decisions (`minibatches`) and defines the
    losses (`losses`). Nothing is drawn from a global generator.

    In a group of processes, each has a learner with games of its own. Their weights are equal at
    all times, because gradients are averaged over the decisions of all processes.

    Attributes:
        games: The games that the learner plays.
        settings: The learner's settings.
        league: The opponents, and the players at the seats.
        policy: The network, with the agents that play by it.
        num_timesteps: Decisions that the learners of all processes have made. While games are
            played, those of other processes are still missing.
        updates: Passes over collected decisions so far, up to `n_epochs` in a call of `train`.
        goal: The number of decisions at which schedules reach their end.
        open_decisions: Decisions whose consequences are not known yet: tensors by name, with one
            row for each decision. Only PPO has any (`Rollout`).
        group: The processes that learn together.
        rng: Generator that draws actions and shuffles minibatches.
        time_share: The share of the run's time limit that is used, 0 to 1.
        check_stop: Called often while playing and learning; raises to stop the learner.
        logger: Logger of Stable-Baselines3 for everything that is measured.
    """

    def __init__(
        self, games: LearnerGames, settings: LearnerSettings, group: ProcessGroup = ALONE
    ) -> None:
        self.games = games
        self.settings = settings
        self.group = group
        self.league: League = games.league
        self.device = torch.device(settings.device)
        # Process 0 draws as if it were alone, because zeros at the end do not change a seed.
        self.rng = np.random.default_rng([settings.seed, 0, group.rank])
        self.num_timesteps = 0
        self.updates = 0
        self.goal = math.inf
        self.open_decisions: dict[str, torch.Tensor] = {}
        self.time_share = 0.0
        self.check_stop: Callable[[], None] = never_stop
        self.logger = Logger(folder=None, output_formats=[])

        game = self.league.batch.game
        weights_seed = group.broadcast(int(self.rng.integers(2**62)))
        weights_rng = torch.Generator().manual_seed(weights_seed)
        with one_thread():  # so that the weights do not depend on the machine
            self.policy: Policy = settings.make_policy(game, weights_rng)
        self.policy.network.to(self.device)

        # On a GPU an update may be recorded as a CUDA graph (`device.Recorded`), which reads these
        # tensors at fixed addresses. So they are changed in place.
        on_gpu = self.device.type == "cuda"
        first_rate = settings.learning_rate(1.0)
        self._rate = torch.tensor(first_rate, device=self.device)
        self.optimizer = torch.optim.Adam(
            self.policy.parameters(),
            lr=self._rate if on_gpu else first_rate,
            eps=1e-5,
            fused=True,
            capturable=on_gpu,
        )
        # 1.0 once the KL divergence has ended the update early, else 0.0.
        self._stopped = torch.zeros((), device=self.device)
        # The number of minibatches, then the sums of their losses and statistics.
        self._sums = torch.zeros(_MOST_LOGGED, device=self.device)
        self._logged: list[str] = []  # the names of these losses and statistics

    @property
    def progress_remaining(self) -> float:
        """The share of the run that remains, by decisions or by time, whichever is less.

        It is below 0 once the run has passed its end.
        """
        return min(1.0 - self.num_timesteps / self.goal, 1.0 - self.time_share)

    def add_snapshot(self) -> None:
        """Add a snapshot of the network to the opponents."""
        tensors = self.policy.tensors()
        agent = self.policy.agent(tensors, greedy=False)
        self.league.add_snapshot(f"{self.num_timesteps}", agent, tensors, self.group)

    def experts(self) -> list[AnyAgent]:
        """Return the agents that the network learns from; PPO has none."""
        return []

    def learn(self, decisions: int) -> None:
        """Play and learn until at least this many more decisions are made.

        A run has a loop of its own, which also evaluates and saves (`runs.train`).
        """
        self.goal = self.num_timesteps + decisions
        while self.num_timesteps < self.goal:
            self.collect()
            self.train()

    def collect(self, on_games: GamesCallback = ignore_games) -> None:
        """Play the games of the next update, and agree with the other processes on the results.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
        """
        before = self.num_timesteps
        with one_thread():
            self.play(on_games)
        own = (self.num_timesteps - before, self.league.own_results)
        decisions, results = zip(*self.group.all_gather(own), strict=True)
        self.num_timesteps = before + sum(decisions)
        self.league.take_results(results)

    def play(self, on_games: GamesCallback = ignore_games) -> None:
        """Play this process's games of the next update.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
        """
        raise NotImplementedError

    def minibatches(self) -> Iterator[Any]:
        """Yield minibatches of the collected decisions in random order, for one pass."""
        raise NotImplementedError

    def count(self, minibatch: Any) -> int:
        """Return the number of decisions of a minibatch."""
        raise NotImplementedError

    def losses(self, minibatch: Any) -> dict[str, torch.Tensor]:
        """Return `policy_loss`, `win_loss` and `score_loss`, and further statistics to log."""
        raise NotImplementedError

    def _minibatches_of(self, count: int) -> int:
        """Return the number of minibatches for some decisions of this process.

        All processes must call it together, and get the same number.
        """
        all_decisions = int(self.group.all_reduce(torch.tensor(count)))
        return max(1, round(all_decisions / self.settings.batch_size))

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def train(self) -> None:
        """Update the network from the collected decisions, minibatch by minibatch."""
        rate = self.settings.learning_rate(self.progress_remaining)
        self.logger.record("train/learning_rate", rate)
        on_gpu = self.device.type == "cuda"
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate.fill_(rate) if on_gpu else rate

        self._stopped.zero_()
        self._sums.zero_()
        with one_thread():
            for minibatch in self._passes():
                self._learn_from(minibatch)
                self.check_stop()
                # On a GPU, reading the value would wait for it. There the optimiser skips its
                # steps.
                if not on_gpu and self._stopped > 0:
                    break

        count, *totals = self._sums.tolist()
        for name, total in zip(self._logged, totals, strict=False):  # `totals` has unused entries
            self.logger.record(f"train/{name}", total / count)
        self.logger.record("train/minibatches", int(count))

    def _passes(self) -> Iterator[Any]:
        for _ in range(self.settings.n_epochs):
            self.updates += 1
            yield from self.minibatches()

    def _learn_from(self, minibatch: Any) -> None:
        settings = self.settings
        losses = self.losses(minibatch)
        loss = losses["policy_loss"] + settings.vf_coef * losses["score_loss"]
        loss = loss + settings.win_coef * losses["win_loss"]
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        addends = torch.stack([torch.ones_like(self._stopped), *losses.values()]).detach()
        gradients = []
        for weights in self.policy.parameters():
            if weights.grad is None and self.group.size > 1:
                # A network of a user's may leave out other parameters in another process.
                weights.grad = torch.zeros_like(weights)
            if weights.grad is not None:
                gradients.append(weights.grad)
        self.group.all_average([addends, *gradients], weight=self.count(minibatch))

        self._logged = list(losses)
        self._sums[: len(addends)] += addends * (1.0 - self._stopped)
        if settings.target_kl is not None:
            approx_kl = addends[1 + self._logged.index("approx_kl")]
            is_too_far = approx_kl > 1.5 * settings.target_kl
            self._stopped.copy_(torch.maximum(self._stopped, is_too_far.float()))
            # Adam skips its step where this is 1, so a GPU need not be waited for.
            self.optimizer.found_inf = self._stopped  # type: ignore[attr-defined]
            if self._stopped.device.type == "cpu" and self._stopped > 0:
                return

        for parameters in self.policy.parameter_groups():
            torch.nn.utils.clip_grad_norm_(parameters, _MAX_GRADIENT_NORM)
        self.optimizer.step()


class RoundLearner(Learner):
    """A learner that plays a round of games to their end before it learns from them.

    Attributes:
        decisions: The decisions of the round; None before one is played.
    """

    def __init__(
        self, games: LearnerGames, settings: LearnerSettings, group: ProcessGroup = ALONE
    ) -> None:
        super().__init__(games, settings, group)
        self.decisions: DecisionArrays | None = None

    def minibatches(self) -> Iterator[DecisionArrays]:
        """Yield the round's decisions in random order, in minibatches of about equal size."""
        decisions = self.decisions
        assert decisions is not None
        count = len(decisions["games"])
        order = self.rng.permutation(count)
        for indices in np.array_split(order, self._minibatches_of(count)):
            yield take(decisions, indices)

    def count(self, minibatch: DecisionArrays) -> int:
        """Return the number of decisions of a minibatch."""
        return len(minibatch["games"])
