"""What it takes to reproduce an arena's results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class About:
    """What the results come from; a report tells it, and computes nothing from it.

    Attributes:
        title: The report's heading.
        command: The command line that plays these games.
        field: Text of the field's file.
        seeds: Of the deals and the agents' draws; several where results were merged.
        versions: What played, by name: shakespeare-env, Python and so on.
        box_digest: Of the box played with.
        when: The end of the last game, or when the report was made.
    """

    title: str
    command: str
    field: str
    seeds: tuple[int, ...]
    versions: Mapping[str, str]
    box_digest: str
    when: datetime
