"""Evaluation of the learner: its strength, its wins against opponents, its scores among copies.

Strength is the place on the scale of `shakespeare measure`. Its games are limited by their
decisions, in proportion to those that the learner has learned from. So they take the same share of
the time of long and of short runs, and a run plays the same games on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from shakespeare_agents.workers import cumulative
from shakespeare_arena import Entrant, EvaluationResult, evaluate
from shakespeare_arena.measure import Placement, ScaleGames
from shakespeare_arena.reports import counted
from shakespeare_arena.scale import RUNGS, place_of, relative_cost
from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.config import SCALE, TrainingConfig

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent when the learner plays copies of itself."""
_LEARNER = "\0learner"  # a name that no agent and no folder can have
_SEED_OFFSET = 10**9  # added to the run's seed, so that evaluation games get other deals
_STRENGTH_SHARE = 0.034
"""Decisions of the games that measure strength, as a share of the decisions learned from.

They take less than 3 % of the time of a default run, in which 4 % took 3.4 % (docs/training.md).
"""
_FEWEST_DECISIONS = 10_000
"""The fewest decisions that measure strength at a table; they take about a third of a second."""
_GPU_SPEED = 100
"""The decisions that a fast GPU learns from in the time that a CPU needs for one."""
_DEALS_WORTH_PLAYING = 4
"""The fewest deals against a search that are worth playing."""
_SEAT_DECISIONS = 80
"""The approximate number of a trained seat's decisions in a game."""

Kind = tuple[int, str]
"""A kind of game in an evaluation: a seat count and an opponent, which may be `SCALE`."""


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
    def logged(self) -> dict[str, float]:
        """The main figure for TensorBoard, such as `win_rate/4_seats_against_heuristic`.

        Against itself and in solo games the main figure is the winning score.
        """
        where = _where(self.players)
        if self.win_rate is None:
            return {f"winning_score/{where}": self.mean_winning_score}
        return {f"win_rate/{where}_against_{self.opponent}": self.win_rate}

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


@dataclass(frozen=True)
class Strength(Placement):
    """The learner's place on the scale of `shakespeare measure` at one table.

    Attributes:
        decisions: Decisions that the learner had learned from.
        seconds: Seconds of training up to the evaluation.
        opponent: `SCALE`, which distinguishes it from an `OpponentResult`.
    """

    decisions: int
    seconds: float
    opponent: Literal["scale"] = SCALE

    @property
    def places(self) -> tuple[float, float, float]:
        """Places on the scale of the strength and both ends of its interval (`place_of`)."""
        return _place(self.playouts), _place(self.low), _place(self.high)

    @property
    def is_on_scale(self) -> bool:
        """Whether the strength and both ends of its interval are on the scale."""
        figures = (self.playouts, self.low, self.high)
        return all(playouts is None or 0 <= playouts <= RUNGS[-1] for playouts in figures)

    @property
    def logged(self) -> dict[str, float]:
        """Strength and both ends of its interval for TensorBoard, such as `strength/4_seats`."""
        where = _where(self.players)
        ends = {"": self.playouts, "_low": self.low, "_high": self.high}
        return {
            f"strength/{where}{end}": RUNGS[-1] if playouts is None else playouts
            for end, playouts in ends.items()
        }

    def __str__(self) -> str:
        return (
            f"after {self.decisions:,} decisions, {counted(self.players, 'seat')}: "
            f"{self.games:,} games, strength {super().__str__()}"
        )


Result = OpponentResult | Strength
"""A result of an evaluation."""


def _place(playouts: float | None) -> float:
    return place_of(RUNGS[-1] if playouts is None else playouts)


def _where(players: int) -> str:
    return counted(players, "seat").replace(" ", "_")


def kinds_of_games(config: TrainingConfig) -> list[Kind]:
    """Return the kinds of games in a run's evaluations."""
    rivals = dict.fromkeys(config.evaluation_opponents)
    return [
        (players, opponent)
        for players in sorted(set(config.players))
        for opponent in ([*rivals, ITSELF] if players > 1 else [SOLO])
    ]


def strength_decisions(
    config: TrainingConfig, history: Sequence[Result], players: int, decisions: int, *, on_gpu: bool
) -> float:
    """Return the decisions with which an evaluation may measure strength at a table.

    They are a share of the decisions that the learner has learned from since the table's last
    measurement. The tables divide this share equally.

    Args:
        config: The run's settings.
        history: The results of the run.
        players: The table's seat count.
        decisions: Decisions that the learner has learned from.
        on_gpu: Whether the learner is on a GPU.
    """
    last = _last_strength(history, players, decisions)
    learned = decisions - (0 if last is None else last.decisions)
    cost = 1.0  # of learning from a decision; 1 on a CPU without search
    if config.algorithm == "expert_iteration":
        # A search takes far longer than this, so the share is small even with many workers.
        cost = 1.0 + config.searched_share * config.simulations
    elif on_gpu:
        cost = 1.0 / _GPU_SPEED
    tables = set(config.players) - {1}
    return max(_STRENGTH_SHARE * cost * learned / len(tables), _FEWEST_DECISIONS)


