"""The pages of a table: to play, to watch, and to ask agents for advice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from shakespeare_env import Position
from shakespeare_env.checks.values import parse_number
from shakespeare_env.core import registry
from shakespeare_table.analysis.deviation import judge_deviation
from shakespeare_table.analysis.playouts import advise, think
from shakespeare_table.analysis.reasons import reasons_in_words
from shakespeare_table.browser.capacity import viewer_of
from shakespeare_table.browser.learn import (
    certain_events,
    deviation_in_words,
    effects_in_words,
    guidance,
    is_guided,
    own_way,
)
from shakespeare_table.browser.lobby import agent_occupant, same_seats
from shakespeare_table.browser.opponents import default_agent
from shakespeare_table.browser.processes import JobError, analyse, possible_position
from shakespeare_table.browser.seats import held_seat, invitations, open_table, rematch_address
from shakespeare_table.browser.site import FormFields, Site, owner_of
from shakespeare_table.browser.storage.plan import TableError
from shakespeare_table.browser.tables.live import LiveTable
from shakespeare_table.browser.tables.state import TableState
from shakespeare_table.browser.viewing import (
    Viewer,
    drawn_board,
    explained,
    names_for_reader,
    table_context,
)

_TABLE_PATHS = ("/seat/{token}", "/watch/{table}")
_PLAYOUTS = ("256", "4096", "65536")  # the numbers of playouts that a viewer may choose from
_THINK_LESS = "Ask again with fewer games to play on, or choose another level."
_MAX_MOVES = 8  # the most moves in an agent's thoughts
_POLL_EVERY_S = 0.1  # how often a stream of events looks for changes of its tables
_MAX_TABLES = 100  # the most tables that one stream of events reports on
REPEAT_EVERY_S = 20.0
"""Seconds after which a stream says the versions of its tables again.

A page that has missed one catches up, and one that hears nothing knows that its stream is dead.
"""


@dataclass(frozen=True)
class PageView:
    """A page of a table, as a viewer sees it.

    Attributes:
        table: The table.
        viewer: The viewer.
        address: The path of the page.
    """

    table: LiveTable
    viewer: Viewer
    address: str

    def state_on_turn(self) -> TableState:
        """Return the table at this moment, if the viewer chooses a move now.

        Raises:
            TableError: The viewer may not choose a move.
        """
        state = self.table.state()
        if not self.viewer.decides(state):
            raise TableError("it is not your turn")
        return state

    def position_on_turn(self, state: TableState) -> Position:
        """Return the position in which the viewer is to move."""
        seat = self.viewer.acting_seat
        assert seat is not None
        return state.choosing[seat]


def routes(site: Site) -> list[Route]:
    """Return the routes of the tables' pages."""
    all_routes = [site.async_route("/events", partial(_events, site))]
    for path in _TABLE_PATHS:
        all_routes += [
            site.page_route(path, _show),
            site.page_route(f"{path}/changes", _changes_since),
            site.page_route(f"{path}/explain", _explain),
            site.page_route(f"{path}/step", _step),
            site.form_route(f"{path}/play", partial(_handle_form, _play), page_view),
            site.form_route(f"{path}/agent", partial(_handle_form, _replace_agent), page_view),
            site.page_route(f"{path}/thoughts", _think_aloud),
            site.async_route(f"{path}/thoughts/stream", partial(_thoughts, site)),
            site.async_route(f"{path}/hint", partial(_hint, site)),
            site.async_route(f"{path}/deviation", partial(_deviation, site)),
        ]
    return all_routes


def page_view(site: Site, request: Request, revealed: str | None = None) -> PageView:
    """Return the table and the viewer of the page that a request asks for.

    Args:
        site: The server.
        request: The request.
        revealed: The seat whose cards are shown, if several people share this screen. It is the
            text of a form's field `as`, empty if no seat is shown. None means the query's `as`.

    Raises:
        HTTPException: There is no such table or link, or the browser does not hold its seats.
    """
    address = "/".join(request.url.path.split("/")[:3])
    table, seats = _table_at(site, address, request)
    text = request.query_params.get("as", "") if revealed is None else revealed
    seat = parse_number(text)
    return PageView(table, Viewer(seats, seat if seat in seats else None), address)


