"""The agents of a report and their names in figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shakespeare_agents.arena.wording import shown_name

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

_WHOLE = 400
"""The most characters of a name shown whole."""
_PART = 18
"""The fewest characters of a name that a line holds."""


@dataclass(frozen=True)
class Named:
    """An agent in a report.

    Attributes:
        name: Fit to be shown.
        whole: The name, shortened only if it is very long.
        digest: The digest of what it is made from.
    """

    name: str
    whole: str
    digest: str

    @property
    def parts(self) -> list[str]:
        """The parts of the name between which a line may end."""
        return re.findall(rf"[^,/ ]{{0,{_PART}}}[,/ ]?", self.name)[:-1]


def agents_of(standings: Standings) -> dict[str, Named]:
    """The agents by label: those of the ladders, then those that only played alone."""
    rows = [
        *standings.ladder.select("agent", "digest").iter_rows(),
        *standings.solo.select("agent", "digest").iter_rows(),
    ]
    return {
        label: Named(shown_name(label), shown_name(label, _WHOLE), digest)
        for label, digest in dict(rows).items()
    }
