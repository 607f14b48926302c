"""One game between somebody outside and agents, timed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from shakespeare_agents.arena.games.referee import Fault
from shakespeare_agents.single_game import SingleGame
from shakespeare_env import IllegalMove, Position
from shakespeare_env.agent import AnyAgent
from shakespeare_env.game_log import GameLog

YOU = "you"
"""The name of the outside seat in texts."""


@dataclass(frozen=True)
class Opponent:
    """An agent at a table: its name, its digest, and what plays."""

    name: str
    digest: str
    agent: AnyAgent


@dataclass(frozen=True)
class Start:
    """How a table's game began: game `deal` of `Batch(seed=seed)`, with variants."""

    seed: int
    deal: int
    variants: tuple[str, ...]


class Table:
    """A game in which one seat is held from outside.

    Args:
        number: Its number among the server's tables.
        position: The first one.
        start: How the game began.
        seat: The seat held from outside.
        opponents: The opponents, in the order of the other seats.

    Attributes:
        seconds: The time that each seat took to decide.
        decisions: The number of each seat's decisions.
        fault: The fault by which the seat `failed` lost the game, if one did.
    """

    def __init__(
        self,
        number: int,
        position: Position,
        start: Start,
        seat: int,
        opponents: Sequence[Opponent],
    ) -> None:
        others = [other for other in range(position.players) if other != seat]
        self.number, self.seat, self.start = number, seat, start
        self.opponents = dict(zip(others, opponents, strict=True))
        names = [
            YOU if other == seat else self.opponents[other].name
            for other in range(position.players)
        ]
        self.log = GameLog(names, seat)
        agents = {other: one.agent for other, one in self.opponents.items()}
        self.played = SingleGame(position, agents, start.seed, names=names)
        self.seconds = [0.0] * position.players
        self.decisions = [0] * position.players
        self.fault: Fault | None = None
        self.failed: int | None = None
        self._chosen_at = 0
        self._since = time.monotonic()
        self._play_on()

    @property
    def position(self) -> Position:
        """The current position."""
        return self.played.position

    @property
    def is_over(self) -> bool:
        """Whether nobody decides any more: the game has ended, or a seat has lost it by a fault."""
        return self.fault is not None or self.position.to_move is None

    @property
    def has_chosen(self) -> bool:
        """Whether the outside seat has played a move."""
        return any(position.to_move == self.seat for position in self.played.positions[:-1])

    def play(self, move: str) -> None:
        """Play the outside seat's move and let agents play on; IllegalMove if it is not legal."""
        position = self.position
        if move not in position.moves():
            position.copy().push(move)
        self._chosen_at = len(self.played.moves)
        self.played.push(move, self._note)
        self._play_on()

    def forfeit(self, fault: Fault) -> None:
        """The outside seat loses the game by a fault."""
        self.fault, self.failed = fault, self.seat

    def told(self) -> list[str]:
        """What the outside seat knows to have happened since its last choice."""
        positions, moves = self.played.positions, self.played.moves
        return [
            line
            for at in range(self._chosen_at, len(moves))
            for line in self.log.lines(positions[at], at + 1, moves[at], positions[at + 1])
        ]

    def _play_on(self) -> None:
        try:
            self.played.play_out(self._note)
        except Exception as error:
            # The fault of an agent of this process may reveal secrets, so its words stay here.
            kind = "illegal" if isinstance(error, IllegalMove) else "error"
            self.fault = Fault(kind, f"{type(error).__name__}: {error}")
            self.failed = self.played.failed

    def _note(self, before: Position, _number: int, _move: str, _after: Position) -> None:
        now, seat = time.monotonic(), before.to_move
        assert seat is not None
        self.seconds[seat] += now - self._since
        self.decisions[seat] += 1
        self._since = now
