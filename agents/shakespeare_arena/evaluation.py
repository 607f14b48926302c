"""Evaluation of agents against each other on the same deals, with 95 % intervals."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from shakespeare_agents.making import Entrant, entrants_of, fill_seats
from shakespeare_agents.workers import ProgressCallback, Workers
from shakespeare_arena.games.deals import DealSeries, DealTable
from shakespeare_arena.games.recording import Recording
from shakespeare_arena.games.results import open_results
from shakespeare_arena.games.seating import seat_plan
from shakespeare_arena.intervals import FEW_DEALS, mean_interval, share_interval
from shakespeare_arena.reports import Report, counted
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.lineup import Lineup

_NARROWEST = 56  # the narrowest table, in columns; it keeps the title on one line
_BYTES_PER_RESULT = 26
"""Bytes of memory for a seat of a game: its agent, score and victory, and copies of these."""


@dataclass(frozen=True)
class AgentResult:
    """One agent's results over all its copies.

    With one seat nobody wins: `wins`, `win_rate`, its interval and `seat_win_rates` are None.

    Attributes:
        name: The name as entered.
        copies: The seats held in every game.
        games: Games, counted once per copy.
        wins: Victories; one shared by k seats counts 1/k.
        win_rate: wins / games; 1 / players for equal agents.
        low: The lower end of the win rate's 95 % interval, from deals' means; 0 with one deal.
        high: The upper end; 1 with one deal.
        seat_win_rates: Win rates by seat; all seats were played equally often.
        mean_score: The mean final score.
        score_low: The lower end of the mean score's interval; None with one deal.
        score_high: The upper end; None with one deal.
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
    """One agent's lead over another, as the mean over deals.

    In each deal, an agent's result is its mean over all its games and copies. Both agents had every
    seat in every deal, so the deal's luck cancels out. Intervals are 95 %. If an interval does not
    contain 0, it shows which of the two does better at a table with these agents.

    Attributes:
        first: The agent's name.
        second: The other's name.
        deals: The number of deals compared.
        win_rate: The difference of their win rates, -1 to 1.
        win_low: The lower end of its interval; -1 with one deal.
        win_high: The upper end; 1 with one deal.
        score: The difference of their mean scores.
        score_low: The lower end of its interval; None with one deal.
        score_high: The upper end; None with one deal.
    """

    first: str
    second: str
    deals: int
    win_rate: float
    win_low: float
    win_high: float
    score: float
    score_low: float | None
    score_high: float | None

    def __str__(self) -> str:
        win_interval = _in_brackets(self.win_low, self.win_high, "+.1f", 100)
        score_interval = _in_brackets(self.score_low, self.score_high, "+.2f")
        wins = f"{100 * self.win_rate:+.1f} %{win_interval}"
        score = f"{self.score:+.2f}{score_interval}"
        warning = f" (fewer than {FEW_DEALS})" if self.deals < FEW_DEALS else ""
        heading = f"{self.first} less {self.second}, {counted(self.deals, 'deal')}{warning}"
        return f"{heading}:\n  wins {wins}, score {score}"


