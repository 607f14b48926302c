"""Reading and checking box files: the bundled one, or FIGARO_BOX."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shakespeare_env.checks.box_entries import SOURCES, Entry, Wanted, ignore_entry
from shakespeare_env.checks.box_files import box_paths, read_box
from shakespeare_env.errors import BoxError
from shakespeare_env.figaro.box import checks as box_checks
from shakespeare_env.figaro.box.facts import COLOURS, JESTERS, SEATS, VALUES, Box

# What the engine's int8 state can hold, and a hand that fits on a page.
_MOST_COPIES = 8
_MOST_RINGS = 8
_LONGEST = 100

_PACKAGE = Path(__file__).parents[1]
_LATER = {"rounds": ("number",), "pile": ("full",)}
"""Tables that older boxes lack."""
_TABLES = {
    "cards": ("colours", "jesters", "rings"),
    "three_seats": ("jesters", "rings"),
    "road": ("lengths",),
    **_LATER,
}


def load_boxes() -> tuple[Box, ...]:
    """Read and check the box in force; as all games have the same cards, there is only one.

    Raises:
        BoxError: as `load_box`, or FIGARO_BOX names several.
    """
    paths = box_paths(_PACKAGE, "FIGARO_BOX")
    if len(paths) > 1:
        raise BoxError(f"FIGARO_BOX names {len(paths)} boxes; Figaro is played with one a process")
    return (load_box(paths[0]),)


def load_box(path: Path | None = None, noted: Callable[[Wanted], None] = ignore_entry) -> Box:
    """Read and check a box file, by default the one in force.

    `noted` is called with every entry that it may hold.

    Raises:
        BoxError: Unreadable file, or an entry missing, unknown, mistyped, out of range or against
            the rules; names file, entry, value and remedy.
    """
    root = read_box(_PACKAGE, "FIGARO_BOX", path, _LATER, noted)
    root.only((*_TABLES, SOURCES), "table")
    tables = {name: root.section(name) for name in _TABLES}
    for name, keys in _TABLES.items():
        tables[name].only(("source", *keys))
    cards, fewer, road = tables["cards"], tables["three_seats"], tables["road"]
    rounds = tables["rounds"].integer("number", 1, 3)
    # As many as the largest table needs (Rules A3).
    pieces = rounds * (SEATS[-1] - 1)
    box = Box(
        colours=_copies(cards.table("colours"), VALUES, _MOST_COPIES),
        jesters=_copies(cards.table("jesters"), JESTERS, _MOST_COPIES),
        rings=cards.integer("rings", 0, _MOST_RINGS),
        absent_jesters=_copies(fewer.table("jesters"), JESTERS, _MOST_COPIES),
        absent_rings=fewer.integer("rings", 0, _MOST_RINGS),
        lengths=tuple(road.integers("lengths", pieces, 1, _LONGEST)),
        rounds=rounds,
        full=tables["pile"].integer("full", 4, 12),
        source=root.path,
        digest=root.digest,
    )
    box_checks.check_absent(fewer, box)
    box_checks.check_deals(cards, fewer, {seats: _dealt(box, seats) for seats in SEATS})
    box_checks.check_lengths(road, box.lengths)
    return box


def _dealt(box: Box, seats: int) -> int:
    """Cards dealt (Rules A1)."""
    absent = sum(box.colours) + sum(box.absent_jesters) + box.absent_rings
    everything = len(COLOURS) * sum(box.colours) + sum(box.jesters) + box.rings
    return everything - (absent if seats == SEATS[0] else 0)


def _copies(entry: Entry, values: tuple[int, ...], most: int) -> tuple[int, ...]:
    entry.only([str(value) for value in values], "value of a card")
    return tuple(entry.integer(str(value), 0, most) for value in values)
