"""The games that a learner plays on a GPU, its opponents there, and work recorded for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from shakespeare_agents.capabilities import PlaysOnDevice, RulePolicy
from shakespeare_agents.networks.network import ILLEGAL, Tensors, input_scale
from shakespeare_env.compile.decorators import rule
from shakespeare_env.compile.device import device_words, launch
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.errors import DeviceError, IllegalMove
from shakespeare_env.play.generators import next_unit
from shakespeare_env.play.lineup import OUTSIDE
from shakespeare_training.games import TOO_LARGE, Progress
from shakespeare_training.league import Ended, League, Opponent, seat_players

_ILLEGAL = float(ILLEGAL)
Weights = Mapping[str, torch.Tensor]
Chooser = Callable[["DeviceGames", torch.Tensor, int], torch.Tensor]
"""(games, int32[n] who is to move, an agent's index) -> int64[n], its actions where it is."""


class DeviceGames:
    """The games of a league on a GPU; see `HostGames`.

    Nothing waits for the GPU within a rollout of `n_steps` steps: networks are asked about every
    game, and what ended is read at its end.  Between rollouts the league's seats and generators are
    those of the games here.

    Raises:
        DeviceError: an agent of the league plays on the CPU only.
    """

    def __init__(self, league: League, n_steps: int, device: torch.device) -> None:
        self.league = league
        host = league.batch
        named = enumerate(league.named)
        self._named = {index: _chooser(opponent, host.game, device) for index, opponent in named}
        self._slots: list[_Slot] = []
        self._in_use = 0
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
        self.states = torch.from_numpy(states).to(device, copy=True)
        self._weights = torch.from_numpy(league.weights).to(device)
        self._by_kind = torch.from_numpy(league.opponents_by_kind()).to(device)
        shape = n_steps, host.n
        self._done_log = torch.zeros(shape, dtype=torch.bool, device=device)
        self._own_log = torch.zeros_like(self._done_log)
        self._seats_log = torch.zeros(
            (*shape, host.game.max_seats), dtype=torch.int32, device=device
        )
        self._scores_log = torch.zeros_like(self._seats_log, dtype=torch.int16)
        self._step = 0
        self._recorded: dict[int, Recorded] = {}

    @property
    def waiting(self) -> torch.Tensor:
        """int32[n]: who is to move (`Lineup`)."""
        return self._seats.gather(1, self.to_move.long()[:, None]).squeeze(1)

    @property
    def own(self) -> torch.Tensor:
        """See `HostGames`."""
        return self.waiting == OUTSIDE

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """See `HostGames`."""
        self.chance.manual_seed(int(rng.integers(2**62)))
        if self._step:  # games went on since the last rollout
            self._tell_seats()
        league, device = self.league, self.batch.device
        lineup, by_kind = league.lineup, league.opponents_by_kind()
        self._seats.copy_(torch.from_numpy(lineup.seats))
        self.states.copy_(torch.from_numpy(lineup.generators.states.view(np.int64)))
        self._by_kind.copy_(torch.from_numpy(by_kind))
        seated = {*np.unique(lineup.seats).tolist(), *by_kind.tolist()}
        playing = [index for index in seated if index >= len(self._named)]
        self._in_use = len(playing)
        while len(self._slots) < self._in_use:
            self._slots.append(_Slot(league.opponents[playing[0]], league.batch.game, device))
        for slot, index in zip(self._slots, playing, strict=False):
            slot.hold(league.opponents[index], index)

    def asked(self) -> torch.Tensor | slice:
        """All games: to know the learner's own, one would have to wait."""
        return slice(None)

    def draw(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """The first of exponential clocks that run as fast as actions are likely."""
        clocks = torch.empty_like(log_probabilities).exponential_(generator=self.chance)
        return (log_probabilities - clocks.log()).argmax(dim=1)

    def opponents_act(self, actions: torch.Tensor) -> torch.Tensor:
        """See `HostGames`."""
        waiting = self.waiting
        for index, chooser in self._named.items():
            actions = torch.where(waiting == index, chooser(self, waiting, index), actions)
        for slot in self._slots[: self._in_use]:
            chosen = self.draw(legal_logits(slot.weights, self.obs, self.mask))
            actions = torch.where(waiting == slot.index, chosen, actions)
        return actions

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """See `HostGames`; an illegal action is known at the end of the rollout."""
        batch, now = self.batch, self._step % len(self._done_log)
        self._own_log[now] = self.own
        batch.step(actions, None if rows is None else torch.from_numpy(rows).to(batch.device))
        self._done_log[now] = self.done
        self._seats_log[now] = self._seats
        self._scores_log[now] = batch.final_scores
        states = device_words(self.states)
        given = self.done, states, self._weights, self._by_kind, batch.players, self._seats
        launch(_seat_if_new, "training", "seats", batch.n, batch.device, *given)
        self._step += 1

    def rollout(self, play: Callable[[int], None], steps: int) -> Iterator[Progress]:
        """See `HostGames`; it is one CUDA graph, for each number of snapshots in it."""

        def play_all() -> None:
            for step in range(steps):
                play(step)

        recorded = self._recorded.setdefault(self._in_use, Recorded(play_all, self.chance))
        recorded()
        yield self._progress()

    def _progress(self) -> Progress:
        try:
            self.batch.synchronize()
        except IllegalMove as fault:  # opponents here have weights that were checked
            raise FloatingPointError(TOO_LARGE) from fault
        steps, games = torch.nonzero(self._done_log, as_tuple=True)
        logs = self._seats_log, self._scores_log
        ended = Ended(*(log[steps, games].cpu().numpy() for log in logs))
        self.league.record_results(ended)
        self._tell_seats()
        return Progress(int(self._own_log.sum()), ended)

    def _tell_seats(self) -> None:
        self._step = 0
        lineup = self.league.lineup
        lineup.seats[:] = self._seats.cpu().numpy()
        lineup.generators.states[:] = self.states.cpu().numpy().view(np.uint64)

    def save(self) -> torch.Tensor:
        """See `HostGames`."""
        return self.batch.records.clone()

    def load(self, records: Records) -> None:
        """See `HostGames`."""
        self.league.batch.load(slice(None), records)
        self.batch.load(slice(None), records)


@rule
def _seat_if_new(
    game: int, is_new: Any, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any
) -> None:
    if is_new[game]:
        seat_players(game, states, weights, by_kind, players, seats)


@cache
def _where_waiting(best: Callable[[Any, Any, float], int]) -> Callable[..., None]:
    """Return a rule that chooses in the games in which agent `index` is to move."""

    @rule
    def choose(
        game: int, seen: Any, masks: Any, states: Any, waiting: Any, index: int, actions: Any
    ) -> None:
        if waiting[game] == index:
            actions[game] = best(seen[game], masks[game], next_unit(states, game))

    return choose


class _Slot:
    """Room for the weights of a snapshot, which recorded rollouts read from where they are.

    Attributes:
        weights: The weights.
        index: int32[], the snapshot's among the league's opponents.
    """

    def __init__(self, like: Opponent, game: Game, device: torch.device) -> None:
        self._holds: Opponent | None = None
        self._scale = torch.from_numpy(input_scale(game.layout)).to(device)
        self.weights = _weights(like.tensors, self._scale)
        self.index = torch.zeros((), dtype=torch.int32, device=device)

    def hold(self, snapshot: Opponent, index: int) -> None:
        self.index.fill_(index)
        if self._holds is not snapshot:
            self._holds = snapshot
            for name, tensor in _weights(snapshot.tensors, self._scale).items():
                self.weights[name].copy_(tensor)


def _weights(tensors: Tensors | None, scale: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return a network's weights on the device of its input's scale, as `legal_logits` reads them.

    Snapshots always have tensors.
    """
    assert tensors is not None
    weights = {name: torch.from_numpy(it).to(scale.device) for name, it in tensors.items()}
    weights["trunk.weight"] = weights["trunk.weight"] * scale
    return {name: it.bfloat16() if it.ndim == 2 else it for name, it in weights.items()}


def _chooser(opponent: Opponent, game: Game, device: torch.device) -> Chooser:
    if not isinstance(opponent.agent, PlaysOnDevice):
        raise DeviceError(
            f"the opponent {opponent.name!r} plays on the CPU only; a league on a GPU takes "
            "networks and heuristics. Leave it out of the setting opponents, or use --device cpu"
        )
    policy = opponent.agent.device_policy()
    if isinstance(policy, RulePolicy):
        return partial(_by_rule, policy)
    weights = _weights(policy.tensors, torch.from_numpy(input_scale(game.layout)).to(device))
    return partial(_by_network, weights, policy.greedy)


def _by_rule(
    policy: RulePolicy, games: DeviceGames, waiting: torch.Tensor, index: int
) -> torch.Tensor:
    chosen = torch.zeros_like(waiting, dtype=torch.int64)
    row = _where_waiting(policy.choose)
    given = games.obs, games.mask, device_words(games.states), waiting, index, chosen
    launch(row, policy.owner, "an agent's heuristic", len(chosen), games.batch.device, *given)
    return chosen


def _by_network(
    weights: Weights, greedy: bool, games: DeviceGames, _waiting: torch.Tensor, _index: int
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
    return logits.float().masked_fill(~masks, _ILLEGAL)


class Recorded:
    """A function of tensors, recorded as a CUDA graph, without the Python around it.

    The first calls do the work as it comes, which compiles what it needs.

    Args:
        work: It takes a named tuple of tensors, or nothing, and must not wait for the GPU.
        chance: A generator that it draws from.
        before: Calls before it is recorded.
    """

    def __init__(
        self, work: Callable[..., None], chance: torch.Generator | None = None, before: int = 1
    ) -> None:
        self._work = work
        self._chance = chance
        self._before = before
        self._given: tuple[Any, ...] = ()
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *given: Any) -> None:
        """Do the work."""
        if self._before > 0 or not torch.cuda.is_available():
            self._before -= 1
            self._work(*given)
            return
        if self._graph is None:
            # It reads from where these are.
            self._given = tuple(part._make(map(_copy, part)) for part in given)
            self._graph = torch.cuda.CUDAGraph()
            if self._chance is not None:
                self._graph.register_generator_state(self._chance)
            with torch.cuda.graph(self._graph):
                self._work(*self._given)
        for kept, part in zip(self._given, given, strict=True):
            for here, there in zip(kept, part, strict=True):
                if isinstance(here, torch.Tensor):
                    here.copy_(there)
        self._graph.replay()


def _copy(part: Any) -> Any:
    return part.clone() if isinstance(part, torch.Tensor) else part
