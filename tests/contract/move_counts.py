"""Legal-move counts: how many sequences of moves of each length a position allows ("perft").

`data/move_counts/` holds positions in text with their counts, to be compared with by
`test_move_counts.py` and by other programs. Chance is drawn from the seed given there. To count
anew after a change of the rules: `python -m tests.contract.move_counts`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shakespeare_env import Position

FOLDER = Path(__file__).parent / "data" / "move_counts"
DEPTH = 3


def names() -> list[str]:
    """The positions there are."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(name: str) -> dict[str, Any]:
    """A file: `position`, `seed`, `counts` by depth and `after`, those below each first move."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
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
    """Count anew and write the files."""
    for name in names():
        content = counted(read(name))
        print(f"{name:32} {' '.join(map(str, content['counts']))}")
        write(name, content)


def write(name: str, content: dict[str, Any]) -> None:
    """Write a file, the position and each move's counts on a line of their own."""
    after = ",\n".join(
        f"    {json.dumps(move)}: {json.dumps(counts)}" for move, counts in content["after"].items()
    )
    text = (
        f'{{\n  "about": {json.dumps(content["about"])},\n'
        f'  "position": {json.dumps(content["position"])},\n'
        f'  "seed": {content["seed"]},\n'
        f'  "counts": {json.dumps(content["counts"])},\n'
        f'  "after": {{\n{after}\n  }}\n}}\n'
    )
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
