"""Games that are registered for the length of a block, so that no other test knows of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.game import Game


@contextmanager
def registering(*games: Game | str) -> Iterator[None]:
    """Register games for the length of the block.

    A game may be named as `my.py:GAME`. Processes that are started in the block know it, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        for known in ("_loaded", "_in_files"):
            patch.setattr(registry, known, dict(getattr(registry, known)))
        patch.setenv(registry._IN_FILES, os.environ.get(registry._IN_FILES, ""))
        patch.setattr(registry, "_register_views", lambda name, seats: None)
        for game in games:
            if isinstance(game, str):
                registry.from_file(game)
            else:
                registry.register(game)
        yield
