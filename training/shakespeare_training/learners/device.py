"""A learner's games and opponents on a GPU, and functions recorded as CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from shakespeare_agents.capabilities import NetworkPolicy, PlaysOnDevice, RulePolicy
from shakespeare_agents.networks.models import ModelAgent, TorchModel
from shakespeare_agents.networks.network import ILLEGAL, Tensors, input_scale
from shakespeare_env.compile.decorators import rule
from shakespeare_env.compile.device import device_uint64, launch
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.errors import DeviceError, IllegalMove
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import next_unit
from shakespeare_env.play.lineup import OUTSIDE
from shakespeare_training.learners.games import TOO_LARGE, RolloutProgress
from shakespeare_training.learners.league import FinishedGames, League, Opponent, seat_players

_ILLEGAL = float(ILLEGAL)
Weights = Mapping[str, torch.Tensor]
Chooser = Callable[["DeviceGames", torch.Tensor, int], torch.Tensor]
"""A function of the games, their `movers`, int32[n], and an agent's index. It returns actions,
int64[n], of which only those in games in which the agent is to move are used."""


class DeviceGames:
    """The games of a learner on a GPU (`LearnerGames`).

    Nothing waits for the GPU within a rollout of `n_steps` steps. Networks are run in every game,
    and finished games are read at the end of the rollout. Between rollouts the league holds the
    seats and the generators' states of these games.

    Raises:
        DeviceError: an agent of the league plays on the CPU only.
    """

    def __init__(self, league: League, n_steps: int, device: torch.device) -> None:
        self.league = league
        host = league.batch
        # By index, the functions that choose for the opponents that the settings name. All other
        # opponents are snapshots of the learner, whose weights are held in slots.
        named = enumerate(league.named)
        self._named = {index: _chooser(opponent, host.game, device) for index, opponent in named}
        self._slots: list[_Slot] = []
        self._slots_in_use = 0
        self.batch = DeviceBatch(
            host.game.name, host.n, players=host.players, device=device, reward="score"
        )
        device = self.batch.device
        self.batch.load(slice(None), host.save(slice(None)))
        self.players = self.batch.players.long()
        self.obs = self.batch.obs
        self.mask = self.batch.mask
        self.to_move = self.batch.to_move
        self.rewards = self.batch.rewards
        self.done = self.batch.done
        self.final_scores = self.batch.final_scores
        self.final_winners = self.batch.final_winners
        self._generator = torch.Generator(device)
        self._seats = torch.from_numpy(league.lineup.seats).to(device, copy=True)
        states = league.lineup.generators.states.view(np.int64)
        self.states = torch.from_numpy(states).to(device, copy=True)
        self._weights = torch.from_numpy(league.weights).to(device)
        self._by_kind = torch.from_numpy(league.opponents_by_kind()).to(device)
        shape = n_steps, host.n
        self._done_log = torch.zeros(shape, dtype=torch.bool, device=device)
        self._learner_log = torch.zeros_like(self._done_log)
        self._seats_log = torch.zeros(
            (*shape, host.game.max_seats), dtype=torch.int32, device=device
        )
        self._scores_log = torch.zeros_like(self._seats_log, dtype=torch.int16)
        self._step = 0
        self._recorded: dict[int, Recorded] = {}

    @property
    def movers(self) -> torch.Tensor:
        """int32[n], the agents to move: indices of `league.opponents`, or `OUTSIDE` (`Lineup`)."""
        return self._seats.gather(1, self.to_move.long()[:, None]).squeeze(1)

    @property
    def learner_to_move(self) -> torch.Tensor:
        """bool[n], whether the seat to move is the learner's."""
        return self.movers == OUTSIDE

    def begin_rollout(self, rng: np.random.Generator) -> None:
        """Copy the league's seats and opponents to the GPU, and seed the rollout from `rng`."""
        self._generator.manual_seed(int(rng.integers(2**62)))
        if self._step:  # steps were played outside a rollout
            self._update_league()
        league = self.league
        lineup = league.lineup
        by_kind = league.opponents_by_kind()
        self._seats.copy_(torch.from_numpy(lineup.seats))
        self.states.copy_(torch.from_numpy(lineup.generators.states.view(np.int64)))
        self._by_kind.copy_(torch.from_numpy(by_kind))
        seated = {*np.unique(lineup.seats).tolist(), *by_kind.tolist()}
        # In `league.opponents`, the snapshots come after the named opponents.
        snapshots = [index for index in seated if index >= len(self._named)]
        self._slots_in_use = len(snapshots)
        while len(self._slots) < self._slots_in_use:
            # Any snapshot has the right shapes; the loop below puts in the one that belongs there.
            snapshot = league.opponents[snapshots[0]]
            network = _network_of(snapshot.agent, league.batch.game, self.batch.device)
            assert network is not None
            self._slots.append(_Slot(network))
        # Slots of an earlier rollout may be left over; they keep their weights unused.
        for slot, index in zip(self._slots, snapshots, strict=False):
            slot.hold(league.opponents[index], index)

    def network_rows(self) -> torch.Tensor | slice:
        """Return all games, because finding those of the learner would wait for the GPU."""
        return slice(None)

    def sample(self, log_probabilities: torch.Tensor) -> torch.Tensor:
        """Draw actions from log-probabilities by the exponential-race trick, int64[n]."""
        clocks = torch.empty_like(log_probabilities).exponential_(generator=self._generator)
        return (log_probabilities - clocks.log()).argmax(dim=1)

    def fill_in_opponents(self, actions: torch.Tensor) -> torch.Tensor:
        """Return actions, int64[n], in which the opponents have chosen where they are to move."""
        movers = self.movers
        for index, chooser in self._named.items():
            actions = torch.where(movers == index, chooser(self, movers, index), actions)
        for slot in self._slots[: self._slots_in_use]:
            chosen = self.sample(slot.network(self.obs, self.mask))
            actions = torch.where(movers == slot.index, chosen, actions)
        return actions

    def step(self, actions: torch.Tensor, rows: NDArray[np.int64] | None = None) -> None:
        """Play actions in all games or some, and begin a new game where one ends.

        An illegal action is noticed at the end of the rollout.
        """
        batch = self.batch
        row = self._step % len(self._done_log)
        self._learner_log[row] = self.learner_to_move
        batch.step(actions, None if rows is None else torch.from_numpy(rows).to(batch.device))
        self._done_log[row] = self.done
        self._seats_log[row] = self._seats
        self._scores_log[row] = batch.final_scores
        launch(
            _seat_if_new,
            "training",  # the owner of the compiled kernel
            "seats",  # what is compiled, in words
            batch.n,
            batch.device,
            self.done,
            device_uint64(self.states),
            self._weights,
            self._by_kind,
            batch.players,
            self._seats,
        )
        self._step += 1

    def play_steps(self, play: Callable[[int], None], steps: int) -> Iterator[RolloutProgress]:
        """Play the steps as one CUDA graph, and yield their progress at the end.

        Each number of snapshots among the opponents has a graph of its own.
        """

        def play_all() -> None:
            for step in range(steps):
                play(step)

        recorded = self._recorded.setdefault(
            self._slots_in_use, Recorded(play_all, self._generator)
        )
        recorded()
        yield self._progress()

    def _progress(self) -> RolloutProgress:
        try:
            self.batch.synchronize()
        except IllegalMove as fault:
            # Only a network whose numbers have overflowed chooses an illegal action. It is the
            # learner's, because the weights of the opponents were checked.
            raise FloatingPointError(TOO_LARGE) from fault
        steps, games = torch.nonzero(self._done_log, as_tuple=True)
        seats = self._seats_log[steps, games].cpu().numpy()
        scores = self._scores_log[steps, games].cpu().numpy()
        finished = FinishedGames(seats, scores)
        self.league.record_results(finished)
        self._update_league()
        return RolloutProgress(int(self._learner_log.sum()), finished)

    def _update_league(self) -> None:
        """Copy the seats and the generators' states to the league."""
        self._step = 0
        lineup = self.league.lineup
        lineup.seats[:] = self._seats.cpu().numpy()
        lineup.generators.states[:] = self.states.cpu().numpy().view(np.uint64)

    def scores(self) -> torch.Tensor:
        """Return the current scores by seat, int16[n, S]."""
        return self.batch.scores()

    def save(self) -> torch.Tensor:
        """Return a copy of the records, uint8[n, ...]."""
        return self.batch.records.clone()

    def load(self, records: Records) -> None:
        """Replace the games' records, here and in the league's batch."""
        self.league.batch.load(slice(None), records)
        self.batch.load(slice(None), records)


