"""The agents of a report: names by which figures call them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shakespeare_agents.arena.wording import shown_name

if TYPE_CHECKING:
    from shakespeare_agents.arena.standings.standings import Standings

_WHOLE = 400
"""Characters of a name where it stands whole."""
_PART = 18
"""Characters of a name that a line holds at least."""


@dataclass(frozen=True)
class Named:
    """An agent in a report.

    Attributes:
        name: Fit to be shown.
        whole: The same, hardly shortened.
        digest: Of what it is made from.
    """

    name: str
    whole: str
    digest: str

    @property
    def parts(self) -> list[str]:
        """The name, taken apart where a line may end."""
        return re.findall(rf"[^,/ ]{{0,{_PART}}}[,/ ]?", self.name)[:-1]


def agents_of(standings: Standings) -> dict[str, Named]:
    """By label: those of the ladders, then those that only played alone."""
    rows = [
        *standings.ladder.select("agent", "digest").iter_rows(),
        *standings.solo.select("agent", "digest").iter_rows(),
    ]
    return {
        label: Named(shown_name(label), shown_name(label, _WHOLE), digest)
        for label, digest in dict(rows).items()
    }
