"""The strength of an agent in playouts: how many search needs to win as often as it does.

From one playout on the scale is log2 of playouts. Below, a rung is the share of its moves that the
network of one playout plays, the others at random, so that 0 is random play.

An agent is as strong as a rung if its one seat wins 1/n of its games against copies of that rung in
the other seats. There are rungs everywhere: an agent meets those of `RUNGS` first, and once its
interval is narrow beside the gap between two rungs, the one in their middle (see `climb`). So the
games that decide are against agents nearly as strong, whatever the curve of win rates is elsewhere.

The model: with n seats, the odds of the agent's one seat against copies of a rung are those of an
equal player, 1 to n - 1, times e^(slope (x - the rung's place)), where x is the agent's place.
Every rung has a slope of its own, and these scatter about a common one: no curve is logistic from
end to end, nor is every agent like those of the scale. Hence distant rungs tell little of the place
however many games there are, and near ones nearly all. Place and slopes are estimated together;
the interval is that of the place's profile likelihood, in which every place gets the slopes that
suit it best. Games of a deal depend on each other, so the likelihood is divided by the dispersion
of deals (Wedderburn 1974, "Quasi-likelihood functions, generalized linear models, and the
Gauss-Newton method").
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from shakespeare_agents.baselines import RandomAgent
from shakespeare_agents.naming import Entrant, entrants_of, make
from shakespeare_agents.workers import Workers
from shakespeare_arena.evaluation import WIDTH, OnProgress, Report, Series
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.generators import GameGenerators

MINUTES = 5.0
"""Length of a measurement unless games are counted."""
RUNGS: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 1, 4, 16, 64, 256, 1024)
"""Playouts a move of the rungs met first; below 1 the share of the network's moves."""
SCALE = 3
"""The version of the scale, to be raised when a rung begins to play otherwise."""
_FROZEN = (
    "version=1,considered={considered},utility=margin,sharpness=150,near_certain=0.99,"
    "horizon=1000,temperature=0"
)
_NETWORK = 20.0
"""Doublings of playouts that are worth about as much as the network is over random play."""
_PLACES = np.arange(-_NETWORK - 6, 18.0, 1 / 16)
"""Places of agents; far enough beyond the scale's ends to be all alike."""
_STEP, _STEPS = 0.2, 7
"""The step of candidate slopes, in their logarithm, and the most steps between two of them."""
_RUNG_SLOPES = np.exp(_STEP * np.arange(-24 - _STEPS, 6 + _STEPS))
"""Candidate slopes of a rung, in logits a doubling."""
_SLOPES = _RUNG_SLOPES[_STEPS:-_STEPS]
"""Candidates of the slope common to all rungs."""
_SLOPE, _FACTOR = 0.25, math.e
"""Prior of the common slope: its middle, and the factor of one standard deviation. It is weak and
decides only where games do not, as when an agent has met a single rung."""
_SCATTER = 0.7
"""One standard deviation of the logarithm of a rung's slope about the common one's."""
_COSTS = 0.5 * (_STEP * np.arange(-_STEPS, _STEPS + 1) / _SCATTER) ** 2
"""Of slopes that differ so many steps from the common one, in log-likelihood."""
_CHI2_95 = 3.841458820694124  # the 95 % quantile of chi-squared with one degree of freedom
_PRIOR_DEALS = 8.0
"""Deals of independent games added to the estimate of dispersion, since few deals show little."""
_TOGETHER_S, _MOST_TOGETHER = 10.0, 4096
"""The most seconds of deals played together, which an interruption loses, and the most deals."""
_SURE = 100  # deals at an end of the scale that suffice for an agent that is surely beyond it


@dataclass(frozen=True)
class Meetings:
    """What an agent, with one seat in each game, has won against copies of a rung.

    A shared victory counts in part; `variance` is that between deals of a deal's share of wins.
    """

    playouts: float
    deals: int
    games: int
    wins: float
    variance: float = 0.0

    @property
    def win_rate(self) -> float:
        """Wins / games."""
        return self.wins / self.games


@dataclass(frozen=True)
class Placement:
    """An agent's strength at one table, in playouts a move of equally strong search.

    Below 1 it is a share of the network's moves; 0.0 stands for "0 or less", None for "above
    1,024": beyond its ends the scale tells no strengths apart. `low` and `high` are the ends of its
    95 % interval, `meetings` those by rung, the fewest playouts first.
    """

    players: int
    playouts: float | None
    low: float | None
    high: float | None
    games: int
    meetings: tuple[Meetings, ...]

    def __str__(self) -> str:
        """As in `23 (12 to 41)`, `0.62 (0.55 to 0.7)`, or `above 1,024`."""
        if self.low == self.high in (0.0, None):
            return f"{_in_words(self.low)}{' or less' if self.low == 0 else ''}"
        return f"{_in_words(self.playouts)} ({_in_words(self.low)} to {_in_words(self.high)})"


