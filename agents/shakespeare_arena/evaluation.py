"""Agents against each other on the same deals, and the result with 95 % intervals."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shakespeare_agents.naming import Entrant, entrants_of, fill_seats
from shakespeare_agents.storage import write_output
from shakespeare_agents.travel import agent_set
from shakespeare_agents.workers import ProgressCallback, Workers, cumulative, in_order
from shakespeare_arena.intervals import FEW_DEALS, mean_interval, share_interval
from shakespeare_arena.playing import Games, dealt
from shakespeare_arena.seating import RunSettings, Seating, seat_plan
from shakespeare_arena.sheets import counted
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.registry import box_digest
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.lineup import Lineup, play_out

WIDTH = 80
"""Columns of a printed result."""
_NARROWEST = 56  # the narrowest table, in columns; it keeps the title on one line


class Report:
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
        text = io.StringIO()
        Console(file=text, width=WIDTH, color_system=None).print(self.table())
        return text.getvalue().rstrip("\n")

    def to_json(self) -> dict[str, Any]:
        """JSON types, with a format number and the box's digest."""
        facts = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload] # tuples: lists
        return {"format": self.FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON atomically; OSError, or ValueError if a figure is not finite."""
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_output(path, text.encode())


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
        low: Lower end of its 95 % interval, by deals; 0 to 1 with one deal.
        high: Upper end.
        seat_win_rates: Win rates by seat; all were played equally often.
        mean_score: Mean final score; the ends of its interval are None with one deal.
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

    In every deal both had every seat, so its luck cancels out. Intervals are 95 %; one without 0
    shows which of the two does better in this company. That of wins is -1 to 1 with one deal.

    Attributes:
        first: The agent's name.
        second: The other's.
        deals: The number of deals compared.
        win_rate: Difference of their win rates, -1 to 1; `win_low` and `win_high` are its ends.
        score: Difference of their mean scores; the ends are None with one deal.
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
        wins = f"{100 * self.win_rate:+.1f} %{_ends(self.win_low, self.win_high, '+.1f', 100)}"
        score = f"{self.score:+.2f}{_ends(self.score_low, self.score_high, '+.2f')}"
        few = f" (fewer than {FEW_DEALS})" if self.deals < FEW_DEALS else ""
        which = f"{self.first} less {self.second}, {counted(self.deals, 'deal')}{few}"
        return f"{which}:\n  wins {wins}, score {score}"


@dataclass(frozen=True)
class EvaluationResult(Report):
    """Results, and what it takes to replay the games.

    Attributes:
        game: Its name.
        options: Its variants.
        players: Seats.
        seed: Decides the deals and the agents' draws.
        games: Games played.
        deals: Each was played in games / deals games.
        entrants: Names, as entered.
        agents: One per name, in that order.
        differences: Of every two names, the first less the second, both ways.
        mean_winning_score: Mean of each game's best final score; None with one seat, as are the
            ends of its interval, also with one deal.
        solo_target: A good solo score; None with more seats.
        warning: That there are few deals, if there are.
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
        """What the first has more than the second; KeyError unless both played."""
        for difference in self.differences:
            if (difference.first, difference.second) == (first, second):
                return difference
        raise KeyError(f"{first!r} and {second!r} are no two of {', '.join(self.entrants)}")

    def table(self) -> Table:
        """The results, one row per agent, 80 columns at most."""
        variants = [name for name, on in self.options.items() if on]
        where = ", ".join([self.game, counted(self.players, "seat"), *variants])
        games, deals = counted(self.games, "game"), counted(self.deals, "deal")
        caption = [f"A good solo game passes {self.solo_target:g}."] if self.solo_target else []
        if self.mean_winning_score is not None:
            best = _with_margin(self.mean_winning_score, self.winning_score_high)
            each = counted(self.games // self.deals, "game")
            caption = [
                f"{each} a deal. Mean winning score {best}.",
                f"± is a 95 % interval; equal agents win {100 / self.players:.1f} %.",
            ]
        table = Table(
            title=f"{where}: {games}, {deals}, seed {self.seed}",
            caption="\n".join(filter(None, [*caption, self.warning])),
            min_width=_NARROWEST,
        )
        table.add_column("Agent", overflow="fold")
        wins = ["Won %, 95 % interval", "By seat, %"] if self.players > 1 else []
        for heading in (*wins, "Mean score"):
            table.add_column(heading, justify="right", no_wrap=True)
        for agent in self.agents:
            copies = f" ×{agent.copies}" if agent.copies > 1 else ""
            figures = [_with_margin(agent.mean_score, agent.score_high)]
            if agent.win_rate is not None and agent.seat_win_rates is not None:
                rate = f"{100 * agent.win_rate:.1f}{_ends(agent.low, agent.high, '.1f', 100)}"
                by_seat = " ".join(f"{100 * rate:3.0f}" for rate in agent.seat_win_rates)
                figures = [rate, by_seat, *figures]
            table.add_row(Text(agent.name + copies), *figures)
        return table


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
        seats = played * copies
        means[name] = [(of * held).sum(axis=(1, 2)) / seats for of in (shares, scores)]
        won = (shares * held).sum(axis=(0, 1))
        wins, by_seat = float(won.sum()), tuple((won / held.sum(axis=(0, 1))).tolist())
        # The interval is that of "one of the copies wins", shared out among them: within a game
        # they depend on each other.
        rate, low, high = (end / copies for end in share_interval(copies * means[name][0]))
        victory: Any = wins, rate, low, high, by_seat
        if players == 1:
            victory = (None,) * len(victory)
        figures: Any = *victory, *mean_interval(means[name][1])
        results.append(AgentResult(name, copies, deals * seats, *figures))
    differences = []
    for first, second in itertools.permutations(means, 2):
        by_wins, by_score = (a - b for a, b in zip(means[first], means[second], strict=True))
        # Few deals may all end alike, which does not make their difference certain: Wilson's score.
        won = (2 * end - 1 for end in share_interval((1 + by_wins) / 2))
        figures = *won, *mean_interval(by_score)
        differences.append(Difference(first, second, deals, *figures))
    return tuple(results), tuple(differences)


def _with_margin(mean: float, high: float | None) -> str:
    return f"{mean:.2f}" if high is None else f"{mean:.2f} ± {high - mean:.2f}"


def _ends(low: float | None, high: float | None, digits: str, unit: int = 1) -> str:
    if low is None or high is None:
        return ""
    return f" ({unit * low:{digits}} to {unit * high:{digits}})"


OnProgress = Callable[[int, int], None]
"""Called with decisions made and games finished so far; in this process after every step."""
_GAMES_AT_ONCE = 16_384  # the most games played together, to bound memory; it changes no figure
_SHARDS_A_WORKER = 8  # the fewest shards a worker, so that all end at about the same time
_BYTES_A_RESULT = 26
"""Memory a seat and game: holder, score and victory, stored, joined and averaged."""


def evaluate(
    entrants: Sequence[Entrant | AgentLike],
    game: str = registry.DEFAULT,
    *,
    games: int,
    players: int | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> EvaluationResult:
    """Play games in which every agent holds every seat equally often.

    An agent may hold several seats, and seats of one name share a result.

    Args:
        entrants: Whatever plays (see `registry.make`), or `Entrant` with a name of your own.
        game: Its name.
        games: Up to `MOST_GAMES`; rounded up to whole deals. In each deal every agent has every
            seat and follows every other equally often (see `seatings`).
        players: Seats, by default one for each of several entrants and as many as the game needs,
            else as many as it has. The last of several entrants fills the remaining ones; a single
            one plays against the default agent.
        seed: Decides the deals and the agents' draws.
        options: Variants.
        on_progress: See `OnProgress`.
        workers: They play the games (see `open_workers`), by default this process; they change no
            result.

    Raises:
        ValueError: there are too many entrants, a number is out of range, or as of `make`.
        TypeError: a number is not whole, `entrants` is no sequence, or as of `make`.
        MemoryLimitError: the results would not fit this machine.
        WorkerError: workers are lost, or an agent is another one there.
    """
    if isinstance(entrants, str) or not isinstance(entrants, Sequence):
        raise TypeError(
            f"entrants={short_repr(entrants)}: give a list of agents, [{short_repr(entrants)}]"
        )
    entrants = fill_seats(entrants, players, registry.game(game))
    checked_count("games", games, MOST_GAMES)
    series = Series(
        entrants_of(entrants, registry.game(game)),
        game,
        seed=seed,
        options=options,
        on_progress=on_progress,
        workers=workers,
    )
    deals = -(-games // series.games_a_deal)
    games, names = deals * series.games_a_deal, series.names
    require_memory(f"games={games}", games * len(names) * _BYTES_A_RESULT, "play fewer games")
    seating, scores, winners = series.play(range(deals))
    agents, compared = agent_results(names, seating, scores, winners)
    alone = len(names) == 1
    best = (None, None, None) if alone else mean_interval(scores.max(axis=2).mean(axis=1))
    return EvaluationResult(
        game=game,
        options=dict(options or {}),
        players=len(names),
        seed=seed,
        games=games,
        deals=deals,
        entrants=names,
        agents=agents,
        differences=compared,
        mean_winning_score=best[0],
        winning_score_low=best[1],
        winning_score_high=best[2],
        solo_target=registry.game(game).solo_target if alone else None,
        warning=f"Only {counted(deals, 'deal')}: below {FEW_DEALS} intervals are rough."
        if deals < FEW_DEALS
        else None,
    )


class Series:
    """Deals by their numbers, each played as `seatings` says.

    Arguments are those of `evaluate`, with one entrant per seat.

    Attributes:
        names: Those of the entrants.
        games_a_deal: The number of games that balanced seating needs.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        options: Mapping[str, bool] | None = None,
        on_progress: OnProgress | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.names = tuple(entrant.name for entrant in entrants)
        self._seats = seat_plan(entrants, seed)
        self.games_a_deal = self._seats.games
        self._workers: Workers = workers or Workers()
        self._count = cumulative(on_progress)
        keys = tuple(str(id(entrant.agent)) for entrant in entrants)
        variants = tuple(name for name, on in (options or {}).items() if on)
        rules = RunSettings(game, variants, seed, {}, dict(zip(keys, self.names, strict=True)))
        self._job = Games(agent_set(entrants, registry.game(game)), keys, rules, _play)

    def play(self, deals: range) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.bool_]]:
        """Play all games of some deals together.

        Returns:
            int8[deals, games, P], who sat where, as places in `names`; int16 of the same shape,
            final scores by seat; bool of the same shape, whether the seat won.
        """
        together = max(_GAMES_AT_ONCE // self.games_a_deal, 1)
        if self._workers.size > 1:
            together = min(-(-len(deals) // (_SHARDS_A_WORKER * self._workers.size)), together)
        shards = (
            self._seats.seatings(deals[first : first + together], self._job.digests)
            for first in range(0, len(deals), together)
        )
        ends = in_order(self._workers.run(self._job, shards, self._count))
        columns = map(np.concatenate, zip(*ends, strict=True))
        seating, players = self._seats.of(deals), len(self.names)
        scores, winners = (column[:, :players].reshape(seating.shape) for column in columns)
        return seating, scores, winners


def _play(
    seatings: Sequence[Seating], rules: RunSettings, tell: ProgressCallback
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Final scores, int16[n, S], and winners, bool[n, S], of n games played together."""
    batch, lineup = dealt(seatings, rules, Lineup)

    def after_step(rows: NDArray[Any], _actions: NDArray[Any]) -> None:
        tell(len(rows), int(batch.done.sum()))

    play_out(batch, lineup, after_step=after_step)
    return batch.final_scores, batch.final_winners
