"""Findings in words: a figure with its 95 % interval, as sentences quote it."""

from __future__ import annotations

import textwrap
from typing import Any

import polars as pl

from shakespeare_agents.arena.evaluation.result import AgentResult

_UNKNOWN = "unknown (too few deals)"


def figure(groups: pl.DataFrame, **group: Any) -> str:
    """A group's mean or share, from `groups.means` or `groups.shares`: `28.26 (28.15 to 28.38)`.

    Args:
        groups: The groups; shares are written in percent.
        group: Their columns and the values of the one group meant; none if there is only one.
    """
    found = _found(groups, group)
    if found is None:
        return _UNKNOWN
    name, value, low, high = found
    if name == "share":
        return _percent(value, low, high)
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def change(groups: pl.DataFrame, **group: Any) -> str:
    """A group's mean difference with its signs: `+0.68 (+0.54 to +0.83)`."""
    found = _found(groups, group)
    if found is None:
        return _UNKNOWN
    _, value, low, high = found
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})"


def ranking(groups: pl.DataFrame, by: str) -> str:
    """The best and the worst group of differences, and the groups left out, a line each.

    Args:
        groups: From `groups.means`.
        by: The column that names them.
    """
    ranked = groups.filter(pl.col("low").is_not_null()).sort("mean")
    lines = [] if len(ranked) > 1 else [_UNKNOWN.capitalize()]
    if not lines:
        for place, name in zip(("Best", "Worst"), ranked[by][[-1, 0]], strict=True):
            lines.append(f"{place} of {len(ranked)}: {name}, {change(ranked, **{by: name})}")
    few = groups.filter(pl.col("low").is_null()).select(by, "deals").sort(by).iter_rows()
    left_out = ", ".join(f"{name} {deals}" for name, deals in few)
    if left_out:
        lines += textwrap.wrap(f"Left out, with the deals they were tried in: {left_out}", 76)
    return "\n".join(lines)


def win_rate(agent: AgentResult) -> str:
    """An agent's win rate: `98.0 % (95.0 to 99.2 %)`; ValueError if alone."""
    if agent.win_rate is None or agent.low is None or agent.high is None:
        raise ValueError(f"{agent.name} played alone, where nobody wins; look at its score")
    return _percent(agent.win_rate, agent.low, agent.high)


def _percent(value: float, low: float, high: float) -> str:
    return f"{100 * value:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"


def _found(groups: pl.DataFrame, group: dict[str, Any]) -> tuple[str, float, float, float] | None:
    name = "share" if "share" in groups.columns else "mean"
    meant = [pl.col(column) == value for column, value in group.items()]
    rows = groups.filter(pl.col("low").is_not_null(), *meant)
    if rows.is_empty():
        return None
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} groups fit {group}; name one")
    return (name, *rows.select(name, "low", "high").row(0))