@dataclass(frozen=True)
class Measurement(Report):
    """An agent's place on the scale at each table, and what it takes to measure it again.

    Attributes:
        game: Its name.
        agent: As entered.
        options: Variants.
        seed: Decides the deals and the agents' draws.
        scale: The reference agents by playouts, below 1 by the share of the network's moves: those
            of `RUNGS` and others that it has met.
        scale_digest: Of the scale's version, the agents of `RUNGS` and the network; figures of
            different scales do not compare.
        tables: One per number of seats.
    """

    FORMAT = 2

    game: str
    agent: str
    options: dict[str, bool]
    seed: int
    scale: dict[float, str]
    scale_digest: str
    tables: tuple[Placement, ...]

    def __getitem__(self, players: int) -> Placement:
        return {placement.players: placement for placement in self.tables}[players]

    def table(self) -> Table:
        """A row per table, 80 columns at most."""
        variants = "".join(f", {name}" for name, on in self.options.items() if on)
        table = Table(
            title=Text(f"{self.agent} in {self.game}{variants}, seed {self.seed}"),
            caption="Playouts: how many search needs to be as strong, 95 % interval.\n"
            "1: network 1 alone; below, the share of its moves, the others at random.\n"
            "Won: % against copies of that agent, and games.",
            min_width=WIDTH,
        )
        table.add_column("Seats", justify="right")
        table.add_column("Playouts")
        table.add_column("Won", overflow="fold")
        table.add_column("Equal", justify="right")
        for placement in self.tables:
            won = (
                f"{met.playouts:,}: {100 * met.win_rate:.0f} ({met.games:,})"
                for met in placement.meetings
            )
            equal = f"{100 / placement.players:.0f} %"
            table.add_row(str(placement.players), str(placement), "; ".join(won), equal)
        return table


class Softened:
    """Plays a share of its moves like the scale's network, and the others at random."""

    def __init__(self, game: Game, *, share: float = 0.5) -> None:
        self._share = share
        self._network: Any = make(reference(1), game)
        self._random = RandomAgent()

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        by_chance = self._random.act(observations, masks, rng)
        chosen = self._network.act(observations, masks, rng)
        return np.where(rng.random() < self._share, chosen, by_chance)


