"""Results of an evaluation, with 95 % intervals."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.differences import Difference, differences, seats_held
from shakespeare_agents.arena.seat_orders import Order
from shakespeare_agents.intervals import mean_interval, wilson_interval
from shakespeare_agents.storage import write_atomically
from shakespeare_env.registry import box_digest

if TYPE_CHECKING:
    from rich.table import Table

FORMAT = 4
"""Version of the JSON."""
_WIDTH = 80
_NARROWEST = 56
"""The narrowest table, in columns; it keeps the title on one line."""


@dataclass(frozen=True)
class AgentResult:
    """One agent's figures over all its copies.

    With one seat nobody wins: `wins`, `win_rate`, its interval and `seat_win_rates` are None.

    Attributes:
        name: As entered.
        copies: Seats held in every game.
        games: Counted once per copy.
        wins: A victory shared by k seats counts 1/k.
        win_rate: wins / games; 1 / players for equal agents.
        low: Lower end of its 95 % interval.
        high: Upper end.
        seat_win_rates: Win rates by seat; all were played equally often.
        mean_score: Mean final score.
        score_low: Lower end of its 95 % interval; None with one deal.
        score_high: Upper end; None with one deal.
    """

    name: str
    copies: int
    games: int
    wins: float | None
    win_rate: float | None
    low: float | None
    high: float | None
    seat_win_rates: tuple[float, ...] | None
    mean_score: float
    score_low: float | None
    score_high: float | None


@dataclass(frozen=True)
class EvaluationResult:
    """Results, and what it takes to replay the games.

    Attributes:
        game: Its name.
        options: Its variants.
        players: Seats.
        seed: Decides the deals and the agents' draws.
        games: Games played.
        deals: Each was played in games / deals games.
        order: Whether neighbours changed between these (see `seat_orders`).
        entrants: Names, as entered.
        agents: One per name, in that order.
        differences: One per two names, the first less the second (see `difference`).
        mean_winning_score: Mean of each game's best final score; None with one seat.
        winning_score_low: Lower end of its 95 % interval; None with one seat or deal.
        winning_score_high: Upper end; None with one seat or deal.
        solo_target: A good solo score; None with more seats.
    """

    game: str
    options: dict[str, bool]
    players: int
    seed: int
    games: int
    deals: int
    order: Order
    entrants: tuple[str, ...]
    agents: tuple[AgentResult, ...]
    differences: tuple[Difference, ...]
    mean_winning_score: float | None
    winning_score_low: float | None
    winning_score_high: float | None
    solo_target: float | None

    def __getitem__(self, name: str) -> AgentResult:
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(f"{name!r} did not play; the entrants were {', '.join(self.entrants)}")

    def difference(self, first: str, second: str) -> Difference:
        """What the first has more than the second, compared deal by deal; KeyError if unknown."""
        for name in (first, second):
            _ = self[name]
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                return found.turned()
        raise KeyError(f"{first!r} was compared with itself; name two agents")

    def __str__(self) -> str:
        from rich.console import Console  # imported late: only tables need it

        text = io.StringIO()
        Console(file=text, width=_WIDTH, color_system=None).print(self.table())
        return text.getvalue().rstrip("\n")

    def table(self) -> Table:
        """The results, one row per agent, 80 columns at most."""
        from rich.table import Table
        from rich.text import Text

        variants = [name for name, on in self.options.items() if on]
        where = ", ".join([self.game, counted(self.players, "seat"), *variants])
        games, deals = counted(self.games, "game"), counted(self.deals, "deal")
        table = Table(
            title=f"{where}: {games}, {deals}, seed {self.seed}",
            caption=_caption(self),
            min_width=_NARROWEST,
        )
        table.add_column("Agent", overflow="fold")
        if self.players > 1:
            table.add_column("Won %, 95 % interval", justify="right", no_wrap=True)
            table.add_column("By seat, %", justify="right", no_wrap=True)
        table.add_column("Mean score", justify="right", no_wrap=True)
        for agent in self.agents:
            copies = f" ×{agent.copies}" if agent.copies > 1 else ""
            table.add_row(Text(agent.name + copies), *_figures(agent))
        return table

    def to_json(self) -> dict[str, Any]:
        """JSON types, with a format number and the box's digest."""
        facts = json.loads(json.dumps(asdict(self)))  # tuples become lists
        return {"format": FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON atomically.

        Raises:
            ValueError: a figure is not finite.
            OSError: the file cannot be written.
        """
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_atomically(path, text.encode())


def agent_results(
    names: Sequence[str],
    seating: NDArray[np.integer],
    scores: NDArray[np.integer],
    winners: NDArray[np.bool_],
) -> tuple[tuple[AgentResult, ...], tuple[Difference, ...]]:
    """One result per distinct name, in order, seats of one name pooled; and their differences.

    Args:
        names: P names.
        seating: int[deals, G, P], who sits where in each game, as places in `names`.
        scores: int[deals, G, P], final scores by deal, game and seat.
        winners: bool[deals, G, P], whether the seat won.
    """
    deals, played, players = scores.shape
    shares = winners / winners.sum(axis=2, keepdims=True).clip(1)
    results = []
    for name, held in seats_held(names, seating).items():
        copies = list(names).count(name)
        games = played * deals * copies
        deal_scores = (scores * held).sum(axis=(1, 2)) / (played * copies)
        won = (shares * held).sum(axis=(0, 1))
        wins, by_seat = float(won.sum()), tuple((won / held.sum(axis=(0, 1))).tolist())
        # The interval is that of "one of the copies wins", shared out among them: within a game
        # they depend on each other.
        together = _design_effect((shares * held).sum(axis=(1, 2)) / played, played, players)
        low, high = wilson_interval(wins / together, played * deals / together)
        victory: Any = wins, wins / games, low / copies, high / copies, by_seat
        if players == 1:
            victory = (None,) * len(victory)
        figures: Any = *victory, *mean_interval(deal_scores)
        results.append(AgentResult(name, copies, games, *figures))
    return tuple(results), differences(names, seating, scores, shares)


def _design_effect(rates: NDArray[np.floating], played: int, players: int) -> float:
    """The variance of the games as a multiple of that of independent games, at least 1.

    Games that share a deal resemble each other (Kish 1965, "Survey Sampling"); with one game a seat
    hardly, so that they count as independent.

    Args:
        rates: float[deals], the share of wins in a deal's games.
        played: The number of games a deal.
        players: Seats.
    """
    rate = float(rates.mean())
    if played <= players or len(rates) < 2 or not 0 < rate < 1:
        return 1.0
    return max(1.0, float(rates.var(ddof=1)) * played / (rate * (1 - rate)))


def _figures(agent: AgentResult) -> list[str]:
    score = with_margin(agent.mean_score, agent.score_high)
    if agent.win_rate is None or agent.low is None or agent.high is None:
        return [score]
    rates = agent.seat_win_rates or ()
    return [
        f"{agent.win_rate:.1%} ({agent.low:.1%} to {agent.high:.1%})".replace("%", ""),
        " ".join(f"{rate:3.0%}".replace("%", "").rjust(3) for rate in rates),
        score,
    ]


def _caption(result: EvaluationResult) -> str:
    if result.solo_target is not None:
        return f"A good solo game passes {result.solo_target:g}."
    assert result.mean_winning_score is not None
    winning = with_margin(result.mean_winning_score, result.winning_score_high)
    equal = f"{1 / result.players:.1%}".replace("%", " %")
    by_seat = max(map(_seat_margin, result.agents))
    return _seating(result) + (
        f"Mean winning score {winning}. By seat ± {100 * by_seat:.1f} at most.\n"
        f"± is a 95 % interval; equal agents win {equal}."
    )


def _seating(result: EvaluationResult) -> str:
    """Why a deal takes this number of games, unless it is one per seat."""
    a_deal = result.games // result.deals
    if result.order == "fixed":
        return f"{a_deal} games a deal in the order named: neighbours stay.\n"
    if a_deal == result.players:
        return ""
    return f"{a_deal} games a deal: everyone sits everywhere behind everyone.\n"


def _seat_margin(agent: AgentResult) -> float:
    """The longer side of the widest interval of a seat's win rate, 0 to 1."""
    rates = agent.seat_win_rates or ()
    games = agent.games // len(rates)
    ends = [(rate, *wilson_interval(rate * games, games)) for rate in rates]
    return max(max(rate - low, high - rate) for rate, low, high in ends)


def counted(number: int, noun: str) -> str:
    """A number of things, as in `3 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def with_margin(mean: float, high: float | None) -> str:
    """A mean and its symmetric interval: `21.37 ± 0.52`."""
    return f"{mean:.2f}" if high is None else f"{mean:.2f} ± {high - mean:.2f}"