def is_worth_measuring(
    history: Sequence[Result], players: int, decisions: int, affordable: float
) -> bool:
    """Return whether some decisions are enough to measure strength at a table.

    They are enough, unless the learner is surely above the first network. Then they must pay for
    some deals against a search of its strength.

    Args:
        history: The results of the run.
        players: The table's seat count.
        decisions: Decisions that the learner has learned from.
        affordable: The result of `strength_decisions`.
    """
    last = _last_strength(history, players, decisions)
    if last is None or (last.low is not None and last.low <= 1):
        return True
    place = RUNGS[-1] if last.playouts is None else last.playouts
    rung = min(rung for rung in RUNGS if rung >= place)
    deal = players * players * _SEAT_DECISIONS  # decisions of a deal, which has a game per seat
    return affordable >= _DEALS_WORTH_PLAYING * deal * relative_cost(rung, players)


def _last_strength(history: Sequence[Result], players: int, decisions: int) -> Strength | None:
    """Return the table's last result on the scale before the learner had its present decisions."""
    earlier = (
        result
        for result in reversed(history)
        if isinstance(result, Strength)
        and result.players == players
        and result.decisions < decisions
    )
    return next(earlier, None)


def work_of(kinds: Mapping[Kind, float]) -> dict[Kind, float]:
    """Return the approximate number of decisions in the games of each kind.

    Args:
        kinds: The numbers of games, and of decisions for `SCALE`.
    """
    return {
        (players, name): amount if name == SCALE else amount * players * _SEAT_DECISIONS
        for (players, name), amount in kinds.items()
    }


def evaluate_learner(
    agent: AnyAgent,
    opponents: Mapping[str, AnyAgent],
    config: TrainingConfig,
    kinds: Mapping[Kind, float],
    *,
    decisions: int,
    seconds: float,
    on_progress: Callable[[float], None],
) -> Iterator[Result]:
    """Evaluate the learner, which plays greedily, in some kinds of games.

    All evaluations of a kind play the same deals, so that only the learner differs.

    Args:
        agent: The agent that plays with the learner's weights.
        opponents: Agents by the names in `kinds`.
        config: The run's settings.
        kinds: Some of `kinds_of_games`, each with its number of games, which is rounded up to a
            multiple of the seats. For `SCALE` it is the number of decisions.
        decisions: Decisions that the learner has learned from.
        seconds: Seconds of training so far.
        on_progress: Called after every step with the share of the games that is played.
    """
    learner = Entrant(_LEARNER, agent)
    seed = config.seed + _SEED_OFFSET
    work = work_of(kinds)
    all_work = sum(work.values())
    work_done = 0.0
    for (players, name), amount in kinds.items():
        kind_work = work[players, name]

        def on_games(
            played: int, _games: int, before: float = work_done, most: float = kind_work
        ) -> None:
            on_progress((before + min(played, most)) / all_work)

        if name == SCALE:
            games = ScaleGames(
                learner, config.game, players, seed=seed, add_progress=cumulative(on_games)
            )
            placement = games.place(amount)
            yield Strength(**vars(placement), decisions=decisions, seconds=round(seconds, 1))
        else:
            meets_copies = name in (ITSELF, SOLO)
            opponent = learner if meets_copies else Entrant(name, opponents[name])
            result = evaluate(
                [learner, *[opponent] * (players - 1)],
                config.game,
                games=math.ceil(amount / players) * players,
                players=players,
                seed=seed,
                on_progress=on_games,
            )
            yield _opponent_result(result, name, decisions, seconds)
        work_done += kind_work


def _opponent_result(
    result: EvaluationResult, opponent: str, decisions: int, seconds: float
) -> OpponentResult:
    """Return the learner's part of a result, in which the learner is the first entrant."""
    own = result.agents[0]
    if result.mean_winning_score is None:  # a solo game, where the only score wins
        mean_winning_score = own.mean_score
        winning_low = own.score_low
        winning_high = own.score_high
    else:
        mean_winning_score = result.mean_winning_score
        winning_low = result.winning_score_low
        winning_high = result.winning_score_high
    meets_copies = opponent in (ITSELF, SOLO)
    return OpponentResult(
        decisions=decisions,
        seconds=round(seconds, 1),
        players=result.players,
        opponent=opponent,
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
