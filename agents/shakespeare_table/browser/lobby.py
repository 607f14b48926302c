"""The lobby, where people begin tables and find their own tables again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.json_input import parse_json
from shakespeare_env import Position
from shakespeare_env.checks.values import LONGEST_NAME, player_name, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import FIRST_FRESH, fresh_seed
from shakespeare_env.errors import PositionError
from shakespeare_table.browser.opponents import Level, Opponents, agent_in_words, levels
from shakespeare_table.browser.processes import NotReadyError
from shakespeare_table.browser.site import (
    FormFields,
    Site,
    owner_of,
    waiting_page,
    with_owner_cookie,
)
from shakespeare_table.browser.store import Occupant, TableError, TablePlan
from shakespeare_table.browser.tables import first_state

PERSON = "person"
"""The value of a seat's field that stands for a person instead of an agent."""
_MAX_TABLES = 20  # in the lobby's list
_FIRST_LEVEL = 1  # the level that the form proposes at first, counted from 0
_MAX_DIGITS = 19  # of a number in a field


@dataclass(frozen=True)
class TableForm:
    """The form of a new table, with the choices that it offers and the values filled in.

    Attributes:
        game: The name of the game.
        players: The number of seats.
        seat_counts: The numbers of seats to choose from.
        variants: The names of the rule variants to choose from.
        levels: The opponents of measured strength.
        fields: The values of the fields.
        start: The position that the game begins with; None for the first position of a deal.
    """

    game: str
    players: int
    seat_counts: range
    variants: list[str]
    levels: list[Level]
    fields: Mapping[str, str]
    start: Position | None


def routes(site: Site) -> list[Route]:
    """Return the routes of the lobby's pages."""
    return [site.page_route("/", _show), site.form_route("/tables", _begin)]


def _show(site: Site, request: Request) -> Response:
    fields = dict(request.query_params)
    # `shown` is the game for which the form was made. The person may just have chosen another one.
    is_other_game = fields.get("shown") not in (None, fields.get("game"))
    if is_other_game:  # the other fields belong to the game that was shown
        fields = {name: fields[name] for name in ("game", "seed") if name in fields}
    return _lobby(site, request, fields)


def _begin(site: Site, request: Request, fields: FormFields) -> Response:
    try:
        form = table_form(fields)
        site.compiler.wait(form.game)
        plan, links = plan_of(form, site.opponents)
    except NotReadyError as fault:
        return waiting_page(site, request, fault.game, fields)
    except TableError as fault:
        return _lobby(site, request, fields, str(fault))
    table_id, tokens = site.tables.begin(owner_of(request), plan, links, fields)
    address = f"/seat/{tokens[0]}" if tokens else f"/watch/{table_id}"
    return with_owner_cookie(request, RedirectResponse(address, 303))


def _lobby(site: Site, request: Request, fields: FormFields, fault: str = "") -> Response:
    try:
        form = table_form(fields)
    except TableError as error:
        fault = fault or str(error)
        game = fields.get("game")
        form = table_form({"game": game} if game in registry.names() else {})
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        form=form,
        games=list(registry.names()),
        fault=fault,
        tables=site.store.tables_of(owner_of(request), _MAX_TABLES),
    )


def table_form(fields: Mapping[str, str]) -> TableForm:
    """Return the form of a new table in which some fields are filled in.

    Raises:
        TableError: A field's value is not possible.
    """
    name = fields.get("game") or registry.DEFAULT
    if name not in registry.names():
        raise TableError(
            f"there is no game {short_repr(name)}. The games are {', '.join(registry.names())}"
        )
    start = _start(fields.get("position", ""), name)
    counts = registry.seats(name)
    players = _whole_number(fields.get("players", ""), "the number of seats", max(2, counts[0]))
    if start is not None:
        players = start.players
        counts = range(players, players + 1)
    if players not in counts:
        raise TableError(f"{name} has {counts[0]} to {counts[-1]} seats, not {players}")
    options = registry.game(name).options.items() if start is None else ()
    variants = [variant for variant, allowed in options if players in allowed]
    offered_levels = levels(name)
    first_opponent = offered_levels[_FIRST_LEVEL].agent if offered_levels else "random"
    filled = {"game": name, "players": str(players), "seed": "", **fields}
    for seat in range(players):
        filled.setdefault(f"seat{seat}", PERSON if seat == 0 else first_opponent)
        filled.setdefault(f"name{seat}", "You" if seat == 0 else "")
    return TableForm(name, players, counts, variants, offered_levels, filled, start)


