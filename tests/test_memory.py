"""What cannot fit this machine is refused before memory is taken."""

import os

import pytest

from shakespeare_env.checks import memory
from shakespeare_env.errors import MemoryLimitError

GIB = 2**30


@pytest.fixture(autouse=True)
def limit(monkeypatch, tmp_path):
    """A machine of 8 GiB in no group; the function returned writes a group's limit."""
    sizes = {"SC_PHYS_PAGES": 2 * 2**20, "SC_PAGE_SIZE": 4096}
    groups, memberships = tmp_path / "groups", tmp_path / "memberships"
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(memory, "_GROUPS", groups)
    monkeypatch.setattr(memory, "_MEMBERSHIPS", memberships)

    def write(file: str, text: str, membership: str = "") -> None:
        (groups / file).parent.mkdir(parents=True, exist_ok=True)
        (groups / file).write_text(text)
        memberships.write_text(membership)

    total = memory.total_memory
    total.cache_clear()
    yield write
    total.cache_clear()


@pytest.mark.parametrize(
    ("file", "membership"),
    [
        ("memory.max", ""),
        ("memory/memory.limit_in_bytes", ""),
        ("user/memory.max", "0::/user/shell\n"),
        ("memory/job/memory.limit_in_bytes", "4:cpu:/\n7:hugetlb,memory:/job\n"),
    ],
)
def test_a_groups_limit_counts_wherever_it_is_written(limit, file, membership):
    limit(file, f"{2 * GIB}\n", membership)
    assert memory.total_memory() == 2 * GIB


@pytest.mark.parametrize("text", [None, "max\n", "", "9223372036854771712\n", "ten\n"])
def test_without_a_limit_it_is_the_machines_memory(limit, text):
    if text is not None:
        limit("memory.max", text, "no membership\n\n0:\n")
    assert memory.total_memory() == 8 * GIB


def test_where_the_total_is_unknown_everything_passes(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert memory.total_memory() is None
    memory.require_memory("everything", 2**70, "ask for less")


def test_what_cannot_fit_is_refused_with_the_estimate_the_total_and_a_remedy():
    memory.require_memory("a batch of 2 games", 8 * GIB, "use fewer games")
    with pytest.raises(MemoryError) as caught:
        memory.require_memory("a batch of 9 games", 9 * GIB, "use fewer games")
    with pytest.raises(MemoryError, match="ask for less"):
        memory.require_memory("this", 10**5000, "ask for less")
    assert str(caught.value) == (
        "a batch of 9 games needs about 9 GiB of memory, but this process may use 8 GiB: "
        "use fewer games"
    )


@pytest.mark.parametrize(
    ("size", "text"), [(1000, "1000 bytes"), (1536, "1.5 KiB"), (2**63, "8 EiB")]
)
def test_sizes_have_readable_units(monkeypatch, size, text):
    monkeypatch.setattr(memory, "total_memory", lambda: 999)
    with pytest.raises(MemoryLimitError, match=f"about {text} of"):
        memory.require_memory("this", size, "ask for less")
