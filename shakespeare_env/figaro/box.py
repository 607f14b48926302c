"""The printed facts of the game (`box.toml`), read, checked and held in a plain dataclass.

Cards and road pieces only; the rules are elsewhere. Owners of the game replace values with the
environment variable FIGARO_BOX, the path of a box file of their own.
"""

from dataclasses import dataclass
from pathlib import Path

from shakespeare_env.box_reading import Entry, read_box
from shakespeare_env.figaro import box_checks

COLOURS = ("red", "orange", "green", "blue", "purple")
VALUES = (1, 2, 3)
JESTERS = (1, 2)
SEATS = range(3, 7)
ROUNDS = 3
PIECES = ROUNDS * (SEATS[-1] - 1)
"""Road pieces that the largest table needs (Rules A3)."""

# What the engine's int8 state can hold, and a hand that fits on a page.
_MOST_COPIES = 8
_MOST_RINGS = 8
_LONGEST = 100


@dataclass(frozen=True)
class Box:
    """A checked box file.

    Attributes:
        colours: Copies of each value, 1 to 3, in every colour (Rules A1).
        jesters: Copies of jester 1 and jester 2.
        rings: How many rings.
        absent_jesters: Jesters 1 and 2 that are left out with three seats.
        absent_rings: Rings that are left out with three seats.
        lengths: Of the road pieces, all different (Rules A2).
        source: The file that was read.
    """

    colours: tuple[int, ...]
    jesters: tuple[int, ...]
    rings: int
    absent_jesters: tuple[int, ...]
    absent_rings: int
    lengths: tuple[int, ...]
    source: Path


def load_box(path: Path | None = None) -> Box:
    """Reads and checks a box file (by default the one in force).

    Raises:
        BoxError: The file cannot be read, or an entry is missing, unknown, of the wrong type, out
            of range or against the rules; the message names file, entry, value and remedy.
    """
    root = read_box(Path(__file__).parent, "FIGARO_BOX", path)
    root.only(("cards", "three_seats", "road"), "table")
    cards, fewer, road = (root.section(name) for name in ("cards", "three_seats", "road"))
    cards.only(("source", "colours", "jesters", "rings"))
    fewer.only(("source", "jesters", "rings"))
    road.only(("source", "lengths"))
    box = Box(
        colours=_copies(cards.table("colours"), VALUES, _MOST_COPIES),
        jesters=_copies(cards.table("jesters"), JESTERS, _MOST_COPIES),
        rings=cards.integer("rings", 0, _MOST_RINGS),
        absent_jesters=_copies(fewer.table("jesters"), JESTERS, _MOST_COPIES),
        absent_rings=fewer.integer("rings", 0, _MOST_RINGS),
        lengths=tuple(road.integers("lengths", PIECES, 1, _LONGEST)),
        source=root.path,
    )
    box_checks.check_absent(fewer, box)
    box_checks.check_deals(cards, fewer, {seats: _dealt(box, seats) for seats in SEATS})
    box_checks.check_lengths(road, box.lengths)
    return box


def _dealt(box: Box, seats: int) -> int:
    """How many cards are dealt (Rules A1)."""
    absent = sum(box.colours) + sum(box.absent_jesters) + box.absent_rings
    everything = len(COLOURS) * sum(box.colours) + sum(box.jesters) + box.rings
    return everything - (absent if seats == SEATS[0] else 0)


def _copies(entry: Entry, values: tuple[int, ...], most: int) -> tuple[int, ...]:
    """How many copies there are of each value."""
    entry.only([str(value) for value in values], "value of a card")
    return tuple(entry.integer(str(value), 0, most) for value in values)
