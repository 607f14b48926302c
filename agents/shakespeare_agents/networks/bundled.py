"""The networks that come with the package: a folder of `checkpoints/<game>/` for each version."""

from __future__ import annotations

import re
from pathlib import Path

from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Game

NEWEST = 0
"""Stands for the newest version."""
_CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"


def bundled_versions(game: Game) -> list[int]:
    """The versions of a game's bundled network, oldest first; none if no network is bundled."""
    folder = _CHECKPOINTS / game.name
    names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(int(name) for name in names if re.fullmatch("[1-9][0-9]*", name))


def bundled_checkpoint(game: Game, version: int = NEWEST) -> Path:
    """The folder of a game's bundled checkpoint.

    Raises:
        ValueError: no network of the game is bundled, or not this version.
    """
    versions = bundled_versions(game)
    if not versions:
        raise ValueError(f"no checkpoint of {game.name} is bundled; train one and give its folder")
    if version == NEWEST:
        version = versions[-1]
    if version not in versions:
        raise ValueError(
            f"the bundled network of {game.name} has no version {shown(version)}, only "
            f"{', '.join(map(str, versions))}; without version= the newest plays"
        )
    return _CHECKPOINTS / game.name / str(version)
