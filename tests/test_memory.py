"""What cannot fit this machine is refused before memory is taken."""

import os

import pytest

from shakespeare_env import memory
from shakespeare_env.errors import MemoryLimitError, ShakespeareEnvError

GIB = 2**30


@pytest.fixture
def system(monkeypatch, tmp_path):
    """A machine of 8 GiB in no group; the function returned writes a group's limit."""
    sizes = {"SC_PHYS_PAGES": 2 * 2**20, "SC_PAGE_SIZE": 4096}
    groups, memberships = tmp_path / "groups", tmp_path / "memberships"
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(memory, "_GROUPS", groups)
    monkeypatch.setattr(memory, "_MEMBERSHIPS", memberships)

    def limit(file: str, text: str, membership: str = "") -> None:
        (groups / file).parent.mkdir(parents=True, exist_ok=True)
        (groups / file).write_text(text)
        memberships.write_text(membership)

    return limit


@pytest.mark.usefixtures("system")
def test_the_total_is_the_machines_memory_where_no_group_limits_it():
    assert memory.total_memory() == 8 * GIB


@pytest.mark.parametrize(
    ("file", "membership"),
    [
        ("memory.max", ""),
        ("memory/memory.limit_in_bytes", ""),
        ("user/shell/memory.max", "0::/user/shell/\n"),
        ("user/memory.max", "0::/user/shell\n"),
        ("memory/job/memory.limit_in_bytes", "4:cpu:/\n7:hugetlb,memory:/job\n"),
    ],
)
def test_a_groups_limit_counts_wherever_it_is_written(system, file, membership):
    system(file, f"{2 * GIB}\n", membership)
    assert memory.total_memory() == 2 * GIB


@pytest.mark.parametrize("text", ["max\n", "", "9223372036854771712\n", "ten\n"])
def test_a_group_without_a_limit_leaves_the_machines_memory(system, text):
    system("memory.max", text, "no membership\n\n0:\n")
    assert memory.total_memory() == 8 * GIB


@pytest.mark.usefixtures("system")
def test_where_the_total_is_unknown_everything_passes(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert memory.total_memory() is None
    memory.require_memory("everything", 2**70, "ask for less")


@pytest.fixture(autouse=True)
def asked_anew():
    memory.total_memory.cache_clear()
    yield
    memory.total_memory.cache_clear()


def test_what_cannot_fit_is_refused_with_the_estimate_the_total_and_a_remedy(monkeypatch):
    monkeypatch.setattr(memory, "total_memory", lambda: 2 * GIB)
    memory.require_memory("a batch of 2 games", 2 * GIB, "use fewer games")
    with pytest.raises(MemoryLimitError) as caught:
        memory.require_memory("a batch of 9 games", 3 * GIB, "use fewer games")
    assert str(caught.value) == (
        "a batch of 9 games needs about 3 GiB of memory, but this process may use 2 GiB: "
        "use fewer games"
    )
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, ShakespeareEnvError)


@pytest.mark.parametrize(
    ("size", "text"),
    [(1000, "1000 bytes"), (1536, "1.5 KiB"), (1023 * 2**20, "1023 MiB"), (2**63, "8 EiB")],
)
def test_sizes_are_told_in_readable_units(monkeypatch, size, text):
    monkeypatch.setattr(memory, "total_memory", lambda: size - 1)
    with pytest.raises(MemoryLimitError, match=f"about {text} of"):
        memory.require_memory("this", size, "ask for less")


def test_an_absurd_estimate_is_refused_like_any_other(monkeypatch):
    monkeypatch.setattr(memory, "total_memory", lambda: GIB)
    with pytest.raises(MemoryLimitError, match="ask for less"):
        memory.require_memory("this", 10**5000, "ask for less")
