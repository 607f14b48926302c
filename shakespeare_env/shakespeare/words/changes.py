"""What a rule's call has changed for a seat, as an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.tracing import Call
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.box.printed import amount, plural

GAINS = ("mood", "pounds", "prestige")
PAY = ("pounds", "prestige")


def _counted(game: Record, seat: int) -> dict[str, int]:
    """A seat's counters."""
    spaces = {f"act {name}": game["disc_space"][act, seat] for act, name in enumerate(ACTS)}
    counted = {
        **{name: game[name][seat] for name in ("prestige", "pounds", "tokens", "mood")},
        **spaces,
        "cylinders": game["cylinders"][seat],
        "troupe": game["troupe_len"][seat],
        "resting": game["rest"][seat].sum(),
        "objectives": game["objectives_len"][seat],
        "stage": (game["stage"][seat] >= 0).sum(),
        "costumes": game["costume_len"][seat].sum(),
    }
    return {name: int(count) for name, count in counted.items()}


def changes(call: Call, seat: int) -> dict[str, int]:
    """A seat's counters that have changed."""
    before, after = _counted(call.before, seat), _counted(call.after, seat)
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


def event(
    call: Call,
    seat: int,
    cause: str,
    *,
    source: str = "",
    note: str = "",
    shown: Sequence[str] = (),
    quills: Mapping[str, int] | None = None,
    tried: bool = False,
) -> Event:
    """An event with all that a call has changed for a seat.

    Args:
        call: The call.
        seat: The seat.
        cause: Words before the amounts.
        source: The source of prestige.
        note: Words after the amounts.
        shown: What is put into words besides spaces on the acts; the cause says the rest.
        quills: Quills used, by act.
        tried: Whether something was due, which may have had no effect.
    """
    changed, words = changes(call, seat), []
    for act, name in enumerate(ACTS):
        used, moved = (quills or {}).get(name, 0), changed.get(f"act {name}", 0)
        if moved:
            space = call.after["disc_space"][act, seat]
            words.append(f"Act {name} {'back ' if moved < 0 else ''}to space {space}")
        if max(moved, 0) < used:
            words.append(f"{plural(used - moved, 'quill')} lost on Act {name}")
    words += [amount(name, changed[name]) for name in shown if name in changed]
    words += [note] if note else []
    if not words and (tried or any((quills or {}).values())):
        words = ["no effect"]
    points = changed.pop("prestige", 0)
    text = f"{cause}: {', '.join(words)}" if words else cause
    return Event(seat, text, source if points else "", points, changed)


def seats(call: Call) -> range:
    """The seats of the game."""
    return range(call.after["players"])


def mover(call: Call) -> int:
    """The seat to move before the call."""
    return int(call.before["to_move"])


def names_of(cards: Iterable[int]) -> str:
    """Characters' names."""
    return ", ".join(t.CARD_NAMES[card] for card in cards)
