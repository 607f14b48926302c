"""Expert iteration: a network learns what a search over it plays, and how the games end.

Anthony, Tian and Barber 2017, "Thinking fast and slow with deep learning and tree search".
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv
from torch.nn import functional

from shakespeare_agents.network import ILLEGAL, Network
from shakespeare_agents.search.agent import Plan, SearchAgent
from shakespeare_agents.search.making import network_search
from shakespeare_env.agent import AnyAgent
from shakespeare_env.game import Game
from shakespeare_env.information_sets import InformationSets
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.expert_iteration.advantages import advantages
from shakespeare_training.expert_iteration.games import Examples, GameLog
from shakespeare_training.expert_iteration.policy import ForecastingPolicy
from shakespeare_training.league import League
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments
from shakespeare_training.ppo.self_play import SelfPlayPPO

_AT_ONCE = 128
"""Games searched before a stop is heeded; changes no result."""


class ExpertIteration(SelfPlayPPO):
    """Plays all games of its batch to the end with search, then learns from them; and again.

    Everything a game leaves to learn is fixed when it is over: the weights that played it may be
    older than those that learn.

    Args:
        env: The games.
        league: Who has which seat; the learner's seats search.
        plan: How a move is searched.
        horizon: Of playouts, as is `temperature` (`playouts_of`).
        threads: That share the playouts; they change no result.
        warmup_decisions: Decisions played by the policy alone at first, from which heads that know
            nothing learn.
        win_coef: Of the loss of the shares of the victory.
        target_sharpness: Of the policy's gain, beside its divergence from the one that played.
        **arguments: Of `SelfPlayPPO`.
    """

    network: ClassVar[type[PolicyNetwork]] = ForecastingPolicy
    log_every: ClassVar[int] = 1
    policy: ForecastingPolicy

    def __init__(
        self,
        env: SB3SelfPlayVecEnv,
        league: League,
        *,
        plan: Plan,
        horizon: int,
        temperature: float,
        threads: int,
        warmup_decisions: int,
        win_coef: float,
        target_sharpness: float,
        **arguments: Any,
    ) -> None:
        self.plan = plan
        self.horizon = horizon
        self.temperature = temperature
        self.threads = threads
        self.warmup_decisions = warmup_decisions
        self.win_coef = win_coef
        self.target_sharpness = target_sharpness
        self._examples: Examples | None = None
        super().__init__(env, league, **arguments)

    def network_arguments(self, width: int, game: Game) -> dict[str, Any]:
        """The `policy_kwargs` of the network."""
        return {**policy_arguments(width, game.layout), "seats": game.max_seats}

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play every game to its end, after a callback that may save the run.

        Returns:
            False if the callback stopped it.

        Raises:
            FloatingPointError: the network's numbers are too large to choose a move by.
        """
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        league, batch = self.league, self.league.batch
        expert = self._expert()
        log = GameLog(batch)
        every = np.arange(batch.n)
        rows = every
        while len(rows):
            own = league.learner_decides()[rows]
            actions = np.empty(len(rows), np.int64)
            if not own.all():
                actions[~own] = league.decide(rows[~own])
            if own.any():
                actions[own] = self._search(expert, log, rows[own])
            batch.step(actions, rows)
            dones = batch.done
            self.num_timesteps += int(own.sum())
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            rows = rows[~dones[rows]]
        self._examples = log.examples()
        league.record_results(every)
        batch.restart(every)
        league.assign_seats(every)
        self.continue_from(batch.obs)
        callback.on_rollout_end()
        return True

    def experts(self) -> list[AnyAgent]:
        """The search that it learns from, with the network as it is now."""
        return [self._expert()]

    def _expert(self) -> SearchAgent:
        network = Network(self.policy.tensors(), self.league.batch.game.layout)
        return network_search(
            self.league.batch.game,
            network,
            self.plan,
            horizon=self.horizon,
            temperature=self.temperature,
            threads=self.threads,
        )

    def _search(
        self, expert: SearchAgent, log: GameLog, rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The learner's actions in some games, noted with what it is to learn from them."""
        parts = np.split(rows, range(_AT_ONCE, len(rows), _AT_ONCE))
        found = [self._searched(expert, part) for part in parts]
        actions, prior, gained = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        if not np.isfinite(prior).all():
            raise FloatingPointError("the network's numbers are too large to choose a move by")
        log.add(rows, prior, gained)
        return actions

    def _searched(
        self, expert: SearchAgent, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Actions in some games, int64[m], prior and advantages, float32[m, A] each."""
        self.check_stop()
        rng = self.league.lineup.generators[rows]
        games = InformationSets(self.league.batch, rows)
        if self.num_timesteps < self.warmup_decisions:
            prior = expert.prior.probabilities(games.observations, games.masks)
            return rng.choose(prior), prior, np.zeros_like(prior)
        found = expert.look_ahead(games, rng)
        return found.actions, found.prior.astype(np.float32), advantages(found)

    def train(self) -> None:
        """Learn from the games just played."""
        assert self._examples is not None
        examples, self._examples = self._examples, None
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        assert self.batch_size is not None
        parts = max(1, round(examples.size / self.batch_size))
        for _ in range(self.n_epochs):
            sums: dict[str, float] = {}
            for chosen in np.array_split(self.rng.permutation(examples.size), parts):
                losses = self._losses(examples.rows(chosen))
                # Linear in the advantages, so that the noise of few playouts cancels over many
                # decisions; a target like prior * exp(advantage) would turn it into entropy.
                loss = losses["policy_kl"] - self.target_sharpness * losses["policy_gain"]
                loss = loss + self.vf_coef * (losses["value_loss"] + losses["score_loss"])
                loss = loss + self.win_coef * losses["win_loss"]
                self.policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                for name, part in losses.items():
                    sums[name] = sums.get(name, 0.0) + part.item() / parts
            self._n_updates += 1
        for name, mean in sums.items():
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _losses(self, examples: Examples) -> dict[str, torch.Tensor]:
        observations, masks, prior, gained, players, shares, changes = (
            torch.from_numpy(array).to(self.device) for array in examples
        )
        found = self.policy.heads(observations, masks)
        policy = found.log_probabilities.exp()
        surprise = policy * (found.log_probabilities - prior.clamp(min=1e-30).log())
        present = torch.arange(shares.shape[1], device=self.device) < players[:, None]
        log_shares = found.win_logits.masked_fill(~present, float(ILLEGAL)).log_softmax(dim=1)
        several = (players > 1).float()
        misses = functional.mse_loss(found.scores, changes, reduction="none") * present
        return {
            "policy_gain": (policy * gained).sum(dim=1).mean(),
            "policy_kl": surprise.sum(dim=1).mean(),
            "value_loss": functional.mse_loss(found.values, changes[:, 0]),
            "win_loss": -((shares * log_shares).sum(dim=1) * several).sum()
            / several.sum().clamp(min=1.0),
            "score_loss": misses.sum() / present.sum(),
        }
