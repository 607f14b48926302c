"""Games for the contract tests: every game, seat count and variant, played by a repeatable rule.

The rule picks a legal action by a hash of the game's row, the step and a salt. It picks the same in
a `Position` and a `Batch`, and knows nothing of what the actions do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env import Batch, Position
from shakespeare_env.core import registry
from shakespeare_env.core.seat_names import with_names

LONGEST = 1000
"""A number of decisions that no game reaches."""
EACH_PHASE = 4
"""The number of first positions of each phase that a sample of a game holds."""


@dataclass(frozen=True)
class Table:
    """A game, its number of seats and the variants that are switched on."""

    game: str
    players: int
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.game, str(self.players), *self.options])

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a batch or a view of games at this table."""
        return {"game": self.game, "players": self.players, **self.options}

    def position(self, seed: int) -> Position:
        return Position.new(self.game, players=self.players, seed=seed, **self.options)

    def batch(self, n: int, seed: int, **arguments: Any) -> Batch:
        return Batch(self.game, n, players=self.players, seed=seed, **arguments, **self.options)


def _tables(name: str) -> list[Table]:
    tables = [Table(name, players) for players in registry.seats(name)]
    for option, seats in registry.game(name).options.items():
        tables += [Table(name, players, {option: True}) for players in seats]
    return tables


TABLES = [table for name in registry.names() for table in _tables(name)]
"""Tables of every size of each game, without and with each variant."""
MANY_SEATS = [table for table in TABLES if table.players > 1]
PLAIN_TABLES = [table for table in TABLES if not table.options]
"""Tables of every size of each game, without variants."""
PLAIN_FULL_TABLES = [Table(name, registry.seats(name)[-1]) for name in registry.names()]
"""The largest table of each game."""
SMALL_TABLES = [Table(name, max(2, registry.seats(name)[0])) for name in registry.names()]
"""The smallest table of each game at which somebody sits opposite."""


def mix_bits(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return 64 well-mixed bits for each word (the finaliser of MurmurHash3)."""
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return words ^ (words >> np.uint64(33))


def actions_by_rule(mask: npt.NDArray[np.bool_], step: int, salt: int = 0) -> npt.NDArray[np.int64]:
    """Return the action that the rule picks in each row, int64[n]; -1 where none is legal."""
    words = np.arange(1, len(mask) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers = mix_bits(mix_bits(words + np.uint64(step)) + np.uint64(salt))
    counts = mask.sum(axis=1).astype(np.uint64)
    ranks = (numbers % np.maximum(counts, np.uint64(1))).astype(np.int64)
    actions = (mask.cumsum(axis=1, dtype=np.int16) > ranks[:, None]).argmax(axis=1)
    return np.where(counts > 0, actions, -1)


def move_by_rule(position: Position, step: int, salt: int = 0) -> str:
    """Return the move that the rule picks in row 0."""
    return position.move_text(int(actions_by_rule(position.action_mask()[None], step, salt)[0]))


def play_by_rule(position: Position, salt: int = 0) -> Iterator[Position]:
    """Play a position to the end; yield the same object at each decision and at the end."""
    for step in range(LONGEST):
        yield position
        if position.to_move is None:
            return
        position.push(move_by_rule(position, step, salt))
    raise AssertionError(f"not over after {LONGEST} decisions: {position!r}")


def sample_positions(table: Table, seed: int, every: int) -> Iterator[Position]:
    """Play a game; yield copies of one position in `every` and of the first of each phase."""
    seen: Counter[str] = Counter()
    for step, position in enumerate(play_by_rule(table.position(seed), salt=seed)):
        seen[position.phase] += 1
        if step % every == 0 or seen[position.phase] <= EACH_PHASE:
            yield position.copy()


def description_of(position: Position, move: str) -> str:
    """Return the English description of a move in the action table."""
    action = position.action_id(move)
    seat = position.to_move or 0
    return with_names(position.game.actions.description(action, seat, position.players))


def stack_records(records: Iterable[Any]) -> Any:
    """Return an array of records."""
    rows = list(records)
    return np.array(rows, rows[0].dtype)


def differing_fields(one: Any, other: Any) -> list[str]:
    """Return the names of the fields in which two records, or arrays of them, differ."""
    return [name for name in one.dtype.names if not np.array_equal(one[name], other[name])]


def record_of(batch: Batch, game: int) -> Any:
    """Return a copy of the record of one game."""
    return batch.save([game])[0]


def batch_of_copies(position: Position, n: int) -> Batch:
    """Return a batch of n copies of a position."""
    batch = Batch(position.game.name, n, players=position.players)
    batch.load(slice(None), stack_records([position.record()] * n))
    return batch
