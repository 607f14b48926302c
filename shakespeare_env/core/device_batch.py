"""`Batch` on a GPU: the same rules and the same games, in PyTorch tensors that stay there."""

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
    checked_terms,
    illegal_move,
    integers,
)
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.core.row_rules import GameArrays, StepOutcome, choose, row_rules_of
from shakespeare_env.errors import DeviceError
from shakespeare_env.extras import how_to_get, needing

with needing("cuda", "DeviceBatch needs"):
    import torch
    from numba import cuda

    from shakespeare_env.compile.device import SIMULATED, device_array, device_words, launch

NOT_REFUSED = int(np.iinfo(np.int64).min)
"""Stands where a game's actions were all legal."""
_BY_COLUMN = ("mask", "obs")
"""Arrays with an action or a number in a row of memory: neighbouring threads, which write the same
column of neighbouring games, then write neighbouring bytes. It is three times as fast."""


@cache
def _step_of(game: Game) -> Callable[..., None]:
    """`RowRules.step`, in which a game with an illegal action, which is kept, stands still."""
    is_legal, row_step = row_rules_of(game).is_legal, row_rules_of(game).step

    @rule
    def step(
        k: int,
        entries: Any,
        results: Any,
        rows: Any,
        actions: Any,
        players: Any,
        terms: Any,
        refused: Any,
    ) -> None:
        i = rows[k]
        if refused[i] == NOT_REFUSED and not is_legal(k, entries, rows, actions):
            refused[i] = actions[k]
        if refused[i] == NOT_REFUSED:
            row_step(k, entries, results, rows, actions, players, terms)
        else:
            outcome = StepOutcome(*results)
            outcome.done[i] = False
            outcome.rewards[i, :] = 0

    return step


