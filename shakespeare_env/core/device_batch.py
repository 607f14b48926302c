"""`DeviceBatch`: the games and rules of `Batch` on a GPU, in PyTorch tensors that stay there."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import short_repr
from shakespeare_env.compile.decorators import rule
from shakespeare_env.core import registry
from shakespeare_env.core.batch import CHOICE
from shakespeare_env.core.batch_checks import (
    Integers,
    checked_count,
    checked_games,
    checked_rows,
    checked_selection,
    checked_settings,
    illegal_move,
    integers,
)
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.core.row_rules import GameArrays, StepOutcome, choose, row_rules_of
from shakespeare_env.errors import DeviceError
from shakespeare_env.extras import install_hint, requires_extra

with requires_extra("cuda", "DeviceBatch needs"):
    import torch
    from numba import cuda

    from shakespeare_env.compile.device import SIMULATED, device_array, device_uint64, launch

NOT_REFUSED = int(np.iinfo(np.int64).min)
"""The entry of a game without an illegal action, in the tensor of refused actions."""
_BY_COLUMN = ("mask", "obs")
"""The arrays whose columns are contiguous in memory. A column holds one entry of every game.

Neighbouring threads write the same column of neighbouring games, so they write neighbouring bytes,
which is three times as fast.
"""


@cache
def _step_of(game: Game) -> Callable[..., None]:
    """Return a game's `RowRules.step` with a check of the action.

    After an illegal action, the game stands still, and `refused`, int64[n], keeps the action.
    """
    is_legal = row_rules_of(game).is_legal
    row_step = row_rules_of(game).step

    @rule
    def step(
        k: int,
        arrays_tuple: Any,
        outcome_tuple: Any,
        rows: Any,
        actions: Any,
        players: Any,
        settings_tuple: Any,
        refused: Any,
    ) -> None:
        i = rows[k]
        if refused[i] == NOT_REFUSED and not is_legal(k, arrays_tuple, rows, actions):
            refused[i] = actions[k]
        if refused[i] == NOT_REFUSED:
            row_step(k, arrays_tuple, outcome_tuple, rows, actions, players, settings_tuple)
        else:
            outcome = StepOutcome(*outcome_tuple)
            outcome.done[i] = False
            outcome.rewards[i, :] = 0

    return step


@cache
def _scores_of(game: Game) -> Callable[..., None]:
    """Return the rule that writes a game's current scores into `out`, int16[n, S]."""
    rules_scores = game.rules.scores

    @rule
    def scores(i: int, arrays_tuple: Any, out: Any) -> None:
        arrays = GameArrays(*arrays_tuple)
        rules_scores(arrays.games[i], out[i])

    return scores


