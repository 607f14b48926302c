"""Games that one agent plays in all seats, step by step, for notebooks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import make
from shakespeare_agents.naming import AgentSpec
from shakespeare_env import Batch, Position, registry
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import play_to_end


class Step(NamedTuple):
    """A decision in a game.

    Attributes:
        position: The position before the move.
        move: The text of the move.
        after: The position after the move and the forced moves that follow it.
    """

    position: Position
    move: str
    after: Position


def demonstration(
    game: str, *, players: int, seed: int, player: AgentLike = "network"
) -> tuple[Step, ...]:
    """Return a game in which one agent, as `shakespeare_agents.make` takes it, plays all seats."""
    batch = Batch(game, players=players, seed=seed, autoreset=False)
    generators = GameGenerators.of_games(seed, np.zeros(1, np.int64))
    positions = [Position.of_record(batch.game, batch.save([0])[0])]
    moves: list[str] = []

    def record_step(_rows: NDArray[Any], actions: NDArray[Any]) -> None:
        moves.append(positions[-1].move_text(int(actions[0])))
        positions.append(Position.of_record(batch.game, batch.save([0])[0]))

    play_to_end(batch, [make(player, batch.game)], generators, after_step=record_step)
    return tuple(map(Step, positions, moves, positions[1:]))


def made_with(game: str) -> str:
    """Return a sentence with the version and the weights' digest of a game's bundled network."""
    folder = AgentSpec.parse("network").checkpoint(registry.game(game))
    assert folder is not None
    (weights,) = folder.glob("weights-*")
    return f"Made with network {folder.name} of {game}, {weights.stem}."


def find(steps: tuple[Step, ...], beginning: str, *, after: int = 0, count: int = 1) -> Step:
    """Return the `count`-th step whose move begins with a text, after the first `after` steps.

    Raises:
        ValueError: There are fewer such steps.
    """
    matches = [step for step in steps[after:] if step.move.startswith(beginning)]
    if not 1 <= count <= len(matches):
        raise ValueError(
            f"count={count}, but {len(matches)} moves begin with {beginning!r}; "
            "choose one of these, from 1"
        )
    return matches[count - 1]
