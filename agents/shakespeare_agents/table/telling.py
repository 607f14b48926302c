"""A table in the words of its page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from shakespeare_agents.table.live_table import LiveTable, Snapshot
from shakespeare_agents.table.seeing import (
    Drawn,
    DrawnPanel,
    Seer,
    Viewer,
    baseline,
    changed_places,
    headline,
    known,
    score_sheet,
)


@dataclass(frozen=True)
class Chip:
    """A seat in a row.

    Attributes:
        fill: Its colour, and `ink` that of letters on it.
        score: The score so far; None where a game shows none before its end.
        decides: Whether it is to move.
        yours: Whether the viewer holds it.
    """

    seat: int
    name: str
    fill: str
    ink: str
    score: int
    decides: bool
    wins: bool
    yours: bool
    is_agent: bool


@dataclass(frozen=True)
class Choice:
    """A legal move, in notation and in words; `placed` if it is clicked on the board."""

    move: str
    words: str
    placed: bool


def view(seer: Seer, table: LiveTable, viewer: Viewer) -> dict[str, Any]:
    """All that a table's page says to a viewer, by the names its templates use."""
    now = table.now()
    knows = viewer.knows(now)
    drawn = seer.board(now, len(now.moves), knows)
    decides = viewer.decides(now)
    position = now.position
    moves = position.moves() if decides else []
    shown = known(position, knows)
    places = {move: position.game.presentation.places(shown, move) for move in moves}
    described = {move: _sentence(position.describe_move(move)) for move in moves}
    since = seer.board(now, baseline(now, viewer), knows)
    turn = {
        "moves": [[move, list(places[move]), described[move]] for move in moves],
        "changed": changed_places(since, drawn),
    }
    own = viewer.revealed if viewer.revealed is not None else (viewer.seats or (None,))[0]
    over = position.to_move is None
    return {
        "table_id": now.id,
        "now": now,
        "number": len(now.moves),
        "version": now.version,
        "viewer": viewer,
        "head": headline(now, knows),
        "chips": _chips(now, viewer),
        "panels": _ordered(drawn, own),
        "topics": list(position.game.presentation.topics(shown)),
        "groups": _groups([Choice(m, described[m], bool(places[m])) for m in moves]),
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": seer.log(now, knows),
        "log_first": 0,
        "decides": decides,
        "thinking": _thinking(now),
        "curtain": viewer.is_behind_curtain(now),
        "can_undo": knows in viewer.seats and table.can_take_back(knows),
        "over": over,
        "sheet": score_sheet(now, knows) if over else [],
        "places_by_rank": _ranks(now) if over else [],
    }


def changes(seer: Seer, now: Snapshot, viewer: Viewer, since: str) -> dict[str, Any]:
    """What has changed on the board since a version: new panels as a whole, and pieces."""
    knows = viewer.knows(now)
    drawn = seer.board(now, len(now.moves), knows)
    number = _number(since, now)
    before = None if number is None else _seen(seer, now, number, viewer)
    if before is None:
        return {"whole": True, "gone": [], "new": [], "renewed": [], "pieces": {}, "log_first": 0}
    old = {panel.name: panel for panel in before.panels}
    names = [panel.name for panel in drawn.panels]
    new: list[tuple[DrawnPanel, str | None]] = []
    renewed: list[DrawnPanel] = []
    pieces: dict[str, str] = {}
    for at, panel in enumerate(drawn.panels):
        if panel.name not in old:
            new.append((panel, names[at - 1] if at else None))
        elif list(old[panel.name].pieces) != list(panel.pieces):
            renewed.append(panel)
        else:
            was = old[panel.name].pieces
            pieces |= {name: text for name, text in panel.pieces.items() if was[name] != text}
    return {
        "whole": False,
        "gone": [name for name in old if name not in names],
        "new": new,
        "renewed": renewed,
        "pieces": pieces,
        "log_first": number,
    }


def _seen(seer: Seer, now: Snapshot, number: int, viewer: Viewer) -> Drawn | None:
    """The board after `number` moves; None if the viewer's knowledge was another's then."""
    knows = viewer.knows(now)
    then = Snapshot(now.id, now.plan, now.positions[: number + 1], now.moves[:number], now.undone)
    return seer.board(now, number, knows) if viewer.knows(then) == knows else None


def _number(since: str, now: Snapshot) -> int | None:
    """The number of moves at a version that this table continues; else None."""
    number, _, rest = since.partition(".")
    undone = rest.partition(".")[0]
    if not (number.isascii() and number.isdigit() and undone == str(now.undone)):
        return None
    return int(number) if len(number) < 6 and int(number) <= len(now.moves) else None


def _ordered(drawn: Drawn, own: int | None) -> list[DrawnPanel]:
    """Cards on the table, the viewer's own seat, the rest of the table, the other seats."""

    def place(panel: DrawnPanel) -> tuple[int, int]:
        if panel.seat is None:
            return (2 if panel.large else 0), 0
        return (1, 0) if panel.seat == own else (3, panel.seat)

    return sorted(drawn.panels, key=place)


def _chips(now: Snapshot, viewer: Viewer) -> list[Chip]:
    position = now.position
    scores, colours = position.scores(), position.game.presentation.seat_colours
    return [
        Chip(
            seat,
            one.name,
            *colours[seat],
            scores[seat],
            position.to_move == seat,
            seat in (position.winners or ()),
            seat in viewer.seats,
            one.agent is not None,
        )
        for seat, one in enumerate(now.plan.seats)
    ]


def _groups(choices: list[Choice]) -> list[tuple[str, list[Choice]]]:
    """Legal moves by their first words."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(choice.move.partition(":")[0], []).append(choice)
    return [(name.capitalize(), found) for name, found in groups.items()]


def _thinking(now: Snapshot) -> str:
    """The agent that decides now, if one does."""
    seat = now.position.to_move
    if seat is None or now.plan.seats[seat].agent is None or now.fault:
        return ""
    return now.plan.seats[seat].name


def _ranks(now: Snapshot) -> list[tuple[int, str, int, bool]]:
    """Seats by score in the end: seat, name, score, whether it wins."""
    scores, winners = now.position.scores(), now.position.winners or []
    order = sorted(range(len(scores)), key=lambda seat: (seat not in winners, -scores[seat]))
    return [(seat, now.names[seat], scores[seat], seat in winners) for seat in order]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