@rule
def _seat_if_new(
    game: int, is_new: Any, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any
) -> None:
    if is_new[game]:
        seat_players(game, states, weights, by_kind, players, seats)


@cache
def _choose_if_mover(choose: Callable[[Any, Any, float], int]) -> Callable[..., None]:
    """Return a rule that chooses in the games in which agent `index` is to move."""

    @rule
    def choose_if_mover(
        game: int, obs: Any, masks: Any, states: Any, movers: Any, index: int, actions: Any
    ) -> None:
        if movers[game] == index:
            actions[game] = choose(obs[game], masks[game], next_unit(states, game))

    return choose_if_mover


class _Slot:
    """A fixed place for the weights of a snapshot, from which recorded rollouts read them.

    Args:
        network: The network of any snapshot, since all have weights of the same shapes.

    Attributes:
        network: The network, with the weights of the snapshot that the slot holds.
        index: int32[], the snapshot's index among the league's opponents.
    """

    def __init__(self, network: DeviceNetwork) -> None:
        self.network = network
        self._snapshot: Opponent | None = None
        self.index = torch.zeros((), dtype=torch.int32, device=network.device)

    def hold(self, snapshot: Opponent, index: int) -> None:
        self.index.fill_(index)
        if self._snapshot is not snapshot:
            assert snapshot.tensors is not None  # every snapshot has them
            self._snapshot = snapshot
            self.network.hold(snapshot.tensors)


