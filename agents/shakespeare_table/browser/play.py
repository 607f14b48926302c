"""A table's pages: for those who hold seats, who may ask what agents think, and spectators."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import number_of
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.play.named import capitalised
from shakespeare_table.analysis.thoughts import reasons, thoughts
from shakespeare_table.browser.capacity import viewer_of
from shakespeare_table.browser.learn import effects_in_words, guidance, is_guided, sure_events
from shakespeare_table.browser.lobby import agent_seat, same_seats
from shakespeare_table.browser.settings import TableError, strongest
from shakespeare_table.browser.site import Fields, Site, owner_of
from shakespeare_table.browser.tables import LiveTable, Snapshot, can_take_back
from shakespeare_table.browser.thinking import ThinkerError, analyse, as_seen
from shakespeare_table.browser.viewing import Viewer, board, called, explained, known, last_move

_PLACES = ("/seat/{token}", "/watch/{table}")
_BUDGETS = ("256", "4096", "65536")  # playouts of all moves together that a viewer may ask for
_MOST_MOVES = 8
_MOST_ROWS = 6
_LEAST_GAIN = 0.05  # points; smaller differences are left out
_RECENT = 8  # moves that a spectator finds in the strip
_LOOK_AGAIN = 0.1  # seconds between looks for what has changed
_MOST_TABLES = 100  # tables that one browser hears of
_PING = 20  # seconds after which a silent connection says that it is still there


@dataclass(frozen=True)
class PageView:
    """A table, and who looks at it from which path."""

    table: LiveTable
    viewer: Viewer
    address: str

    def deciding(self) -> Snapshot:
        """The table as it is; TableError unless the viewer decides."""
        now = self.table.now()
        if not self.viewer.decides(now):
            raise TableError("it is not your turn")
        return now


def routes(site: Site) -> list[Route]:
    """The pages of tables."""
    return [site.waited("/events", partial(_events, site))] + [
        route
        for place in _PLACES
        for route in (
            site.get(place, _show),
            site.get(f"{place}/changes", _changed),
            site.get(f"{place}/explain", _explain),
            site.get(f"{place}/step", _step),
            site.post(f"{place}/play", partial(_act, _play), page_view),
            site.post(f"{place}/agent", partial(_act, _seat_agent), page_view),
            site.get(f"{place}/thoughts", _ask),
            site.waited(f"{place}/thoughts/stream", partial(_stream, site)),
            site.waited(f"{place}/hint", partial(_hint, site)),
        )
    ]


def page_view(site: Site, request: Request, revealed: str | None = None) -> PageView:
    """Who looks by a link or at a table; HTTPException if there is none.

    The seat that says that it looks is `revealed`; None takes it from the query.
    """
    address = "/".join(request.url.path.split("/")[:3])
    table, seats = _found(site, address, viewer_of(request))
    shown = number_of(request.query_params.get("as", "") if revealed is None else revealed)
    return PageView(table, Viewer(seats, shown if shown in seats else None), address)


def _found(site: Site, address: str, viewer: str) -> tuple[LiveTable, tuple[int, ...]]:
    """Return the table at a path, whose agents go on, and the seats held there.

    HTTPException if there is none.
    """
    _, kind, table_id, *_ = [*address.split("/"), "", ""]
    seats: tuple[int, ...] = ()
    if kind == "seat":
        if (link := site.store.link(table_id)) is None:
            raise HTTPException(404, "No table has this link; ask who gave it to you.")
        table_id, seats = link
    table = site.tables.get(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    table.let_agents_play(viewer)
    return table, seats


def _show(site: Site, request: Request) -> Response:
    looking = page_view(site, request)
    return site.page(request, "play.html", **_context(site, request, looking))


def _changed(site: Site, request: Request) -> Response:
    """What is to be seen since a version, `step` by step; nothing if that is still the latest."""
    looking, asked = page_view(site, request), request.query_params
    since, now = asked.get("since", ""), looking.table.now()
    number, undone, *_ = [*since.split("."), ""]
    until, moves = None, number_of(number)
    if asked.get("step") and moves is not None and undone == str(now.undone):
        until = min(moves + 1, len(now.moves))
    return _changes(site, request, looking, since, until=until)


def _explain(site: Site, request: Request) -> Response:
    looking = page_view(site, request)
    now = looking.table.now()
    found = explained(now, looking.viewer.knows(now), request.query_params.get("name", ""))
    return HTMLResponse(site.fragment("explained.html", found=found))


def _step(site: Site, request: Request) -> Response:
    looking = page_view(site, request)
    now, number = looking.table.now(), number_of(request.query_params.get("number", ""))
    if number is None or number >= len(now.moves):
        raise HTTPException(404, "There is no such move.")
    knows = looking.viewer.knows(now)
    before = board(now.up_to(number), knows)
    return JSONResponse(board(now.up_to(number + 1), knows).changed_places(before))


async def _events(site: Site, request: Request) -> Response:
    """Server-sent events: which of the tables `of` these paths have changed, nothing else."""
    tables: dict[str, LiveTable] = {}
    viewer = viewer_of(request)
    for address in request.query_params.getlist("of")[:_MOST_TABLES]:
        with suppress(HTTPException, TableError):  # the others go on
            tables[address], _ = await site.threads.run(viewer, _found, site, address, viewer)

    async def versions() -> AsyncIterator[dict[str, str]]:
        last: dict[str, Snapshot] = {}
        while not site.is_closing:
            for address, table in tables.items():
                now = table.now()
                if now is not last.get(address):  # a table is another object after each change
                    last[address] = now
                    yield {"event": "changed", "data": f"{now.version} {address}"}
            await asyncio.sleep(_LOOK_AGAIN)

    return EventSourceResponse(versions(), ping=_PING)


def _act(
    act: Callable[[Site, PageView, Fields], None], site: Site, request: Request, fields: Fields
) -> Response:
    """What has changed by what somebody did, or why nothing has; without scripts the page again."""
    looking, message = page_view(site, request, fields.get("as", "")), ""
    try:
        act(site, looking, fields)
        looking.table.let_agents_play(viewer_of(request))
    except TableError as fault:
        if "HX-Request" not in request.headers:
            raise
        message = str(fault)
    if "HX-Request" in request.headers:
        return _changes(site, request, looking, fields.get("since", ""), message)
    revealed = looking.viewer.revealed
    query = "" if revealed is None else f"?as={revealed}"
    return RedirectResponse(looking.address + query, 303)


def _play(_site: Site, looking: PageView, fields: Fields) -> None:
    given = number_of(fields.get("number", ""))
    number = -1 if given is None else given
    seat = looking.viewer.acting_seat
    if "undo" in fields:
        looking.table.take_back(seat, number)
    else:
        looking.table.play(seat, number, fields.get("move", ""))


def _seat_agent(site: Site, looking: PageView, fields: Fields) -> None:
    if not looking.viewer.seats:
        raise TableError("you hold no seat here")
    game = looking.table.now().plan.game
    looking.table.replace_agent(agent_seat(fields.get("agent", ""), game, site.settings))


def _changes(
    site: Site,
    request: Request,
    looking: PageView,
    since: str,
    message: str = "",
    until: int | None = None,
) -> Response:
    if since == looking.table.now().version and not message:
        return Response(status_code=204)
    context = _context(site, request, looking, message, until)
    return HTMLResponse(site.fragment("changes.html", **context), 409 if message else 200)


def _context(
    site: Site, request: Request, looking: PageView, message: str = "", number: int | None = None
) -> dict[str, Any]:
    latest, viewer = looking.table.now(), looking.viewer
    plan = latest.plan
    now = latest if number is None else latest.up_to(number)
    owns = looking.table.owner == owner_of(request)
    guided = is_guided(now, viewer)
    return {
        **_seen(now, latest, viewer),
        "guided": guided,
        "guidance": guidance(now) if guided else None,
        "game": plan.game,
        "address": looking.address,
        "message": message,
        "again": f"/?{urlencode(same_seats(plan, site.settings))}",
        "links": site.store.links_of(looking.table.id) if owns else {},
    }


def _seen(now: Snapshot, latest: Snapshot, viewer: Viewer) -> dict[str, Any]:
    behind = len(latest.moves) - len(now.moves)
    knows, position = viewer.knows(now), now.position
    presentation = position.game.presentation
    decides = viewer.decides(now) and not behind
    drawn, shown = board(now, knows), known(position, knows)
    you = viewer.seats[0] if len(viewer.seats) == 1 else None
    names = called(now.plan.names, you)
    head = presentation.headline(shown, names)
    turn_moves: list[tuple[str, list[str], str]] = []
    groups: dict[str, list[dict[str, Any]]] = {}  # by the first words of moves
    for move in position.moves() if decides else []:
        places = list(presentation.places(shown, move))
        words = capitalised(position.describe_move(move, names))
        turn_moves.append((move, places, words))
        choice = {"move": move, "words": words, "placed": bool(places)}
        groups.setdefault(move.partition(":")[0].capitalize(), []).append(choice)
    studied = _studied_last(now, viewer)
    first = max(0, studied - 1 if viewer.seats else len(now.moves) - _RECENT)
    log = [last_move(now.up_to(at + 1), knows, you) for at in range(len(now.moves))]
    changed = drawn.changed_places(board(now.up_to(studied), knows))
    turn = {"moves": turn_moves, "changed": changed, "behind": behind}
    nearest = position.to_move
    if viewer.seats:
        nearest = viewer.seats[0] if viewer.revealed is None else viewer.revealed
    sign, sheet, ranks = presentation.score_sign, [], []
    if now.is_over:
        scores, winners = position.scores(), position.winners or []
        sheet = [(row, [sign * score for score in points]) for row, points in now.score_sheet(None)]
        order = sorted(range(len(scores)), key=lambda seat: (seat not in winners, -scores[seat]))
        ranks = [
            (seat, now.plan.names[seat], sign * scores[seat], seat in winners) for seat in order
        ]
    return {
        "now": now,
        "viewer": viewer,
        "head": head,
        "sentence": _sentence(now, f"{head.sentence} {head.aside}".strip(), decides),
        "names": names,
        "columns": drawn.columns(nearest),
        "groups": list(groups.items()),
        # No text may end the element that contains it.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": log,
        "since": log[first:],
        "since_first": first,
        "studied": studied,
        "decides": decides,
        "curtain": viewer.hidden_seat(now),
        "can_undo": not behind and knows in viewer.seats and can_take_back(now, knows),
        "sheet": sheet,
        "ranks": ranks,
    }


def _studied_last(now: Snapshot, viewer: Viewer) -> int:
    """The number of moves after the viewer's last one; a spectator sees each move by itself."""
    if not viewer.seats:
        return max(len(now.moves) - 1, 0)
    seats = viewer.seats if viewer.revealed is None else (viewer.revealed,)
    own = [at for at, before in enumerate(now.positions[:-1]) if before.to_move in seats]
    return own[-1] + 1 if own else 0


