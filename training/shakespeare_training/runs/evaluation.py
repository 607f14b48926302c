"""The learner's strength in games against fixed opponents and copies of itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.networks.network import Network, Tensors
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_env.core import registry
from shakespeare_env.play.agent import AnyAgent
from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO, Measurement, seats_text

_LEARNER = "\0learner"
"""A name that no agent and no folder can have."""
_SEED_OFFSET = 10**9
"""The distance from the seeds of training games to those of evaluation games."""
_ENDS = ("", "_low", "_high")
"""Endings of names in TensorBoard: the figure, and the ends of its 95 % interval."""

Kind = tuple[int, str]
"""The games of an evaluation: a seat count and an opponent."""


@dataclass(frozen=True)
class Measuring:
    """An evaluation under way.

    Attributes:
        what: The games being played.
        games: The number of games finished.
        total: The number of games in the whole evaluation.
        share: The share of its work that is done, 0 to 1.
        seconds_left: An estimate; None at the start.
    """

    what: str
    games: int
    total: int
    share: float
    seconds_left: float | None


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
    on_progress: Callable[[Measuring], None],
) -> Iterator[Measurement]:
    """Evaluate the learner, playing greedily, in some kinds of games (`kinds_of_games`).

    All play the same deals, so that only the learner makes a difference: `games` per kind, rounded
    up to a multiple of the seats.  `on_progress` is called after every step.
    """
    game = registry.game(config.game)
    network = Network(tensors, game.layout, ())
    learner = Entrant(_LEARNER, NetworkAgent(network))
    began = time.monotonic()
    sizes = {kind: -(-games // kind[0]) * kind[0] for kind in kinds}
    work = sum(size * players for (players, _), size in sizes.items())
    played = seats = 0

    def tell(_decisions: int, finished: int) -> None:
        # A game takes about as long as it has seats.
        share = (seats + finished * players) / work
        left = (time.monotonic() - began) * (1.0 - share) / share if share else None
        what = seats_text(players) + (f" against {name}" if name else " solo")
        on_progress(Measuring(what, played + finished, sum(sizes.values()), share, left))

    for players, name in kinds:
        tell(0, 0)
        copies = name in (ITSELF, SOLO)
        opponent = learner if copies else Entrant(name, opponents[name])
        found = evaluate(
            [learner, *[opponent] * (players - 1)],
            config.game,
            games=sizes[players, name],
            players=players,
            seed=config.seed + _SEED_OFFSET,
            on_progress=tell,
        )
        played += found.games
        seats += found.games * players
        own = found.agents[0]
        # A lone player would win every game.
        best = own.mean_score, own.score_low, own.score_high
        if found.mean_winning_score is not None:
            best = found.mean_winning_score, found.winning_score_low, found.winning_score_high
        rate = (None, None, None) if copies else (own.win_rate, own.low, own.high)
        margins = own.score_low, own.score_high, *best[1:]
        figures = (found.games, *rate, own.mean_score, best[0], *margins)
        yield Measurement(decisions, round(seconds, 1), players, name, *figures)


def log_measurement(logger: Logger, found: Measurement) -> None:
    """Record its main figure with its interval, such as `win_rate/4_seats_against_heuristic`.

    Against itself and alone the main figure is the winning score.
    """
    figures = (found.win_rate, found.low, found.high)
    if found.win_rate is None:
        figures = (found.mean_winning_score, found.winning_low, found.winning_high)
    for name, figure in zip(_names((found.players, found.opponent)), figures, strict=True):
        if figure is not None:
            logger.record(name, figure)


def add_charts(logger: Logger, kinds: Iterable[Kind]) -> None:
    """Let TensorBoard draw the figures of some kinds of games with their intervals as bands."""
    charts: dict[str, dict[str, list[object]]] = {}
    for kind in kinds:
        names = _names(kind)
        what, _, which = names[0].partition("/")
        charts.setdefault(what, {})[which] = ["Margin", names]
    for output in logger.output_formats:
        if isinstance(output, TensorBoardOutputFormat):
            output.writer.add_custom_scalars(charts)


def _names(kind: Kind) -> list[str]:
    """The names of a figure and of the ends of its interval."""
    players, opponent = kind
    where = seats_text(players).replace(" ", "_")
    if opponent in (SOLO, ITSELF):
        return [f"winning_score{end}/{where}" for end in _ENDS]
    return [f"win_rate{end}/{where}_against_{opponent}" for end in _ENDS]
