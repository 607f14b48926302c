"""Golden playthroughs: whole games in readable text, from the first decision to the scores.

A change of the rules, of chance, of the drawing or of an observation shows up as a difference in
`playthroughs/`. To play them anew: `python -m tests.golden.regenerate` (`make golden`); look at the
difference before keeping it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from shakespeare_env import Position, registry
from tests.contract.random_games import TABLES, Table, move_by_rule

FOLDER = Path(__file__).parent / "playthroughs"
SEED = 1616


def file_of(table: Table) -> Path:
    """Where the playthrough of a table is kept."""
    return FOLDER / f"{table}.txt"


def golden_tables() -> list[Table]:
    """One table for each number of seats, and for each variant the one with the most seats."""
    most = {table.game: registry.game(table.game).max_seats for table in TABLES}
    return [table for table in TABLES if not table.options or table.players == most[table.game]]


def playthrough(table: Table) -> str:
    """A whole game in text; the moves are those of the rule in `random_games.py`."""
    return "\n".join(lines(table)) + "\n"


def lines(table: Table) -> Iterator[str]:
    """The playthrough line by line."""
    variants = "".join(f", {option.replace('_', ' ')}" for option in table.options)
    yield f"{table.game}, {table.players} seat{'s' * (table.players > 1)}{variants}, seed {SEED}"
    position = table.position(SEED)
    digest = hashlib.sha256()
    drawn, step = None, 0
    chapter = position.game.chapter
    while True:
        for seat in range(position.players):
            digest.update(position.observation(seat).tobytes())
        now = position.to_dict()[chapter]
        if now != drawn or position.to_move is None:
            yield ""
            yield from drawing(position)
            yield ""
            drawn = now
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


def drawing(position: Position) -> list[str]:
    """The position as a person reads it, without blanks at the ends of its lines."""
    return [line.rstrip() for line in str(position).splitlines()]


def main() -> None:
    """Write every playthrough, and drop those of tables there are no longer."""
    FOLDER.mkdir(exist_ok=True)
    kept = {file_of(table) for table in golden_tables()}
    for stale in set(FOLDER.glob("*.txt")) - kept:
        stale.unlink()
    for table in golden_tables():
        file_of(table).write_text(playthrough(table), encoding="utf-8")
        print(file_of(table).relative_to(Path.cwd()))


if __name__ == "__main__":
    main()
