"""What agents think about in processes of their own.

Where a game is still being played, a job holds no more of it than the seat to move may know.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shakespeare_agents.analysis import (
    Analyst,
    Line,
    Thoughts,
    Verdict,
    best_line,
    forecasts_of,
    thoughts,
)
from shakespeare_agents.analysis.judging import verdict_on
from shakespeare_agents.registry import make
from shakespeare_agents.session import choose
from shakespeare_env import Position
from shakespeare_env.core.game import Game
from shakespeare_env.film import Forecasts

_MOST_MADE = 6
"""Agents that a process keeps."""
_made: OrderedDict[tuple[object, str, str], Any] = OrderedDict()


def as_seen(position: Position) -> Position:
    """A possible position instead of the true one, the same whatever its mover does not know."""
    assert position.to_move is not None
    return position.determinize(position.to_move, 0)


@dataclass(frozen=True)
class Decide:
    """A move; see `choose`.

    Attributes:
        agent: The agent's name.
        seen: The position as its seat sees it.
        seed: Decides the agent's draws.
        number: The number of the decision.
    """

    agent: str
    seen: Position
    seed: int
    number: int

    def prepare(self) -> None:
        """Make the agent."""
        _kept(make, self.seen.game, self.agent)

    def results(self) -> Iterator[str]:
        """The move alone."""
        agent = _kept(make, self.seen.game, self.agent)
        yield choose(agent, self.seen, self.seed, self.number)


@dataclass(frozen=True)
class ThinkAloud:
    """An agent's thoughts, round by round; fields as those of `Decide`, and `thoughts`."""

    agent: str
    seen: Position
    seed: int
    number: int
    playouts: int

    def prepare(self) -> None:
        """Make the analyst."""
        _kept(_analyst, self.seen.game, self.agent)

    def results(self) -> Iterator[Thoughts]:
        """The thoughts."""
        analyst = _kept(_analyst, self.seen.game, self.agent)
        about = {"seed": self.seed, "number": self.number, "playouts": self.playouts}
        return thoughts(self.seen, analyst, **about)


@dataclass(frozen=True)
class Forecast:
    """What every seat of a finished game could expect; see `forecasts_of`."""

    agent: str
    positions: Sequence[Position]
    playouts: int

    def prepare(self) -> None:
        """Make the analyst."""
        _kept(_analyst, self.positions[0].game, self.agent)

    def results(self) -> Iterator[Forecasts]:
        """The forecasts alone."""
        analyst = _kept(_analyst, self.positions[0].game, self.agent)
        yield forecasts_of(self.positions, analyst, playouts=self.playouts)


@dataclass(frozen=True)
class Judge:
    """What a decision of a finished game was worth; see `verdict_on`."""

    agent: str
    position: Position
    move: str
    number: int

    def prepare(self) -> None:
        """Make the analyst."""
        _kept(_analyst, self.position.game, self.agent)

    def results(self) -> Iterator[Verdict]:
        """The verdict alone."""
        analyst = _kept(_analyst, self.position.game, self.agent)
        yield verdict_on(self.position, self.move, self.number, analyst)


@dataclass(frozen=True)
class FindLine:
    """The best line from a position of a finished game; see `best_line`."""

    agent: str
    position: Position
    number: int

    def prepare(self) -> None:
        """Make the analyst."""
        _kept(_analyst, self.position.game, self.agent)

    def results(self) -> Iterator[Line]:
        """The line alone."""
        analyst = _kept(_analyst, self.position.game, self.agent)
        yield best_line(self.position, analyst, number=self.number)


def _analyst(name: str, game: Game) -> Analyst:
    return Analyst(game, name)


def _kept(maker: Callable[[str, Game], Any], game: Game, name: str) -> Any:
    key = (maker, game.name, name)
    if key not in _made:
        _made[key] = maker(name, game)
        while len(_made) > _MOST_MADE:
            _made.popitem(last=False)
    _made.move_to_end(key)
    return _made[key]
