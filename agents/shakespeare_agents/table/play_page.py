"""What a table's page shows to a viewer, by the names that its templates use."""

from __future__ import annotations

import json
from typing import Any

from shakespeare_agents.table.drawn_board import Drawings, DrawnBoard, DrawnPanel
from shakespeare_agents.table.live_table import LiveTable, Snapshot
from shakespeare_agents.table.viewer import Viewer, known


def play_page(drawings: Drawings, table: LiveTable, viewer: Viewer) -> dict[str, Any]:
    """Everything that a table's page shows to a viewer."""
    now = table.now()
    knows, decides, position = viewer.knows(now), viewer.decides(now), now.position
    drawn = drawings.board(now, len(now.moves), knows)
    shown = known(position, knows)
    moves = position.moves() if decides else []
    places = {move: position.game.presentation.places(shown, move) for move in moves}
    words = {move: _sentence(position.describe_move(move)) for move in moves}
    groups: dict[str, list[dict[str, Any]]] = {}  # by the first words of moves
    for move in moves:
        choice = {"move": move, "words": words[move], "placed": bool(places[move])}
        groups.setdefault(move.partition(":")[0].capitalize(), []).append(choice)
    seen_last = drawings.board(now, _studied_last(now, viewer), knows)
    turn = {
        "moves": [[move, list(places[move]), words[move]] for move in moves],
        "changed": drawn.changed_places(seen_last),
    }
    own = viewer.revealed if viewer.revealed is not None else (viewer.seats or (None,))[0]
    to_move = now.seat_to_move
    thinks = to_move is not None and to_move.agent is not None and not now.fault
    return {
        "table_id": now.id,
        "now": now,
        "number": len(now.moves),
        "version": now.version,
        "viewer": viewer,
        "head": position.game.presentation.headline(shown),
        "panels": in_reading_order(drawn, own),
        "topics": list(position.game.presentation.topics(shown)),
        "groups": list(groups.items()),
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": drawings.log(now, knows),
        "log_first": 0,
        "decides": decides,
        "thinking": to_move.name if to_move is not None and thinks else "",
        "curtain": viewer.hidden_seat(now),
        "can_undo": knows in viewer.seats and table.can_take_back(knows),
        "over": now.is_over,
        "sheet": now.score_sheet(knows) if now.is_over else [],
        "places_by_rank": _ranks(now) if now.is_over else [],
    }


def changes(drawings: Drawings, now: Snapshot, viewer: Viewer, since: str) -> dict[str, Any]:
    """What has changed on the board since a version: new panels as a whole, and pieces."""
    knows = viewer.knows(now)
    number = _number(since, now)
    # What the viewer knew may have been another seat's knowledge.
    if number is None or viewer.knows(now.up_to(number)) != knows:
        return {"whole": True, "gone": [], "new": [], "renewed": [], "pieces": {}, "log_first": 0}
    drawn = drawings.board(now, len(now.moves), knows)
    old = {panel.name: panel for panel in drawings.board(now, number, knows).panels}
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


def _number(since: str, now: Snapshot) -> int | None:
    """The number of moves at a version that this table continues; else None."""
    number, _, rest = since.partition(".")
    undone = rest.partition(".")[0]
    if not (number.isascii() and number.isdigit() and undone == str(now.undone)):
        return None
    return int(number) if len(number) < 6 and int(number) <= len(now.moves) else None


def _studied_last(now: Snapshot, viewer: Viewer) -> int:
    """The number of moves after which the viewer last studied the board.

    That is after its own last move; a spectator sees each move by itself.
    """
    if not viewer.seats:
        return max(len(now.moves) - 1, 0)
    seats = viewer.seats if viewer.revealed is None else (viewer.revealed,)
    own = [at for at, position in enumerate(now.positions[:-1]) if position.to_move in seats]
    return own[-1] + 1 if own else 0


def in_reading_order(drawn: DrawnBoard, own: int | None) -> list[DrawnPanel]:
    """Cards on the table, the viewer's own seat, the rest of the table, the other seats."""

    def place(panel: DrawnPanel) -> tuple[int, int]:
        if panel.seat is None:
            return (2 if panel.large else 0), 0
        return (1, 0) if panel.seat == own else (3, panel.seat)

    return sorted(drawn.panels, key=place)


def _ranks(now: Snapshot) -> list[tuple[int, str, int, bool]]:
    """Seats by score in the end: seat, name, score, whether it wins."""
    scores, winners = now.position.scores(), now.position.winners or []
    order = sorted(range(len(scores)), key=lambda seat: (seat not in winners, -scores[seat]))
    return [(seat, now.plan.names[seat], scores[seat], seat in winners) for seat in order]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
