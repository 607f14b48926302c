"""Adoption: any agent becomes a checkpoint, a network that has learned to decide as the agent does.

See `shakespeare_training.learners.distillation` for how it learns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from shakespeare_agents.making import Entrant, entrants_of
from shakespeare_agents.networks.checkpoint import save_checkpoint
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_arena.evaluation import EvaluationResult, evaluate
from shakespeare_arena.intervals import mean_error, score_interval
from shakespeare_arena.reports import Report, format_number, printable_name
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game
from shakespeare_env.errors import TrainingError
from shakespeare_env.play.agent import Advisor, AgentLike
from shakespeare_env.play.generators import GameGenerators
from shakespeare_training.config import CURRENT, FOREVER
from shakespeare_training.learners.decisions import DecisionArrays, take
from shakespeare_training.learners.distillation import DemonstrationLineup, Distillation
from shakespeare_training.learners.games import HostGames
from shakespeare_training.learners.league import League
from shakespeare_training.learners.learner import LearnerSettings, linear
from shakespeare_training.networks.mlp import MlpPolicy
from shakespeare_training.runs.saving import locked
from shakespeare_training.stopping import Stop, Stopped

OnProgress = Callable[[str, float, str], None]
"""Called with the stage, the share of it that is done, and what has been learned, in words."""
_HELD_OUT_SEED = 10**9  # added to the seed, so that games of the measurement have other deals
_HELD_OUT_GAMES = 64  # games at each table in which decisions are compared
_GAMES_AT_ONCE = 256  # games in a group
_BATCH_SIZE = 1024
_EPOCHS = 2
_RATE = 2e-3
_LAST_RATE = 0.03  # the learning rate at the end, as a share of the first


@dataclass(frozen=True, kw_only=True)
class AdoptionSettings:
    """Settings of an adoption. Learning ends at the first of the two limits.

    Attributes:
        minutes: Minutes of learning. None means no limit.
        decisions: Decisions to learn from, rounded up to whole groups of games. None means no
            limit. If this limit comes first, the same seed gives the same network.
        players: The sizes of the tables, by default all that the game allows.
        width: The width of the network's layers.
        games: Games of the evaluation at each table, rounded up to whole deals.
        seed: Decides every draw.
    """

    minutes: float | None = 3.0
    decisions: int | None = None
    players: Sequence[int] = ()
    width: int = 256
    games: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Agreement:
    """The agreement of a checkpoint with its agent in games that it has not learned from.

    Attributes:
        players: Seats at the table.
        decisions: The number of decisions compared.
        share: The share of them in which the likeliest actions are the same.
        low: The lower end of its 95 % interval.
        high: The upper end.
        divergence: The mean Kullback-Leibler divergence of the checkpoint's probabilities from the
            agent's, in nats.
    """

    players: int
    decisions: int
    share: float
    low: float
    high: float
    divergence: float


@dataclass(frozen=True)
class Adoption(Report):
    """A checkpoint that decides as an agent does, and how well it does so.

    Attributes:
        game: The game's name.
        agent: The agent's name.
        has_probabilities: Whether the agent gave probabilities. Otherwise its moves counted as
            certain.
        decisions: Decisions that were learned from.
        seconds: Seconds of learning.
        agreements: The agreement at each table.
        evaluations: At each table of two seats or more, the checkpoint in one seat against the
            agent in all others. The checkpoint is the first entrant.
    """

    FORMAT = 1

    game: str
    agent: str
    has_probabilities: bool
    decisions: int
    seconds: float
    agreements: tuple[Agreement, ...]
    evaluations: tuple[EvaluationResult, ...]

    def table(self) -> Table:
        """Return a row for each table, of at most 80 columns."""
        caption = (
            "Won and lead in score: one seat against the agent in all others, where equal agents "
            "win 1 game in as many as there are seats. Intervals are 95 %."
        )
        if not self.has_probabilities:
            caption += " The agent gives no probabilities: its moves were learned as certain."
        table = Table(
            title=f"{self.game}: the adopted {printable_name(self.agent)} in held-out games",
            caption=caption,
        )
        for heading in ("Seats", "Same move, %", "KL", "Won, %", "Lead in score"):
            table.add_column(heading, justify="right", no_wrap=True)
        evaluations = {evaluation.players: evaluation for evaluation in self.evaluations}
        for agreement in self.agreements:
            share = _percentages(agreement.share, agreement.low, agreement.high)
            divergence = format_number(agreement.divergence, 3)
            won = "–"
            lead = "–"
            if agreement.players in evaluations:
                result = _result(evaluations[agreement.players])
                won = _percentages(result["win_rate"], result["low"], result["high"])
                lead = f"{result['score']:+.2f}"
                if result["score_high"] is not None:
                    lead += f" ± {result['score_high'] - result['score']:.2f}"
            table.add_row(str(agreement.players), share, divergence, won, lead)
        return table

    def figures(self) -> dict[str, Any]:
        """Return what the checkpoint's card says of the adoption, as JSON values."""
        return {
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "agent": self.agent,
            "agent_has_probabilities": self.has_probabilities,
            "agreements": [asdict(agreement) for agreement in self.agreements],
            "against_the_agent": [_result(evaluation) for evaluation in self.evaluations],
        }


