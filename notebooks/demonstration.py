"""Games of one agent, step by step, for the notebooks that show a game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.naming import AgentSpec, make
from shakespeare_env import Batch, Position, registry
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import play_to_end


class Step(NamedTuple):
    """A decision of a game.

    Attributes:
        position: The position before it.
        move: The text of the move.
        after: The position after it and all forced moves.
    """

    position: Position
    move: str
    after: Position


def demonstration(
    game: str, *, players: int, seed: int, player: AgentLike = "network"
) -> tuple[Step, ...]:
    """Play a game with one agent, as `shakespeare_agents.make` takes it, in every seat."""
    batch = Batch(game, players=players, seed=seed, autoreset=False)
    generators = GameGenerators.of_games(seed, np.zeros(1, np.int64))
    positions = [Position.of_record(batch.game, batch.save([0])[0])]
    moves: list[str] = []

    def look(_rows: NDArray[Any], actions: NDArray[Any]) -> None:
        moves.append(positions[-1].move_text(int(actions[0])))
        positions.append(Position.of_record(batch.game, batch.save([0])[0]))

    play_to_end(batch, [make(player, batch.game)], generators, after_step=look)
    return tuple(map(Step, positions, moves, positions[1:]))


def made_with(game: str) -> str:
    """Return which network is bundled for a game: its version and the digest of its weights."""
    folder = AgentSpec.parse("network").checkpoint(registry.game(game))
    assert folder is not None
    (weights,) = folder.glob("weights-*")
    return f"Made with network {folder.name} of {game}, {weights.stem}."


def find(steps: tuple[Step, ...], beginning: str, *, after: int = 0, count: int = 1) -> Step:
    """Return the `count`-th step whose move begins with a text, after the first `after` steps.

    Raises:
        ValueError: there are fewer such steps.
    """
    fitting = [step for step in steps[after:] if step.move.startswith(beginning)]
    if not 1 <= count <= len(fitting):
        raise ValueError(
            f"only {len(fitting)} moves begin with {beginning!r}: none is number {count}"
        )
    return fitting[count - 1]