class DeviceBatch:
    """N games of one kind on a GPU, stepped together; every step overwrites the tensors.

    Game i is that of `Batch`, byte for byte, and so are arguments and attributes, tensors in place
    of arrays; `mask` and `obs` are not contiguous, and `records` are the games as uint8[n, b].
    Kernels run in order on PyTorch's current stream; nothing waits for them but `synchronize`,
    `reset`, `restart`, `save` and `load`.

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
        self.n = n = checked_count("n", n)
        self._variants: dict[str, Any] = options
        seats, terms = checked_terms(self.game, n, players, autoreset, reward, options)
        self.autoreset, self.reward, self._terms = terms.autoreset, reward, tuple(terms)
        self.device = _checked_device(device)
        self._rules = row_rules_of(self.game)
        self._every_row = torch.arange(n, device=self.device)
        arrays, outcome = GameArrays.of(self.game, 1), StepOutcome.of(self.game, 1)
        tensors = {
            name: self._zeros(name, n, array)
            for name, array in (arrays._asdict() | outcome._asdict()).items()
        }
        self.records, self.players = tensors["games"], torch.from_numpy(seats).to(self.device)
        self.obs, self.mask, self.to_move = (tensors[name] for name in ("obs", "mask", "to_move"))
        self.rewards, self.done = tensors["rewards"], tensors["done"]
        self.final_scores, self.final_winners = tensors["final_scores"], tensors["final_winners"]
        self._refused = torch.full((n,), NOT_REFUSED, device=self.device)
        self._chance = torch.zeros(n, dtype=torch.int64, device=self.device)
        of_numba = {name: device_array(tensor) for name, tensor in tensors.items()}
        of_numba["games"] = of_numba["games"].view(self.game.state).reshape(n)
        self._arrays = tuple(of_numba[name] for name in arrays._fields)
        self._outcome = tuple(of_numba[name] for name in outcome._fields)
        self.reset(seed)

    def _zeros(self, name: str, n: int, array: npt.NDArray[Any]) -> torch.Tensor:
        """A tensor for n games, where the array is for one; records are bytes."""
        if array.dtype.names is not None:
            array = array.view(np.uint8).reshape(1, -1)
        shape, dtype = (n, *array.shape[1:]), torch.from_numpy(array).dtype
        if name in _BY_COLUMN:
            return torch.zeros(shape[::-1], dtype=dtype, device=self.device).T
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def reset(self, seed: int, deals: Integers | None = None, rows: Integers | None = None) -> None:
        """Set up all games, or some, anew from a seed; see `Batch.reset`."""
        self.synchronize()
        begun = np.arange(self.n) if rows is None else checked_rows(self.n, rows)
        numbers = begun if deals is None else integers("deals", deals, (len(begun),))
        chosen = torch.from_numpy(begun).to(self.device)
        states = streams(seed, numbers), streams(int(check_seed(seed) ^ CHOICE), numbers)
        random, chance = (torch.from_numpy(s.view(np.int64)).to(self.device) for s in states)
        # A record begins with its generator, and its size is a multiple of that field's.
        self.records.view(torch.int64)[chosen, 0] = random
        self._chance[chosen] = chance
        self._set_up(chosen)

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows; see `Batch.restart`."""
        self.synchronize()
        self._set_up(torch.from_numpy(checked_rows(self.n, rows)).to(self.device))

    def step(
        self, actions: torch.Tensor, rows: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`Batch.step`, of int[m] and int64[m] on the device, where each row is named once at most.

        A game whose action is illegal does not move, now and in later steps, until `synchronize`
        raises `IllegalMove`.
        """
        played = self._every_row if rows is None else rows
        if not isinstance(actions, torch.Tensor) or actions.shape != played.shape:
            raise ValueError(
                f"actions={short_repr(actions)}: give a tensor of {len(played)} actions"
            )
        if actions.dtype.is_floating_point or actions.device != self.device:
            given = f"actions are {actions.dtype} on {actions.device}"
            raise TypeError(f"{given}; give integers on {self.device}")
        if rows is not None:
            self.rewards.zero_()
            self.done.zero_()
        actions = actions.to(torch.int64)
        of = self._arrays, self._outcome, played, actions, self.players, self._terms, self._refused
        self._launch("moves of many games", _step_of(self.game), len(played), *of)
        return self.rewards, self.done

    def random_actions(self) -> torch.Tensor:
        """int32[n]: the uniformly random legal actions of `Batch.random_actions`."""
        actions = torch.empty(self.n, dtype=torch.int32, device=self.device)
        of = device_words(self._chance), self.mask, self.to_move, actions
        self._launch("random moves", choose, self.n, *of)
        return actions

    def synchronize(self) -> None:
        """Wait for all launched; IllegalMove for the first row that had an illegal action."""
        refused = torch.nonzero(self._refused != NOT_REFUSED).flatten().cpu()
        if not len(refused):
            return
        row = int(refused[0])
        action = int(self._refused[row])
        self._refused.fill_(NOT_REFUSED)
        mask = self.mask[row].cpu().numpy()
        raise illegal_move(self.game, self.save([row])[0], mask, action, row)

    def save(self, indices: Integers | slice) -> Records:
        """Copies of games in the processor's memory, for `load` here and in `Batch`."""
        self.synchronize()
        rows = torch.from_numpy(checked_selection(self.n, indices)).to(self.device)
        records: Records = self.records[rows].cpu().numpy().view(self.game.state).reshape(-1)
        return records

    def load(self, indices: Integers | slice, records: Records) -> None:
        """Replace games by saved ones; see `Batch.load`."""
        self.synchronize()
        targets, games = checked_games(self.game, self.n, indices, records, self._variants)
        rows = torch.from_numpy(targets).to(self.device)
        held = torch.from_numpy(games.view(np.uint8).reshape(len(targets), -1))
        self.records[rows] = held.to(self.device)
        self.players[rows] = torch.from_numpy(games["players"].copy()).to(self.device)
        self._launch("changed positions", self._rules.refresh, len(rows), self._arrays, rows)

    def _set_up(self, rows: torch.Tensor) -> None:
        of = self._arrays, rows, self.players, self._terms[0]
        self._launch("new games", self._rules.set_up, len(rows), *of)

    def _launch(self, what: str, row: Callable[..., None], count: int, *arguments: Any) -> None:
        purpose = f"{self.game.name.capitalize()}'s rules ({what})"
        launch(row, self.game.name, purpose, count, self.device, *arguments)


def _checked_device(name: str | torch.device) -> torch.device:
    """A CUDA device with its index; the processor where Numba simulates one."""
    device = torch.device(name)
    if device.type != "cuda":
        raise DeviceError(f"device={str(name)!r}: give a CUDA device, or use Batch")
    if SIMULATED:
        return torch.device("cpu")
    if not torch.cuda.is_available() or find_spec("numba_cuda") is None or not cuda.is_available():
        raise DeviceError(
            f"device={str(name)!r}: PyTorch {torch.__version__} or Numba finds no GPU or no CUDA; "
            f"{how_to_get('cuda')}, or use Batch"
        )
    index = torch.cuda.current_device() if device.index is None else device.index
    torch.cuda.get_device_properties(index)  # refuses an index that is not there
    return torch.device("cuda", index)