def _result(evaluation: EvaluationResult) -> dict[str, Any]:
    """Return the checkpoint's win rate and its lead in score, with their intervals."""
    own = evaluation.agents[0]
    lead = evaluation.difference(own.name, evaluation.agents[1].name)
    return {
        "players": evaluation.players,
        "games": evaluation.games,
        "win_rate": own.win_rate,
        "low": own.low,
        "high": own.high,
        "score": lead.score,
        "score_low": lead.score_low,
        "score_high": lead.score_high,
    }


def _percentages(share: float, low: float | None, high: float | None) -> str:
    ends = (format_number(end if end is None else 100 * end, 1) for end in (low, high))
    return f"{format_number(100 * share, 1)} ({' to '.join(ends)})"


def adopt_agent(
    agent: AgentLike | Entrant,
    folder: Path,
    settings: AdoptionSettings,
    game: str = registry.DEFAULT,
    *,
    command: str = "",
    stop: Stop | None = None,
    on_progress: OnProgress = lambda _stage, _share, _learned: None,
) -> Adoption:
    """Train a network to decide as an agent does, measure it, and save it as a checkpoint.

    The checkpoint is saved before it is measured, and once more with the figures in its card.

    Args:
        agent: The agent, however it is given (see `making.make`). The network learns its
            probabilities or, if it has none, its moves.
        folder: The checkpoint's folder.
        settings: The settings.
        game: The game's name.
        command: The command that repeats the adoption, for the card.
        stop: Lets other code request that learning ends early.
        on_progress: Called after every step with the stage, `learning` or `measuring`; the share of
            it that is done, 0 to 1; and what has been learned so far, in words.

    Raises:
        ValueError: there is no limit, the game has no table of this size, or the agent's
            probabilities are not valid.
        TrainingError: not one group of games was played to its end.
    """
    if settings.minutes is None and settings.decisions is None:
        raise ValueError("nothing ends the adoption; give minutes or decisions")
    loaded = registry.game(game)
    every_size = range(loaded.min_seats, loaded.max_seats + 1)
    sizes = [loaded.check_players(players) for players in settings.players or every_size]
    settings = replace(settings, players=sorted(set(sizes)))
    (entrant,) = entrants_of([agent], loaded)
    with locked(folder, is_new=True):
        return _adopt(entrant, folder, settings, loaded, command, stop or Stop(), on_progress)


def _adopt(
    entrant: Entrant,
    folder: Path,
    settings: AdoptionSettings,
    game: Game,
    command: str,
    stop: Stop,
    on_progress: OnProgress,
) -> Adoption:
    learner = _learner(entrant, game, settings)
    decisions, seconds = _learn(learner, entrant, settings, stop, on_progress)

    tensors = learner.policy.tensors()

    def save(figures: dict[str, Any]) -> None:
        save_checkpoint(
            folder,
            tensors,
            game,
            players=settings.players,
            command=command,
            settings=asdict(settings),
            figures=figures,
        )

    save({"decisions": decisions, "seconds": round(seconds, 1)})
    network = NetworkAgent(Network(tensors, game.layout))
    agreements = _agreements(entrant, network, game, settings)
    own = Entrant(str(folder), network)
    tables = [players for players in settings.players if players > 1]
    evaluations: list[EvaluationResult] = []
    for players in tables:

        def on_games(_decisions: int, finished: int, done: int = len(evaluations)) -> None:
            share = (done + min(finished / settings.games, 1.0)) / len(tables)
            on_progress("measuring", share, _learned(decisions, agreements[-1].share))

        evaluations.append(
            evaluate(
                [own, *[entrant] * (players - 1)],
                game.name,
                games=settings.games,
                seed=settings.seed + _HELD_OUT_SEED,
                on_progress=on_games,
            )
        )
    adoption = Adoption(
        game=game.name,
        agent=entrant.name,
        has_probabilities=isinstance(entrant.agent, Advisor),
        decisions=decisions,
        seconds=seconds,
        agreements=agreements,
        evaluations=tuple(evaluations),
    )
    save(adoption.figures())
    return adoption