class DeviceNetwork(Protocol):
    """A network of an opponent on the learner's device."""

    device: torch.device

    def __call__(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the logits of actions, float32[n, A], about -1e8 where they are illegal.

        Args:
            observations: int8[n, D].
            masks: bool[n, A], the legal actions.
        """

    def hold(self, tensors: Tensors) -> None:
        """Replace the weights, in place."""


class _Mlp:
    """The project's own network (`DeviceNetwork`), without its forecasts."""

    def __init__(self, tensors: Tensors, game: Game, device: torch.device) -> None:
        self.device = device
        self._scale = torch.from_numpy(input_scale(game.layout)).to(device)
        self._weights = self._prepared(tensors)

    def _prepared(self, tensors: Tensors) -> Weights:
        """Return weights that take unscaled observations, with matrices in bfloat16."""
        weights = {name: torch.from_numpy(array).to(self.device) for name, array in tensors.items()}
        weights["trunk.weight"] = weights["trunk.weight"] * self._scale
        return {
            name: tensor.bfloat16() if tensor.ndim == 2 else tensor
            for name, tensor in weights.items()
        }

    def hold(self, tensors: Tensors) -> None:
        for name, tensor in self._prepared(tensors).items():
            self._weights[name].copy_(tensor)

    def __call__(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        weights = self._weights

        def linear(name: str, hidden: torch.Tensor) -> torch.Tensor:
            return nn.functional.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])

        size = weights["norm.bias"].shape
        with torch.autocast(observations.device.type, torch.bfloat16), torch.no_grad():
            hidden = linear("trunk", observations.to(torch.bfloat16))
            norm = weights["norm.weight"], weights["norm.bias"]
            hidden = nn.functional.layer_norm(hidden, size, *norm).relu()
            logits = linear("action", linear("policy", hidden).relu())
        return logits.float().masked_fill(~masks, _ILLEGAL)