def _table_at(site: Site, address: str, request: Request) -> tuple[LiveTable, tuple[int, ...]]:
    """Return the table at an address and the seats that the address opens. Let its agents play.

    Raises:
        HTTPException: There is no such table or link, or the browser does not hold its seats.
    """
    parts = [*address.split("/"), "", ""]  # padded, since browsers may send any text
    kind = parts[1]  # parts[0] is the empty text before the first slash
    seats: tuple[int, ...] = ()
    if kind == "seat":
        link, table = held_seat(site, parts[2], owner_of(request))
        seats = link.seats
    else:
        table = open_table(site, parts[2])
    table.let_agents_play(viewer_of(request))
    return table, seats


def _show(site: Site, request: Request) -> Response:
    view = page_view(site, request)
    state = view.table.state()
    return site.page(request, "play.html", **_context(site, request, view, state, state))


def _changes_since(site: Site, request: Request) -> Response:
    """Answer with the changes since a version. If the query has `step`, only one move is shown."""
    view = page_view(site, request)
    latest = view.table.state()
    since = request.query_params.get("since", "")
    if since == latest.version:
        return Response(status_code=204)
    shown = latest
    # A version begins with the number of moves and the number of times that moves were taken back.
    number_text, _, rest = since.partition(".")
    undone, _, _ = rest.partition(".")
    number = parse_number(number_text)
    is_step = bool(request.query_params.get("step")) and undone == str(latest.undone)
    if is_step and number is not None:
        shown = latest.up_to(min(number + 1, len(latest.moves)))
    return _changes(site, request, view, shown, latest)


def _changes(
    site: Site,
    request: Request,
    view: PageView,
    shown: TableState,
    latest: TableState,
    message: str = "",
) -> Response:
    context = _context(site, request, view, shown, latest, message)
    return HTMLResponse(site.render("changes.html", **context), 409 if message else 200)


def _context(
    site: Site,
    request: Request,
    view: PageView,
    shown: TableState,
    latest: TableState,
    message: str = "",
) -> dict[str, Any]:
    """Return the values that the templates of a table's page show.

    Args:
        site: The server.
        request: The request.
        view: The table and its viewer.
        shown: The table as the page shows it.
        latest: The table at this moment, which may be some moves ahead.
        message: Why a request was refused; empty if none was.
    """
    plan = latest.plan
    is_host = view.table.owner == owner_of(request)
    guided = is_guided(shown, view.viewer)
    return {
        **table_context(shown, view.viewer, behind=len(latest.moves) - len(shown.moves)),
        "guided": guided,
        "guidance": guidance(shown) if guided else None,
        "own_way": own_way(shown) if guided else None,
        "game": plan.game,
        "default_agent": default_agent(registry.game(plan.game)),
        "address": view.address,
        "message": message,
        # The address of the form for another table with the same seats.
        "again": f"/?{urlencode(same_seats(plan, site.opponents))}",
        "is_host": is_host,
        "invitations": invitations(site, request, latest.id, plan.names) if is_host else None,
        "rematch": rematch_address(site, request, latest, view.viewer.seats),
    }


def _explain(site: Site, request: Request) -> Response:
    view = page_view(site, request)
    state = view.table.state()
    name = request.query_params.get("name", "")
    found = explained(state, view.viewer.observer(state), name)
    return HTMLResponse(site.render("explained.html", found=found))


def _step(site: Site, request: Request) -> Response:
    """Answer with the places that the moves from `first` to `last` have changed."""
    view = page_view(site, request)
    state = view.table.state()
    first = parse_number(request.query_params.get("first", ""))
    last = parse_number(request.query_params.get("last", ""))
    if first is None or last is None or not first <= last < len(state.moves):
        raise HTTPException(404, "There are no such moves.")
    observer = view.viewer.observer(state)
    before = drawn_board(state.up_to(first), observer)
    after = drawn_board(state.up_to(last + 1), observer)
    return JSONResponse(after.changed_places(before))


