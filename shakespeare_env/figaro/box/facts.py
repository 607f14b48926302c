"""The printed facts, as `loading.py` reads them from `box.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COLOURS = ("red", "orange", "green", "blue", "purple")
VALUES = (1, 2, 3)
JESTERS = (1, 2)
SEATS = range(3, 7)


@dataclass(frozen=True)
class Box:
    """A checked box file.

    Attributes:
        colours: Copies of values 1 to 3 in every colour (Rules A1).
        jesters: Copies of jesters 1 and 2.
        absent_jesters: Copies left out with three seats.
        absent_rings: Left out with three seats.
        lengths: Of the road pieces, all different (Rules A2).
        rounds: In a game (Rules A3).
        full: The total at which a seat takes everything (Rules B6).
        source: The file read.
        digest: SHA-256 of its facts, as they were read.
    """

    colours: tuple[int, ...]
    jesters: tuple[int, ...]
    rings: int
    absent_jesters: tuple[int, ...]
    absent_rings: int
    lengths: tuple[int, ...]
    rounds: int
    full: int
    source: Path
    digest: str
