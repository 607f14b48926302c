"""An arena's standings in a terminal, 80 columns wide."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shakespeare_agents.arena.wording import (
    NOTHING,
    between,
    counted,
    mean_of_ladders,
    milliseconds,
    number,
    percent,
    shown_name,
)

if TYPE_CHECKING:
    import polars as pl

    from shakespeare_agents.arena.standings.standings import Standings

_MARKS = {"stronger": ">", "equal": "=", "open": "?"}
_LEGEND = (
    "#: one more than the number of agents that are surely stronger; = if shared.\n"
    "Lead: on the next agent; > stronger, = equal, ? open: all at 95 %.\n"
    "Verdicts allow for all pairs on all ladders: stricter than each interval."
)
_to_tenths = partial(number, digits=1)
_LINE = 15
"""The most characters of a name beside the ladder's figures."""
_MATRIX_NAME = 24
_MATRIX_COLUMNS = 12
"""The most opponents beside a name in 80 columns."""


def standings_tables(standings: Standings) -> RenderableType:
    """All tables with data, for live display and at the end."""
    parts: list[RenderableType] = []
    for players, ladder in standings.ladders().items():
        parts.append(ladder_table(standings, players))
        parts += win_matrix(standings.pairs.filter(players=players), ladder["agent"].to_list())
    if standings.combined.height:
        parts.append(combined_table(standings))
    if standings.solo.height:
        parts.append(solo_table(standings))
    if parts:
        parts.append(Text(_LEGEND, style="dim"))
    if standings.faults.height:
        parts.append(faults_table(standings))
    if not parts:
        parts.append(Text("No game has been finished yet."))
    return Group(*(Padding(part, (0, 0, 1, 0)) for part in parts))


def ladder_table(standings: Standings, players: int) -> Table:
    """The agents with games at a table for two or more, strongest first."""
    ladder = standings.ladders()[players]
    games = int(ladder["games"].sum()) // players
    table = _ranked(
        f"{standings.game}, {counted(players, 'seat')}: {counted(ladder.height, 'agent')}, "
        f"{counted(games, 'game')}",
        "ms: milliseconds a decision.",
    )
    for heading in ("Elo, 95 %", "Lead, 95 %", "Games", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    taken = standings.milliseconds(players)
    for row in ladder.iter_rows(named=True):
        table.add_row(
            row["rank"],
            _name(row["agent"]),
            _estimate(row, "rating", number),
            _lead(row, number),
            f"{row['games']:,}",
            milliseconds(taken.get(row["agent"])),
        )
    return table


def combined_table(standings: Standings) -> Table:
    """The agents that stand on all ladders of ratings, by the mean of these."""
    table = _table(mean_of_ladders(standings.ladders()), "Each ladder has the same weight.")
    table.add_column("Agent", overflow="fold")
    table.add_column("Elo, 95 %", justify="right", no_wrap=True)
    for row in standings.combined.iter_rows(named=True):
        table.add_row(_name(row["agent"], _MATRIX_NAME), _estimate(row, "rating", number))
    return table


def solo_table(standings: Standings) -> Table:
    """The agents with games alone, by mean score."""
    table = _ranked(f"{standings.game}, 1 seat", "Leads are of the same deals.")
    for heading in ("Mean score, 95 %", "Lead, 95 %", "Median", "Deals"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in standings.solo.iter_rows(named=True):
        table.add_row(
            row["rank"],
            _name(row["agent"]),
            _estimate(row, "mean", _to_tenths),
            _lead(row, _to_tenths),
            number(row["median"], 1),
            f"{row['deals']:,}",
        )
    return table


def win_matrix(pairs: pl.DataFrame, agents: Sequence[str]) -> list[RenderableType]:
    """Shares of games in which the row's agent finished ahead of the column's, in percent.

    Args:
        pairs: The pairs of one table, as in `Standings.pairs`.
        agents: The agents on its ladder, in order.
    """
    met = {(row["agent"], row["other"]): row for row in pairs.iter_rows(named=True)}
    tables: list[RenderableType] = []
    for start in range(0, len(agents), _MATRIX_COLUMNS):
        others = agents[start : start + _MATRIX_COLUMNS]
        table = _ranked(
            "Ahead of, %" if not tables else "Ahead of, % (continued)",
            "Row against column, ties half. Bold: above 50 at 95 %; dim: below.",
            name_width=_MATRIX_NAME,
        )
        for rank in range(start + 1, start + len(others) + 1):
            table.add_column(str(rank), justify="right", no_wrap=True)
        for rank, agent in enumerate(agents, start=1):
            cells = [_share(met.get((agent, other))) for other in others]
            table.add_row(str(rank), _name(agent, _MATRIX_NAME), *cells)
        tables.append(table)
    return tables


def faults_table(standings: Standings) -> Table:
    """Who lost games by a fault, and how."""
    table = _table("Games lost by a fault")
    table.add_column("Agent", overflow="fold")
    table.add_column("Fault")
    table.add_column("Games", justify="right", no_wrap=True)
    table.add_column("Example", overflow="fold")
    for row in standings.faults.iter_rows(named=True):
        lines = [line.strip() for line in (row["example"] or NOTHING).splitlines() if line.strip()]
        # The last line of a traceback says what is wrong.
        shortened = " ... ".join([lines[0], lines[-1]]) if len(lines) > 2 else " ".join(lines)
        example = Text(shown_name(shortened, 200))
        table.add_row(_name(row["agent"]), Text(row["fault"]), f"{row['count']:,}", example)
    return table


def _ranked(title: str, caption: str, name_width: int | None = None) -> Table:
    """A table that begins with columns for rank and agent."""
    table = _table(title, caption)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("Agent", overflow="fold", max_width=name_width)
    return table


def _table(title: str, caption: str = "") -> Table:
    return Table(
        title=Text(title, style="bold"),
        title_justify="left",
        caption=Text(caption, style="dim") if caption else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )


def _name(agent: str, room: int | None = None) -> Text:
    """A name, its brackets no markup; a long one is broken behind commas and slashes."""
    name = shown_name(agent) if room is None else shown_name(agent, room)
    lines = [""]
    for part in re.findall(r"[^,/ ]*[,/ ]?", name):
        if room is None and len(lines[-1] + part) > _LINE:
            lines.append("")
        lines[-1] += part
    return Text("\n".join(line for line in lines if line))


def _estimate(row: Mapping[str, Any], column: str, write: Callable[[float], str]) -> str:
    ends = between(row["low"], row["high"], write)
    return f"{write(row[column])} ({ends})" if ends else write(row[column])


def _lead(row: Mapping[str, Any], write: Callable[[float], str]) -> str:
    """The lead on the next agent with its interval, and a mark for the verdict."""
    if row["lead"] is None:
        return ""
    ends = between(row["lead_low"], row["lead_high"], write)
    lead = f"{write(row['lead'])} ({ends})" if ends else write(row["lead"])
    return f"{lead} {_MARKS.get(row['verdict'], ' ')}"


def _share(pair: Mapping[str, Any] | None) -> Text:
    """A cell of the win matrix; empty where two never met, and of an agent with itself."""
    if pair is None:
        return Text("")
    above = pair["low"] is not None and pair["low"] > 0.5
    below = pair["high"] is not None and pair["high"] < 0.5
    return Text(percent(pair["ahead"], 0), "bold" if above else "dim" if below else "")
