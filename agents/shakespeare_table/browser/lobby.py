"""The lobby, where people begin tables and find their own tables and games again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from shakespeare_agents.json_input import parse_json
from shakespeare_env import Position
from shakespeare_env.checks.values import LONGEST_NAME, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import FIRST_FRESH, fresh_seed
from shakespeare_env.errors import PositionError
from shakespeare_table.browser.learning.lessons import LEARNER_NAME, lesson
from shakespeare_table.browser.opponents import Level, Opponents, agent_in_words, levels
from shakespeare_table.browser.processes import NotReadyError
from shakespeare_table.browser.seats import Invitations, invitations
from shakespeare_table.browser.site import (
    FormFields,
    Site,
    owner_of,
    waiting_page,
    with_owner_cookie,
)
from shakespeare_table.browser.storage.plan import Occupant, TableError, TablePlan, person
from shakespeare_table.browser.storage.store import FinishedGame, SeatLink, StoredTable
from shakespeare_table.browser.tables.state import first_state

PERSON = "person"
"""The value of a seat's field that stands for a person instead of an agent."""
_MAX_TABLES = 20  # in the lobby's list
_MAX_GAMES = 10  # in the list of finished games
_GAMES_COUNTED = 500  # of the latest finished games, for a person's record at each level
_FIRST_LEVEL = 1  # the level that the form proposes at first, counted from 0
_WINS_TO_GO_ON = 2  # at a level, before the next one is proposed
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
        opponents: The agent of all seats but the first; empty if they differ.
        start: The position that the game begins with; None for the first position of a deal.
    """

    game: str
    players: int
    seat_counts: range
    variants: list[str]
    levels: list[Level]
    fields: Mapping[str, str]
    opponents: str
    start: Position | None


class OwnTable(NamedTuple):
    """A table in progress at which a person sits, or which the person has begun.

    Attributes:
        table: The table.
        links: The links of the seats that the person holds.
        invitations: The invitations to its open seats; None if the person is not its host.
    """

    table: StoredTable
    links: Sequence[SeatLink]
    invitations: Invitations | None


class LevelRecord(NamedTuple):
    """A person's games at a level, which is the level of the weakest opponent.

    Attributes:
        level: The level, counted from 1.
        played: The number of games.
        won: The number of games that the person has won.
        fair_share: The number of games that a person as strong as the opponents would win.
    """

    level: int
    played: int
    won: int
    fair_share: float


class Levels(NamedTuple):
    """A person's games of one game by level, and the level to try next.

    Attributes:
        game: The name of the game.
        records: The games by level, the highest level first.
        following: The level to try next, counted from 1; 0 if the person has mastered the last one.
        agent: The agent of the level to try next; empty without one.
    """

    game: str
    records: Sequence[LevelRecord]
    following: int
    agent: str


def levels_played(game: str, games: Sequence[FinishedGame]) -> Levels:
    """Return a person's finished games of one game by level, and the level to try next.

    The next level follows the highest one at which the person has won a fair share of the games and
    at least `_WINS_TO_GO_ON`. One win proves little, so it is followed by the same level again.
    """
    offered = [level.agent for level in levels(game)]
    records = []
    for level in range(len(offered), 0, -1):
        at_level = [each for each in games if _level_of(each, offered) == level]
        if at_level:
            won = sum(each.result.places[each.seats[0]] == 1 for each in at_level)
            fair_share = sum(1 / each.plan.players for each in at_level)
            records.append(LevelRecord(level, len(at_level), won, fair_share))
    following = _FIRST_LEVEL + 1
    held = [record for record in records if record.won >= max(1, record.fair_share)]
    if held:
        following = held[0].level + (held[0].won >= _WINS_TO_GO_ON)
    if following > len(offered):
        return Levels(game, records, 0, "")
    return Levels(game, records, following, offered[following - 1])


def _level_of(finished: FinishedGame, offered: Sequence[str]) -> int:
    """Return the level of a game's weakest opponent, counted from 1; 0 if the game does not count.

    Guided games and games from a given position do not count.
    """
    plan = finished.plan
    taught = lesson(plan.game)
    is_guided = taught is not None and taught.plan == plan
    if len(finished.seats) != 1 or is_guided or plan.start is not None:
        return 0
    (own,) = finished.seats
    opponents = [occupant.agent for seat, occupant in enumerate(plan.seats) if seat != own]
    numbers = [offered.index(agent) + 1 if agent in offered else 0 for agent in opponents]
    return min(numbers, default=0)


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
    browser = owner_of(request)
    finished = site.store.finished_games_of(browser, _GAMES_COUNTED)
    played = [[each for each in finished if each.plan.game == game] for game in registry.names()]
    return site.page(
        request,
        "lobby.html",
        422 if fault else 200,
        form=form,
        own_name=site.store.name_of(browser, LEARNER_NAME),
        games=list(registry.names()),
        fault=fault,
        tables=[_own_table(site, request, table) for table in _tables_in_progress(site, browser)],
        finished=[(each, _opponents_in_words(each)) for each in finished[:_MAX_GAMES]],
        played=[levels_played(each[0].plan.game, each) for each in played if each],
    )


def _opponents_in_words(game: FinishedGame) -> str:
    """Return the names of a person's opponents. Those of the same name are counted."""
    seats = enumerate(game.plan.seats)
    counts = Counter(occupant.name for seat, occupant in seats if seat not in game.seats)
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in counts.items())


def _tables_in_progress(site: Site, browser: str) -> list[StoredTable]:
    return [table for table in site.store.tables_of(browser, _MAX_TABLES) if not table.over]


def _own_table(site: Site, request: Request, table: StoredTable) -> OwnTable:
    browser = owner_of(request)
    links = site.store.links_of(table.id)
    is_host = table.owner == browser
    return OwnTable(
        table,
        [link for link in links if link.is_held_by(browser)],
        invitations(site, request, table.id, table.plan.names) if is_host else None,
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
    # One agent for all seats but the first. The form sends it each time, but it counts only once it
    # has been changed, since the person may have chosen other agents for single seats afterwards.
    opponents = filled.pop("opponents", "")
    if opponents == filled.pop("shown_opponents", ""):
        opponents = ""
    for seat in range(players):
        if opponents and seat > 0:
            filled[f"seat{seat}"] = opponents
        filled.setdefault(f"seat{seat}", PERSON if seat == 0 else first_opponent)
        filled.setdefault(f"name{seat}", "")
    kinds = {filled[f"seat{seat}"] for seat in range(1, players)}
    shared = kinds.pop() if len(kinds) == 1 else ""
    return TableForm(name, players, counts, variants, offered_levels, filled, shared, start)


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
    return person(form.fields[f"name{seat}"], seat)


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
