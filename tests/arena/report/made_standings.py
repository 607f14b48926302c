"""Standings of a simulated field: what tables and reports are tested on."""

import functools
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from shakespeare_agents.arena.standings import Standings, standings_of
from shakespeare_agents.arena.standings.standings import SCHEMAS
from tests.arena.simulated_results import simulated

NAMES = ("search,simulations=256", "network", "heuristic", "greedy", "random")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "[bold]x[/bold] [/]",
    "a\x1b[31mred\x07\u202e\r\nb",
    "|`*_[a](b)",
    "y" * 500,
)
"""Names that mean something to HTML, templates, terminals or Markdown, and a long one."""


@functools.cache
def made_standings(
    names: Sequence[str], *, tables: Sequence[int] = (2, 4), alone: bool = True, sure: bool = True
) -> Standings:
    """Strongest first, the second and the third equal; without `sure` there are no intervals.

    The last one forfeits some of its games. Three agents or more have a cycle at every table.
    """
    strengths = {name: -200.0 * place for place, name in enumerate(names)}
    if len(names) > 2:
        strengths[names[2]] = strengths[names[1]] - 5
    sizes = [*([1] if alone else []), *tables] if names else []
    results = simulated(
        strengths or {"nobody": 0.0},
        tables=sizes or [1],
        matches=150,
        forfeits=dict.fromkeys(names[-1:], 0.1),
    )
    found = standings_of(results if sizes else results.head(0))
    cycle = [*names[:3], 0.53, 0.01, True]
    rows = [[players, *cycle] for players in tables if len(names) > 2]
    found = replace(found, cycles=pl.DataFrame(rows, SCHEMAS["cycles"], orient="row"))
    if sure:
        return found
    unsure = {}
    for name in SCHEMAS:
        frame = getattr(found, name)
        ends = [column for column in frame.columns if column.endswith(("low", "high"))]
        unsure[name] = frame.with_columns(pl.lit(None, pl.Float64).alias(end) for end in ends)
    return replace(found, **unsure)
