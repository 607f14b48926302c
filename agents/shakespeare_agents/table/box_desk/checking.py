"""A box file's text, read by the game's own reader."""

from __future__ import annotations

import tempfile
from pathlib import Path

from shakespeare_env import registry
from shakespeare_env.box_entries import Wanted
from shakespeare_env.errors import BoxError


def asked_of(game: str, text: str) -> tuple[list[Wanted], BoxError | None]:
    """The entries that a game's reader asks for, and why it refuses the file, if it does."""
    asked: list[Wanted] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "box.toml")
        path.write_text(text, encoding="utf-8")
        try:
            registry.read_box(game, path, asked.append)
        except BoxError as error:
            return asked, error
    return asked, None
