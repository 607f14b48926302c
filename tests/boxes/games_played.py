"""Plays games with the boxes in force and prints a digest of all that was seen of each.

`SHAKESPEARE_BOX=... python -m tests.boxes.games_played FIRST GAMES` prints a line for each game:
its box, number and digest. FIRST is the place of the first box among all, so that processes with
one box each play the same games as a process with all of them.
"""

import hashlib
import sys

import numpy as np

from shakespeare_agents.registry import make
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import decide
from shakespeare_env.play.generators import GameGenerators

STRIDE = 1000
"""More than the boxes."""


def play(box: int, number: int, deal: int) -> str:
    """Play a game, the heuristic player at seat 0, and return a digest of its course."""
    players = 1 + number % 4
    batch = Batch("shakespeare", players=players, autoreset=False, boxes=box)
    batch.reset(0, [deal])
    heuristic, inputs = make("heuristic", batch.game), batch.game.inputs.size
    one, generators = np.zeros(1, np.int64), GameGenerators.of_games(0, np.array([deal]))
    digest = hashlib.sha256()
    while batch.to_move[0] >= 0:
        actions = batch.random_actions()
        if batch.to_move[0] == 0:
            actions = decide(heuristic, batch, one, generators)
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
