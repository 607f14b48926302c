"""The games that a learner plays on a GPU, and its opponents there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from shakespeare_agents.heuristics.best_action import BestAction
from shakespeare_agents.networks.network import ILLEGAL, input_scale
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_env.compile.device import device_words, launch
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.errors import DeviceError
from shakespeare_env.play.lineup import OUTSIDE
from shakespeare_training.league import Ended, League, Opponent
from shakespeare_training.ppo.device_kernels import rules_of_thumb_on_device, seat_on_device
from shakespeare_training.ppo.games import Progress

Weights = Mapping[str, torch.Tensor]
Chooser = Callable[["DeviceGames", torch.Tensor, int], torch.Tensor]
"""(games, int32[n] who is to move, an agent's index) -> int64[n], its actions where it is."""


class DeviceGames:
    """The games of a league on a GPU; see `Games`.

    Nothing waits for the GPU within a rollout of `n_steps` steps: networks are asked about every
    game, and what ended is read at its end.  Between rollouts the league's seats and generators are
    those of the games here.

    Raises:
        DeviceError: an agent of the league plays on the processor alone.
    """

    def __init__(self, league: League, n_steps: int, device: torch.device) -> None:
        self.league = league
        host = league.batch
        named = enumerate(league.named)
        self._named = {index: _chooser(opponent, host.game, device) for index, opponent in named}
        self._snapshots: dict[Opponent, Chooser] = {}
        self._playing: dict[int, Chooser] = {}
        self.batch = DeviceBatch(
            host.game.name, host.n, players=host.players, device=device, reward="score"
        )
        device = self.batch.device
        self.batch.load(slice(None), host.save(slice(None)))
        self.players = self.batch.players.long()
        self.obs, self.mask, self.to_move = self.batch.obs, self.batch.mask, self.batch.to_move
        self.rewards, self.done = self.batch.rewards, self.batch.done
        self.final_winners = self.batch.final_winners
        self.chance = torch.Generator(device)
        self._seats = torch.from_numpy(league.lineup.seats).to(device, copy=True)
        states = league.lineup.generators.states.view(np.int64)
        self._states = torch.from_numpy(states).to(device, copy=True)
        self._weights = torch.from_numpy(league.weights).to(device)
        self._by_kind = torch.from_numpy(league.opponents_by_kind()).to(device)
        shape = n_steps, host.n
        self._done_log = torch.zeros(shape, dtype=torch.bool, device=device)
        self._own_log = torch.zeros_like(self._done_log)
        self._seats_log = torch.zeros(
            (*shape, host.game.max_seats), dtype=torch.int32, device=device
        )
        self._scores_log = torch.zeros_like(self._seats_log, dtype=torch.int16)
        self._steps = 0

    @property
    def waiting(self) -> torch.Tensor:
        """int32[n]: who is to move (`Lineup`)."""
        return self._seats.gather(1, self.to_move.long()[:, None]).squeeze(1)

    @property
    def own(self) -> torch.Tensor:
        """See `Games`."""
        return self.waiting == OUTSIDE

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """See `Games`."""
        self.chance.manual_seed(int(rng.integers(2**62)))
        self._steps = 0
        league, device = self.league, self.batch.device
        self._seats.copy_(torch.from_numpy(league.lineup.seats))
        states = league.lineup.generators.states.view(np.int64)
        self._states.copy_(torch.from_numpy(states))
        by_kind = league.opponents_by_kind()
        self._by_kind.copy_(torch.from_numpy(by_kind))
        seated = {*np.unique(league.lineup.seats).tolist(), *by_kind.tolist()}
        self._playing, before, self._snapshots = {}, self._snapshots, {}
        for index, opponent in enumerate(league.opponents):
            if index in self._named:
                self._playing[index] = self._named[index]
            elif index in seated:
                chooser = before.get(opponent) or _chooser(opponent, league.batch.game, device)
                self._snapshots[opponent] = self._playing[index] = chooser

    def asked(self) -> torch.Tensor | slice:
        """All games: to know the learner's own, one would have to wait."""
        return slice(None)

    def draw(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """The first of exponential clocks that run as fast as actions are likely."""
        return drawn(log_probabilities, self.chance)

    def opponents_think(self) -> None:
        """See `Games`; they are asked in `opponents_act`, as the GPU does one thing at a time."""

    def opponents_act(self, actions: torch.Tensor) -> torch.Tensor:
        """See `Games`."""
        if self._playing:
            waiting = self.waiting
            for index, chooser in self._playing.items():
                chosen = chooser(self, waiting, index)
                actions = torch.where(waiting == index, chosen, actions)
        return actions

    def rules_of_thumb(self, agent: BestAction, waiting: torch.Tensor, index: int) -> torch.Tensor:
        """int64[n]: the choices of a `BestAction` where it is to move."""
        chosen = torch.zeros_like(waiting, dtype=torch.int64)
        kernel = rules_of_thumb_on_device(f"{agent.owner}-device", agent.best)
        seen = self.obs, self.mask, device_words(self._states)
        launch(kernel, len(chosen), self.batch.device, *seen, waiting, index, chosen)
        return chosen

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """See `Games`; an illegal action is known at the end of the rollout."""
        batch, now = self.batch, self._steps % len(self._done_log)
        self._own_log[now] = self.own
        batch.step(actions, None if rows is None else torch.from_numpy(rows).to(batch.device))
        self._done_log[now] = self.done
        self._seats_log[now] = self._seats
        self._scores_log[now] = batch.final_scores
        own = self._states, self._weights, self._by_kind, batch.players, self._seats
        seat_on_device(self.done, *own)
        self._steps += 1

    def progress(self) -> Progress:
        """See `Games`."""
        nothing = self.league.ended(np.zeros(0, np.int64))
        if self._steps < len(self._done_log):
            return Progress(0, nothing)
        self.batch.synchronize()
        steps, games = torch.nonzero(self._done_log, as_tuple=True)
        logs = self._seats_log, self._scores_log
        ended = Ended(*(log[steps, games].cpu().numpy() for log in logs))
        self.league.record_results(ended)
        lineup = self.league.lineup
        lineup.seats[:] = self._seats.cpu().numpy()
        lineup.generators.states[:] = self._states.cpu().numpy().view(np.uint64)
        return Progress(int(self._own_log.sum()), ended)

    def save(self) -> torch.Tensor:
        """See `Games`."""
        return self.batch.records.clone()

    def load(self, records: Records) -> None:
        """See `Games`."""
        self.league.batch.load(slice(None), records)
        self.batch.load(slice(None), records)


def drawn(log_probabilities: torch.Tensor, chance: torch.Generator) -> torch.Tensor:
    """int64[m]: an action by the log-probabilities of each of m decisions, float32[m, A]."""
    clocks = torch.empty_like(log_probabilities).exponential_(generator=chance)
    return (log_probabilities - clocks.log()).argmax(dim=1)


def _chooser(opponent: Opponent, game: Game, device: torch.device) -> Chooser:
    agent: Any = opponent.agent
    if isinstance(agent, BestAction):
        return partial(_by_rules_of_thumb, agent)
    if isinstance(agent, NetworkAgent):
        tensors = agent.network.in_box(0).tensors
        weights = {name: torch.from_numpy(it).to(device) for name, it in tensors.items()}
        scale = torch.from_numpy(input_scale(game.inputs)).to(device)
        weights["trunk.weight"] = weights["trunk.weight"] * scale
        return partial(_by_network, weights, agent.greedy)
    raise DeviceError(
        f"the opponent {opponent.name!r} plays on the processor alone; a league on a GPU takes "
        "networks and rules of thumb: leave it out of the setting opponents, or use --device cpu"
    )


def _by_rules_of_thumb(
    agent: BestAction, games: DeviceGames, waiting: torch.Tensor, index: int
) -> torch.Tensor:
    return games.rules_of_thumb(agent, waiting, index)


def _by_network(
    weights: Weights, greedy: bool, games: DeviceGames, waiting: torch.Tensor, index: int
) -> torch.Tensor:
    logits = legal_logits(weights, games.obs, games.mask)
    return logits.argmax(dim=1) if greedy else games.draw(logits)


def legal_logits(weights: Weights, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """float32[n, A]: `Network.logits` of legal actions, with weights of the unscaled input."""

    def linear(name: str, hidden: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])

    size = weights["norm.bias"].shape
    with torch.autocast(observations.device.type, torch.bfloat16), torch.no_grad():
        hidden = linear("trunk", observations.to(torch.bfloat16))
        norm = weights["norm.weight"], weights["norm.bias"]
        hidden = nn.functional.layer_norm(hidden, size, *norm).relu()
        logits = linear("action", linear("policy", hidden).relu())
    return logits.float().masked_fill(~masks, float(ILLEGAL))