def reference(playouts: float) -> str:
    """The agent that a rung of the scale stands for.

    All of it is written out, so that no change of a default moves the scale: search over the first
    bundled network, with playouts to the end of the game; one playout is that network alone. Fewer
    playouts than twice the moves considered could not be shared among them. Below one playout the
    network plays that share of its moves, and the others are random.
    """
    if playouts == 0:
        return "random"
    if playouts < 1:
        return f"{Softened.__module__}:{Softened.__name__},share={playouts}"
    if playouts == 1:
        return "network,version=1"
    return f"search,simulations={playouts}," + _FROZEN.format(considered=min(int(playouts) // 2, 6))


def measure(
    agent: Entrant | AgentLike,
    game: str = registry.DEFAULT,
    *,
    players: Sequence[int] | None = None,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> Measurement:
    """Place an agent on the scale: the playouts with which search wins as often as it does.

    At each table it plays one seat against copies of a `reference` in the others, every deal from
    every seat. Which rung it meets next follows from the games before (see `climb`).

    Args:
        agent: Whatever plays (see `naming.make`), or `Entrant` with a name of your own.
        game: Its name.
        players: Numbers of seats; by default all that the game has, from two on.
        minutes: Minutes of play, shared among the tables; by default `MINUTES`, or no limit if
            `games` is given. At each table at least one deal is played.
        games: The most games at each table, rounded up to whole deals. Without `minutes` the same
            seed gives the same games.
        seed: Decides the deals and the agents' draws.
        options: Variants.
        on_progress: See `OnProgress`; counts begin anew with every rung and table.
        workers: They play the games (see `open_workers`), by default this process.

    Raises:
        KeyboardInterrupt: before a first deal is over; later it returns what it has.
        CheckpointError: the scale's network is not for the box in force.
        ValueError: a number is out of range, there is one seat, or as of `make`.
        TypeError: a number is not whole, or as of `make`.
        WorkerError: workers are lost, or an agent is another one there.
    """
    rules = registry.game(game)
    tables = tables_of(rules, players)
    if minutes is None:
        minutes = math.inf if games is not None else MINUTES
    if not minutes >= 0:
        raise ValueError(f"minutes={short_repr(minutes)} must be a number from 0 on")
    most = MOST_GAMES if games is None else checked_count("games", games, MOST_GAMES)
    (entrant,) = entrants_of([agent], rules)

    def games_against(seats: int, playouts: float) -> Callable[[int], Meetings]:
        name = f"{entrant.name} met {playouts} playouts"  # not the agent's own name
        frozen = reference(playouts)
        rung = Entrant(name, make(frozen, rules), frozen)
        # Rungs and tables share no deals, hence no luck.
        facts = [int(check_seed(seed)), seats, *playouts.as_integer_ratio()]
        series = Series(
            [entrant, *[rung] * (seats - 1)],
            game,
            seed=int(np.random.SeedSequence(facts).generate_state(1, np.uint64)[0]),
            options=options,
            on_progress=on_progress,
            workers=workers,
        )

        shares: list[float] = []  # of victory, by deal

        def play(deals: int) -> Meetings:
            seating, _, winners = series.play(range(len(shares), len(shares) + deals))
            won = victory_shares(winners) * (seating == 0)
            shares.extend(won.sum(axis=2).mean(axis=1).tolist())
            count = len(shares) * series.games_a_deal
            variance = float(np.var(shares, ddof=1)) if len(shares) > 1 else 0.0
            return Meetings(playouts, len(shares), count, float(np.mean(shares)) * count, variance)

        return play

    ends = time.monotonic() + 60 * minutes
    met: dict[int, dict[float, Meetings]] = {seats: {} for seats in tables}
    try:
        for number, seats in enumerate(tables):
            left = max(ends - time.monotonic(), 0) / (len(tables) - number)
            climb(met[seats], seats, partial(games_against, seats), -(-most // seats), left)
    except KeyboardInterrupt:
        if not any(met.values()):
            raise
    placements = tuple(placed(meetings, seats) for seats, meetings in met.items() if meetings)
    network: Any = make(reference(1), rules)
    facts = " ".join([str(SCALE), *map(reference, RUNGS), network.network.digest()])
    digest = hashlib.sha256(facts.encode()).hexdigest()[:16]
    rungs = sorted({*RUNGS, *(playouts for meetings in met.values() for playouts in meetings)})
    scale = {playouts: reference(playouts) for playouts in rungs}
    return Measurement(game, entrant.name, dict(options or {}), seed, scale, digest, placements)


def tables_of(rules: Game, players: Sequence[int] | None) -> list[int]:
    """The numbers of seats to play at, each once."""
    few = max(rules.min_seats, 2)
    if players is None:
        return list(range(few, rules.max_seats + 1))
    tables = [rules.check_players(seats) for seats in dict.fromkeys(players)]
    if not tables or 1 in tables:
        raise ValueError(
            f"players={short_repr(list(players))}: alone nobody wins; give {few} to "
            f"{rules.max_seats} "
            "seats"
        )
    return tables


def fitted(meetings: Collection[Meetings], players: int) -> tuple[float, float, float]:
    """The place of an agent that has met one rung or more, and the ends of its interval.

    From one playout on it is log2 of playouts; the ends are infinite where games exclude nothing.
    """
    prior = -0.5 * (np.log(_SLOPES / _SLOPE) / math.log(_FACTOR)) ** 2
    dispersion = _dispersion(meetings)
    likelihood = sum(_likelihood(met, players, dispersion) for met in meetings)
    profile = (likelihood + prior[:, None]).max(axis=0)  # by place
    best = int(profile.argmax())
    excess = 2 * (profile[best] - profile) - _CHI2_95
    inside = np.flatnonzero(excess <= 0)
    first = int(inside[0])
    last = int(inside[-1])
    low = _crossing(excess, first - 1) if first else -math.inf
    high = _crossing(excess, last) if last < len(_PLACES) - 1 else math.inf
    return float(_PLACES[best]), low, high


def _crossing(excess: NDArray[np.float64], before: int) -> float:
    """Return the place at which the excess is 0, between two places by the first one's index."""
    share = excess[before] / (excess[before] - excess[before + 1])
    return float(_PLACES[before] + share * (_PLACES[before + 1] - _PLACES[before]))


def _likelihood(met: Meetings, players: int, dispersion: float) -> NDArray[np.float64]:
    """Return the log-likelihood of the games at a rung, float64[common slopes, places].

    The rung's own slope is the one that suits them best, less what it costs to differ from the
    common one.
    """
    logits, normalizers = _curves(met.playouts, players)
    by_slope = (met.wins * logits - met.games * normalizers) / dispersion
    candidates = (by_slope[k : k + len(_SLOPES)] - cost for k, cost in enumerate(_COSTS))
    return reduce(np.maximum, candidates)


@lru_cache(maxsize=64)
def _curves(playouts: float, players: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logits of winning against a rung, by its slope and place, and log(1 + e^logit)."""
    ahead = _PLACES - _place_of(playouts)
    logits = _RUNG_SLOPES[:, None] * ahead - math.log(players - 1)
    return logits, np.logaddexp(0.0, logits)


def climb(
    met: dict[float, Meetings],
    players: int,
    games_against: Callable[[float], Callable[[int], Meetings]],
    deals: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Fill in an agent's meetings by rung, on its way to its place on the scale at one table.

    It begins at one playout and moves on a rung at a time, up or down, until its estimated place is
    between two that it has met; then it meets whichever of these it has met less. Once its interval
    is narrower than the gap between the two, it meets the rung in their middle. A visit to a rung
    is a fourth of all games before, so that early ones, which may mislead, are few; its first two
    are of one deal each, which tell how long a deal takes.

    Args:
        met: The meetings, at first none.
        players: The number of seats.
        games_against: Given the playouts of a rung, how to play deals against copies of it: called
            with the number of the next deals, it returns the result of all so far.
        deals: The most deals to play.
        seconds: The time into which they are to fit; at least one is played.
        clock: A clock in seconds.
    """
    games = cache(games_against)
    takes: dict[float, float] = {}
    ends, left = clock() + seconds, deals
    while left and (rung := _next_rung(met, players, takes, ends - clock())) is not None:
        before = met[rung].deals if rung in met else 0
        played = deals - left
        several = min(1 + played // 4 if before > 1 else 1, left, _MOST_TOGETHER)
        if rung in takes and math.isfinite(seconds):
            fit_in = min(ends - clock(), _TOGETHER_S) / max(takes[rung], 1e-6)
            several = max(min(several, int(fit_in)), 1)
        play, began = games(rung), clock()
        met[rung] = play(several)
        if before:  # the first visit may compile what it plays with
            takes[rung] = (clock() - began) / several
        left -= several


def _next_rung(
    met: Mapping[float, Meetings], players: int, takes: Mapping[float, float], left: float
) -> float | None:
    """The rung to meet, such that a deal is likely to fit in; None if there is none."""
    if not met:
        return 1
    deals = Counter({rung: meetings.deals for rung, meetings in met.items()})

    def deal_takes(rung: float) -> float:
        """At most: a rung above all that are timed takes four times as long."""
        longest = max(takes.values(), default=0.0)
        return takes.get(rung, longest * (4 if rung > max(takes, default=0) else 1))

    place, low, high = fitted(met.values(), players)
    if high < -_NETWORK and deals[RUNGS[0]] >= _SURE:
        return None
    if low > math.log2(RUNGS[-1]) and deals[RUNGS[-1]] >= _SURE:
        return None
    first, last = (RUNGS.index(end(met)) for end in (min, max))
    reachable = sorted({*RUNGS[max(first - 1, 0) : last + 2], *met})
    around = [
        *[rung for rung in reachable if _place_of(rung) <= place][-1:],
        *[rung for rung in reachable if _place_of(rung) > place][:1],
    ]
    if len(around) == 2 and deals.keys() >= set(around):
        gap = _place_of(around[1]) - _place_of(around[0])
        middle = _middle(*around)
        if middle is not None and high - low < gap:
            around.append(middle)
    playable = [rung for rung in around if deal_takes(rung) <= left]
    return min(playable, key=deals.__getitem__, default=None)


def _middle(low: float, high: float) -> float | None:
    """Return the rung in the middle of two, None if there is none.

    Between 1 and 4 there is none: with two or three playouts search would consider one move alone
    and play like the network.
    """
    if high <= 1:
        return (low + high) / 2
    middle = round(math.sqrt(low * high))
    return middle if 1 < low < middle < high else None


def placed(met: Mapping[float, Meetings], players: int) -> Placement:
    """The placement of an agent by its meetings at a table, of which there is one at least."""
    place, low, high = map(_playouts_at, fitted(met.values(), players))
    games = sum(meetings.games for meetings in met.values())
    return Placement(players, place, low, high, games, tuple(met[rung] for rung in sorted(met)))


def _dispersion(meetings: Collection[Meetings]) -> float:
    """The variance of wins in units of what it would be if a deal's games were independent."""
    total, deals = _PRIOR_DEALS, _PRIOR_DEALS
    for met in meetings:
        rate = (met.wins + 0.5) / (met.games + 1)  # so that it is neither 0 nor 1
        alone = rate * (1 - rate) * met.deals / met.games
        total += (met.deals - 1) * met.variance / alone
        deals += met.deals - 1
    return total / deals


def _playouts_at(place: float) -> float | None:
    if place < 0:
        return max(0.0, 1 + place / _NETWORK)
    return 2.0**place if 2.0**place <= RUNGS[-1] else None


def _place_of(playouts: float) -> float:
    return _NETWORK * (playouts - 1) if playouts < 1 else math.log2(playouts)


def _in_words(playouts: float | None) -> str:
    if playouts is None:
        return f"above {RUNGS[-1]:,}"
    if playouts < 1:
        return f"{playouts:.2g}"
    return f"{playouts:.1f}" if playouts < 10 else f"{playouts:,.0f}"
