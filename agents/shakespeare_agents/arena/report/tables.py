"""An arena's standings as tables: in a terminal, 80 columns wide, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shakespeare_agents.arena.wording import (
    NOTHING,
    SHARED_RANK,
    counted,
    estimate,
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
_LINE = 15
"""The most characters of a name beside the ladder's figures."""
_MATRIX_NAME = 24
_MATRIX_COLUMNS = 12
"""The most opponents beside a name in 80 columns."""


class _Row(NamedTuple):
    """A row of a ladder in words; `more` are games and milliseconds or, alone, median and deals."""

    rank: str
    agent: str
    strength: str
    lead: str
    verdict: str | None
    more: tuple[str, str]


def _ladders(standings: Standings) -> Iterator[tuple[int, int, list[_Row]]]:
    """Seats, games and rows of the ladders of ratings, then those of the solo games."""
    for players, ladder in standings.ladders().items():
        taken = standings.milliseconds(players)
        rows = [
            _row(row, "rating", 0, (number(row["games"]), milliseconds(taken.get(row["agent"]))))
            for row in ladder.to_dicts()
        ]
        yield players, int(ladder["games"].sum()) // players, rows
    if standings.solo.height:
        rows = [
            _row(row, "mean", 1, (number(row["median"], 1), number(row["deals"])))
            for row in standings.solo.to_dicts()
        ]
        yield 1, int(standings.solo["deals"].sum()), rows


def _row(row: Mapping[str, Any], value: str, digits: int, more: tuple[str, str]) -> _Row:
    strength = estimate(row[value], row["low"], row["high"], digits)
    lead = estimate(row["lead"], row["lead_low"], row["lead_high"], digits)
    return _Row(row["rank"], row["agent"], strength, lead, row["verdict"], more)


# ------------------------------------------------------------------------------------ in a terminal


def standings_tables(standings: Standings) -> RenderableType:
    """All tables with data, for live display and at the end."""
    parts: list[RenderableType] = []
    solo: list[RenderableType] = []
    for players, games, rows in _ladders(standings):
        if players == 1:
            headings = ("Mean score, 95 %", "Lead, 95 %", "Median", "Deals")
            title, caption = f"{standings.game}, 1 seat", "Leads are of the same deals."
            solo.append(_ladder_table(title, caption, headings, rows))
            continue
        title = f"{standings.game}, {counted(players, 'seat')}: {counted(len(rows), 'agent')}, "
        headings = ("Elo, 95 %", "Lead, 95 %", "Games", "ms")
        caption = "ms: milliseconds a decision."
        parts.append(_ladder_table(title + counted(games, "game"), caption, headings, rows))
        parts += _win_matrix(standings.pairs.filter(players=players), [row.agent for row in rows])
    if standings.combined.height:
        weights = "Each ladder has the same weight."
        table = _table(mean_of_ladders(standings.ladders()), weights, "Agent", "Elo, 95 %")
        for row in standings.combined.to_dicts():
            rating = estimate(row["rating"], row["low"], row["high"])
            table.add_row(_name(row["agent"], _MATRIX_NAME), rating)
        parts.append(table)
    parts += solo
    if parts:
        parts.append(Text(_LEGEND, style="dim"))
    if standings.faults.height:
        parts.append(_faults_table(standings))
    if not parts:
        parts.append(Text("No game has been finished yet."))
    return Group(*(Padding(part, (0, 0, 1, 0)) for part in parts))


def _ladder_table(title: str, caption: str, headings: Sequence[str], rows: Sequence[_Row]) -> Table:
    table = _table(title, caption, "#", "Agent", *headings)
    for row in rows:
        lead = row.lead and f"{row.lead} {_MARKS.get(row.verdict or '', ' ')}"
        table.add_row(row.rank, _name(row.agent), row.strength, lead, *row.more)
    return table


