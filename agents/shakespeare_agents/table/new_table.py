"""What a form says of a new table, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from shakespeare_agents import naming
from shakespeare_agents.registry import default, has_heuristics, make
from shakespeare_agents.table.learning.levels import Level, levels_of
from shakespeare_agents.table.live_table import TableError, first_snapshot
from shakespeare_agents.table.settings import Settings, is_local
from shakespeare_agents.table.store import SeatPlan, TablePlan
from shakespeare_env import Position
from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import FIRST_FRESH, fresh_seed
from shakespeare_env.errors import CheckpointError, PositionError

PERSON, NAMED = "person", "named"
LONGEST_NAME = 40
LONGEST_AGENT = 300
_EASY = 1
"""The level that a newcomer is offered, counted from 0."""
_OPTIONS = {"simulations": "{} playouts a move", "seconds": "{} seconds a move"}
_SEARCHES = ("search,simulations=256", "search,seconds=2", "search,seconds=10")


@dataclass(frozen=True)
class Choices:
    """What a form of a game and a number of seats offers, and what it says.

    Attributes:
        levels: Opponents of measured strength that may be chosen for a seat, the weakest first.
        agents: Others that may be chosen, by name; the rest can be typed.
        said: The fields as they were filled in, or as they begin.
        start: A position in notation to begin with; None deals one.
        stands: A description of that position.
    """

    game: str
    players: int
    seat_counts: range
    variants: list[str]
    levels: list[Level]
    agents: list[str]
    said: Mapping[str, str]
    start: Mapping[str, Any] | None
    stands: str = ""

    @property
    def has_more(self) -> bool:
        """Whether anything is filled in that most tables leave as it is."""
        more = ("one_screen", "quiet", *(f"variant_{name}" for name in self.variants))
        return any(self.said.get(name) for name in more)


def choices(said: Mapping[str, str], settings: Settings) -> Choices:
    """What to offer after what was filled in; TableError if that cannot be."""
    start, stands = _start(said)
    name = said.get("game") or registry.DEFAULT
    if name not in registry.names():
        raise TableError(
            f"there is no game {shown(name)}; there are: {', '.join(registry.names())}"
        )
    counts = registry.seats(name)
    players = _whole(said.get("players", ""), "the number of seats", min(2, counts[-1]))
    players = min(max(players, counts[0]), counts[-1])
    if start is not None:
        players = int(start["players"])
        counts = range(players, players + 1)
    variants = [
        variant
        for variant, allowed in registry.game(name).options.items()
        if players in allowed and start is None
    ]
    filled = {"game": name, "players": str(players), "seed": "", **said}
    levels = levels_for(name)
    easy = levels[min(_EASY, len(levels) - 1)].agent if levels else strongest(registry.game(name))
    for seat in range(players):
        filled.setdefault(f"seat{seat}", PERSON if seat == 0 else easy)
        filled.setdefault(f"agent{seat}", "")
        filled.setdefault(f"name{seat}", "You" if seat == 0 else "")
    measured = {level.agent for level in levels}
    others = [agent for agent in agents_for(name, settings) if agent not in measured]
    return Choices(name, players, counts, variants, levels, others, filled, start, stands)


def levels_for(game: str) -> list[Level]:
    """The levels of opponents that can play with the box in force."""
    has_network = strongest(registry.game(game)) == "network"
    return [level for level in levels_of(game) if has_network or not level.needs_network]


@cache
def strongest(game: Game) -> str:
    """The default agent, remembered: to find it, the cards of all bundled networks are read."""
    return default(game)


def agents_for(game: str, settings: Settings) -> list[str]:
    """Names of agents that a form offers."""
    rules = registry.game(game)
    offered = [strongest(rules)]
    if offered == ["network"]:
        offered += _SEARCHES
    for name in naming.names():
        needs_network = name in ("network", "search") and offered[0] != "network"
        needs_heuristics = name in ("heuristic", "greedy") and not has_heuristics(rules)
        if name not in offered and name != "search" and not (needs_network or needs_heuristics):
            offered.append(name)
    return [*offered, *(name for name in settings.offered if name not in offered)]


def plan_of(choice: Choices, settings: Settings) -> tuple[TablePlan, list[list[int]]]:
    """The table that a form asks for, and the seats of each link.

    Raises:
        TableError: what is wrong with it.
    """
    said = choice.said
    seed = _whole(said["seed"], "the seed", fresh_seed())
    if said["seed"].strip() and seed >= FIRST_FRESH:
        raise TableError(f"seed {shown(said['seed'])}: give a number from 0 to 2^63-1")
    variants = tuple(name for name in choice.variants if said.get(f"variant_{name}"))
    seats = tuple(_seat(choice, seat, settings) for seat in range(choice.players))
    several = sum(seat.agent is None for seat in seats) > 1
    quiet = several and bool(said.get("quiet"))
    plan = TablePlan(
        choice.game, choice.players, variants, seed, seats, start=choice.start, quiet=quiet
    )
    first_snapshot(plan)
    people = plan.people
    on_one_screen = several and bool(said.get("one_screen"))
    return plan, [people] if on_one_screen else [[seat] for seat in people]


def allowed_agent(name: str, game: str, settings: Settings) -> str:
    """The name of an agent that may play, as `make` takes it; TableError if it may not, or cannot.

    Python is not run here, where nothing could end it.
    """
    name = settings.offered.get(name.strip(), name.strip())
    if not name or len(name) > LONGEST_AGENT or not name.isprintable():
        raise TableError(f"name an agent, in 1 to {LONGEST_AGENT} signs, not {shown(name)}")
    seconds = naming.split_options(name)[1].get("seconds", 0)
    if isinstance(seconds, int | float) and seconds >= settings.limit:
        raise TableError(
            f"{shown(name)}: a move here may take less than {settings.limit:g} seconds; "
            "`shakespeare table --limit` sets that"
        )
    is_python = bool(naming.running_python([name]))
    if name not in settings.agents:
        if is_python:
            raise TableError(
                f"{name!r} names Python; only agents named on the command line may run it: "
                f"shakespeare table --agent {name}"
            )
        bare = naming.split_options(name)[0]
        if bare not in naming.names() and not is_local(settings.host):
            raise TableError(
                f"{name!r} is not the name of an agent; others are offered once they are named on "
                "the command line, with --agent"
            )
    try:
        if not is_python:
            make(name, registry.game(game))
    except (CheckpointError, TypeError, ValueError, ImportError, OSError) as fault:
        raise TableError(f"the agent {name!r} cannot play: {fault}") from fault
    return name


def agent_seat(name: str, game: str, settings: Settings) -> SeatPlan:
    """A seat held by the agent `name`; TableError as of `allowed_agent`."""
    name = allowed_agent(name, game, settings)
    level = {one.agent: one.name.capitalize() for one in levels_of(game)}
    words = level.get(name) or in_words(settings.called(name))
    return SeatPlan(words[:LONGEST_NAME], name)


def in_words(agent: str) -> str:
    """An agent's name with its options in words."""
    bare, options = naming.split_options(agent)
    said = (_OPTIONS.get(name, f"{name} {{}}").format(value) for name, value in options.items())
    return ", ".join([bare, *said])


