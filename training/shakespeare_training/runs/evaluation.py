"""The learner's strength in games against fixed opponents and copies of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.network import Network, Tensors
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO, Measurement
from shakespeare_training.runs.measuring import Measuring, Meter, whole_rotations

_LEARNER = "\0learner"
"""A name that no agent and no folder can have."""
_SEED_OFFSET = 10**9
"""The distance from the seeds of training games to those of evaluation games."""


def measure(
    tensors: Tensors,
    opponents: Mapping[str, AnyAgent],
    config: TrainingConfig,
    kinds: Sequence[tuple[int, str]],
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
    network = Network(tensors, registry.game(config.game).layout)
    learner = Entrant(_LEARNER, NetworkAgent(network))
    meter = Meter(kinds, games)
    for players, name in kinds:
        on_progress(meter.begin((players, name)))
        copies = name in (ITSELF, SOLO)
        opponent = learner if copies else Entrant(name, opponents[name])
        found = evaluate(
            [learner, *[opponent] * (players - 1)],
            config.game,
            games=whole_rotations(games, players),
            players=players,
            seed=config.seed + _SEED_OFFSET,
            on_progress=lambda made, finished: on_progress(meter.reading(made, finished)),
        )
        own = found.agents[0]
        # A lone player would win every game.
        best = own.mean_score, own.score_low, own.score_high
        if found.mean_winning_score is not None:
            best = found.mean_winning_score, found.winning_score_low, found.winning_score_high
        rate = (None, None, None) if copies else (own.win_rate, own.low, own.high)
        margins = own.score_low, own.score_high, *best[1:]
        figures = (found.games, *rate, own.mean_score, best[0], *margins)
        yield Measurement(decisions, round(seconds, 1), players, name, *figures)
