"""A table's pages: for those who hold seats, and for spectators."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env import Position
from shakespeare_env.play.named import YOU, capitalised, with_names
from shakespeare_table.browser.learning.guide import guidance, is_guided
from shakespeare_table.browser.learning.lessons import lesson
from shakespeare_table.browser.lobby import agent_seat, agents_for, same_seats
from shakespeare_table.browser.site import Fields, Site, number_of, owner_of
from shakespeare_table.browser.tables import LiveTable, Snapshot, TableError, can_take_back
from shakespeare_table.browser.viewing import Viewer, board, called, explained, known, told

PLACES = ("/seat/{token}", "/watch/{table}")
_RECENT = 8
"""Moves that a spectator finds in the strip."""
_LOOK_AGAIN = 0.1
"""Seconds between looks for what has changed."""
_MOST_TABLES = 100
"""Tables that one browser hears of."""
_PING = 20
"""Seconds after which a silent connection says that it is still there."""


@dataclass(frozen=True)
class Looking:
    """A table, and who looks at it from where.

    Attributes:
        address: The page's path.
    """

    table: LiveTable
    viewer: Viewer
    address: str


def routes(site: Site) -> list[Route]:
    """The pages of tables."""
    return [Route("/events", partial(_events, site))] + [
        route
        for place in PLACES
        for route in (
            site.get(place, _show),
            site.get(f"{place}/changes", _changed),
            site.get(f"{place}/explain", _explain),
            site.get(f"{place}/step", _step),
            site.post(f"{place}/play", partial(_act, _play), looking_at),
            site.post(f"{place}/agent", partial(_act, _seat_agent), looking_at),
        )
    ]


def looking_at(site: Site, request: Request, revealed: str | None = None) -> Looking:
    """Who looks; HTTPException if there is no such table.

    Args:
        site: The server.
        request: Its path names a link or a table.
        revealed: The seat that says that it looks; None takes it from the query.
    """
    address = "/".join(request.url.path.split("/")[:3])
    table, seats = _found(site, address)
    shown = number_of(request.query_params.get("as", "") if revealed is None else revealed)
    return Looking(table, Viewer(seats, shown if shown in seats else None), address)


def _found(site: Site, address: str) -> tuple[LiveTable, tuple[int, ...]]:
    """The table at a path, and the seats held there; HTTPException if there is none."""
    _, kind, table_id, *_ = [*address.split("/"), "", ""]
    seats: tuple[int, ...] = ()
    if kind == "seat":
        if (link := site.store.link(table_id)) is None:
            raise HTTPException(404, "No table has this link; ask who gave it to you.")
        table_id, seats = link
    table = site.tables.get(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    return table, seats


def _show(site: Site, request: Request) -> Response:
    """The whole page."""
    looking = looking_at(site, request)
    return site.page(request, "play.html", **_context(site, request, looking))


def _changed(site: Site, request: Request) -> Response:
    """What is to be seen since a version, `step` by step; nothing if that is still the latest."""
    looking, asked = looking_at(site, request), request.query_params
    since, now = asked.get("since", ""), looking.table.now()
    until = None
    if asked.get("step") and (number := _moves_at(since, now)) is not None:
        until = min(number + 1, len(now.moves))
    return _changes(site, request, looking, since, until=until)


def _explain(site: Site, request: Request) -> Response:
    """What something on the board does."""
    looking = looking_at(site, request)
    now = looking.table.now()
    found = explained(now, looking.viewer.knows(now), request.query_params.get("name", ""))
    return HTMLResponse(site.fragment("explained.html", found=found))


def _step(site: Site, request: Request) -> Response:
    """The places that a move has changed."""
    looking = looking_at(site, request)
    now, number = looking.table.now(), number_of(request.query_params.get("number", ""))
    if number is None or number >= len(now.moves):
        raise HTTPException(404, "There is no such move.")
    knows = looking.viewer.knows(now)
    after, before = board(now.at(number + 1), knows), board(now.at(number), knows)
    return JSONResponse(after.changed_places(before))


def _guided(now: Snapshot, viewer: Viewer) -> dict[str, Any]:
    guided = is_guided(now, viewer)
    return {
        "guided": guided,
        "guidance": guidance(now) if guided else None,
        "game": now.plan.game,
        "names": called(now.plan.names, viewer.seats[0] if len(viewer.seats) == 1 else None),
    }


async def _events(site: Site, request: Request) -> Response:
    """Server-sent events: which of the tables `of` these paths have changed, nothing else."""
    tables: dict[str, LiveTable] = {}
    for address in request.query_params.getlist("of")[:_MOST_TABLES]:
        with suppress(HTTPException, TableError):  # the others go on
            tables[address], _ = await run_in_threadpool(_found, site, address)

    async def versions() -> AsyncIterator[dict[str, str]]:
        last: dict[str, str] = {}
        while not site.is_closing:
            for address, table in tables.items():
                if (version := table.now().version) != last.get(address):
                    last[address] = version
                    yield {"event": "changed", "data": f"{version} {address}"}
            await asyncio.sleep(_LOOK_AGAIN)

    return EventSourceResponse(versions(), ping=_PING)


def _act(
    act: Callable[[Site, Looking, Fields], None],
    site: Site,
    request: Request,
    said: Fields,
    _file: bytes,
) -> Response:
    """What has changed by what somebody did, or why nothing has; without scripts the page again."""
    looking, message = looking_at(site, request, said.get("as", "")), ""
    try:
        act(site, looking, said)
    except TableError as fault:
        message = str(fault)
    if "HX-Request" in request.headers:
        return _changes(site, request, looking, said.get("since", ""), message)
    if message:
        raise TableError(message)
    revealed = looking.viewer.revealed
    return RedirectResponse(
        f"{looking.address}{'' if revealed is None else f'?as={revealed}'}", 303
    )


def _play(_site: Site, looking: Looking, said: Fields) -> None:
    """Play a move, or take one back."""
    table, viewer = looking.table, looking.viewer
    now = table.now()
    if "undo" in said:
        seat = viewer.knows(now)
        if seat is None or seat not in viewer.seats:
            raise TableError("there is no move of yours to take back")
        table.take_back(seat)
        return
    if not viewer.decides(now):
        raise TableError("it is not your turn")
    if said.get("number", "") != str(len(now.moves)):
        raise TableError("the table has changed since; look, then choose again")
    table.play(len(now.moves), said.get("move", ""))


def _seat_agent(site: Site, looking: Looking, said: Fields) -> None:
    """Let another agent, or the same once more, hold the seat of one that has failed."""
    now = looking.table.now()
    seat = now.position.to_move
    if not looking.viewer.seats or seat is None or not now.fault:
        raise TableError("no agent has failed here, or you hold no seat")
    looking.table.seat(seat, agent_seat(said.get("agent", ""), now.plan.game, site.settings))


def _context(
    site: Site, request: Request, looking: Looking, message: str = "", number: int | None = None
) -> dict[str, Any]:
    """What the templates of a table show, after `number` moves or all of them."""
    latest, viewer, plan = looking.table.now(), looking.viewer, looking.table.now().plan
    now = latest if number is None else latest.up_to(number)
    owns = looking.table.owner == owner_of(request)
    agent = None if now.seat_to_move is None else now.seat_to_move.agent
    return {
        **_seen(now, latest, viewer),
        **_guided(now, viewer),
        "address": looking.address,
        "message": message,
        "again": f"/?{urlencode(same_seats(plan, site.settings))}",
        "failed_agent": site.settings.called(agent) if agent else "",
        "links": site.store.links_of(looking.table.id) if owns else {},
        "agents": agents_for(plan.game, site.settings),
        "taught": lesson(plan.game),
    }


def _seen(now: Snapshot, latest: Snapshot, viewer: Viewer) -> dict[str, Any]:
    """What a viewer sees; before the latest move nobody decides."""
    behind = len(latest.moves) - len(now.moves)
    knows, position = viewer.knows(now), now.position
    presentation = position.game.presentation
    decides = viewer.decides(now) and not behind
    drawn, shown = board(now.at(len(now.moves)), knows), known(position, knows)
    you = viewer.seats[0] if len(viewer.seats) == 1 else None
    names = called(now.plan.names, you)
    moves = position.moves() if decides else []
    places = {move: list(presentation.places(shown, move)) for move in moves}
    words = {move: capitalised(with_names(position.describe_move(move), names)) for move in moves}
    groups: dict[str, list[dict[str, Any]]] = {}  # by the first words of moves
    for move in moves:
        choice = {"move": move, "words": words[move], "placed": bool(places[move])}
        groups.setdefault(move.partition(":")[0].capitalize(), []).append(choice)
    studied = _studied_last(now, viewer)
    first = max(0, studied - 1 if viewer.seats else len(now.moves) - _RECENT)
    log = [told(now.at(at + 1), knows, you) for at in range(len(now.moves))]
    turn = {
        "moves": [[move, places[move], words[move]] for move in moves],
        "changed": drawn.changed_places(board(now.at(studied), knows)),
        "behind": behind,
    }
    can_undo = not behind and knows in viewer.seats and can_take_back(now.at(len(now.moves)), knows)
    return {
        "table_id": now.id,
        "now": now,
        "number": len(now.moves),
        "version": now.version,
        "viewer": viewer,
        "head": presentation.headline(shown),
        "sentence": _sentence(now, shown, names, decides),
        "names": names,
        "columns": drawn.columns(_nearest(viewer, position)),
        "groups": list(groups.items()),
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": log,
        "since": log[first:],
        "since_first": first,
        "studied": studied,
        "decides": decides,
        "curtain": viewer.hidden_seat(now),
        "can_undo": can_undo,
        "over": now.is_over,
        "sheet": _sheet(now, knows) if now.is_over else [],
        "ranks": _ranks(now) if now.is_over else [],
        "colours": presentation.seat_colours,
    }


def _moves_at(since: str, now: Snapshot) -> int | None:
    """The number of moves at a version that this table continues; else None."""
    first, _, rest = since.partition(".")
    number = number_of(first)
    if number is None or number > len(now.moves) or rest.partition(".")[0] != str(now.undone):
        return None
    return number


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


def _sentence(now: Snapshot, shown: Mapping[str, Any], names: Sequence[str], decides: bool) -> str:
    """Who decides what, or has won."""
    seat = now.seat_to_move
    if seat is not None and seat.agent is not None and not now.fault:
        return f"{now.mover} is thinking …"
    head = now.position.game.presentation.headline(shown)
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


def _changes(
    site: Site,
    request: Request,
    looking: Looking,
    since: str,
    message: str = "",
    until: int | None = None,
) -> Response:
    """What is to be seen after a version, up to a number of moves."""
    if since == looking.table.now().version and not message:
        return Response(status_code=204)
    context = _context(site, request, looking, message, until)
    return HTMLResponse(site.fragment("changes.html", **context), 409 if message else 200)
