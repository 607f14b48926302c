"""Find the puzzles of the table in the browser: `python docs/puzzles.py GAME`.

Decisions are drawn from the games of the leaderboard that networks have played, and judged until
there are enough puzzles or Ctrl-C is pressed. What was found is kept in the file all the time.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from shakespeare_agents.analysis import Analyst
from shakespeare_agents.analysis.puzzles import Puzzle, puzzle_in
from shakespeare_env.cli.recorded import from_folder
from shakespeare_env.core import registry
from shakespeare_env.datasets import recorded_games

ROOT = Path(__file__).parents[1]
GAMES = "benchmarks/leaderboards"
DECISIONS, MOST_OF_A_GAME = 6, 1
"""Decisions judged of a game, and the most puzzles taken from it."""
FROM = 0.35
"""The part of a game that is left out: early moves seldom decide."""
STRONG = ("network", "search")


def main() -> None:
    """Search until the time is up, then keep a set of all grades."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=registry.names())
    parser.add_argument("--enough", type=int, default=120, help="puzzles to find")
    parser.add_argument("--keep", type=int, default=36, help="puzzles to keep of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, help="where all that is found is kept")
    said = parser.parse_args()
    found = said.found or ROOT / f"puzzles-{said.game}.jsonl"
    with suppress(KeyboardInterrupt):
        search(said.game, said.enough, said.seed, found)
    every = [Puzzle(**json.loads(line)) for line in found.read_text().splitlines()]
    kept = chosen(every, said.keep)
    goal = ROOT / f"agents/shakespeare_agents/table/learning/puzzles/{said.game}.jsonl"
    goal.parent.mkdir(exist_ok=True)
    head = json.dumps({"box_digest": registry.box_digest(said.game)}) + "\n"
    goal.write_text(head + "".join(_line(puzzle) for puzzle in kept))
    print(f"{len(kept)} of {len(every)} puzzles, grades {Counter(p.grade for p in kept)}")


def search(game: str, enough: int, seed: int, found: Path) -> None:
    """Judge decisions, and write each puzzle as a line."""
    analyst, number = Analyst(registry.game(game)), 0
    with found.open("a") as file:
        for judged, puzzle in enumerate(_tried(game, analyst, random.Random(seed)), 1):
            if puzzle is not None:
                number += 1
                file.write(_line(puzzle))
                file.flush()
            if judged % 50 == 0 or puzzle is not None:
                print(f"{judged} decisions, {number} puzzles", flush=True)
            if number >= enough:
                return


def _tried(game: str, analyst: Analyst, draw: random.Random) -> Iterator[Puzzle | None]:
    folder = ROOT / GAMES / game
    games = range(len(recorded_games(folder, unfinished=True)))
    for game_id in draw.sample(games, len(games)):
        played = from_folder(folder, game_id)
        strong = [name.startswith(STRONG) for name in played.names or ()]
        first = int(FROM * len(played.moves))
        numbers = [
            at for at in range(first, len(played.moves)) if strong[played.positions[at].to_move]
        ]
        taken = 0
        for at in draw.sample(numbers, min(DECISIONS, len(numbers))):
            source = f"{GAMES}/{game}, game {game_id}, decision {at + 1}"
            puzzle = puzzle_in(played.positions[at], analyst, at, source, seed=game_id)
            yield puzzle
            taken += puzzle is not None
            if taken == MOST_OF_A_GAME:
                break


def chosen(found: list[Puzzle], most: int) -> list[Puzzle]:
    """As many of each grade as there are, of as many kinds of moves as there are; easy ones first.

    Of a kind and grade those come first whose best move leads by most.
    """
    kept: list[Puzzle] = []
    for grade in (1, 2, 3):
        left = sorted((p for p in found if p.grade == grade), key=lambda p: -p.loss)
        kinds: Counter[tuple[str, int]] = Counter()
        ranked = []
        for puzzle in left:
            kind = puzzle.best.partition(":")[0], puzzle.position["players"]
            ranked.append((kinds[kind], -puzzle.loss, len(ranked)))
            kinds[kind] += 1
        order = sorted(range(len(left)), key=lambda at: ranked[at])
        kept += [left[at] for at in order[: most // 3]]
    return kept


def _line(puzzle: Puzzle) -> str:
    return json.dumps(asdict(puzzle), separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