async def _events(site: Site, request: Request) -> Response:
    """Stream changes of tables as server-sent events. The query's `of` lists their addresses."""
    tables: dict[str, LiveTable] = {}
    viewer = viewer_of(request)
    for address in request.query_params.getlist("of")[:_MAX_TABLES]:
        with suppress(HTTPException, TableError):  # a table that cannot be opened is left out
            tables[address], _ = await site.threads.run(viewer, _table_at, site, address, request)

    async def versions() -> AsyncIterator[dict[str, str]]:
        last: dict[str, TableState] = {}
        began = time.monotonic()
        while not site.is_closing:
            if time.monotonic() - began > REPEAT_EVERY_S:
                last.clear()
                began = time.monotonic()
            for address, table in tables.items():
                state = table.state()
                if state is not last.get(address):  # each change makes a new object
                    last[address] = state
                    yield {"event": "changed", "data": f"{state.version} {address}"}
            await asyncio.sleep(_POLL_EVERY_S)

    return EventSourceResponse(versions())


def _handle_form(
    act: Callable[[Site, PageView, FormFields], None],
    site: Site,
    request: Request,
    fields: FormFields,
) -> Response:
    """Do what a form asks for, and answer with the changes, or with the reason for a refusal.

    A browser without scripts is redirected to the page.

    Args:
        act: The function that does what the form asks for.
        site: The server.
        request: The request.
        fields: The fields of the form.
    """
    view = page_view(site, request, fields.get("as", ""))
    has_scripts = "HX-Request" in request.headers
    message = ""
    try:
        act(site, view, fields)
        view.table.let_agents_play(viewer_of(request))
    except TableError as fault:
        if not has_scripts:
            raise
        message = str(fault)
    if not has_scripts:
        revealed = view.viewer.revealed
        query = "" if revealed is None else f"?as={revealed}"
        return RedirectResponse(view.address + query, 303)
    state = view.table.state()
    if fields.get("since", "") == state.version and not message:
        return Response(status_code=204)
    return _changes(site, request, view, state, state, message)


def _play(_site: Site, view: PageView, fields: FormFields) -> None:
    given = parse_number(fields.get("number", ""))
    number = -1 if given is None else given  # the table refuses -1
    seat = view.viewer.acting_seat
    if fields.get("undo") == "choice":
        view.table.take_back_choice(seat)
    elif "undo" in fields:
        view.table.take_back(seat, number)
    else:
        view.table.play(seat, number, fields.get("move", ""))


def _replace_agent(site: Site, view: PageView, fields: FormFields) -> None:
    if not view.viewer.seats:
        raise TableError("you have no seat here")
    game = view.table.state().plan.game
    occupant = agent_occupant(fields.get("agent", ""), game, site.opponents)
    view.table.replace_agent(occupant)


class _Question(NamedTuple):
    """A viewer's question to an agent, about the move that it would play.

    Attributes:
        state: The table.
        position: The position in which the viewer is to move.
        shown_name: The agent's name, as pages show it.
        agent: The agent's name, as `make` takes it.
        playouts: The number of playouts of all moves together.
    """

    state: TableState
    position: Position
    shown_name: str
    agent: str
    playouts: int


def _question(site: Site, request: Request) -> _Question:
    view = page_view(site, request)
    state = view.state_on_turn()
    shown_name = request.query_params.get("agent", "")
    playouts = request.query_params.get("playouts", "")
    agent = site.opponents.agent(shown_name, state.plan.game)
    if playouts not in _PLAYOUTS:
        raise HTTPException(400, f"The number of playouts must be one of {', '.join(_PLAYOUTS)}.")
    position = view.position_on_turn(state)
    return _Question(state, position, shown_name, agent, int(playouts))


