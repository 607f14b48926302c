"""A table's moves in words, with players' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_env.play.course import GameLog
from shakespeare_env.play.named import YOU, named_move


@dataclass(frozen=True)
class Told:
    """A move in words.

    Attributes:
        seat: Who has played it.
        sentence: Who has done what.
        move: The move in notation, empty if secret.
        effects: What followed from it.
        for_you: Those effects that befall the reader by somebody else's move.
    """

    seat: int
    sentence: str
    move: str
    effects: Sequence[str]
    for_you: Sequence[str] = ()


def called(names: Sequence[str], you: int | None) -> list[str]:
    """Names for a reader, who is called "you"."""
    return [YOU if seat == you else name for seat, name in enumerate(names)]


def told(now: Snapshot, at: int, knows: int | None, you: int | None) -> Told:
    """Move `at`, counted from 0, as `knows` knows it (`Viewer.knows`)."""
    (before, after), names = now.positions[at : at + 2], called(now.plan.names, you)
    mover = before.to_move
    assert mover is not None
    entry = GameLog(None, knows).told(before, now.moves[at], after)
    said, own = named_move(entry, mover, names), f"seat {you}: "
    return Told(
        mover,
        f"{said.mover} {said.text}",
        said.move,
        said.effects,
        [effect.removeprefix(own) for effect in entry.effects if effect.startswith(own)],
    )
