"""Plays games with the boxes in force and prints a digest of all that was seen of each.

`SHAKESPEARE_BOX=... python -m tests.boxes.games_played FIRST [GAMES]` prints a line a game: its box,
its number and the digest. Games are those with the numbers 0, STRIDE, ... + the box's place, so
that a process with all boxes and processes with one each (FIRST is its place) play the same ones.
"""

import hashlib
import sys

import numpy as np

from shakespeare_agents.registry import make
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.generators import GameGenerators

STRIDE = 1000
"""More than the boxes."""


def play(box: int, number: int, deal: int) -> str:
    """Play a game, the heuristic player at seat 0, and return a digest of its course."""
    players = 1 + number % 4
    batch = Batch("shakespeare", players=players, autoreset=False, boxes=box)
    batch.reset(0, [deal])
    heuristic = make("heuristic", batch.game)
    generators, inputs = GameGenerators.of_games(0, np.array([deal])), batch.game.inputs.size
    digest = hashlib.sha256()
    while batch.to_move[0] >= 0:
        actions = batch.random_actions()
        if batch.to_move[0] == 0:
            actions = heuristic.act(batch.obs, batch.mask, generators)
        for array in (actions.astype(np.int64), batch.mask, batch.obs[:, :inputs]):
            digest.update(np.ascontiguousarray(array).tobytes())
        batch.step(actions)
    digest.update(batch.final_scores.tobytes())
    return digest.hexdigest()[:16]


def main() -> None:
    """Play the games that the command line asks for."""
    first, games = int(sys.argv[1]), int(sys.argv[2])
    for box, path in enumerate(registry.game("shakespeare").boxes):
        for number in range(games):
            print(path.stem, number, play(box, number, STRIDE * number + first + box))


if __name__ == "__main__":
    main()