class _Module:
    """A PyTorch module of the user's own (`DeviceNetwork`)."""

    def __init__(self, module: nn.Module, device: torch.device) -> None:
        self.device = device
        self._model = TorchModel(deepcopy(module).to(device))

    def hold(self, tensors: Tensors) -> None:
        state = {name: torch.from_numpy(array) for name, array in tensors.items()}
        self._model.module.load_state_dict(state)

    def __call__(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            logits: torch.Tensor = self._model.forward(observations.float(), masks)["logits"]
        return logits.float().masked_fill(~masks, _ILLEGAL)


def _network_of(agent: AnyAgent, game: Game, device: torch.device) -> DeviceNetwork | None:
    """Return the network by which an agent plays, on a device; None if it plays by none."""
    if isinstance(agent, ModelAgent) and isinstance(agent.model, TorchModel):
        return _Module(agent.model.module, device)
    policy = agent.device_policy() if isinstance(agent, PlaysOnDevice) else None
    if isinstance(policy, NetworkPolicy):
        return _Mlp(policy.tensors, game, device)
    return None


def _chooser(opponent: Opponent, game: Game, device: torch.device) -> Chooser:
    agent: Any = opponent.agent
    policy = agent.device_policy() if isinstance(agent, PlaysOnDevice) else None
    if isinstance(policy, RulePolicy):
        return partial(_by_rule, policy)
    network = _network_of(agent, game, device)
    if network is None:
        raise DeviceError(
            f"the opponent {opponent.name!r} plays on the CPU only; a league on a GPU takes "
            "networks, PyTorch modules and heuristics. Leave it out of the setting `opponents`, or "
            "use --device cpu"
        )
    return partial(_by_network, network, agent.greedy)


def _by_rule(
    policy: RulePolicy, games: DeviceGames, movers: torch.Tensor, index: int
) -> torch.Tensor:
    chosen = torch.zeros_like(movers, dtype=torch.int64)
    launch(
        _choose_if_mover(policy.choose),
        policy.owner,
        "an agent's heuristic",
        len(chosen),
        games.batch.device,
        games.obs,
        games.mask,
        device_uint64(games.states),
        movers,
        index,
        chosen,
    )
    return chosen


def _by_network(
    network: DeviceNetwork, greedy: bool, games: DeviceGames, _movers: torch.Tensor, _index: int
) -> torch.Tensor:
    logits = network(games.obs, games.mask)
    return logits.argmax(dim=1) if greedy else games.sample(logits)


class Recorded:
    """A function that is recorded as a CUDA graph, and then replayed without running its Python.

    The first calls run it unrecorded, which compiles what it needs.

    Args:
        function: The function. Its arguments are named tuples of tensors, and it must not wait for
            the GPU.
        generator: The generator that it draws from, if any.
        warmup_calls: The number of calls before it is recorded.
    """

    def __init__(
        self,
        function: Callable[..., None],
        generator: torch.Generator | None = None,
        warmup_calls: int = 1,
    ) -> None:
        self._function = function
        self._generator = generator
        self._warmup_calls = warmup_calls
        self._inputs: tuple[Any, ...] = ()
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *arguments: Any) -> None:
        """Call the function, or replay it with these arguments."""
        if self._warmup_calls > 0 or not torch.cuda.is_available():
            self._warmup_calls -= 1
            self._function(*arguments)
            return
        if self._graph is None:
            # The graph reads from these copies, wherever later arguments are.
            self._inputs = tuple(values._make(map(_clone, values)) for values in arguments)
            self._graph = torch.cuda.CUDAGraph()
            if self._generator is not None:
                self._graph.register_generator_state(self._generator)
            with torch.cuda.graph(self._graph):
                self._function(*self._inputs)
        for inputs, values in zip(self._inputs, arguments, strict=True):
            for copy, value in zip(inputs, values, strict=True):
                if isinstance(copy, torch.Tensor):
                    copy.copy_(value)
        self._graph.replay()


def _clone(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
