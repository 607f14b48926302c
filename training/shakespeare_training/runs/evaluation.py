"""Evaluation of the learner in games against fixed opponents and copies of itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.reports import counted
from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.config import TrainingConfig

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent when the learner plays copies of itself."""
_LEARNER = "\0learner"  # a name that no agent and no folder can have
_SEED_OFFSET = 10**9  # added to the run's seed, so that evaluation games get other deals

Kind = tuple[int, str]
"""A kind of game in an evaluation: a seat count and an opponent."""


@dataclass(frozen=True)
class OpponentResult:
    """The learner's results in one kind of game.

    Attributes:
        decisions: Decisions that the learner had learned from.
        seconds: Seconds of training up to the evaluation.
        players: Seat count.
        opponent: A name, `ITSELF` or `SOLO`.
        games: Number of games.
        win_rate: Share of games won, 0 to 1; None for `ITSELF` and `SOLO`.
        low: Lower end of the win rate's 95 % interval.
        high: Upper end of the win rate's 95 % interval.
        mean_score: Mean score of the learner.
        mean_winning_score: Mean of the best score in each game.
        score_low: Lower end of the mean score's 95 % interval. This and the following ends are None
            if only one deal was played.
        score_high: Upper end of the mean score's 95 % interval.
        winning_low: Lower end of the mean winning score's 95 % interval.
        winning_high: Upper end of the mean winning score's 95 % interval.
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
        """Win rate and both ends of its interval, in per cent; None for `ITSELF` and `SOLO`."""
        if self.win_rate is None or self.low is None or self.high is None:
            return None
        return 100.0 * self.win_rate, 100.0 * self.low, 100.0 * self.high

    @property
    def main_figure(self) -> tuple[str, float]:
        """Name and value of the main figure, such as `win_rate/4_seats_against_heuristic`.

        Against itself and in solo games the main figure is the winning score.
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
    """Return the kinds of games in a run's evaluations."""
    rivals = dict.fromkeys(config.evaluation_opponents)
    return [
        (players, opponent)
        for players in sorted(set(config.players))
        for opponent in ([*rivals, ITSELF] if players > 1 else [SOLO])
    ]


def measure(
    agent: AnyAgent,
    opponents: Mapping[str, AnyAgent],
    config: TrainingConfig,
    kinds: Sequence[Kind],
    *,
    games: int,
    decisions: int,
    seconds: float,
    on_progress: Callable[[float], None],
) -> Iterator[OpponentResult]:
    """Evaluate the learner, which plays greedily, in some kinds of games.

    All evaluations of a kind play the same deals, so that only the learner differs.

    Args:
        agent: The agent that plays with the learner's weights.
        opponents: Agents by the names in `kinds`.
        config: The run's settings.
        kinds: Some of `kinds_of_games`.
        games: Games of each kind, rounded up to a multiple of the seats.
        decisions: Decisions that the learner has learned from.
        seconds: Seconds of training so far.
        on_progress: Called after every step with the share of the games that is played.
    """
    learner = Entrant(_LEARNER, agent)
    sizes = {(players, name): math.ceil(games / players) * players for players, name in kinds}
    # Progress is counted in seats times games, because a game's time is about proportional to that.
    all_work = sum(size * players for (players, _), size in sizes.items())
    work_done = 0
    for players, name in kinds:
        meets_copies = name in (ITSELF, SOLO)
        opponent = learner if meets_copies else Entrant(name, opponents[name])

        def on_games(
            _decisions: int, finished: int, before: int = work_done, work_per_game: int = players
        ) -> None:
            on_progress((before + finished * work_per_game) / all_work)

        result = evaluate(
            [learner, *[opponent] * (players - 1)],
            config.game,
            games=sizes[players, name],
            players=players,
            seed=config.seed + _SEED_OFFSET,
            on_progress=on_games,
        )
        work_done += result.games * players
        own = result.agents[0]
        if result.mean_winning_score is None:  # a solo game, where the only score wins
            mean_winning_score = own.mean_score
            winning_low = own.score_low
            winning_high = own.score_high
        else:
            mean_winning_score = result.mean_winning_score
            winning_low = result.winning_score_low
            winning_high = result.winning_score_high
        yield OpponentResult(
            decisions=decisions,
            seconds=round(seconds, 1),
            players=players,
            opponent=name,
            games=result.games,
            win_rate=None if meets_copies else own.win_rate,
            low=None if meets_copies else own.low,
            high=None if meets_copies else own.high,
            mean_score=own.mean_score,
            mean_winning_score=mean_winning_score,
            score_low=own.score_low,
            score_high=own.score_high,
            winning_low=winning_low,
            winning_high=winning_high,
        )
