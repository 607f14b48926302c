"""Results of an evaluation, with 95 % intervals."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.games.seat_orders import Order
from shakespeare_agents.arena.wording import counted, with_margin
from shakespeare_agents.intervals import mean_interval, wilson_interval
from shakespeare_agents.storage import write_atomically
from shakespeare_env.core.registry import box_digest

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 80
"""Columns of a printed result."""
_NARROWEST = 56
"""The narrowest table, in columns; it keeps the title on one line."""


class Shown:
    """A dataclass of figures that is printed as a table and saved as JSON.

    Attributes:
        FORMAT: The version of its JSON.
        game: The name of the game played.
    """

    FORMAT: ClassVar[int]
    game: str

    def table(self) -> Table:
        """The figures, 80 columns at most."""
        raise NotImplementedError

    def __str__(self) -> str:
        from rich.console import Console  # imported late: only tables need it

        text = io.StringIO()
        Console(file=text, width=WIDTH, color_system=None).print(self.table())
        return text.getvalue().rstrip("\n")

    def to_json(self) -> dict[str, Any]:
        """JSON types, with a format number and the box's digest."""
        facts = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload] # tuples: lists
        return {"format": self.FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON atomically.

        Raises:
            ValueError: a figure is not finite.
            OSError: the file cannot be written.
        """
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_atomically(path, text.encode())


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
class Difference:
    """One agent's lead over another: the mean over deals, each agent taken over all its copies.

    In every deal both had every seat, so its luck cancels out; in the balanced order they also
    followed everyone else equally often. Intervals are 95 %; one without 0 shows which of the two
    does better in this company. They are None with one deal.

    Attributes:
        first: The agent's name.
        second: The other's.
        deals: The number of deals compared.
        win_rate: Difference of their win rates, -1 to 1.
        win_low: Lower end of its interval.
        win_high: Upper end.
        score: Difference of their mean scores.
        score_low: Lower end of its interval.
        score_high: Upper end.
    """

    first: str
    second: str
    deals: int
    win_rate: float
    win_low: float | None
    win_high: float | None
    score: float
    score_low: float | None
    score_high: float | None

    def __str__(self) -> str:
        wins = f"{100 * self.win_rate:+.1f} %{_ends(self.win_low, self.win_high, '+.1f', 100)}"
        score = f"{self.score:+.2f}{_ends(self.score_low, self.score_high, '+.2f')}"
        which = f"{self.first} less {self.second}, {self.deals} deals"
        return f"{which}:\n  wins {wins}, score {score}"

    def turned(self) -> Difference:
        """The second less the first."""
        turned = self.win_high, self.win_low, self.score_high, self.score_low
        ends: Any = [None if end is None else -end for end in turned]
        figures: Any = -self.win_rate, *ends[:2], -self.score, *ends[2:]
        return Difference(self.second, self.first, self.deals, *figures)


@dataclass(frozen=True)
class EvaluationResult(Shown):
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

    FORMAT = 4

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

    def table(self) -> Table:
        """The results, one row per agent, 80 columns at most."""
        from rich.table import Table
        from rich.text import Text

        variants = [name for name, on in self.options.items() if on]
        where = ", ".join([self.game, counted(self.players, "seat"), *variants])
        games, deals = counted(self.games, "game"), counted(self.deals, "deal")
        table = Table(
            title=f"{where}: {games}, {deals}, seed {self.seed}",
            caption=self._caption(),
            min_width=_NARROWEST,
        )
        table.add_column("Agent", overflow="fold")
        wins = ["Won %, 95 % interval", "By seat, %"] if self.players > 1 else []
        for heading in (*wins, "Mean score"):
            table.add_column(heading, justify="right", no_wrap=True)
        for agent in self.agents:
            copies = f" ×{agent.copies}" if agent.copies > 1 else ""
            figures = [with_margin(agent.mean_score, agent.score_high)]
            if agent.win_rate is not None and agent.seat_win_rates is not None:
                rate = f"{100 * agent.win_rate:.1f}{_ends(agent.low, agent.high, '.1f', 100)}"
                by_seat = " ".join(f"{100 * rate:3.0f}" for rate in agent.seat_win_rates)
                figures = [rate, by_seat, *figures]
            table.add_row(Text(agent.name + copies), *figures)
        return table

    def _caption(self) -> str:
        if self.mean_winning_score is None:
            return f"A good solo game passes {self.solo_target:g}."
        a_deal = self.games // self.deals
        seating = ""
        if self.order == "fixed":
            seating = f"{a_deal} games a deal in the order named: neighbours stay.\n"
        elif a_deal != self.players:
            seating = f"{a_deal} games a deal: everyone sits everywhere behind everyone.\n"
        by_seat = max(map(_seat_margin, self.agents))
        return (
            f"{seating}Mean winning score "
            f"{with_margin(self.mean_winning_score, self.winning_score_high)}. "
            f"By seat ± {100 * by_seat:.1f} at most.\n"
            f"± is a 95 % interval; equal agents win {100 / self.players:.1f} %."
        )


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
    means: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        held = np.array([other == name for other in names])[seating]  # by deal, game and seat
        copies = list(names).count(name)
        games = played * deals * copies
        deal_wins, deal_scores = ((of * held).sum(axis=(1, 2)) for of in (shares, scores))
        means[name] = deal_wins / (played * copies), deal_scores / (played * copies)
        won = (shares * held).sum(axis=(0, 1))
        wins, by_seat = float(won.sum()), tuple((won / held.sum(axis=(0, 1))).tolist())
        # The interval is that of "one of the copies wins", shared out among them: within a game
        # they depend on each other.
        together = _design_effect(deal_wins / played, played, players)
        low, high = wilson_interval(wins / together, played * deals / together)
        victory: Any = wins, wins / games, low / copies, high / copies, by_seat
        if players == 1:
            victory = (None,) * len(victory)
        figures: Any = *victory, *mean_interval(means[name][1])
        results.append(AgentResult(name, copies, games, *figures))
    differences = []
    for first, second in itertools.combinations(means, 2):
        by_wins, by_score = (a - b for a, b in zip(means[first], means[second], strict=True))
        rate, *ends = mean_interval(by_wins, student=True)
        ends = [None if end is None else min(max(end, -1.0), 1.0) for end in ends]
        figures = rate, *ends, *mean_interval(by_score, student=True)
        differences.append(Difference(first, second, deals, *figures))
    return tuple(results), tuple(differences)


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


def _seat_margin(agent: AgentResult) -> float:
    """The longer side of the widest interval of a seat's win rate, 0 to 1."""
    rates = agent.seat_win_rates or ()
    games = agent.games // len(rates)
    ends = [(rate, *wilson_interval(rate * games, games)) for rate in rates]
    return max(max(rate - low, high - rate) for rate, low, high in ends)


def _ends(low: float | None, high: float | None, digits: str, unit: int = 1) -> str:
    """An interval's ends in brackets; nothing without them."""
    if low is None or high is None:
        return ""
    return f" ({unit * low:{digits}} to {unit * high:{digits}})"
