"""The arenas of the leaderboards: who plays, at which tables, and how many games."""

from __future__ import annotations

from pathlib import Path

from shakespeare_arena.config import ArenaConfig, Contender
from shakespeare_arena.measure import reference

HERE = Path(__file__).parent


def network(version: int) -> Contender:
    """Return a version of the bundled network."""
    return Contender(agent=f"network,version={version}", name=f"network {version}")


def rung(playouts: int) -> Contender:
    """Return a rung of the scale of `shakespeare measure`, a search over network 1."""
    return Contender(agent=reference(playouts), name=f"network 1, {playouts:,} playouts")


def search(version: int, playouts: int) -> Contender:
    """Return the agent `search` over a version of the bundled network, with default options."""
    agent = f"search,version={version},simulations={playouts}"
    return Contender(agent=agent, name=f"network {version}, {playouts:,} playouts")


def timed_search(version: int, seconds: float) -> Contender:
    """Return the agent `search` with seconds a move instead of playouts."""
    agent = f"search,version={version},seconds={seconds}"
    return Contender(agent=agent, name=f"network {version}, {seconds:g} s")


def best_response(game: str) -> Contender:
    """Return the network that has learned only against copies of network 2."""
    return Contender(agent=f"best_response/{game}", name="best response to network 2")


def _arena(game: str, players: list[int], games: int, *agents: str | Contender) -> ArenaConfig:
    return ArenaConfig.of(game=game, players=players, games=games, agents=agents, folder=HERE)


_UNTRAINED = ("random", "greedy", "heuristic")
ARENAS = (
    _arena(
        "shakespeare",
        [2, 3, 4],
        1800,
        *_UNTRAINED,
        network(1),
        network(12),
        best_response("shakespeare"),
    ),
    _arena("shakespeare", [2, 3, 4], 800, network(1), network(12), rung(4), rung(16), rung(64)),
    _arena("shakespeare", [2, 3, 4], 60, rung(64), rung(256), rung(1024)),
    _arena("shakespeare", [2, 3], 200, network(12), search(12, 16), search(12, 64), rung(64)),
    _arena("shakespeare", [4], 200, network(12), search(12, 16), search(12, 64), rung(64)),
    _arena("shakespeare", [2, 3], 60, search(12, 64), search(12, 256), timed_search(12, 0.25)),
    _arena(
        "shakespeare", [4], 60, network(12), search(12, 64), search(12, 256), timed_search(12, 0.25)
    ),
    _arena(
        "figaro", [3, 4, 5, 6], 1500, *_UNTRAINED, network(1), network(3), best_response("figaro")
    ),
    _arena("figaro", [3, 4, 5, 6], 900, network(1), network(3), rung(4), rung(16), rung(64)),
    _arena("figaro", [3, 4], 60, rung(64), rung(256), rung(1024)),
    _arena("figaro", [3, 4, 5, 6], 400, network(3), search(3, 16), search(3, 64), rung(64)),
    _arena(
        "figaro", [3, 4, 5, 6], 80, network(3), search(3, 64), search(3, 256), timed_search(3, 0.25)
    ),
)
"""The arenas in the order in which they are played. Slow agents play few games.

The games of an arena include those that its agents have played among themselves in another.
"""
