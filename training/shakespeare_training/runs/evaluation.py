"""How strong the learner is: games against fixed opponents and copies of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.network import Network, NetworkAgent, Tensors
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO, Measurement, seats_text

_LEARNER = "\0learner"
"""A name that no agent and no folder can have."""
_SEED_OFFSET = 10**9
"""From the seeds of training games to those of evaluation games."""


def measure(
    tensors: Tensors,
    opponents: Mapping[str, AnyAgent],
    config: TrainingConfig,
    games: int,
    decisions: int,
    seconds: float,
    *,
    on_start: Callable[[str], None],
) -> Iterator[Measurement]:
    """Evaluate the learner, playing greedily, against each opponent and itself at every seat count.

    All play the same deals, so that only the learner makes a difference: `games` per seat count and
    opponent, rounded up to a multiple of the seats.  `on_start` is told what is next.
    """
    network = Network(tensors, registry.game(config.game).layout)
    learner = Entrant(_LEARNER, NetworkAgent(network))
    for players in sorted(set(config.players)):
        for name in [*opponents, ITSELF] if players > 1 else [SOLO]:
            on_start(f"evaluating: {seats_text(players)}" + (f", against {name}" if name else ""))
            copies = name in (ITSELF, SOLO)
            opponent = learner if copies else Entrant(name, opponents[name])
            found = evaluate(
                [learner, *[opponent] * (players - 1)],
                config.game,
                games=-(-games // players) * players,
                seed=config.seed + _SEED_OFFSET,
            )
            own = found.agents[0]
            rates = (None, None, None) if copies else (own.win_rate, own.low, own.high)
            best = found.mean_winning_score  # None in solo games
            scores = own.mean_score, own.mean_score if best is None else best
            yield Measurement(
                decisions, round(seconds, 1), players, name, found.games, *rates, *scores
            )
