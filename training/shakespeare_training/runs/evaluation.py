"""The learner's strength in games against fixed opponents and copies of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network, Tensors
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.reports import counted
from shakespeare_env.core import registry
from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.config import TrainingConfig

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent when the learner plays copies of itself."""
_LEARNER = "\0learner"  # a name that no agent and no folder can have
_SEED_OFFSET = 10**9  # the distance from the seeds of training games to those of evaluation games

Kind = tuple[int, str]
"""The games of an evaluation: a seat count and an opponent."""


@dataclass(frozen=True)
class OpponentResult:
    """How the learner fared against one kind of opponent at one seat count.

    Attributes:
        decisions: The decisions learned from so far.
        seconds: The training time so far.
        players: Seat count.
        opponent: A name, `ITSELF` or `SOLO`.
        games: Number of games.
        win_rate: Share of games won, 0 to 1; `low` and `high` are the ends of its 95 % interval.
            None for `ITSELF` and `SOLO`.
        mean_score: Of the learner; the ends of its interval are None with a single deal.
        mean_winning_score: Of the best of each game; the same.
    """

    decisions: int
    seconds: float
    players: int
    opponent: str
    games: int
    win_rate: float | None
    low: float | None
    high: float | None
    mean_score: float
    mean_winning_score: float
    score_low: float | None = None
    score_high: float | None = None
    winning_low: float | None = None
    winning_high: float | None = None

    @property
    def percents(self) -> tuple[float, float, float] | None:
        """Win rate and both ends of its interval in per cent."""
        if self.win_rate is None or self.low is None or self.high is None:
            return None
        return 100.0 * self.win_rate, 100.0 * self.low, 100.0 * self.high

    @property
    def main_figure(self) -> tuple[str, float]:
        """Its name, as in `win_rate/4_seats_against_heuristic`, and the figure.

        Against itself and alone the main figure is the winning score.
        """
        where = counted(self.players, "seat").replace(" ", "_")
        if self.win_rate is None:
            return f"winning_score/{where}", self.mean_winning_score
        return f"win_rate/{where}_against_{self.opponent}", self.win_rate

    def __str__(self) -> str:
        where = f"against {self.opponent}" if self.opponent else "solo"
        won = ""
        if self.percents is not None:
            rate, low, high = self.percents
            won = f"{rate:.1f} % won (95 % interval {low:.1f} to {high:.1f} %), "
        return (
            f"after {self.decisions:,} decisions, {counted(self.players, 'seat')} {where}: "
            f"{self.games:,} games, {won}mean score {self.mean_score:.1f}, "
            f"winning score {self.mean_winning_score:.1f}"
        )


def kinds_of_games(config: TrainingConfig) -> list[Kind]:
    """The kinds of games in a run's evaluations."""
    rivals = dict.fromkeys(config.evaluation_opponents)
    return [
        (players, opponent)
        for players in sorted(set(config.players))
        for opponent in ([*rivals, ITSELF] if players > 1 else [SOLO])
    ]


def measure(
    tensors: Tensors,
    opponents: Mapping[str, AnyAgent],
    config: TrainingConfig,
    kinds: Sequence[Kind],
    games: int,
    decisions: int,
    seconds: float,
    *,
    on_progress: Callable[[float], None],
) -> Iterator[OpponentResult]:
    """Evaluate the learner, playing greedily, in some kinds of games (`kinds_of_games`).

    All evaluations of a kind play the same deals, so that only the learner makes a difference:
    `games` games, rounded up to a multiple of the seats.  `on_progress` is called after every step
    with the share done.
    """
    game = registry.game(config.game)
    learner = Entrant(_LEARNER, NetworkAgent(Network(tensors, game.layout)))
    sizes = {kind: -(-games // kind[0]) * kind[0] for kind in kinds}
    # A game takes about as long as it has seats.
    work = sum(size * players for (players, _), size in sizes.items())
    done = 0
    for players, name in kinds:
        copies = name in (ITSELF, SOLO)
        opponent = learner if copies else Entrant(name, opponents[name])

        def tell(_decisions: int, finished: int, before: int = done, each: int = players) -> None:
            on_progress((before + finished * each) / work)

        result = evaluate(
            [learner, *[opponent] * (players - 1)],
            config.game,
            games=sizes[players, name],
            players=players,
            seed=config.seed + _SEED_OFFSET,
            on_progress=tell,
        )
        done += result.games * players
        own = result.agents[0]
        # A lone player would win every game.
        best = own.mean_score, own.score_low, own.score_high
        if result.mean_winning_score is not None:
            best = result.mean_winning_score, result.winning_score_low, result.winning_score_high
        rate = (None, None, None) if copies else (own.win_rate, own.low, own.high)
        margins = own.score_low, own.score_high, *best[1:]
        figures = (result.games, *rate, own.mean_score, best[0], *margins)
        yield OpponentResult(decisions, round(seconds, 1), players, name, *figures)