@dataclass(frozen=True)
class EvaluationResult(Report):
    """The results of an evaluation, and the settings that replay its games.

    Attributes:
        game: The game's name.
        options: Its variants.
        players: The number of seats.
        seed: The seed of the deals and the agents' draws.
        games: The games played.
        deals: The number of deals; each was played `games / deals` times.
        entrants: The names, as entered.
        agents: One result per name, in that order.
        differences: The lead of each name over each other, both ways.
        mean_winning_score: The mean of each game's best final score; None with one seat.
        winning_score_low: The lower end of its interval; None with one seat or one deal.
        winning_score_high: The upper end; None with one seat or one deal.
        solo_target: A good solo score; None with more seats.
        warning: A warning if there are few deals, or some are missing after an interruption.
    """

    FORMAT = 6

    game: str
    options: dict[str, bool]
    players: int
    seed: int
    games: int
    deals: int
    entrants: tuple[str, ...]
    agents: tuple[AgentResult, ...]
    differences: tuple[Difference, ...]
    mean_winning_score: float | None
    winning_score_low: float | None
    winning_score_high: float | None
    solo_target: float | None
    warning: str | None

    def __getitem__(self, name: str) -> AgentResult:
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(f"{name!r} did not play; the entrants were {', '.join(self.entrants)}")

    def difference(self, first: str, second: str) -> Difference:
        """Return the first agent's lead over the second; KeyError unless both played."""
        for difference in self.differences:
            if (difference.first, difference.second) == (first, second):
                return difference
        entrants = ", ".join(self.entrants)
        raise KeyError(f"{first!r} and {second!r} did not both play; the entrants were {entrants}")

    def table(self) -> Table:
        """Return the results as a table of at most 80 columns, a row per agent."""
        variants = [name for name, is_on in self.options.items() if is_on]
        setting = ", ".join([self.game, counted(self.players, "seat"), *variants])
        counts = f"{counted(self.games, 'game')}, {counted(self.deals, 'deal')}"
        table = Table(
            title=f"{setting}: {counts}, seed {self.seed}",
            caption=self._caption(),
            min_width=_NARROWEST,
        )
        table.add_column("Agent", overflow="fold")
        headings = ["Won %, 95 % interval", "By seat, %"] if self.players > 1 else []
        for heading in [*headings, "Mean score"]:
            table.add_column(heading, justify="right", no_wrap=True)
        for agent in self.agents:
            copies = f" ×{agent.copies}" if agent.copies > 1 else ""
            cells = [_with_margin(agent.mean_score, agent.score_high)]
            if agent.win_rate is not None and agent.seat_win_rates is not None:
                interval = _in_brackets(agent.low, agent.high, ".1f", 100)
                rate = f"{100 * agent.win_rate:.1f}{interval}"
                by_seat = " ".join(f"{100 * share:3.0f}" for share in agent.seat_win_rates)
                cells = [rate, by_seat, *cells]
            table.add_row(Text(agent.name + copies), *cells)
        return table

    def _caption(self) -> str:
        lines: list[str] = []
        if self.mean_winning_score is not None:
            best = _with_margin(self.mean_winning_score, self.winning_score_high)
            games_per_deal = counted(self.games // self.deals, "game")
            lines.append(f"{games_per_deal} a deal. Mean winning score {best}.")
            lines.append(f"± is a 95 % interval; equal agents win {100 / self.players:.1f} %.")
        elif self.solo_target:
            lines.append(f"A good solo game passes {self.solo_target:g}.")
        if self.warning:
            lines.append(self.warning)
        return "\n".join(lines)


class _DealMeans(NamedTuple):
    """An agent's means by deal over its games and copies, float[deals]."""

    victories: NDArray[np.float64]
    scores: NDArray[np.float64]


def agent_results(
    names: Sequence[str],
    seating: NDArray[np.integer],
    scores: NDArray[np.integer],
    winners: NDArray[np.bool_],
) -> tuple[tuple[AgentResult, ...], tuple[Difference, ...]]:
    """Return one result per distinct name, in order, and the differences of every two.

    Seats of one name are pooled.

    Args:
        names: The names of the P agents at a table. Copies of an agent have the same name.
        seating: int[deals, G, P], the index in `names` of the agent at each seat, for each of the G
            games of a deal.
        scores: int[deals, G, P], final scores by deal, game and seat.
        winners: bool[deals, G, P], whether the seat won.
    """
    deals, games_per_deal, players = scores.shape
    victories = victory_shares(winners)
    results = []
    means: dict[str, _DealMeans] = {}
    for name in dict.fromkeys(names):
        is_copy = np.array([other == name for other in names])
        seats_held = is_copy[seating]  # bool[deals, G, P], the seats that the agent's copies had
        copies = list(names).count(name)
        results_per_deal = games_per_deal * copies
        by_deal = _DealMeans(
            victories=(victories * seats_held).sum(axis=(1, 2)) / results_per_deal,
            scores=(scores * seats_held).sum(axis=(1, 2)) / results_per_deal,
        )
        means[name] = by_deal
        mean_score, score_low, score_high = mean_interval(by_deal.scores)
        result = AgentResult(
            name=name,
            copies=copies,
            games=deals * results_per_deal,
            wins=None,
            win_rate=None,
            low=None,
            high=None,
            seat_win_rates=None,
            mean_score=mean_score,
            score_low=score_low,
            score_high=score_high,
        )
        if players > 1:
            won = (victories * seats_held).sum(axis=(0, 1))  # by seat
            # Copies in one game are not independent. So the interval is that of the rate at which
            # any of the copies wins, and is then divided by their number.
            rate, low, high = share_interval(copies * by_deal.victories)
            result = replace(
                result,
                wins=float(won.sum()),
                win_rate=rate / copies,
                low=low / copies,
                high=high / copies,
                seat_win_rates=tuple((won / seats_held.sum(axis=(0, 1))).tolist()),
            )
        results.append(result)
    differences = [
        _difference(first, second, means[first], means[second])
        for first, second in itertools.permutations(means, 2)
    ]
    return tuple(results), tuple(differences)


def _difference(first: str, second: str, own: _DealMeans, other: _DealMeans) -> Difference:
    leads = own.victories - other.victories
    # Few deals may all end alike by chance. Wilson's interval has some width even then. It is for
    # shares, so leads, -1 to 1, are mapped to 0 to 1 and back.
    share, low, high = share_interval((1 + leads) / 2)
    score, score_low, score_high = mean_interval(own.scores - other.scores)
    return Difference(
        first=first,
        second=second,
        deals=len(leads),
        win_rate=2 * share - 1,
        win_low=2 * low - 1,
        win_high=2 * high - 1,
        score=score,
        score_low=score_low,
        score_high=score_high,
    )


def _with_margin(mean: float, high: float | None) -> str:
    return f"{mean:.2f}" if high is None else f"{mean:.2f} ± {high - mean:.2f}"


def _in_brackets(low: float | None, high: float | None, spec: str, unit: int = 1) -> str:
    if low is None or high is None:
        return ""
    return f" ({unit * low:{spec}} to {unit * high:{spec}})"


class NoCompleteDeal(Exception):  # noqa: N818 - nothing is wrong, it is only too early
    """An evaluation has no result yet, because no deal is complete."""


class Evaluation:
    """Games in which every agent holds every seat equally often, and their result so far.

    All arguments but `results` are those of `evaluate`.

    Args:
        results: A folder of results (see `results.open_results`). Games that it holds are not
            played again, and others are added as they end. It is also a dataset of these games.

    Attributes:
        entrants: The entrants, one per seat.
        games: The number of games, in whole deals.

    Raises:
        ValueError: as in `evaluate`, or names do not tell the agents of the folder apart.
        TypeError: as in `evaluate`, or an agent has no digest, by which its games in the folder are
            found.
        MemoryLimitError: the results would not fit this machine.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant | AgentLike],
        game: str = registry.DEFAULT,
        *,
        games: int,
        players: int | None = None,
        seed: int = 0,
        options: Mapping[str, bool] | None = None,
        results: Path | None = None,
    ) -> None:
        if isinstance(entrants, str) or not isinstance(entrants, Sequence):
            raise TypeError(
                f"entrants={short_repr(entrants)}: give a list of agents, [{short_repr(entrants)}]"
            )
        self._game = registry.game(game)
        self._seed = seed
        self._options = dict(options or {})
        filled = fill_seats(entrants, players, self._game)
        checked_count("games", games, MOST_GAMES)
        self.entrants = entrants_of(filled, self._game)
        self._folder = results
        self._recording: Recording | None = None
        seats = seat_plan(self.entrants, seed)
        if results is not None:
            self._recording = Recording(
                self.entrants, game, seed=seed, options=options, lineup_class=Lineup
            )
            seats = self._recording.seats
        deals = seats.deals_for(games)
        self.games = deals * seats.games_per_deal
        needed = self.games * len(self.entrants) * _BYTES_PER_RESULT
        require_memory(f"games={self.games}", needed, "play fewer games")
        self._played = DealTable(seats.places(range(deals)), range(deals))

    def play(
        self, on_progress: ProgressCallback | None = None, workers: Workers | None = None
    ) -> None:
        """Play the games. An interruption loses only the games in progress.

        Args:
            on_progress: Called with the decisions made and the games finished so far. It is called
                after every step if this process plays the games. Games in the folder count as
                finished.
            workers: The workers that play the games (see `open_workers`), by default this process.

        Raises:
            WorkerError: workers are lost, or an agent differs from its copy on a worker.
            ArenaError, DatasetError, OSError: the folder cannot be used.
            ModuleNotFoundError: there is a folder, and a package of the extra `data` is missing.
            Exception: an agent raised it; a note names the agent.
        """
        if self._recording is None or self._folder is None:
            series = DealSeries(
                self.entrants, self._game.name, seed=self._seed, options=self._options
            )
            series.play_into(self._played, on_progress, workers)
            return
        with open_results(self._folder, self._game.name) as results:
            self._recording.play_into(results, self._played, on_progress, workers)

    def result(self) -> EvaluationResult:
        """Return the result of those deals of which all games are played.

        Raises:
            NoCompleteDeal: no deal is complete.
        """
        played = self._played.complete()
        deals = len(played.scores)
        games_per_deal = self.games // len(self._played.deals)
        names = tuple(entrant.name for entrant in self.entrants)
        if not deals:
            raise NoCompleteDeal(
                f"no deal is complete; {self._played.games:,} of {self.games:,} games are over, "
                f"and a deal has {games_per_deal}"
            )
        agents, differences = agent_results(names, *played)

        is_solo = len(names) == 1
        winning_score: float | None = None
        low: float | None = None
        high: float | None = None
        if not is_solo:
            best_by_deal = played.scores.max(axis=2).mean(axis=1)
            winning_score, low, high = mean_interval(best_by_deal)
        warnings = []
        missing = len(self._played.deals) - deals
        if missing:
            warnings.append(f"Interrupted: {counted(missing, 'deal')} not complete, not counted.")
        if deals < FEW_DEALS:
            warnings.append(
                f"Only {counted(deals, 'deal')}: below {FEW_DEALS} intervals are rough."
            )
        return EvaluationResult(
            game=self._game.name,
            options=self._options,
            players=len(names),
            seed=self._seed,
            games=deals * games_per_deal,
            deals=deals,
            entrants=names,
            agents=agents,
            differences=differences,
            mean_winning_score=winning_score,
            winning_score_low=low,
            winning_score_high=high,
            solo_target=self._game.solo_target if is_solo else None,
            warning="\n".join(warnings) or None,
        )


def evaluate(
    entrants: Sequence[Entrant | AgentLike],
    game: str = registry.DEFAULT,
    *,
    games: int,
    players: int | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    on_progress: ProgressCallback | None = None,
    workers: Workers | None = None,
) -> EvaluationResult:
    """Play games in which every agent holds every seat equally often.

    An agent may hold several seats, and seats of one name share a result. `Evaluation` keeps what
    was played before an interruption.

    Args:
        entrants: Agents, however they are given (see `making.make`), or `Entrant` with a name of
            your own.
        game: The game's name.
        games: The number of games, up to `MOST_GAMES`, rounded up to whole deals. In each deal
            every agent has every seat and follows every other equally often (see `seatings`).
        players: The number of seats. By default, several entrants play at a table with a seat for
            each, or at the game's smallest table if that is larger. A single entrant plays at the
            game's largest table by default. Seats that are left over go to copies of the last
            entrant. If there is only one entrant, they go to the default agent.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        on_progress: Called with the decisions made and the games finished so far. It is called
            after every step if this process plays the games.
        workers: The workers that play the games (see `open_workers`), by default this process.
            They change no result.

    Raises:
        ValueError: there are too many entrants, a number is out of range, or `make` raises it.
        TypeError: a number is not whole, `entrants` is not a sequence, or `make` raises it.
        MemoryLimitError: the results would not fit this machine.
        WorkerError: workers are lost, or an agent differs from its copy on a worker.
    """
    evaluation = Evaluation(
        entrants, game, games=games, players=players, seed=seed, options=options
    )
    evaluation.play(on_progress, workers)
    return evaluation.result()
