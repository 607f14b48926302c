"""The memory of this machine, and the refusal of requests beyond it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from shakespeare_env.errors import MemoryLimitError

_GROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIPS = Path("/proc/self/cgroup")


@cache
def total_memory() -> int | None:
    """Bytes this process may use at most; None where the system does not say.

    The smallest of the machine's memory and the limits of the process's control groups (Linux,
    versions 1 and 2), as containers set them.
    """
    limits = [_machine_memory(), *_group_limits()]
    return min((limit for limit in limits if limit is not None), default=None)


def require_memory(what: str, needed: int, remedy: str) -> None:
    """Refuse what cannot fit this machine, before memory is taken.

    Args:
        what: The request as the user wrote it, such as `"a batch of 1000000 games"`.
        needed: The estimate, in bytes.
        remedy: The remedy, such as `"use fewer games"`.

    Raises:
        MemoryLimitError: If `needed` is more than `total_memory()`, which may be unknown.
    """
    total = total_memory()
    if total is not None and needed > total:
        raise MemoryLimitError(
            f"{what} needs about {readable_size(needed)} of memory, but this process may "
            f"use {readable_size(total)}: {remedy}"
        )


def _machine_memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # sysconf or a name is missing
        return None


def _group_limits() -> list[int]:
    """The limits of the process's groups and of those around them."""
    limits = []
    for folder, file in _group_folders():
        try:
            text = (folder / file).read_text().strip()
        except (OSError, ValueError):
            continue
        if text.isdecimal():  # "max" is no limit
            limits.append(int(text))
    return limits


def _group_folders() -> list[tuple[Path, str]]:
    # A container sees its own group as the root, whatever its membership is called.
    found = [(_GROUPS, "memory.max"), (_GROUPS / "memory", "memory.limit_in_bytes")]
    try:
        memberships = _MEMBERSHIPS.read_text().splitlines()
    except (OSError, ValueError):
        return found
    for line in memberships:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            root, file = _GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            root, file = _GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        parts = [part for part in path.split("/") if part]
        found += [(root.joinpath(*parts[:end]), file) for end in range(1, len(parts) + 1)]
    return found


def readable_size(size: int) -> str:
    """A number of bytes in the largest unit that keeps it at 1 or above, such as `"1.5 GiB"`."""
    if size < 1024:
        return f"{size} bytes"
    power = min((size.bit_length() - 1) // 10, 6)
    unit = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")[power - 1]
    amount = size / 1024**power if size.bit_length() < 1000 else float("inf")
    return f"{amount:.3g} {unit}" if amount < 1000 else f"{amount:.0f} {unit}"
