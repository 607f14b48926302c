"""What cannot fit this machine is refused before memory is taken."""

import os

import pytest

from shakespeare_env.checks import memory
from shakespeare_env.errors import MemoryLimitError

GIB = 2**30


@pytest.fixture(autouse=True)
def groups(monkeypatch, tmp_path):
    """The folder of groups' limits, on a machine of 8 GiB."""
    sizes = {"SC_PHYS_PAGES": 2 * 2**20, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_MEMBERSHIPS", tmp_path / "none")
    memory.total_memory.cache_clear()
    yield tmp_path
    memory.total_memory.cache_clear()


@pytest.mark.parametrize(("text", "gib"), [("2147483648\n", 2), ("max\n", 8), ("ten", 8)])
def test_a_groups_limit_counts(groups, text, gib):
    (groups / "memory.max").write_text(text)
    assert memory.total_memory() == gib * GIB


def test_what_cannot_fit_is_refused_with_the_estimate_the_total_and_a_remedy():
    memory.require_memory("a batch of 2 games", 8 * GIB, "use fewer games")
    with pytest.raises(MemoryLimitError) as caught:
        memory.require_memory("a batch of 9 games", 9 * GIB, "use fewer games")
    for named in ("a batch of 9 games", "9 GiB", "8 GiB", "use fewer games"):
        assert named in str(caught.value)
