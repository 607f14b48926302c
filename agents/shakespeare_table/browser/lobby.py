"""The lobby: begin a table, and find one's own again."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents import naming
from shakespeare_agents.heuristics import has_heuristics
from shakespeare_agents.naming import default
from shakespeare_env import Position
from shakespeare_env.checks.json_input import parse_json
from shakespeare_env.checks.values import LONGEST_NAME, player_name, shown
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import FIRST_FRESH, fresh_seed
from shakespeare_env.errors import PositionError
from shakespeare_table.browser.settings import Settings
from shakespeare_table.browser.site import Fields, Site, owner_of, remembering
from shakespeare_table.browser.store import SeatPlan, TablePlan
from shakespeare_table.browser.tables import TableError, first_snapshot
from shakespeare_table.browser.thinking import NotReadyError, ThinkerError
from shakespeare_table.browser.viewing import in_words

PERSON = "person"
_LATEST = 20
_EASY = 1
"""The level that a newcomer is offered, counted from 0."""
_SEARCHES = ("search,simulations=256", "search,seconds=2", "search,seconds=10")


@dataclass(frozen=True)
class Level:
    """An opponent of measured strength: its name in a word, and what plays, as `make` takes it."""

    name: str
    agent: str


@dataclass(frozen=True)
class Choices:
    """What a form of a game and a number of seats offers, and what it says.

    Attributes:
        levels: Opponents of measured strength, the weakest first.
        agents: All that may be chosen for a seat, as pages call them.
        said: The fields as they were filled in, or as they begin.
        start: A position in notation to begin with; None deals one.
        stands: A description of that position.
    """

    game: str
    players: int
    seat_counts: range
    variants: list[str]
    levels: Sequence[Level]
    agents: list[str]
    said: Mapping[str, str]
    start: Mapping[str, Any] | None
    stands: str


def routes(site: Site) -> list[Route]:
    """The lobby's pages."""
    return [site.get("/", _show), site.post("/tables", _begin)]


def _show(site: Site, request: Request) -> Response:
    """The form, and tables begun before; a game that was not shown before has seats of its own."""
    said = dict(request.query_params)
    if said.get("shown") not in (None, said.get("game")):
        said = {name: said[name] for name in ("game", "seed") if name in said}
    return _lobby(site, request, said)


def _begin(site: Site, request: Request, said: Fields, _file: bytes) -> Response:
    """A new table; its first person's page, or the spectators' if nobody plays."""
    try:
        choice = choices(said, site.settings)
        site.preparing.wait(choice.game)
        plan, links = plan_of(choice, site.settings)
    except (TableError, NotReadyError) as fault:
        return _lobby(site, request, said, str(fault))
    digest = registry.box_digest(plan.game)
    table_id, tokens = site.store.new_table(owner_of(request), plan, digest, links)
    to = f"/seat/{tokens[0]}" if tokens else f"/watch/{table_id}"
    return remembering(request, RedirectResponse(to, 303))


def _lobby(site: Site, request: Request, said: Fields, fault: str = "") -> Response:
    try:
        choice = choices(said, site.settings)
    except TableError as error:
        fault, game = fault or str(error), said.get("game")
        choice = choices({"game": game} if game in registry.names() else {}, site.settings)
    tables = [
        (stored, site.store.links_of(stored.id))
        for stored in site.store.tables_of(owner_of(request), _LATEST)
    ]
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        choice=choice,
        games=list(registry.names()),
        fault=fault,
        tables=tables,
    )


def choices(said: Mapping[str, str], settings: Settings) -> Choices:
    """What to offer after what was filled in; TableError if that cannot be."""
    name = said.get("game") or registry.DEFAULT
    if name not in registry.names():
        raise TableError(
            f"there is no game {shown(name)}; there are: {', '.join(registry.names())}"
        )
    start, stands = _start(said, name)
    counts = registry.seats(name)
    players = _whole(said.get("players", ""), "the number of seats", max(2, counts[0]))
    if players not in counts:
        raise TableError(f"{name} has {counts[0]} to {counts[-1]} seats, not {players}")
    variants = [
        variant
        for variant, allowed in registry.game(name).options.items()
        if players in allowed and start is None
    ]
    if start is not None:
        players = start["players"]
        counts = range(players, players + 1)
    filled = {"game": name, "players": str(players), "seed": "", **said}
    levels = levels_of(name)
    easy = levels[_EASY].agent if levels else "random"
    for seat in range(players):
        filled.setdefault(f"seat{seat}", PERSON if seat == 0 else easy)
        filled.setdefault(f"name{seat}", "You" if seat == 0 else "")
    offered = agents_for(name, settings)
    return Choices(name, players, counts, variants, levels, offered, filled, start, stands)


