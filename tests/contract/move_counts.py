"""Legal-move counts: how many sequences of moves of each length a position allows ("perft").

`tests/<game>/data/move_counts/` holds positions in text with their counts, to be compared with by
`test_move_counts.py` and by other programs. Chance is drawn from the seed given there. To count
anew after a change of the rules: `python -m tests.contract.move_counts`. A position to be counted
for the first time needs a file with `about`, `position` and `seed` alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shakespeare_env import Position
from shakespeare_env.core import registry

TESTS = Path(__file__).parents[1]
DEPTH = 3


def names(game: str) -> list[str]:
    """The positions of a game."""
    return sorted(path.stem for path in folder(game).glob("*.json"))


def folder(game: str) -> Path:
    """Where the positions of a game are."""
    return TESTS / game / "data" / "move_counts"


def read(game: str, name: str) -> dict[str, Any]:
    """A file: `position`, `seed`, `counts` by depth and `after`, those below each first move."""
    content: dict[str, Any] = json.loads((folder(game) / f"{name}.json").read_text("utf-8"))
    return content


def count(position: Position, depth: int) -> int:
    """Sequences of exactly `depth` moves; a game that ends earlier has none."""
    moves = position.moves()
    if depth == 1:
        return len(moves)
    return sum(count(following(position, move), depth - 1) for move in moves)


def following(position: Position, move: str) -> Position:
    """The position after a move."""
    after = position.copy()
    after.push(move)
    return after


def counted(content: dict[str, Any]) -> dict[str, Any]:
    """The content of a file with its counts made anew."""
    position = Position.from_dict(content["position"], seed=content["seed"])
    after = {
        move: [count(following(position, move), depth) for depth in range(1, DEPTH)]
        for move in position.moves()
    }
    below = [sum(counts) for counts in zip(*after.values(), strict=True)]
    return content | {"counts": [len(after), *below], "after": after}


def main() -> None:
    """Count anew and write the files, each move's counts on a line of their own."""
    for game in registry.names():
        for name in names(game):
            content = counted(read(game, name))
            print(f"{game:12} {name:28} {' '.join(map(str, content['counts']))}")
            *entries, (_, after) = content.items()
            lines = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in entries]
            moves = (f"    {json.dumps(move)}: {json.dumps(n)}" for move, n in after.items())
            text = "{\n" + "".join(lines) + '  "after": {\n' + ",\n".join(moves) + "\n  }\n}\n"
            (folder(game) / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
