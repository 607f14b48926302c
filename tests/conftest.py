"""Settings of all tests: one compilation for all workers, one thread each, repeatable draws."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

# Two workers on two cores: a thread pool in each would only make them wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game

# The first call of an engine compiles it, which no deadline foresees; the same examples every time
# mean that a test fails because of a change and not because of a draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile engines and agents into their cache before the workers start, or each would do it."""
    in_worker = hasattr(session.config, "workerinput")
    compiler_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    if in_worker or compiler_off or not session.config.getoption("numprocesses", None):
        return
    import numpy as np

    from shakespeare_agents import make
    from shakespeare_env import Batch
    from shakespeare_env.core import registry
    from shakespeare_env.core.position import compile_all
    from shakespeare_env.play.agent import decide
    from tests.generators import generators

    # A process that has compiled a game's rules compiles playouts in a fifth of the time.
    playouts = ("network", "heuristic")
    searches = (f"search,simulations=16,near_certain=2,rollouts={which}" for which in playouts)
    agents = ("heuristic", "greedy", "network", *searches)
    for name in registry.names():
        compile_all(registry.game(name))
        batch = Batch(name, n=1, players=registry.game(name).max_seats, seed=0)
        for agent in agents:
            decide(make(agent, batch.game), batch, np.arange(1), generators(1))


@pytest.fixture(scope="module")
def toy() -> "Iterator[Game]":
    """The game of `tests/training/toy_game.py`, known by its name for the length of a module."""
    from tests.training.toy_game import GAME, registered

    with registered():
        yield GAME
