"""What answers say to a program: the schemas of the tools' structured content."""

from __future__ import annotations

from typing import Any, NotRequired

# Pydantic reads that of `typing` from Python 3.12 on.
from typing_extensions import TypedDict


class Offer(TypedDict):
    """A game that can be played."""

    game: str
    players: list[int]
    variants: list[str]
    opponents: list[str]


class Brief(TypedDict):
    """A table among others."""

    table: int
    game: str
    players: int
    seat: int
    over: bool


class Listing(TypedDict):
    """What `list_games` answers."""

    games: list[Offer]
    tables: list[Brief]


class Handbook(TypedDict):
    """What `read_rules` answers, as Markdown."""

    rules: str
    notation: str


class State(Brief):
    """A table by itself; seed and deal once the game is over, `kept` where games count."""

    seats: list[str]
    variants: list[str]
    phase: str
    scores: list[int]
    winners: list[int] | None
    seed: NotRequired[int]
    deal: NotRequired[int]
    kept: NotRequired[str]


class Seen(State):
    """What `new_game` and `see_seat` answer."""

    happened: list[str]
    position: dict[str, Any]


class Choice(TypedDict):
    """A legal move, and what it does."""

    move: str
    does: str


class Choices(State):
    """What `legal_moves` answers."""

    legal_moves: list[Choice]


class Played(Choices):
    """What `play` answers."""

    happened: list[str]


class Explained(TypedDict):
    """What `explain` answers."""

    name: str
    does: str


class Left(TypedDict):
    """What `leave_table` answers."""

    table: int
