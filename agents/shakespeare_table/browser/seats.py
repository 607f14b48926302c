"""The seats of a table: invitations, people who claim, leave and lose seats, and rematches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import segno
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import parse_number
from shakespeare_table.browser.learning.lessons import LEARNER_NAME
from shakespeare_table.browser.site import FormFields, Site, owner_of, with_owner_cookie
from shakespeare_table.browser.storage.plan import TableError, default_name
from shakespeare_table.browser.storage.store import SeatLink
from shakespeare_table.browser.tables.live import LiveTable
from shakespeare_table.browser.tables.state import TableState

_QUIET_ZONE = 2  # the modules of light around a QR code
_QR_CODES_KEPT = 256  # each takes about 4 KB


class SeatNotHeldError(HTTPException):
    """A request for a seat by a browser that does not hold it.

    Attributes:
        link: The link of the seat.
        state: The table.
    """

    def __init__(self, link: SeatLink, state: TableState) -> None:
        self.link = link
        self.state = state
        if not link.seats:
            super().__init__(410, "The host has taken this seat back.")
        elif link.holder is None:
            super().__init__(403, "Nobody has claimed this seat yet. Open its link, and take it.")
        else:
            super().__init__(403, "This seat is taken. Ask the host for another one.")


class Invitation(NamedTuple):
    """An invitation to an open seat.

    Attributes:
        name: The name of the seat's player so far.
        link: The complete address at which the seat can be claimed.
        qr_code: The address as a QR code, an SVG.
    """

    name: str
    link: str
    qr_code: str


class Invitations(NamedTuple):
    """The invitations that a host can give away.

    Attributes:
        seats: An invitation for each open seat.
        only_here: Whether no other machine can reach the links.
    """

    seats: Sequence[Invitation]
    only_here: bool


def routes(site: Site) -> list[Route]:
    """Return the routes by which people come to a table and leave it."""
    return [
        site.form_route("/seat/{token}/claim", _claim, _requested_link),
        site.form_route("/seat/{token}/leave", _leave, _requested_seat),
        site.form_route("/seat/{token}/rematch", _begin_rematch, _requested_seat),
        site.form_route("/tables/{table}/take-back", _take_seat_back, _table_of_host),
    ]


def open_table(site: Site, table_id: str) -> LiveTable:
    """Return the table with an id; HTTPException if there is none."""
    table = site.tables.get(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    return table


def held_seat(site: Site, token: str, browser: str) -> tuple[SeatLink, LiveTable]:
    """Return a link and its table, if a browser holds the link's seats.

    Args:
        site: The server.
        token: The token of the link.
        browser: The secret id of the browser.

    Raises:
        HTTPException: There is no such link, or the browser does not hold its seats.
    """
    link, table = _link_and_table(site, token)
    if not link.is_held_by(browser):
        raise SeatNotHeldError(link, table.state())
    return link, table


def invitations(site: Site, request: Request, table_id: str, names: Sequence[str]) -> Invitations:
    """Return the invitations to a table's open seats. Show them to nobody but the host.

    Args:
        site: The server.
        request: The host's request.
        table_id: The id of the table.
        names: The players' names by seat.
    """
    port: int = request.scope["server"][1]
    base = site.settings.public_address(request.url.scheme, request.url.netloc, port)
    only_here = base is None
    base = base or f"{request.url.scheme}://{request.url.netloc}"
    found = []
    for link in site.store.links_of(table_id):
        if link.holder is None:
            address = f"{base}/seat/{link.token}"
            name = ", ".join(names[seat] for seat in link.seats)
            found.append(Invitation(name, address, _qr_code(address)))
    return Invitations(found, only_here)


def rematch_address(site: Site, request: Request, state: TableState, seats: Sequence[int]) -> str:
    """Return the address at which the holder of seats plays the rematch; empty without one."""
    if state.rematch is None:
        return ""
    following = state.after_rematch(seats)
    for link in site.store.links_of(state.rematch):
        if link.seats == following and link.is_held_by(owner_of(request)):
            return f"/seat/{link.token}"
    return f"/watch/{state.rematch}"


def seat_page(site: Site, request: Request, error: SeatNotHeldError, fault: str = "") -> Response:
    """Return the page of a seat that the browser does not hold, on which it may be claimed."""
    link = error.link
    plan = error.state.plan
    is_open = bool(link.seats) and link.holder is None
    name = ""
    if len(link.seats) == 1:
        (seat,) = link.seats
        given = plan.seats[seat].name
        own_name = site.store.name_of(owner_of(request), LEARNER_NAME)
        name = own_name if given == default_name(seat) else given
    return site.page(
        request,
        "seat.html",
        (422 if fault else 200) if is_open else error.status_code,
        link=link,
        is_open=is_open,
        state=error.state,
        name=name,
        fault=fault,
    )


@lru_cache(_QR_CODES_KEPT)
def _qr_code(text: str) -> str:
    code = segno.make(text, error="m", micro=False)
    svg: str = code.svg_inline(border=_QUIET_ZONE, omitsize=True, light="#fff")
    return svg


def _link_and_table(site: Site, token: str) -> tuple[SeatLink, LiveTable]:
    link = site.store.link(token)
    if link is None:
        raise HTTPException(404, "No table has this link; ask the person who gave it to you.")
    return link, open_table(site, link.table_id)


def _requested_link(site: Site, request: Request) -> tuple[SeatLink, LiveTable]:
    return _link_and_table(site, request.path_params["token"])


def _requested_seat(site: Site, request: Request) -> tuple[SeatLink, LiveTable]:
    return held_seat(site, request.path_params["token"], owner_of(request))


def _table_of_host(site: Site, request: Request) -> LiveTable:
    table = open_table(site, request.path_params["table"])
    if table.owner != owner_of(request):
        raise HTTPException(403, "Only the host of a table may take a seat back.")
    return table


def _claim(site: Site, request: Request, fields: FormFields) -> Response:
    link, table = _requested_link(site, request)
    try:
        table.claim(link.token, owner_of(request), fields.get("name", "").strip())
    except TableError as fault:
        link, _ = _requested_link(site, request)
        return seat_page(site, request, SeatNotHeldError(link, table.state()), str(fault))
    return with_owner_cookie(request, RedirectResponse(f"/seat/{link.token}", 303))


def _leave(site: Site, request: Request, _fields: FormFields) -> Response:
    link, table = _requested_seat(site, request)
    table.leave(link.token, owner_of(request))
    return RedirectResponse(f"/watch/{table.id}", 303)


def _take_seat_back(site: Site, request: Request, fields: FormFields) -> Response:
    table = _table_of_host(site, request)
    seat = parse_number(fields.get("seat", ""))
    if seat is None:
        raise TableError("the form does not say which seat")
    table.take_seat_back(seat)
    held = (link for link in site.store.links_of(table.id) if link.is_held_by(owner_of(request)))
    own = next(held, None)
    return RedirectResponse(f"/seat/{own.token}" if own else f"/watch/{table.id}", 303)


def _begin_rematch(site: Site, request: Request, _fields: FormFields) -> Response:
    link, table = _requested_seat(site, request)
    table.begin_rematch()
    return RedirectResponse(rematch_address(site, request, table.state(), link.seats), 303)
