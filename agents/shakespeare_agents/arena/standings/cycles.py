"""Rock, paper, scissors: what no single rating can say."""

from __future__ import annotations

from typing import Any

import polars as pl

from shakespeare_agents.arena.standings.standings import SCHEMAS


def cycles(pairs: pl.DataFrame) -> pl.DataFrame:
    """The frame `Standings.cycles`, the surest first, each once: from its label first by name."""
    half = 0.5
    ahead = {
        (row["agent"], row["other"]): (row["ahead"], row["low"])
        for row in pairs.iter_rows(named=True)
        if row["ahead"] > half
    }
    rows: list[dict[str, Any]] = []
    for first, second in ahead:
        for third in {other for agent, other in ahead if agent == second}:
            if (third, first) in ahead and first < min(second, third):
                sides = [ahead[side] for side in ((first, second), (second, third), (third, first))]
                low = min(half if end is None else end for _, end in sides)
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "third": third,
                        "weakest": min(share for share, _ in sides),
                        "low": low,
                        "significant": low > half,
                    }
                )
    surest = sorted(rows, key=lambda row: (-row["low"], row["first"], row["second"]))
    return pl.DataFrame(surest, schema=SCHEMAS["cycles"])