def _win_matrix(pairs: pl.DataFrame, agents: Sequence[str]) -> Iterator[Table]:
    """Shares of games in which the row's agent finished ahead of the column's, in percent.

    Args:
        pairs: The pairs of one table, as in `Standings.pairs`.
        agents: The agents on its ladder, in order.
    """
    met = {(row["agent"], row["other"]): row for row in pairs.to_dicts()}
    caption = "Row against column, ties half. Bold: above 50 at 95 %; dim: below."
    for start in range(0, len(agents), _MATRIX_COLUMNS):
        others = agents[start : start + _MATRIX_COLUMNS]
        title = "Ahead of, % (continued)" if start else "Ahead of, %"
        ranks = map(str, range(start + 1, start + len(others) + 1))
        table = _table(title, caption, "#", "Agent", *ranks, name_width=_MATRIX_NAME)
        for rank, agent in enumerate(agents, start=1):
            cells = [_share(met.get((agent, other))) for other in others]
            table.add_row(str(rank), _name(agent, _MATRIX_NAME), *cells)
        yield table


def _share(pair: Mapping[str, Any] | None) -> Text:
    """A cell of the win matrix; empty where two never met, and of an agent with itself."""
    if pair is None:
        return Text("")
    above = pair["low"] is not None and pair["low"] > 0.5
    below = pair["high"] is not None and pair["high"] < 0.5
    return Text(percent(pair["ahead"], 0), "bold" if above else "dim" if below else "")


def _faults_table(standings: Standings) -> Table:
    """Who lost games by a fault, and how."""
    table = _table("Games lost by a fault", "", "Agent")
    table.add_column("Fault")
    table.add_column("Games", justify="right", no_wrap=True)
    table.add_column("Example", overflow="fold")
    for row in standings.faults.to_dicts():
        lines = [line.strip() for line in (row["example"] or NOTHING).splitlines() if line.strip()]
        # The last line of a traceback says what is wrong.
        shortened = " ... ".join([lines[0], lines[-1]]) if len(lines) > 2 else " ".join(lines)
        example = Text(shown_name(shortened, 200))
        table.add_row(_name(row["agent"]), Text(row["fault"]), f"{row['count']:,}", example)
    return table


def _table(title: str, caption: str, *headings: str, name_width: int | None = None) -> Table:
    """A table of agents and figures."""
    table = Table(
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
    for heading in headings:
        if heading == "Agent":
            table.add_column(heading, overflow="fold", max_width=name_width)
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    return table


def _name(agent: str, room: int | None = None) -> Text:
    """A name, its brackets no markup; a long one is broken behind commas and slashes."""
    name = shown_name(agent) if room is None else shown_name(agent, room)
    lines = [""]
    for part in re.findall(r"[^,/ ]*[,/ ]?", name):
        if room is None and len(lines[-1] + part) > _LINE:
            lines.append("")
        lines[-1] += part
    return Text("\n".join(line for line in lines if line))


# -------------------------------------------------------------------------------------- as Markdown


def ladder_markdown(standings: Standings) -> str:
    """The ladders as Markdown tables by number of seats, then the mean of the rating ladders."""
    parts, shared = [], False
    for players, games, rows in _ladders(standings):
        value, *more = ("Mean score", "Median", "Deals") if players == 1 else _ELO
        cells = [(row.rank, _code(row.agent), row.strength, row.lead, *row.more) for row in rows]
        title = f"{counted(players, 'seat')}, {counted(games, 'game')}:"
        parts.append(_markdown(title, ("#", "Agent", value, "Lead on the next", *more), cells))
        shared |= any(row.rank.endswith("=") for row in rows)
    if shared:
        parts.append(f"{SHARED_RANK}\n")
    if standings.combined.height:
        means = [
            (_code(row["agent"]), estimate(row["rating"], row["low"], row["high"]))
            for row in standings.combined.to_dicts()
        ]
        mean = f"{mean_of_ladders(standings.ladders())}, Elo"
        title = "Over all tables, each ladder with the same weight:"
        parts.append(_markdown(title, ("Agent", mean), means))
    return "\n".join(parts)


_ELO = ("Elo", "Games", "ms a decision")


def _markdown(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Names stand on the left, figures on the right."""
    rule = ["---" if heading == "Agent" else "---:" for heading in headings]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in (headings, rule, *rows))
    return f"{caption}\n\n{lines}\n"


def _code(agent: str) -> str:
    """A name as Markdown code, safe for backticks and bars."""
    name = shown_name(agent).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"
