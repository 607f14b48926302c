"""What an owner of the game should look up first, as measured for docs/findings.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shakespeare_agents.findings.facts import stand_on
from shakespeare_env.checks.box_files import Keys


@dataclass(frozen=True)
class Worth:
    """What knowing something on one's copy is worth.

    Attributes:
        name: What it stands on, such as a card's name.
        entries: The last keys of its facts.
        share: The share of the findings' variance between boxes that it carries.
    """

    name: str
    entries: Sequence[str]
    share: float

    def holds(self, box: Mapping[str, Any], keys: Keys) -> bool:
        """Whether an entry of a box file is one of its facts."""
        return stand_on(box, keys) == self.name and any(str(key) in self.entries for key in keys)


def measured(game: str) -> Path:
    """The file of `report.Report.facts` for a game; there may be none."""
    return Path(__file__).with_name(f"{game}.json")


def worth_knowing(game: str) -> list[Worth]:
    """What an owner reads off at once, the most important first; empty if nobody has measured."""
    path = measured(game)
    if not path.is_file():
        return []
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Worth(row["name"], row["entries"], row["share"]) for row in rows if row["by"] == "fact"]
