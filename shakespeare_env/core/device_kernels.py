"""The entry points of `kernels.py` for a GPU: a thread a game, around the same `RowRules`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.arrays import GameArrays, Outcome, Terms
from shakespeare_env.core.game import Game
from shakespeare_env.core.kernels import rules_of
from shakespeare_env.core.rng import below_in
from shakespeare_env.core.row_rules import row_rules_of
from shakespeare_env.extras import needing

with needing("cuda", "shakespeare_env.core.device_batch needs"):
    from numba import cuda

    from shakespeare_env.compile.device import device_kernel

NOT_REFUSED = int(np.iinfo(np.int64).min)
"""Stands in `refused` for a game whose actions were all legal."""


@dataclass(frozen=True)
class DeviceKernels:
    """A game's entry points on a GPU; arguments are those of `Kernels`, for the games `rows`.

    Attributes:
        set_up: (arrays, rows, players, options).
        refresh: (arrays, rows).
        step: (arrays, outcome, rows, actions, players, terms, refused). A game with an illegal
            action stands still, and the action is kept in int64[n] `refused` until that is cleared.
        choose: (chance, mask, to_move, actions).
    """

    set_up: Callable[..., None]
    refresh: Callable[..., None]
    step: Callable[..., None]
    choose: Callable[..., None]


@cache
def device_kernels_of(game: Game) -> DeviceKernels:
    """A game's entry points on a GPU."""
    row_rules = row_rules_of(game)
    begin, show = row_rules.begin, row_rules.show
    is_legal, advance = row_rules.is_legal, row_rules.advance

    def compiled(what: str) -> Callable[[Callable[..., None]], Any]:
        purpose = f"{game.name.capitalize()}'s rules for the GPU ({what})"
        return device_kernel(f"{game.name}-device", *rules_of(game), purpose=purpose)

    @rule
    def drawn(chance: Any, i: int, legal: Any) -> int:
        """A legal action of game i, uniformly random as in `Kernels.choose`; -1 without any."""
        count = 0
        for action in range(len(legal)):
            count += legal[action]
        if count == 0:
            return -1
        left = below_in(chance, i, count)
        for action in range(len(legal)):
            left -= legal[action]
            if left < 0:
                return action
        return -1

    @compiled("new games")
    def set_up(entries: Any, rows: Any, players: Any, options: int) -> None:
        k = cuda.grid(1)
        if k < len(rows):
            i = rows[k]
            begin(GameArrays(*entries), i, players[i], options)

    @compiled("changed positions")
    def refresh(entries: Any, rows: Any) -> None:
        k = cuda.grid(1)
        if k < len(rows):
            show(GameArrays(*entries), rows[k])

    @compiled("moves of many games")
    def step(
        entries: Any,
        results: Any,
        rows: Any,
        actions: Any,
        players: Any,
        played_for: Any,
        refused: Any,
    ) -> None:
        arrays, outcome, terms = GameArrays(*entries), Outcome(*results), Terms(*played_for)
        k = cuda.grid(1)
        if k < len(rows):
            i, action = rows[k], actions[k]
            if refused[i] == NOT_REFUSED and not is_legal(arrays, i, action):
                refused[i] = action
            if refused[i] == NOT_REFUSED:
                advance(arrays, outcome, terms, i, action, players[i])
            else:
                outcome.done[i] = False
                outcome.rewards[i, :] = 0

    @compiled("random moves")
    def choose(chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
        i = cuda.grid(1)
        if i < len(actions):
            actions[i] = drawn(chance, i, mask[i]) if to_move[i] >= 0 else -1

    return DeviceKernels(set_up, refresh, step, choose)
