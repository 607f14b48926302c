"""A search for the network that learns, whose playouts run on a GPU, all of them in step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents.search.agent import SearchAgent, SearchSettings
from shakespeare_agents.search.batch_playouts import add_forecasts, taking_back_of
from shakespeare_agents.search.halving import Outcomes, Playouts
from shakespeare_env.compile.decorators import rule
from shakespeare_env.compile.device import device_array, device_uint64, launch
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.generators import drawn_column, next_unit
from shakespeare_training.learners.games import MOST_PLAYOUTS, TOO_LARGE
from shakespeare_training.networks.policy import Policy, log_shares

_STEPS = 8
"""The steps between two looks at which games are over. A look waits for the GPU."""


class DevicePlayouts:
    """Runs playouts of possible games on a GPU, where a policy chooses for every seat (`Runner`).

    Possible games are copied to the GPU, and only results are copied back. The network is used as
    it is at the time, and must be on the GPU. Random numbers are those of `BatchPlayouts`, so both
    play the same games as far as the network's numbers are equal.

    Args:
        policy: The policy, with the network.
        horizon: The decisions of each seat after which the network values the game.
        temperature: The temperature of the policy; 0 plays the likeliest action.
        device: The GPU.

    Attributes:
        decisions: The number of decisions made and games valued so far.

    Raises:
        DeviceError: there is no such GPU, or no driver for it.
    """

    def __init__(
        self, policy: Policy, *, horizon: int, temperature: float, device: torch.device
    ) -> None:
        self.decisions = 0
        self.horizon = horizon
        self.temperature = temperature
        self._policy = policy
        self._device = device
        # It is replaced when more playouts need a larger one. Kernels for a batch of one game would
        # have to be compiled anew, because its tensors have another layout in memory.
        self._batch = self._new_batch(2)

    def play(self, playouts: Playouts, records: Records, chance: NDArray[np.uint64]) -> Outcomes:
        """Play playouts, and return their outcomes.

        Args:
            playouts: The playouts.
            records: The d possible games from which playouts start.
            chance: uint64[d], the random state of the policy in each possible game.

        Raises:
            FloatingPointError: the network's outputs are too large to choose a move by.
        """
        size = len(playouts.sources)
        win = np.zeros((size, self._policy.game.max_seats), np.float32)
        score = np.zeros_like(win)
        for first in range(0, size, MOST_PLAYOUTS):
            some = slice(first, first + MOST_PLAYOUTS)
            sources = playouts.sources[some]
            # The playouts of a searched game share their possible games, so these are copied once.
            needed, places = np.unique(sources, return_inverse=True)
            with torch.no_grad():
                self._start(records, needed, places)
                win[some], score[some] = self._play_on(
                    movers=records["to_move"][sources],
                    limits=self.horizon * records["players"][sources].astype(np.int64),
                    actions=playouts.actions[some],
                    chance=chance[sources],
                )
        return Outcomes.of(playouts, records, win, score)

    def _start(
        self, records: Records, needed: NDArray[np.int64], places: NDArray[np.int64]
    ) -> None:
        """Begin games that are copies of the records `needed[places]`, int64[k]."""
        game = self._policy.game
        size = len(places)
        if size > self._batch.n:
            self._batch = self._new_batch(min(1 << (size - 1).bit_length(), MOST_PLAYOUTS))
        batch = self._batch
        record_bytes = records.view(np.uint8).reshape(len(records), -1)[needed]
        batch.records[:size] = self._tensor(record_bytes)[self._tensor(places)]
        launch(
            _take_back_in_row(game),
            game.name,
            f"{game.name.capitalize()}'s rules (choices taken back)",
            size,
            batch.device,
            device_array(batch.records).view(game.state).reshape(batch.n),
            batch.mask,
        )
        batch.refresh(torch.arange(size, device=batch.device))

    def _play_on(
        self,
        movers: NDArray[np.int8],
        limits: NDArray[np.int64],
        actions: NDArray[np.int64],
        chance: NDArray[np.uint64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play k games on, and return shares of the victory and scores, float64[k, S].

        Args:
            movers: int8[k], the seats that search.
            limits: int64[k], the decisions after the first action until the game is valued.
            actions: int64[k], the first actions.
            chance: uint64[k], the random states of the policy.

        Scores are divided by `Game.score_scale`.
        """
        batch = self._batch
        game = self._policy.game
        size = len(actions)
        states = self._tensor(chance.view(np.int64))
        to_move = batch.to_move[:size]
        count = torch.zeros((), dtype=torch.int64, device=batch.device)

        # The seats whose secret choices were taken back choose again, each action with its own
        # probability (temperature 1), until the mover is to move.
        seats = self._tensor(movers)
        while len(rows := torch.nonzero(to_move != seats).flatten()):
            count += self._decide(rows, states, temperature=1.0)
        batch.step(self._tensor(actions), torch.arange(size, device=batch.device))

        # Play on until a game is over or has used up the decisions of its horizon.
        limits_on_device = self._tensor(limits)
        made = 0  # decisions after the first action, in each game that is not over
        while len(rows := torch.nonzero((to_move >= 0) & (limits_on_device > made)).flatten()):
            steps = min(_STEPS, int(limits[limits > made].min()) - made)
            for _ in range(steps):
                count += self._decide(rows, states, self.temperature)
            made += steps

        try:
            batch.synchronize()
        except IllegalMove as fault:
            raise FloatingPointError(TOO_LARGE) from fault
        win = victory_shares(batch.final_winners[:size].cpu().numpy())
        score = batch.scores()[:size].cpu().numpy() / game.score_scale
        # In games that are not over, forecasts replace the shares and are added to the scores.
        rows = torch.nonzero(to_move >= 0).flatten()
        if len(rows):
            outputs = self._policy.outputs(batch.obs[rows], batch.mask[rows])
            players = batch.players[rows].long()
            shares = log_shares(outputs.win_logits, players).exp()
            add_forecasts(
                rows.cpu().numpy(),
                to_move[rows].cpu().numpy(),
                players.cpu().numpy(),
                shares.cpu().numpy(),
                outputs.changes.cpu().numpy(),
                win,
                score,
            )
        self.decisions += int(count) + len(rows)
        return win, score

    def _decide(self, rows: torch.Tensor, states: torch.Tensor, temperature: float) -> torch.Tensor:
        """Play an action in the games `rows`, int64[m], unless they are over.

        Returns:
            int64[], the number of games that are not over.
        """
        batch = self._batch
        is_over = batch.to_move[rows] < 0
        outputs = self._policy.outputs(batch.obs[rows], batch.mask[rows])
        if temperature > 0.0:
            weights = (outputs.log_probabilities / temperature).softmax(dim=1)
            actions = torch.empty_like(rows)
            launch(
                _draw,
                "play",  # the owner of the compiled kernel
                "draws by weight",
                len(rows),
                batch.device,
                rows,
                weights,
                device_uint64(states),
                actions,
            )
        else:
            actions = outputs.log_probabilities.argmax(dim=1)
        batch.step(actions.masked_fill(is_over, -1), rows)
        return (~is_over).sum()

    def _new_batch(self, n: int) -> DeviceBatch:
        game = self._policy.game
        return DeviceBatch(
            game.name, n, players=game.max_seats, device=self._device, autoreset=False
        )

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._batch.device)


def device_search(
    policy: Policy,
    settings: SearchSettings,
    *,
    horizon: int,
    temperature: float,
    device: torch.device,
) -> SearchAgent:
    """Return a search on a GPU, which uses a policy's network as it is at the time.

    Arguments are those of `Policy.search`, and of `DevicePlayouts`.
    """
    runner = DevicePlayouts(policy, horizon=horizon, temperature=temperature, device=device)
    playouts = max(settings.simulations, settings.considered)  # the most of one game at once
    games_at_once = max(MOST_PLAYOUTS // playouts, 1)
    return SearchAgent(policy, runner, settings, games_at_once=games_at_once)


@cache
def _take_back_in_row(game: Game) -> Callable[..., None]:
    """Return the rule that takes back secret choices in game i (see `taking_back_of`)."""
    take_back = taking_back_of(game)

    @rule
    def take_back_in_row(i: int, games: Any, masks: Any) -> None:
        take_back(games[i], masks[i])

    return take_back_in_row


@rule
def _draw(k: int, rows: Any, weights: Any, states: Any, actions: Any) -> None:
    """Draw the action of game `rows[k]` by weight, with the game's own random state."""
    actions[k] = drawn_column(weights[k], next_unit(states, rows[k]))
