"""The games there are, by name."""

from __future__ import annotations

from functools import cache

from shakespeare_env.game import Game


def names() -> tuple[str, ...]:
    """The names of all games."""
    return ("shakespeare",)


@cache
def game(name: str) -> Game:
    """A game by its name.

    Raises:
        ValueError: there is no such game.
    """
    if name == "shakespeare":
        from shakespeare_env.shakespeare.contract import GAME

        return GAME
    raise ValueError(f"there is no game {name!r}; there are: {', '.join(names())}")
