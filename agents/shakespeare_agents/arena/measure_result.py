"""Where an agent stands on the scale of playouts, with 95 % intervals."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_agents.arena.measure_fit import Meetings
from shakespeare_agents.storage import write_atomically
from shakespeare_env.registry import box_digest

if TYPE_CHECKING:
    from rich.table import Table

FORMAT = 1
"""Version of the JSON."""
RUNGS = (1, 4, 16, 64, 256, 1024)
"""Playouts a move of the agents that make the scale."""
_WIDTH = 80


@dataclass(frozen=True)
class Placement:
    """An agent's strength at one table, in playouts a move of equally strong search.

    0.0 stands for "below 1", None for "above 1,024": beyond its ends the scale tells no strengths
    apart.

    Attributes:
        players: The number of seats.
        playouts: The estimate.
        low: Lower end of its 95 % interval.
        high: Upper end.
        slope: Logits of winning that a doubling of playouts is worth there.
        games: The number of games played.
        meetings: The meetings by rung, the fewest playouts first.
    """

    players: int
    playouts: float | None
    low: float | None
    high: float | None
    slope: float
    games: int
    meetings: tuple[Meetings, ...]

    def __str__(self) -> str:
        """As in `23 (12 to 41)`, or `below 1`."""
        if self.low == self.high in (0.0, None):
            return _said(self.low)
        return f"{_said(self.playouts)} ({_said(self.low)} to {_said(self.high)})"


@dataclass(frozen=True)
class Measurement:
    """An agent's place on the scale at each table, and what it takes to measure it again.

    Attributes:
        game: Its name.
        agent: As entered.
        options: Variants.
        seed: Decides the deals and the agents' draws.
        scale: The reference agents by playouts.
        scale_digest: The digest of their weights and code (see `identity.agent_digest`); figures
            of different scales do not compare.
        tables: One per number of seats.
    """

    game: str
    agent: str
    options: dict[str, bool]
    seed: int
    scale: dict[int, str]
    scale_digest: str
    tables: tuple[Placement, ...]

    def __getitem__(self, players: int) -> Placement:
        for placement in self.tables:
            if placement.players == players:
                return placement
        raise KeyError(f"{players} seats were not played; the tables are {self._tables()}")

    def _tables(self) -> str:
        return ", ".join(str(placement.players) for placement in self.tables)

    def __str__(self) -> str:
        from rich.console import Console  # imported late: only tables need it

        text = io.StringIO()
        Console(file=text, width=_WIDTH, color_system=None).print(self.table())
        return text.getvalue().rstrip("\n")

    def table(self) -> Table:
        """A row per table, 80 columns at most."""
        from rich.table import Table
        from rich.text import Text

        variants = "".join(f", {name}" for name, on in self.options.items() if on)
        table = Table(
            title=Text(f"{self.agent} in {self.game}{variants}, seed {self.seed}"),
            caption="Playouts: how many search needs to be as strong, 95 % interval.\n"
            "Won: % against copies of search with as many playouts, and games.",
            min_width=_WIDTH,
        )
        table.add_column("Seats", justify="right")
        table.add_column("Playouts")
        table.add_column("Won", overflow="fold")
        table.add_column("Equal", justify="right")
        for placement in self.tables:
            won = (
                f"{one.playouts:,}: {100 * one.win_rate:.0f} ({one.games:,})"
                for one in placement.meetings
            )
            equal = f"{100 / placement.players:.0f} %"
            table.add_row(str(placement.players), str(placement), "; ".join(won), equal)
        return table

    def to_json(self) -> dict[str, Any]:
        """JSON types, with a format number and the box's digest."""
        facts = json.loads(json.dumps(asdict(self)))  # tuples become lists
        return {"format": FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON atomically; OSError if that fails."""
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_atomically(path, text.encode())


def playouts_at(place: float) -> float | None:
    """The playouts of a place on the scale in log2; 0.0 and None beyond its ends."""
    if place < 0:
        return 0.0
    return 2.0**place if 2.0**place <= RUNGS[-1] else None


def _said(playouts: float | None) -> str:
    if playouts is None:
        return f"above {RUNGS[-1]:,}"
    if playouts == 0:
        return f"below {RUNGS[0]}"
    return f"{playouts:.1f}" if playouts < 10 else f"{playouts:,.0f}"