def _think_aloud(site: Site, request: Request) -> Response:
    question = _question(site, request)
    number = len(question.state.moves)
    source = f"{request.url.path}/stream?{request.url.query}&number={number}"
    return HTMLResponse(site.render("thoughts.html", source=source, agent=question.shown_name))


async def _thoughts(site: Site, request: Request) -> Response:
    """Stream an agent's thoughts as server-sent events, after each round of its search."""
    viewer = viewer_of(request)
    question = await site.threads.run(viewer, _question, site, request)
    state = question.state
    number = len(state.moves)
    if request.query_params.get("number") != str(number):
        raise HTTPException(409, "The table has changed since.")
    known = site.known.of(question.position, question.agent)
    analysis = partial(
        think, possible_position(question.position), stored=known.stored, playouts=question.playouts
    )
    job = partial(analyse, analysis, state.plan.game, question.agent)

    async def events() -> AsyncIterator[dict[str, str]]:
        try:
            async with aclosing(site.analyses.results(job, viewer)) as coming:
                async for found in coming:
                    known.keep(found.stored)
                    text = site.render(
                        "thought.html",
                        state=state,
                        position=question.position,
                        thought=found.evaluation,
                        most=_MAX_MOVES,
                        names=names_for_reader(state.plan.names, question.position.to_move),
                    )
                    yield {"event": "thought", "data": text}
        except JobError as fault:
            text = site.render(
                "failed.html", name=question.shown_name, fault=fault, remedy=_THINK_LESS
            )
            yield {"event": "thought", "data": text}
        yield {"event": "done", "data": ""}

    return EventSourceResponse(events())


async def _deviation(site: Site, request: Request) -> Response:
    """Answer with what the learner's last move costs, compared with the guide's suggestion."""
    viewer = viewer_of(request)
    view = await site.threads.run(viewer, page_view, site, request)
    state = view.table.state()
    found = own_way(state) if is_guided(state, view.viewer) else None
    if found is None or request.query_params.get("number") != str(found.number):
        raise HTTPException(409, "The table has changed since.")
    game = state.plan.game
    agent = site.opponents.agent(default_agent(registry.game(game)), game)
    known = site.known.of(found.position, agent)
    possible = possible_position(found.position)
    analysis = partial(
        judge_deviation, possible, found.suggested, found.played, stored=known.stored
    )
    try:
        deviation = await site.analyses.result(partial(analyse, analysis, game, agent), viewer)
    except JobError as fault:
        raise TableError(f"the moves cannot be compared: {fault}") from fault
    known.keep(deviation.stored)
    names = names_for_reader(state.plan.names, found.position.to_move)
    return PlainTextResponse(deviation_in_words(game, deviation, names))


async def _hint(site: Site, request: Request) -> Response:
    """Answer with an agent's best move, and with its reasons by row of the score sheet."""
    viewer = viewer_of(request)
    view = await site.threads.run(viewer, page_view, site, request)
    state = view.state_on_turn()
    position = view.position_on_turn(state)
    name = request.query_params.get("agent") or default_agent(position.game)
    agent = site.opponents.agent(name, position.game.name)
    known = site.known.of(position, agent)
    analysis = partial(advise, possible_position(position), stored=known.stored)
    job = partial(analyse, analysis, position.game.name, agent)
    try:
        found = await site.analyses.result(job, viewer)
    except JobError as fault:
        raise TableError(f"there is no hint: {fault}") from fault
    known.keep(found.stored)
    events = await site.threads.run(viewer, certain_events, position, found.evaluation.best.move)
    names = names_for_reader(state.plan.names, position.to_move)
    text = site.render(
        "hint.html",
        position=position,
        found=found.evaluation,
        reasons=found.reasons.rows,
        in_words=reasons_in_words(
            position.game, found.reasons, found.evaluation.moves[1].loss, names
        ),
        names=names,
        effects=effects_in_words(events, position.to_move, state.plan.names),
    )
    return HTMLResponse(text)
