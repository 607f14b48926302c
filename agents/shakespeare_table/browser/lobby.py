"""The lobby: begin a table, and find one's own again."""

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
from shakespeare_table.browser.settings import Settings, TableError, levels_of
from shakespeare_table.browser.site import Fields, Site, owner_of, remembering
from shakespeare_table.browser.store import Sitter, TablePlan
from shakespeare_table.browser.tables import first_snapshot
from shakespeare_table.browser.thinking import NotReadyError
from shakespeare_table.browser.viewing import in_words

PERSON = "person"
_LATEST = 20
_EASY = 1  # the level that a newcomer is offered, counted from 0


@dataclass(frozen=True)
class Choices:
    """What a form of a game and a number of seats offers, and its `fields` as filled in."""

    game: str
    players: int
    seat_counts: range
    variants: list[str]
    levels: list[dict[str, str]]
    fields: Mapping[str, str]
    start: Position | None


def routes(site: Site) -> list[Route]:
    """The lobby's pages."""
    return [site.get("/", _show), site.post("/tables", _begin)]


def _show(site: Site, request: Request) -> Response:
    fields = dict(request.query_params)
    if fields.get("shown") not in (None, fields.get("game")):
        fields = {name: fields[name] for name in ("game", "seed") if name in fields}
    return _lobby(site, request, fields)


def _begin(site: Site, request: Request, fields: Fields) -> Response:
    try:
        choice = choices(fields, site.settings)
        site.preparing.wait(choice.game)
        plan, links = plan_of(choice, site.settings)
    except (TableError, NotReadyError) as fault:
        return _lobby(site, request, fields, str(fault))
    table_id, tokens = site.tables.begin(owner_of(request), plan, links, fields)
    to = f"/seat/{tokens[0]}" if tokens else f"/watch/{table_id}"
    return remembering(request, RedirectResponse(to, 303))


def _lobby(site: Site, request: Request, fields: Fields, fault: str = "") -> Response:
    try:
        choice = choices(fields, site.settings)
    except TableError as error:
        fault, game = fault or str(error), fields.get("game")
        choice = choices({"game": game} if game in registry.names() else {}, site.settings)
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        choice=choice,
        games=list(registry.names()),
        fault=fault,
        tables=site.store.tables_of(owner_of(request), _LATEST),
    )


def choices(fields: Mapping[str, str], settings: Settings) -> Choices:
    """What to offer after what was filled in; TableError if that cannot be."""
    name = fields.get("game") or registry.DEFAULT
    if name not in registry.names():
        raise TableError(
            f"there is no game {short_repr(name)}; there are: {', '.join(registry.names())}"
        )
    start, counts = _start(fields.get("position", ""), name), registry.seats(name)
    players = _whole(fields.get("players", ""), "the number of seats", max(2, counts[0]))
    if start is not None:
        players, counts = start.players, range(start.players, start.players + 1)
    if players not in counts:
        raise TableError(f"{name} has {counts[0]} to {counts[-1]} seats, not {players}")
    offered = registry.game(name).options.items() if start is None else ()
    variants = [variant for variant, allowed in offered if players in allowed]
    filled = {"game": name, "players": str(players), "seed": "", **fields}
    levels = levels_of(name)
    easy = levels[_EASY]["agent"] if levels else "random"
    for seat in range(players):
        filled.setdefault(f"seat{seat}", PERSON if seat == 0 else easy)
        filled.setdefault(f"name{seat}", "You" if seat == 0 else "")
    return Choices(name, players, counts, variants, levels, filled, start)


def same_seats(plan: TablePlan, settings: Settings) -> dict[str, str]:
    """What to fill in for a table with the same seats."""
    fields = {"game": plan.game, "players": str(plan.players)}
    fields |= {f"variant_{name}": "1" for name in plan.variants}
    for seat, sitter in enumerate(plan.seats):
        if sitter.agent is None:
            fields |= {f"seat{seat}": PERSON, f"name{seat}": sitter.name}
        else:
            fields[f"seat{seat}"] = settings.called(sitter.agent)
    return fields


def plan_of(choice: Choices, settings: Settings) -> tuple[TablePlan, list[list[int]]]:
    """The table that a form asks for, and the seats of each link; TableError if it cannot be."""
    fields = choice.fields
    seed = _whole(fields["seed"], "the seed", fresh_seed())
    if fields["seed"].strip() and seed >= FIRST_FRESH:
        raise TableError(f"seed {short_repr(fields['seed'])}: give a number from 0 to 2^52-1")
    variants = tuple(name for name in choice.variants if fields.get(f"variant_{name}"))
    seats = []
    for seat in range(choice.players):
        if (who := fields[f"seat{seat}"]) != PERSON:
            seats.append(agent_seat(who, choice.game, settings))
            continue
        try:
            name = player_name(fields[f"name{seat}"].strip() or f"Player {seat}")
        except ValueError as fault:
            raise TableError(f"seat {seat}: {fault}") from fault
        seats.append(Sitter(name))
    start = None if choice.start is None else choice.start.to_dict()
    plan = TablePlan(choice.game, choice.players, variants, seed, tuple(seats), start)
    first_snapshot(plan)
    on_one_screen = len(plan.people) > 1 and fields.get("one_screen")
    return plan, [plan.people] if on_one_screen else [[seat] for seat in plan.people]


def agent_seat(called: str, game: str, settings: Settings) -> Sitter:
    """A seat held by an agent; TableError for one that is not offered."""
    name = settings.allowed(called, game)
    levels = {level["agent"]: level["name"].capitalize() for level in levels_of(game)}
    return Sitter((levels.get(called) or in_words(called))[:LONGEST_NAME], name)


def _start(text: str, game: str) -> Position | None:
    if not text:
        return None
    try:
        position = Position.from_dict(parse_json(text.encode()))
    except (PositionError, TypeError, ValueError, RecursionError) as fault:
        raise TableError(f"the position to begin with cannot occur: {fault}") from fault
    if position.game.name != game:
        raise TableError("the position to begin with is of another game")
    return position


def _whole(text: str, what: str, otherwise: int) -> int:
    text = text.strip()
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise TableError(f"{what} is a whole number from 0 on, not {short_repr(text)}")
    return int(text)