def _sentence(now: Snapshot, words: str, decides: bool) -> str:
    if now.sitter is not None and now.sitter.agent is not None and not now.fault:
        return f"{now.mover} is thinking …"
    if decides and words.startswith(f"{YOU}:"):
        return f"Your turn{words.removeprefix(YOU)}"
    return f"Your turn. {capitalised(words)}" if decides else capitalised(words)


def _asked(site: Site, request: Request) -> tuple[Snapshot, str, str, int]:
    now, query = page_view(site, request).deciding(), request.query_params
    shown, budget = query.get("agent", ""), query.get("playouts", "")
    name = site.settings.allowed(shown, now.plan.game)
    if budget not in _BUDGETS:
        raise HTTPException(400, f"The playouts are one of {', '.join(_BUDGETS)}.")
    return now, name, shown, int(budget)


def _ask(site: Site, request: Request) -> Response:
    now, _, agent, _ = _asked(site, request)
    source = f"{request.url.path}/stream?{request.url.query}&number={len(now.moves)}"
    return HTMLResponse(site.fragment("thoughts.html", source=source, agent=agent))


async def _stream(site: Site, request: Request) -> Response:
    """Server-sent events: thoughts in words, again and again, until the search ends."""
    viewer = viewer_of(request)
    now, name, shown, budget = await site.threads.run(viewer, _asked, site, request)
    if request.query_params.get("number") != str(len(now.moves)):
        raise HTTPException(409, "The table has changed since.")
    number, seed = len(now.moves), now.plan.seed_of_agents
    analysis = partial(thoughts, as_seen(now.position), seed=seed, number=number, playouts=budget)
    job = partial(analyse, analysis, now.plan.game, name)

    async def events() -> AsyncIterator[dict[str, str]]:
        try:
            async with aclosing(site.analysts.stream(job, viewer)) as coming:
                async for thought in coming:
                    text = site.fragment("thought.html", now=now, thought=thought, most=_MOST_MOVES)
                    yield {"event": "thought", "data": text}
        except ThinkerError as fault:
            text = site.fragment("failed.html", name=shown, fault=fault)
            yield {"event": "thought", "data": text}
        yield {"event": "done", "data": ""}

    return EventSourceResponse(events())


async def _hint(site: Site, request: Request) -> Response:
    """The best move found by playing on, and why: its gain in each row of the score sheet."""
    viewer = viewer_of(request)
    looking = await site.threads.run(viewer, page_view, site, request)
    now = looking.deciding()
    position = now.position
    number, seed = len(now.moves), now.plan.seed_of_agents
    why = partial(reasons, as_seen(position), seed=seed, number=number)
    job = partial(analyse, why, position.game.name, strongest(position.game))
    try:
        found = await site.analysts.answer(job, viewer)
    except ThinkerError as fault:
        raise TableError(f"there is no hint: {fault}") from fault
    gains = await site.threads.run(viewer, sure_events, position, found.move)
    text = site.fragment(
        "hint.html",
        position=position,
        found=found,
        names=called(now.plan.names, position.to_move),
        alone=position.players == 1,
        rows=[row for row in found.rows if abs(row.gain) >= _LEAST_GAIN][:_MOST_ROWS],
        gains=effects_in_words(gains, position.to_move, now.plan.names),
    )
    return HTMLResponse(text)
