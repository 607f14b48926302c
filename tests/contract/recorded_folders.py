"""Folders of recorded games for tests, and their decisions, played one by one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from shakespeare_env.datasets.recorded_columns import dealt
from tests.arena.small_arenas import written
from tests.contract.small_datasets import write

KINDS = [f"an arena of {registry.names()[0]}", f"a dataset of {registry.names()[1]}"]
"""Both forms, both games; arenas are played with variants."""


def recorded(kind, folder):
    """A folder of games; those of a dataset have values, the last of an arena is forfeited."""
    name = kind.rpartition(" ")[-1]
    if kind.startswith("an arena"):
        return written(name, folder)
    write(folder, name, deals=2)
    return folder


def games_of(folder):
    """The rows of the games."""
    return read_games(folder).collect().rows(named=True)


def played(game: dict[str, Any]) -> list[Position]:
    """The positions of a game, one move after the other."""
    deal = (game["game"], game["players"], game["seed"], game["deal"], game["variants"])
    positions = [dealt(*deal)]
    for action in game["actions"]:
        after = positions[-1].copy()
        after.push(after.move_text(action))
        positions.append(after)
    return positions


def decisions_of(game: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a game's decisions."""
    values = game.get("values") or [None] * len(game["actions"])
    return [
        {
            "game_id": game["game_id"],
            "number": number,
            "seat": position.to_move,
            "agent": game["agents"][position.to_move],
            "phase": position.phase,
            "position": json.dumps(position.to_dict(), ensure_ascii=False, separators=(",", ":")),
            "legal_actions": np.flatnonzero(position.action_mask()).tolist(),
            "legal_moves": position.moves(),
            "action": action,
            "move": position.move_text(action),
            "is_secret": position.game.is_secret(position.to_dict(), position.move_text(action)),
            "value": value,
            "score": game["scores"][position.to_move],
            "place": game["places"][position.to_move],
            "won": game["places"][position.to_move] == 1 if game["players"] > 1 else None,
        }
        for number, (position, action, value) in enumerate(
            zip(played(game), game["actions"], values, strict=False)
        )
    ]
