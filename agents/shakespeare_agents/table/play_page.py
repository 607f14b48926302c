"""What a table's page shows to a viewer, by the names that its templates use."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_agents.table.drawn_board import Drawings, DrawnBoard, DrawnPanel
from shakespeare_agents.table.live_table import LiveTable, Snapshot
from shakespeare_agents.table.told import called
from shakespeare_agents.table.viewer import Viewer, known
from shakespeare_env import Position
from shakespeare_env.play.named import YOU, capitalised, with_names

_RECENT = 8
"""Moves that a spectator finds in the strip."""


def play_page(
    drawings: Drawings,
    table: LiveTable,
    viewer: Viewer,
    number: int | None = None,
    seen: int | None = None,
) -> dict[str, Any]:
    """Everything that a table's page shows to a viewer.

    Args:
        drawings: What viewers see.
        table: The table.
        viewer: Who looks.
        number: The moves to show; None shows all. Before the last one nobody decides.
        seen: The moves that the viewer has seen; what moves by the next one is told, too.
    """
    latest = table.now()
    now = latest if number is None else latest.up_to(number)
    behind = len(latest.moves) - len(now.moves)
    knows, position = viewer.knows(now), now.position
    decides = viewer.decides(now) and not behind
    drawn = drawings.board(now, len(now.moves), knows)
    shown = known(position, knows)
    you = viewer.seats[0] if len(viewer.seats) == 1 else None
    names = called(now.plan.names, you)
    moves = position.moves() if decides else []
    places = {move: position.game.presentation.places(shown, move) for move in moves}
    words = {move: capitalised(with_names(position.describe_move(move), names)) for move in moves}
    groups: dict[str, list[dict[str, Any]]] = {}  # by the first words of moves
    for move in moves:
        choice = {"move": move, "words": words[move], "placed": bool(places[move])}
        groups.setdefault(move.partition(":")[0].capitalize(), []).append(choice)
    studied = _studied_last(now, viewer)
    first = max(0, studied - 1 if viewer.seats else len(now.moves) - _RECENT)
    told = drawings.told(now, knows, you)
    one_more = seen is not None and seen + 1 == len(now.moves)
    turn = {
        "moves": [[move, list(places[move]), words[move]] for move in moves],
        "changed": drawn.changed_places(drawings.board(now, studied, knows)),
        "flights": drawings.step(now, len(now.moves) - 1, knows).flights if one_more else [],
        "behind": behind,
        "colours": position.game.presentation.seat_colours,
    }
    to_move = now.seat_to_move
    thinks = to_move is not None and to_move.agent is not None and not now.fault
    return {
        "table_id": now.id,
        "now": now,
        "number": len(now.moves),
        "version": now.version,
        "viewer": viewer,
        "head": position.game.presentation.headline(shown),
        "sentence": _sentence(position, shown, names, now.mover if thinks else "", decides),
        "names": names,
        "columns": columns_of(drawn, _nearest(viewer, position)),
        "topics": list(position.game.presentation.topics(shown)),
        "groups": list(groups.items()),
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": told,
        "log_first": 0,
        "since": told[first:],
        "since_first": first,
        "studied": studied,
        "decides": decides,
        "curtain": viewer.hidden_seat(now),
        "can_undo": not behind and knows in viewer.seats and table.can_take_back(knows),
        "over": now.is_over,
        "sheet": _sheet(now, knows) if now.is_over else [],
        "places_by_rank": _ranks(now) if now.is_over else [],
    }


def changes(drawings: Drawings, now: Snapshot, viewer: Viewer, since: str) -> dict[str, Any]:
    """What has changed on the board since a version: columns or panels as a whole, and pieces."""
    knows = viewer.knows(now)
    number = moves_at(since, now)
    # What the viewer knew may have been another seat's knowledge.
    if number is None or viewer.knows(now.up_to(number)) != knows:
        return {"whole": True, "renewed": [], "renewed_columns": [], "pieces": {}, "log_first": 0}
    drawn, old = (drawings.board(now, at, knows) for at in (len(now.moves), number))
    columns = columns_of(drawn, _nearest(viewer, now.position))
    were = columns_of(old, _nearest(viewer, now.positions[number]))
    before = {panel.name: panel for panel in old.panels}
    renewed_columns: list[str] = []
    renewed: list[DrawnPanel] = []
    pieces: dict[str, str] = {}
    for name, panels in columns.items():
        if [panel.name for panel in panels] != [panel.name for panel in were[name]]:
            renewed_columns.append(name)
            continue
        for panel in panels:
            was = before[panel.name]
            if list(was.pieces) != list(panel.pieces):
                renewed.append(panel)
                continue
            pieces |= {
                name: text for name, text in panel.pieces.items() if was.pieces[name] != text
            }
            if was.summary != panel.summary:
                pieces[f"summary {panel.name}"] = panel.summary
    return {
        "whole": False,
        "renewed": renewed,
        "renewed_columns": renewed_columns,
        "pieces": pieces,
        "log_first": number,
    }


def moves_at(since: str, now: Snapshot) -> int | None:
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


def _nearest(viewer: Viewer, position: Position) -> int | None:
    """The seat whose board a viewer sees whole; for a spectator that of who is to move."""
    if not viewer.seats:
        return position.to_move
    return viewer.seats[0] if viewer.revealed is None else viewer.revealed


def columns_of(drawn: DrawnBoard, own: int | None) -> dict[str, list[DrawnPanel]]:
    """Panels by their place on the page: the table, the nearest seat, the other seats.

    Cards on offer stand beside the viewer's own.
    """
    columns: dict[str, list[DrawnPanel]] = {"table": [], "own": [], "seats": []}
    for panel in drawn.panels:
        cards = panel.seat == own if panel.seat is not None else not panel.large
        other = "table" if panel.seat is None else "seats"
        columns["own" if cards else other].append(panel)
    return columns


def _sentence(
    position: Position, shown: Mapping[str, Any], names: Sequence[str], thinking: str, decides: bool
) -> str:
    """Who decides what, or has won."""
    if thinking:
        return f"{thinking} is thinking …"
    head = position.game.presentation.headline(shown)
    said = with_names(f"{head.sentence} {head.aside}".strip(), names)
    if decides and said.startswith(f"{YOU}:"):
        return f"Your turn{said.removeprefix(YOU)}"
    return f"Your turn. {capitalised(said)}" if decides else capitalised(said)


def _sheet(now: Snapshot, knows: int | None) -> list[tuple[str, list[int]]]:
    """The rows of the score sheet, as people read them."""
    sign = now.position.game.presentation.score_sign
    return [(row, [sign * one for one in points]) for row, points in now.score_sheet(knows)]


def _ranks(now: Snapshot) -> list[tuple[int, str, int, bool]]:
    """Seats by score in the end: seat, name, score as people read it, whether it wins."""
    scores, winners = now.position.scores(), now.position.winners or []
    sign = now.position.game.presentation.score_sign
    order = sorted(range(len(scores)), key=lambda seat: (seat not in winners, -scores[seat]))
    return [(seat, now.plan.names[seat], sign * scores[seat], seat in winners) for seat in order]
