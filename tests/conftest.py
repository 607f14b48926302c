"""What holds for every test: one compilation for all workers, one thread each, repeatable draws."""

import hashlib
import os

# Two workers on two cores: a thread pool in each would only make them wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# The first call of an engine compiles it, which no deadline foresees; the same examples every time
# mean that a test fails because of a change and not because of a draw.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the engines into their cache before the workers start, or each would do it."""
    in_worker = hasattr(session.config, "workerinput")
    compiler_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    if in_worker or compiler_off or not session.config.getoption("numprocesses", None):
        return
    from shakespeare_env import Batch, Position, registry

    for name in registry.names():
        seats = registry.game(name).max_seats
        batch = Batch(name, n=1, players=seats, seed=0)
        batch.step(batch.random_actions())
        position = Position.new(name, players=seats, seed=0)
        position.push(position.moves()[0])


@pytest.fixture
def toy_box(monkeypatch: pytest.MonkeyPatch) -> str:
    """The digest that the toy of `tests/training/toy_game.py` has: it is a game without a box."""
    from shakespeare_agents import checkpoint
    from shakespeare_agents.arena import result as table_result
    from shakespeare_env import registry

    toys, of_registered = hashlib.sha256(b"toy").hexdigest(), registry.box_digest

    def box_digest(name: str) -> str:
        return toys if name == "toy" else of_registered(name)

    for module in (checkpoint, table_result):
        monkeypatch.setattr(module, "box_digest", box_digest)
    return toys
