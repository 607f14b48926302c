"""Golden playthroughs: complete games as readable text, from the first decision to the scores.

A change of the rules, of chance, of drawings or of observations shows up as a difference in
`playthroughs/`. `python -m tests.golden.regenerate` (`make golden`) plays them anew. Look at the
difference before you keep it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from shakespeare_env.core import registry
from tests.contract.random_games import TABLES, Table, move_by_rule

FOLDER = Path(__file__).parent / "playthroughs"
SEED = 1616


def golden_files() -> dict[Path, Table]:
    """Return a file for each number of seats, and for each variant with the most seats."""
    most = {table.game: registry.game(table.game).max_seats for table in TABLES}
    tables = [table for table in TABLES if not table.options or table.players == most[table.game]]
    return {FOLDER / f"{table}.txt": table for table in tables}


def playthrough(table: Table) -> Iterator[str]:
    """Play a game by the rule in `random_games.py`, and yield its lines."""
    variants = "".join(f", {option.replace('_', ' ')}" for option in table.options)
    yield f"{table.game}, {table.players} seat{'s' * (table.players > 1)}{variants}, seed {SEED}"
    position = table.position(SEED)
    digest = hashlib.sha256()
    drawn_chapter = None
    step = 0
    while True:
        for seat in range(position.players):
            digest.update(position.observation(seat).tobytes())
        chapter = position.to_dict()[position.game.presentation.chapter]
        if chapter != drawn_chapter or position.to_move is None:
            yield ""
            for line in str(position).splitlines():
                yield line.rstrip()
            yield ""
            drawn_chapter = chapter
        if position.to_move is None:
            break
        moves = position.moves()
        move = move_by_rule(position, step, salt=SEED)
        yield f"{step + 1:4}  seat {position.to_move}  {position.phase:9} {len(moves):3}  {move}"
        position.push(move)
        step += 1
    yield f"scores: {' '.join(map(str, position.scores()))}"
    yield f"winners: {' '.join(map(str, position.winners or []))}"
    yield f"observations: {digest.hexdigest()}"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for stale in set(FOLDER.glob("*.txt")) - set(golden_files()):
        stale.unlink()
    for file, table in golden_files().items():
        file.write_text("\n".join(playthrough(table)) + "\n", encoding="utf-8")
        print(file.relative_to(Path.cwd()))