def same_seats(plan: TablePlan, settings: Settings) -> dict[str, str]:
    """What to fill in for a table with the same seats."""
    said = {"game": plan.game, "players": str(plan.players)}
    said |= {f"variant_{name}": "1" for name in plan.variants}
    for seat, one in enumerate(plan.seats):
        if one.agent is None:
            said |= {f"seat{seat}": PERSON, f"name{seat}": one.name}
        else:
            said[f"seat{seat}"] = settings.called(one.agent)
    return said


def levels_of(game: str) -> Sequence[Level]:
    """The levels of a game that can play with the box in force, the weakest first."""
    text = files(__package__).joinpath("learning/levels.toml").read_text(encoding="utf-8")
    has_network = strongest(registry.game(game)) == "network"
    every = [Level(**level) for level in tomllib.loads(text).get(game, [])]
    return [one for one in every if has_network or not one.agent.startswith(("network", "search"))]


@cache
def strongest(game: Game) -> str:
    """The default agent, remembered: to find it, the cards of all bundled networks are read."""
    return default(game)


def agents_for(game: str, settings: Settings) -> list[str]:
    """The agents that may be seated, as pages call them, the levels first."""
    rules = registry.game(game)
    has_network = strongest(rules) == "network"
    offered = [level.agent for level in levels_of(game)]
    if has_network:
        offered += ["network", *_SEARCHES]
    if has_heuristics(rules):
        offered += ["heuristic", "greedy"]
    offered += [name for name in naming.names() if name not in naming.BUILT_IN]
    return list(dict.fromkeys([*offered, "random", *settings.offered]))


def plan_of(choice: Choices, settings: Settings) -> tuple[TablePlan, list[list[int]]]:
    """The table that a form asks for, and the seats of each link.

    Raises:
        TableError: what is wrong with it.
    """
    said = choice.said
    seed = _whole(said["seed"], "the seed", fresh_seed())
    if said["seed"].strip() and seed >= FIRST_FRESH:
        raise TableError(f"seed {shown(said['seed'])}: give a number from 0 to 2^52-1")
    variants = tuple(name for name in choice.variants if said.get(f"variant_{name}"))
    seats = tuple(_seat(choice, seat, settings) for seat in range(choice.players))
    plan = TablePlan(choice.game, choice.players, variants, seed, seats, choice.start)
    first_snapshot(plan)
    people = plan.people
    on_one_screen = len(people) > 1 and bool(said.get("one_screen"))
    return plan, [people] if on_one_screen else [[seat] for seat in people]


def allowed_agent(called: str, game: str, settings: Settings) -> str:
    """An agent that is offered, as `make` takes it; TableError for any other one."""
    if called not in (offered := agents_for(game, settings)):
        raise TableError(
            f"{shown(called)} is not offered here; there are: {', '.join(offered)}; others are "
            "once they are named on the command line, with --agent"
        )
    return settings.offered.get(called, called)


def seated_agent(name: str, game: str, settings: Settings) -> str:
    """What plays under a name that a table keeps; ThinkerError if it is not offered."""
    try:
        return allowed_agent(settings.called(name), game, settings)
    except TableError as fault:
        raise ThinkerError(str(fault)) from fault


def agent_seat(called: str, game: str, settings: Settings) -> SeatPlan:
    """A seat held by an agent; TableError as of `allowed_agent`."""
    name = allowed_agent(called, game, settings)
    levels = {one.agent: one.name.capitalize() for one in levels_of(game)}
    return SeatPlan((levels.get(called) or in_words(called))[:LONGEST_NAME], name)


def _seat(choice: Choices, seat: int, settings: Settings) -> SeatPlan:
    if (who := choice.said[f"seat{seat}"]) != PERSON:
        return agent_seat(who, choice.game, settings)
    name = choice.said[f"name{seat}"].strip() or f"Player {seat}"
    try:
        return SeatPlan(player_name(name))
    except ValueError as fault:
        raise TableError(f"seat {seat}: {fault}") from fault


def _start(said: Mapping[str, str], game: str) -> tuple[dict[str, Any] | None, str]:
    """The position to begin with, if one is given, and what it is like in words."""
    if not (text := said.get("position", "")):
        return None, ""
    try:
        start = parse_json(text.encode())
        position = Position.from_dict(start)
    except (PositionError, TypeError, ValueError, RecursionError) as fault:
        raise TableError(f"the position to begin with cannot occur: {fault}") from fault
    if position.game.name != game:
        raise TableError("the position to begin with is of another game")
    head = position.game.presentation.headline(position.to_dict())
    return start, f"{head.progress}, {head.phase}. {head.sentence}"


def _whole(text: str, what: str, otherwise: int) -> int:
    text = text.strip()
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise TableError(f"{what} is a whole number from 0 on, not {shown(text)}")
    return int(text)