class DeviceBatch:
    """N games of one kind on a GPU that are stepped together; every step overwrites the tensors.

    Game i is game i of `Batch`, byte for byte. Arguments and attributes are also those of `Batch`,
    with tensors in place of arrays. `mask` and `obs` are not contiguous, and `records` holds the
    games as uint8[n, b]. Kernels run in order on PyTorch's current stream. Only `synchronize`,
    `reset`, `restart`, `save` and `load` wait for them.

    Raises:
        DeviceError: there is no such GPU, or no driver for it.
    """

    def __init__(
        self,
        game: str = registry.DEFAULT,
        n: int = 1,
        *,
        players: int | Integers,
        seed: int = 0,
        device: str | torch.device = "cuda",
        autoreset: bool = True,
        reward: str = "win",
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> None:
        self.game: Game = registry.game(game, box)
        self.actions = self.game.actions
        n = checked_count("n", n)
        self.n = n
        self._variants: dict[str, Any] = options
        seats, settings = checked_settings(self.game, n, players, autoreset, reward, options)
        self.autoreset = settings.autoreset
        self.reward = reward
        self.device = _checked_device(device)
        self._option_bits = settings.options
        self._settings = tuple(settings)
        self._rules = row_rules_of(self.game)
        self._every_row = torch.arange(n, device=self.device)
        self._refused = torch.full((n,), NOT_REFUSED, device=self.device)
        # The states of the generators of `random_actions`, one for each game.
        self._chance = torch.zeros(n, dtype=torch.int64, device=self.device)

        arrays_of_one = GameArrays.of(self.game, 1)._asdict()
        outcome_of_one = StepOutcome.of(self.game, 1)._asdict()
        tensors = {
            name: self._zeros(name, n, array)
            for name, array in (arrays_of_one | outcome_of_one).items()
        }
        self.records = tensors["games"]
        self.players = torch.from_numpy(seats).to(self.device)
        self.obs = tensors["obs"]
        self.mask = tensors["mask"]
        self.to_move = tensors["to_move"]
        self.rewards = tensors["rewards"]
        self.done = tensors["done"]
        self.final_scores = tensors["final_scores"]
        self.final_winners = tensors["final_winners"]

        kernel_arrays = {name: device_array(tensor) for name, tensor in tensors.items()}
        kernel_arrays["games"] = kernel_arrays["games"].view(self.game.state).reshape(n)
        self._arrays = tuple(kernel_arrays[name] for name in arrays_of_one)
        self._outcome = tuple(kernel_arrays[name] for name in outcome_of_one)
        self.reset(seed)

    def _zeros(self, name: str, n: int, array: npt.NDArray[Any]) -> torch.Tensor:
        """Return a tensor of zeros for n games, given the array for one; records become bytes."""
        if array.dtype.names is not None:
            array = array.view(np.uint8).reshape(1, -1)
        shape = (n, *array.shape[1:])
        dtype = torch.from_numpy(array).dtype
        if name in _BY_COLUMN:
            return torch.zeros(shape[::-1], dtype=dtype, device=self.device).T
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def reset(self, seed: int, deals: Integers | None = None, rows: Integers | None = None) -> None:
        """Deal all games, or some, from a seed; see `Batch.reset`."""
        self.synchronize()
        reset_rows = np.arange(self.n) if rows is None else checked_rows(self.n, rows)
        indices = reset_rows if deals is None else integers("deals", deals, (len(reset_rows),))
        device_rows = torch.from_numpy(reset_rows).to(self.device)
        random = streams(seed, indices).view(np.int64)
        # Random actions are drawn from other streams than the games.
        chance = streams(int(check_seed(seed) ^ CHOICE), indices).view(np.int64)
        # A record begins with its field `random`, of 8 bytes, and its size is a multiple of 8.
        self.records.view(torch.int64)[device_rows, 0] = torch.from_numpy(random).to(self.device)
        self._chance[device_rows] = torch.from_numpy(chance).to(self.device)
        self._set_up(device_rows)

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows; see `Batch.restart`."""
        self.synchronize()
        self._set_up(torch.from_numpy(checked_rows(self.n, rows)).to(self.device))

    def step(
        self, actions: torch.Tensor, rows: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Play one action in every game, or in some, and all forced moves after it.

        A game whose action is illegal stands still, also in later steps, until `synchronize` raises
        `IllegalMove`.

        Args:
            actions: int[m] on the device, one for each game; -1 for a game that is over.
            rows: int64[m] on the device, each row at most once; None means all games.

        Returns:
            `rewards` and `done`, which are 0 and False for games that are not in `rows`.
        """
        played = self._every_row if rows is None else rows
        if not isinstance(actions, torch.Tensor) or actions.shape != played.shape:
            raise ValueError(
                f"actions={short_repr(actions)}: give a tensor of {len(played)} actions"
            )
        if actions.dtype.is_floating_point or actions.device != self.device:
            raise TypeError(
                f"actions are {actions.dtype} on {actions.device}; give integers on {self.device}"
            )
        if rows is not None:
            self.rewards.zero_()
            self.done.zero_()
        self._launch(
            "moves of many games",
            _step_of(self.game),
            len(played),
            self._arrays,
            self._outcome,
            played,
            actions.to(torch.int64),
            self.players,
            self._settings,
            self._refused,
        )
        return self.rewards, self.done

    def random_actions(self) -> torch.Tensor:
        """Draw uniformly random legal actions, int32[n], equal to those of `Batch`."""
        actions = torch.empty(self.n, dtype=torch.int32, device=self.device)
        chance = device_uint64(self._chance)
        self._launch("random moves", choose, self.n, chance, self.mask, self.to_move, actions)
        return actions

    def synchronize(self) -> None:
        """Wait for all kernels that were launched.

        Raises:
            IllegalMove: an action was illegal; the error names the first such game.
        """
        # The copy to the CPU waits for the kernels.
        refused = torch.nonzero(self._refused != NOT_REFUSED).flatten().cpu()
        if not len(refused):
            return
        row = int(refused[0])
        action = int(self._refused[row])
        self._refused.fill_(NOT_REFUSED)
        mask = self.mask[row].cpu().numpy()
        raise illegal_move(self.game, self.save([row])[0], mask, action, row)

    def scores(self) -> torch.Tensor:
        """Return the current scores by seat in all games, int16[n, S]."""
        scores = torch.zeros_like(self.final_scores)
        self._launch("scores", _scores_of(self.game), self.n, self._arrays, scores)
        return scores

    def save(self, indices: Integers | slice) -> Records:
        """Return copies of games in the CPU's memory, for `load` here and in `Batch`."""
        self.synchronize()
        rows = torch.from_numpy(checked_selection(self.n, indices)).to(self.device)
        records: Records = self.records[rows].cpu().numpy().view(self.game.state).reshape(-1)
        return records

    def load(self, indices: Integers | slice, records: Records) -> None:
        """Replace games by saved ones; see `Batch.load`."""
        self.synchronize()
        targets, games = checked_games(self.game, self.n, indices, records, self._variants)
        rows = torch.from_numpy(targets).to(self.device)
        record_bytes = torch.from_numpy(games.view(np.uint8).reshape(len(targets), -1))
        self.records[rows] = record_bytes.to(self.device)
        self.refresh(rows)

    def refresh(self, rows: torch.Tensor) -> None:
        """Bring the tensors up to date with `records` that were changed on the device.

        Nothing is checked, so the records must be of games that are possible.

        Args:
            rows: int64[m] on the device, the games that were changed, each at most once.
        """
        fields = self.game.state.fields
        assert fields is not None  # a record is made of fields
        offset = fields["players"][1]  # the number of seats fits into the first byte of its field
        self.players[rows] = self.records[rows, offset].view(torch.int8)
        self._launch("changed positions", self._rules.refresh, len(rows), self._arrays, rows)

    def _set_up(self, rows: torch.Tensor) -> None:
        self._launch(
            "new games",
            self._rules.set_up,
            len(rows),
            self._arrays,
            rows,
            self.players,
            self._option_bits,
        )

    def _launch(self, what: str, row: Callable[..., None], count: int, *arguments: Any) -> None:
        purpose = f"{self.game.name.capitalize()}'s rules ({what})"
        launch(row, self.game.name, purpose, count, self.device, *arguments)


def _checked_device(name: str | torch.device) -> torch.device:
    """Return a CUDA device with its index, or the CPU if Numba simulates a GPU.

    Raises:
        DeviceError: there is no such GPU, or no driver for it.
    """
    device = torch.device(name)
    if device.type != "cuda":
        raise DeviceError(f"device={str(name)!r}: give a CUDA device, or use Batch")
    if SIMULATED:
        return torch.device("cpu")
    if not torch.cuda.is_available() or find_spec("numba_cuda") is None or not cuda.is_available():
        raise DeviceError(
            f"device={str(name)!r}: PyTorch {torch.__version__} or Numba finds no GPU or no CUDA; "
            f"{install_hint('cuda')}, or use Batch"
        )
    index = torch.cuda.current_device() if device.index is None else device.index
    torch.cuda.get_device_properties(index)  # refuses an index that is not there
    return torch.device("cuda", index)
