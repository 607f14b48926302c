"""Pages of a listing, the latest games first."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shakespeare_agents.arena.wording import shown_name
from shakespeare_agents.table.watching.listing import Listing

ON_A_PAGE = 40
_LONGEST = 100
"""The most characters of a search text."""


@dataclass(frozen=True)
class ListedGame:
    """A game in a list.

    Attributes:
        game_id: Its number.
        seats: Name, score and whether it won, by seat.
        moves: How many.
        forfeit: The loser by a fault and how, "" if there is none.
    """

    game_id: int
    seats: list[tuple[str, int, bool]]
    moves: int
    forfeit: str


@dataclass(frozen=True)
class Found:
    """A page of the games that somebody looks for.

    Attributes:
        games: The games on this page.
        count: The number of games on all pages.
        page: Its number, from 1.
        pages: The number of pages.
        agent: The text that is searched for in the agents' names.
    """

    games: list[ListedGame]
    count: int
    page: int
    pages: int
    agent: str


def find(listing: Listing, agent: str = "", page: int = 1) -> Found:
    """The games in which an agent's name contains a text, ignoring case."""
    agent = " ".join(agent.split())[:_LONGEST]
    games = listing.games
    if agent:
        named = pl.element().str.to_lowercase().str.contains(agent.lower(), literal=True)
        games = games.filter(pl.col("agents").list.eval(named).list.any())
    pages = max(1, -(-games.height // ON_A_PAGE))
    page = min(max(1, page), pages)
    end = games.height - (page - 1) * ON_A_PAGE
    rows = games.slice(max(0, end - ON_A_PAGE), min(end, ON_A_PAGE)).reverse()
    shown = [
        ListedGame(
            game_id=row["game_id"],
            seats=[
                (shown_name(name), score, place == 1 and row["players"] > 1)
                for name, score, place in zip(
                    row["agents"], row["scores"], row["places"], strict=True
                )
            ],
            moves=row["moves"],
            forfeit=""
            if row["forfeited_by"] is None
            else f"{shown_name(row['agents'][row['forfeited_by']])} forfeited it: "
            f"{shown_name(row['fault'] or '')}",
        )
        for row in rows.iter_rows(named=True)
    ]
    return Found(shown, games.height, page, pages, agent)
