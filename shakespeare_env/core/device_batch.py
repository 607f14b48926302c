"""`Batch` on a GPU: the same rules and the same games, in PyTorch tensors that stay there.

With `NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` Numba's simulator runs the kernels in
Python, on tensors of the processor.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import check_arguments, shown
from shakespeare_env.compile.decorators import rule
from shakespeare_env.core import registry
from shakespeare_env.core.batch import CHOICE
from shakespeare_env.core.batch_checks import (
    Integers,
    checked_count,
    checked_deals,
    checked_games,
    checked_players,
    checked_rows,
    checked_selection,
    illegal_move,
)
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.kernels import GameArrays, Outcome, Terms
from shakespeare_env.core.rng import below_in, check_seed, streams
from shakespeare_env.core.row_rules import reward_code, row_rules_of
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


@dataclass(frozen=True)
class _OnRows:
    """What threads do to game `rows[k]`, around a game's `RowRules`."""

    set_up: Callable[..., None]
    refresh: Callable[..., None]
    step: Callable[..., None]
    choose: Callable[..., None]


@cache
def _on_rows(game: Game) -> _OnRows:
    rules = row_rules_of(game)
    begin, show, is_legal, advance = rules.begin, rules.show, rules.is_legal, rules.advance

    @rule
    def set_up(k: int, entries: Any, rows: Any, players: Any, options: int) -> None:
        i = rows[k]
        begin(GameArrays(*entries), i, players[i], options)

    @rule
    def refresh(k: int, entries: Any, rows: Any) -> None:
        show(GameArrays(*entries), rows[k])

    @rule
    def step(
        k: int,
        entries: Any,
        results: Any,
        rows: Any,
        actions: Any,
        players: Any,
        played_for: Any,
        refused: Any,
    ) -> None:
        """A game with an illegal action, which is kept, stands still until that is cleared."""
        arrays, outcome, terms = GameArrays(*entries), Outcome(*results), Terms(*played_for)
        i, action = rows[k], actions[k]
        if refused[i] == NOT_REFUSED and not is_legal(arrays, i, action):
            refused[i] = action
        if refused[i] == NOT_REFUSED:
            advance(arrays, outcome, terms, i, action, players[i])
        else:
            outcome.done[i] = False
            outcome.rewards[i, :] = 0

    @rule
    def choose(i: int, chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
        """A uniformly random legal action, as `Kernels.choose` draws it; -1 when over."""
        actions[i] = -1
        count = 0
        for action in range(mask.shape[1]):
            count += mask[i, action]
        if to_move[i] < 0 or count == 0:
            return
        left = below_in(chance, i, count)
        for action in range(mask.shape[1]):
            left -= mask[i, action]
            if left < 0:
                actions[i] = action
                return

    return _OnRows(set_up, refresh, step, choose)


class DeviceBatch:
    """N games of one kind on a GPU, stepped together; every step overwrites the tensors.

    Game i is that of `Batch`, byte for byte: it depends only on the seed and i.  Kernels run in
    order on PyTorch's current stream; nothing waits for them but `synchronize`, `reset`, `restart`,
    `save` and `load`.

    Args:
        device: A CUDA device of PyTorch.
        game: As for `Batch`, and so are `n`, `players`, `seed`, `autoreset`, `reward`, `box` and
            `options`.

    Attributes:
        records: uint8[n, b], the games' records.
        mask: bool[n, A], legal actions; not contiguous, as `obs`. The other tensors (`players`,
            `to_move`, `obs`, `rewards`, `done`, `final_scores`, `final_winners`) are as in `Batch`.

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
        check_arguments(DeviceBatch.__init__, self.game.options, options)
        self.actions = self.game.actions
        self.n = n = checked_count("n", n)
        if not isinstance(autoreset, bool | np.bool_):
            raise TypeError(f"autoreset={shown(autoreset)} must be True or False")
        self.autoreset, self.reward = bool(autoreset), reward
        seats = checked_players(self.game, n, players)
        self._variants: dict[str, Any] = options
        self._options = self.game.option_bits(options, map(int, np.unique(seats)))
        terms = Terms.of(self.game, self._options, self.autoreset, reward_code(reward))
        self._terms = tuple(terms)
        self.device = _checked_device(device)
        self._rules = _on_rows(self.game)
        self._every_row = torch.arange(n, device=self.device)
        shown_of = {
            name: self._zeros(name, n, array)
            for arrays in (GameArrays(*GameArrays.of(self.game, 1)), Outcome.of(self.game, 1))
            for name, array in arrays._asdict().items()
        }
        self.records, self.players = shown_of["games"], torch.from_numpy(seats).to(self.device)
        self.obs, self.mask, self.to_move = (shown_of[name] for name in ("obs", "mask", "to_move"))
        self.rewards, self.done = shown_of["rewards"], shown_of["done"]
        self.final_scores = shown_of["final_scores"]
        self.final_winners = shown_of["final_winners"]
        self._refused = torch.full((n,), NOT_REFUSED, device=self.device)
        self._chance = torch.zeros(n, dtype=torch.int64, device=self.device)
        of_numba = {name: device_array(tensor) for name, tensor in shown_of.items()}
        of_numba["games"] = of_numba["games"].view(self.game.state).reshape(n)
        self._arrays = tuple(of_numba[name] for name in GameArrays._fields)
        self._outcome = tuple(of_numba[name] for name in Outcome._fields)
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
        numbers = begun if deals is None else checked_deals(len(begun), deals)
        chosen = torch.from_numpy(begun).to(self.device)
        states = streams(seed, numbers), streams(int(check_seed(seed) ^ CHOICE), numbers)
        random, chance = (torch.from_numpy(s.view(np.int64)).to(self.device) for s in states)
        # A record begins with its generator, and its size is a multiple of that field's.
        self.records.view(torch.int64)[chosen, 0] = random
        self._chance[chosen] = chance
        self._set_up(chosen)

    def restart(self, rows: Integers) -> None:
        """Start the next game in some rows, increasing, over or not; chance continues."""
        self.synchronize()
        self._set_up(torch.from_numpy(checked_rows(self.n, rows)).to(self.device))

    def step(
        self, actions: torch.Tensor, rows: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Play one action in every game, or in some, and all forced moves after it.

        A game whose action is illegal does not move, now and in later steps, until `synchronize`
        raises `IllegalMove`.

        Args:
            actions: int[m] on the device, one per game; -1 for a game that is over.
            rows: int64[m] on the device, each at most once; None means all games.

        Returns:
            `rewards` and `done`, 0 and False for games not played in.
        """
        played = self._every_row if rows is None else rows
        if not isinstance(actions, torch.Tensor) or actions.shape != played.shape:
            raise ValueError(f"actions={shown(actions)}: give a tensor of {len(played)} actions")
        if actions.dtype.is_floating_point or actions.device != self.device:
            raise TypeError(
                f"actions are {actions.dtype} on {actions.device}; give integers on {self.device}"
            )
        if rows is not None:
            self.rewards.zero_()
            self.done.zero_()
        self._launch(
            "moves of many games",
            self._rules.step,
            len(played),
            self._arrays,
            self._outcome,
            played,
            actions.to(torch.int64),
            self.players,
            self._terms,
            self._refused,
        )
        return self.rewards, self.done

    def random_actions(self) -> torch.Tensor:
        """int32[n]: the uniformly random legal actions of `Batch.random_actions`."""
        actions = torch.empty(self.n, dtype=torch.int32, device=self.device)
        chance = device_words(self._chance)
        of = chance, self.mask, self.to_move, actions
        self._launch("random moves", self._rules.choose, self.n, *of)
        return actions

    def synchronize(self) -> None:
        """Wait for all that was launched.

        Raises:
            IllegalMove: an action was not legal: the first such row's. That row has not moved
                since.
        """
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
        of = self._arrays, rows, self.players, self._options
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
