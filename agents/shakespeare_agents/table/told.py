"""A table's moves in words, with players' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_env.play.game_log import GameLog
from shakespeare_env.play.named import YOU, doing, with_names


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
    entry = GameLog(None, knows).told(before, now.moves[at], after)
    mover = before.to_move
    assert mover is not None
    words = with_names(before.describe_move(now.moves[at]) if entry.move else entry.text, names)
    who = names[mover]
    sentence = doing(who, words) if entry.move else _SECRET.get(who, f"{who} {entry.text}")
    own = f"seat {you}: "
    return Told(
        mover,
        sentence,
        entry.move,
        [_effect(effect, names) for effect in entry.effects],
        [effect.removeprefix(own) for effect in entry.effects if effect.startswith(own)],
    )


def capitalised(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]


def _effect(text: str, names: Sequence[str]) -> str:
    said = with_names(text, names)
    return said if said.startswith(tuple(set(names) - {YOU})) else capitalised(said)


_SECRET = {YOU: "You decide in secret"}