def _games(game: Game, players: Sequence[int], count: int, seed: int) -> Batch:
    """Return new games at tables of the given sizes in turn."""
    sizes = np.resize(players, count)
    return Batch(game.name, n=count, players=sizes, seed=seed, autoreset=False, reward="score")


def _learner(teacher: Entrant, game: Game, settings: AdoptionSettings) -> Distillation:
    batch = _games(game, settings.players, _GAMES_AT_ONCE, settings.seed)
    league = League({CURRENT: 1.0}, batch, max_snapshots=1, seed=settings.seed)
    return Distillation(
        HostGames(league),
        teacher,
        LearnerSettings(
            seed=settings.seed,
            make_policy=partial(MlpPolicy.fresh, width=settings.width),
            batch_size=_BATCH_SIZE,
            n_epochs=_EPOCHS,
            learning_rate=linear(_RATE, _RATE * _LAST_RATE),
        ),
    )


def _learn(
    learner: Distillation,
    teacher: Entrant,
    settings: AdoptionSettings,
    stop: Stop,
    on_progress: OnProgress,
) -> tuple[int, float]:
    """Play and learn up to the settings' limits.

    A group of games that is stopped before its end is discarded.

    Returns:
        The decisions learned from, and the seconds that it took.
    """
    limit = math.inf if settings.minutes is None else 60.0 * settings.minutes
    learner.goal = FOREVER if settings.decisions is None else settings.decisions
    began = time.monotonic()
    learner.time_share = lambda: (time.monotonic() - began) / limit

    def check_stop() -> None:
        agreement = learner.logger.name_to_value["train/agreement"]
        share = min(1.0 - learner.progress_remaining, 1.0)
        on_progress("learning", share, _learned(learner.num_timesteps, agreement))
        stop.check()
        if learner.time_share() >= 1.0:
            raise Stopped

    decisions = 0
    learner.check_stop = check_stop
    try:
        with stop.deferred():
            while learner.progress_remaining > 0.0:
                learner.collect()
                learner.train()
                decisions = learner.num_timesteps
    except Stopped:
        if not learner.updates and stop.requested:
            raise
    if not learner.updates:
        raise TrainingError(
            f"{teacher.name} is slow: {_GAMES_AT_ONCE} games, which are learned from "
            f"together, were not over after {settings.minutes:g} minutes; give more --minutes"
        )
    # Learning that stopped within the first update has left `decisions` at 0.
    return decisions or learner.num_timesteps, time.monotonic() - began


def _learned(decisions: int, agreement: float) -> str:
    """Return words for what has been learned; the agreement is 0 before the first update."""
    words = f"{decisions:,} decisions"
    return f"{words}, {100 * agreement:.1f} % the same" if agreement else words


def _agreements(
    teacher: Entrant, network: NetworkAgent, game: Game, settings: AdoptionSettings
) -> tuple[Agreement, ...]:
    """Compare the decisions of an agent and a network, in games of each with itself."""
    count = _HELD_OUT_GAMES * len(settings.players)
    seed = settings.seed + _HELD_OUT_SEED
    batch = _games(game, settings.players, count, seed)
    numbers = np.arange(count)
    lineup = DemonstrationLineup(
        batch,
        GameGenerators.of_games(seed, numbers),
        teacher,
        network,
        is_learners=numbers >= count // 2,
        random_share=np.zeros(count),
        draws=False,
    )
    decisions = lineup.play()
    return tuple(
        _agreement(take(decisions, np.flatnonzero(decisions["players"] == players)), network)
        for players in settings.players
    )


def _agreement(decisions: DecisionArrays, network: NetworkAgent) -> Agreement:
    """Compare the decisions of an agent and a network at tables of one size."""
    theirs = decisions["probabilities"].astype(np.float64)
    own = network.probabilities(decisions["observations"], decisions["masks"])
    agrees = own.argmax(axis=1) == theirs.argmax(axis=1)
    log_own = np.log(np.maximum(own, np.finfo(np.float32).tiny))
    log_theirs = np.log(np.where(theirs > 0, theirs, 1.0))
    divergence = (theirs * (log_theirs - log_own)).sum(axis=1).mean()

    # The decisions of a game depend on each other, so each game is one observation.
    _, games = np.unique(decisions["games"], return_inverse=True)
    agreed = np.bincount(games, weights=agrees)
    counts = np.bincount(games)
    share, error = mean_error(agreed, counts)
    low, high = score_interval(share, error, len(counts))
    return Agreement(
        players=int(decisions["players"][0]),
        decisions=len(agrees),
        share=share,
        low=low,
        high=high,
        divergence=float(divergence),
    )
