"""Players that can be foretold, and what one seat must be shown of its games, decision by decision.

`Life` plays the part of one row of `SingleAgentBatch` in plain Python on a `Batch` of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.random_games import scrambled

ILLEGAL = -1.0


def mixed_seats(name: str) -> list[int]:
    """Seat counts of seven games: all those of a game, up and down again."""
    up = list(registry.seats(name))
    return (up + up[::-1] + up)[:7]


class BySight:
    """Picks among the legal actions by a hash of what is seen, row by row; draws nothing.

    Attributes:
        asked: How many games it was asked about, call by call.
    """

    def __init__(self, salt: int = 0) -> None:
        self._salt = np.uint64(salt)
        self.asked: list[int] = []

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
        rng: GameGenerators | None = None,
    ) -> npt.NDArray[np.int64]:
        assert observations.dtype == np.int8
        assert masks.dtype == np.bool_
        assert len(observations) == len(masks) > 0
        assert masks.any(axis=1).all()
        self.asked.append(len(masks))
        weights = scrambled(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
        words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
        ranks = scrambled(words + self._salt) % masks.sum(axis=1).astype(np.uint64)
        actions: npt.NDArray[np.int64] = (
            masks.cumsum(axis=1, dtype=np.int16) > ranks[:, None].astype(np.int64)
        ).argmax(axis=1)
        return actions


LEARNER = BySight(99)
"""Plays the learner's seat in tests, so that the same views bring the same games."""


def learn(observations: npt.NDArray[np.int8], masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """int64[n]: the actions of `LEARNER`."""
    return LEARNER.act(observations, masks.astype(np.bool_))


@dataclass
class Life:
    """One row of `SingleAgentBatch`: a seat's games one after the other.

    Args:
        name: Of the game.
        row: Which row.
        players: Seats of every row's games.
        seed: Of all rows.
        seat: The learner's, None to go around the table.
        opponents: Who sits first, second and so on after the learner.
        reward: A name of `row_rules.py`.
    """

    name: str
    row: int
    players: Sequence[int]
    seed: int
    seat: int | None
    opponents: Sequence[BySight]
    reward: str
    owed: float = 0.0
    others: int = field(default=0, init=False)
    """How often opponents have decided since the learner did."""

    def __post_init__(self) -> None:
        dealt = Batch(self.name, len(self.players), players=self.players, seed=self.seed)
        seats = self.players[self.row]
        self.game = Batch(self.name, 1, players=seats, autoreset=False, reward=self.reward)
        self.game.load([0], dealt.save([self.row]))
        self.learner = self.row % seats if self.seat is None else self.seat
        self.play_others()

    def play_others(self) -> None:
        self.others = 0
        seats = int(self.game.players[0])
        while self.game.to_move[0] not in (-1, self.learner):
            after = (int(self.game.to_move[0]) - self.learner - 1) % seats
            self.play(self.opponents[after].act(self.game.obs, self.game.mask))
            self.others += 1

    def play(self, action: npt.NDArray[np.int64]) -> None:
        rewards, _ = self.game.step(action)
        self.owed += float(rewards[0, self.learner])

    def step(self, action: int) -> tuple[float, bool]:
        """(reward, whether the game is over) of the learner's next action."""
        if not (0 <= action < self.game.actions.size and self.game.mask[0, action]):
            self.owed = 0.0
            return ILLEGAL, True
        self.play(np.array([action]))
        self.play_others()
        received, self.owed = self.owed, 0.0
        return received, bool(self.game.to_move[0] < 0)

    def restart(self) -> None:
        self.game.restart([0])
        if self.seat is None:
            self.learner = (self.learner + 1) % int(self.game.players[0])
        self.owed = 0.0
        self.play_others()


def make(table, n=5, seed=0, **arguments):
    return SingleAgentBatch(n=n, seed=seed, **(table.arguments | arguments))


def play(games, steps, *, restart=True):
    """Play with a learner that goes by what it sees; yields what there is to be seen."""
    for _ in range(steps):
        yield games.batch.obs.tobytes(), games.batch.mask.tobytes(), games.seats.tolist()
        step = games.step(learn(games.batch.obs, games.action_masks()))
        yield step.rewards.tobytes(), step.ended.tolist(), step.illegal.tolist()
        if restart:
            games.restart(np.flatnonzero(step.ended))


def played(games, steps):
    for _ in play(games, steps):
        pass
    return games


def an_illegal(games, row):
    return int(np.flatnonzero(~games.batch.mask[row])[0])


def legal(games):
    return learn(games.batch.obs, games.action_masks())


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


def bytes_of(shown: Any) -> Any:
    """All that a view has shown, down to the types and bytes of its arrays."""
    if isinstance(shown, dict):
        return {key: bytes_of(value) for key, value in shown.items()}
    if isinstance(shown, np.ndarray) and shown.dtype != np.object_:
        return shown.dtype, shown.shape, shown.tobytes()
    if isinstance(shown, list | tuple | np.ndarray):
        return [bytes_of(part) for part in shown]
    return shown