def _seat(choice: Choices, seat: int, settings: Settings) -> SeatPlan:
    kind = choice.said[f"seat{seat}"]
    try:
        if kind != PERSON:
            name = choice.said[f"agent{seat}"] if kind == NAMED else kind
            return agent_seat(name, choice.game, settings)
        name = choice.said[f"name{seat}"].strip() or f"Player {seat}"
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise TableError(
                f"a name has at most {LONGEST_NAME} printable signs, not {shown(name)}"
            )
        return SeatPlan(name)
    except TableError as fault:
        raise TableError(f"seat {seat}: {fault}") from fault


def _start(said: Mapping[str, str]) -> tuple[Mapping[str, Any] | None, str]:
    """The position to begin with, if one is given, and what it is like in words."""
    if not (text := said.get("position", "")):
        return None, ""
    try:
        start = parse_object(text.encode())
        if start.get("game") != said.get("game"):
            raise TableError("the position to begin with is of another game")
        if type(start.get("players")) is not int:
            raise TableError("the position to begin with does not say how many play")
        position = Position.from_dict(start)
    except PositionError as fault:
        raise TableError(f"the position to begin with cannot occur: {fault}") from fault
    except TableError:  # a ValueError, too
        raise
    except ValueError as fault:
        raise TableError(f"the position to begin with is {fault}") from fault
    head = position.game.presentation.headline(position.to_dict())
    return start, f"{head.progress}, {head.phase}. {head.sentence}"


def _whole(text: str, what: str, otherwise: int) -> int:
    text = text.strip()
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise TableError(f"{what} is a whole number from 0 on, not {shown(text)}")
    return int(text)
