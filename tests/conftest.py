"""Settings of all tests: one compilation for all workers, one thread each, repeatable examples."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

# Two workers on two cores: a thread pool in each would only make them wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game

# The first call of an engine compiles it, so no deadline would hold. The examples are the same in
# every run, so a test fails because of a change in the code and not because of a draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile engines and agents into their cache, so that the workers need not each do it."""
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

    agents = [
        "heuristic",
        "greedy",
        "network",
        "search,simulations=16,near_certain=2,rollouts=network",
        "search,simulations=16,near_certain=2,rollouts=heuristic",
    ]
    for name in registry.names():
        # The rules come first: playouts then compile in a fifth of the time.
        game = registry.game(name)
        compile_all(game)
        batch = Batch(name, n=1, players=game.max_seats, seed=0)
        for agent in agents:
            decide(make(agent, game), batch, np.arange(1), generators(1))


@pytest.fixture(scope="module")
def toy() -> "Iterator[Game]":
    """Register the game of `tests/training/toy_game.py` while the tests of a module run."""
    from tests.registered_games import registering
    from tests.training.toy_game import GAME

    with registering(GAME):
        yield GAME
