"""A game small enough to know everything about, with the interface of a `Batch`.

Seats take 1 to 3 counters in turn from one pile; whoever takes the last one loses, all others win.
The reward of every winner is caused by another seat's move, which is what learners of self-play
get wrong.  At two seats the seat to move is lost exactly if the pile leaves 1 when divided by 4.
Every seat decides at least once.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.action_table import ActionTable, Block
from shakespeare_env.game import ObservationLayout

MAX_SEATS = 4
LARGEST_PILE = 14

ACTIONS = ActionTable(
    [Block("take", ("take:1", "take:2", "take:3"), ("take one", "take two", "take three"))]
)
LAYOUT = ObservationLayout(
    [("pile", LARGEST_PILE + 1, 0, 1, "one-hot"), ("players", MAX_SEATS + 1, 0, 1, "one-hot")]
)
GAME: Any = SimpleNamespace(
    name="toy",
    min_seats=1,
    max_seats=MAX_SEATS,
    actions=ACTIONS,
    layout=LAYOUT,
    options=(),
    good_scores={1: 1.0},
    solo_target=1.0,
    draw=None,
    picture=None,
    to_dict=None,
)


class ToyBatch:
    """n games, with the attributes and methods of `Batch` that training uses."""

    game: Any = GAME
    actions = ACTIONS

    def __init__(self, n: int = 4, players: int = 2, seed: int = 0, *, autoreset: bool = True):
        self.n = n
        self.autoreset = autoreset
        self.players = np.full(n, players, np.int8)
        self.obs = np.zeros((n, LAYOUT.size), np.int8)
        self.mask = np.zeros((n, ACTIONS.size), np.bool_)
        self.to_move = np.zeros(n, np.int8)
        self.final_scores = np.zeros((n, MAX_SEATS), np.int16)
        self.final_winners = np.zeros((n, MAX_SEATS), np.bool_)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        if seed is not None:
            self._streams = [np.random.default_rng([seed, index]) for index in range(self.n)]
        self.pile = np.zeros(self.n, np.int64)
        for index in range(self.n):
            self._begin(index)
        self._look()

    def _begin(self, index: int) -> None:
        self.pile[index] = self._streams[index].integers(10, LARGEST_PILE + 1)
        self.to_move[index] = self._streams[index].integers(self.players[index])

    def _look(self) -> None:
        self.obs[:] = self.observe(self.to_move)
        self.mask[:] = self.pile[:, None] >= np.arange(1, 4)

    def observe(self, seats: NDArray[Any], rows: NDArray[Any] | None = None) -> NDArray[np.int8]:
        out = np.zeros_like(self.obs)
        every = np.arange(self.n)
        out[every, self.pile] = 1
        out[every, LARGEST_PILE + 1 + self.players] = 1
        return out if rows is None else out[rows]

    def restart(self, rows: NDArray[Any]) -> None:
        for index in rows:
            self._begin(index)
        self._look()

    def step(
        self, actions: NDArray[Any], rows: NDArray[Any] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        played = np.arange(self.n) if rows is None else rows
        assert len(actions) == len(played)
        assert (np.diff(played) > 0).all()
        rewards = np.zeros((self.n, MAX_SEATS), np.float32)
        dones = np.zeros(self.n, np.bool_)
        for index, action in zip(played.tolist(), actions.tolist(), strict=True):
            if self.to_move[index] < 0:
                assert action == -1
                continue
            assert self.mask[index, action]
            players, seat = int(self.players[index]), int(self.to_move[index])
            self.pile[index] -= action + 1
            self.to_move[index] = (seat + 1) % players
            if self.pile[index] == 0:
                dones[index] = True
                won = np.arange(MAX_SEATS) < players
                won[seat] = False
                self.final_winners[index] = won
                self.final_scores[index] = won
                rewards[index, :players] = np.where(won[:players], 1 / max(players - 1, 1), -1)
                self.to_move[index] = -1
                if self.autoreset:
                    self._begin(index)
        self._look()
        return rewards, dones

    def save(self, indices: NDArray[Any]) -> list[tuple[int, int]]:
        return [(int(self.pile[i]), int(self.to_move[i])) for i in indices]

    def load(self, indices: NDArray[Any], records: list[tuple[int, int]]) -> None:
        for index, (pile, seat) in zip(indices, records, strict=True):
            self.pile[index], self.to_move[index] = pile, seat
        self._look()


def make_toy(
    n: int, *, players: int = 2, seed: int = 0, autoreset: bool = True, **_: object
) -> Any:
    return ToyBatch(n, players, seed, autoreset=autoreset)