def same_seats(plan: TablePlan, opponents: Opponents) -> dict[str, str]:
    """Return the fields to fill in for a table with the same seats as another one."""
    fields = {"game": plan.game, "players": str(plan.players)}
    fields |= {f"variant_{name}": "1" for name in plan.variants}
    for seat, occupant in enumerate(plan.seats):
        if occupant.agent is None:
            fields |= {f"seat{seat}": PERSON, f"name{seat}": occupant.name}
        else:
            fields[f"seat{seat}"] = opponents.shown_name(occupant.agent)
    return fields


def plan_of(form: TableForm, opponents: Opponents) -> tuple[TablePlan, list[list[int]]]:
    """Return the setup of the table that a form describes, and the seats of each link to it.

    Raises:
        TableError: Such a table is not possible.
    """
    fields = form.fields
    seed = _whole_number(fields["seed"], "the seed", fresh_seed())
    if fields["seed"].strip() and seed >= FIRST_FRESH:  # only drawn seeds are so large
        raise TableError(f"seed {short_repr(fields['seed'])}: give a number from 0 to 2^52-1")
    variants = tuple(name for name in form.variants if fields.get(f"variant_{name}"))
    seats = tuple(_occupant(form, seat, opponents) for seat in range(form.players))
    start = None if form.start is None else form.start.to_dict()
    plan = TablePlan(form.game, form.players, variants, seed, seats, start)
    first_state(plan)  # raises if the game cannot begin like this
    if len(plan.people) > 1 and fields.get("one_screen"):
        return plan, [plan.people]  # one link for all people
    return plan, [[seat] for seat in plan.people]


def _occupant(form: TableForm, seat: int, opponents: Opponents) -> Occupant:
    kind_or_agent = form.fields[f"seat{seat}"]
    if kind_or_agent != PERSON:
        return agent_occupant(kind_or_agent, form.game, opponents)
    try:
        name = player_name(form.fields[f"name{seat}"].strip() or f"Player {seat}")
    except ValueError as fault:
        raise TableError(f"seat {seat}: {fault}") from fault
    return Occupant(name)


def agent_occupant(shown_name: str, game: str, opponents: Opponents) -> Occupant:
    """Return an agent as the occupant of a seat.

    Args:
        shown_name: The agent's name, as pages show it.
        game: The name of the game.
        opponents: The agents that are offered.

    Raises:
        TableError: The agent is not offered.
    """
    agent = opponents.agent(shown_name, game)
    level_names = {level.agent: level.name.capitalize() for level in levels(game)}
    name = level_names.get(shown_name) or agent_in_words(shown_name)
    return Occupant(name[:LONGEST_NAME], agent)


def _start(text: str, game: str) -> Position | None:
    if not text:
        return None
    try:
        position = Position.from_dict(parse_json(text.encode()))
    except (PositionError, TypeError, ValueError, RecursionError) as fault:
        raise TableError(f"the game cannot begin with this position: {fault}") from fault
    if position.game.name != game:
        raise TableError(f"the position to begin with is of {position.game.name}, not of {game}")
    return position


def _whole_number(text: str, name: str, default: int) -> int:
    text = text.strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise TableError(f"{name} must be a whole number from 0 on, not {short_repr(text)}")
    return int(text)
