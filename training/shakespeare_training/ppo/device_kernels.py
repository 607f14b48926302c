"""What a learner's rollout needs on a GPU beside the games: a thread for every game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from numba import cuda

from shakespeare_env.compile.device import device_kernel, device_words, launch
from shakespeare_env.play.generators import next_unit
from shakespeare_training.league import seat_players
from shakespeare_training.ppo.advantages import write_targets


@device_kernel("training-device", purpose="advantages for the GPU")
def _targets(given: Any, trace_decay: float, ahead: Any, found: Any) -> None:
    game = cuda.grid(1)
    if game < given[0].shape[1]:
        write_targets(game, given, trace_decay, ahead, found)


def write_targets_on_device(
    given: Sequence[torch.Tensor],
    trace_decay: float,
    ahead: Sequence[torch.Tensor],
    found: Sequence[torch.Tensor],
) -> None:
    """`write_targets` for all games."""
    launch(_targets, given[0].shape[1], given[0].device, given, trace_decay, ahead, found)


@device_kernel("training-device", purpose="seats for the GPU")
def _seats(is_new: Any, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any) -> None:
    game = cuda.grid(1)
    if game < len(is_new) and is_new[game]:
        seat_players(game, states, weights, by_kind, players, seats)


def seat_on_device(
    is_new: torch.Tensor,
    states: torch.Tensor,
    weights: torch.Tensor,
    by_kind: torch.Tensor,
    players: torch.Tensor,
    seats: torch.Tensor,
) -> None:
    """`seat_players` for games that have just begun, bool[n]."""
    of = device_words(states), weights, by_kind, players, seats
    launch(_seats, len(is_new), is_new.device, is_new, *of)


@cache
def rules_of_thumb_on_device(owner: str, best: Callable[[Any, Any, float], int]) -> Any:
    """The kernel that asks a `BestAction` in the games in which agent `index` is to move."""

    @device_kernel(owner, purpose="an agent's rules of thumb for the GPU")
    def choose(
        observations: Any, masks: Any, states: Any, waiting: Any, index: int, actions: Any
    ) -> None:
        game = cuda.grid(1)
        if game < len(actions) and waiting[game] == index:
            draw = next_unit(states, game)
            actions[game] = best(observations[game], masks[game], draw)

    return choose
