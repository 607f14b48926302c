"""Standings as tables: in a terminal, 80 columns wide, as Markdown, and for the report."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shakespeare_arena.wording import (
    counted,
    estimate,
    mean_of_ladders,
    milliseconds,
    number,
    percent,
    shown_name,
)

if TYPE_CHECKING:
    from shakespeare_arena.standings import Standings

RANKS = (
    "A rank is one more than the number of agents that are surely stronger (at 95 %); "
    "= marks shared ones."
)
VERDICTS = (
    "Behind a lead on the next agent: > stronger, = equal, ? open; all verdicts on all ladders are "
    "right together at 95 %, so they are stricter than each interval."
)
_MARKS = {"stronger": ">", "equal": "=", "open": "?"}
_TEXTS = {"Agent", "Other", "Fault", "Example"}
"""Headings of columns that stand on the left."""
_WORST = 5
"""The number of pairs that a ladder shows as those it fits worst."""
_NARROW = 12
"""The most opponents beside a name in 80 columns."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sheet:
    """A table in words.

    Attributes:
        title: Above it.
        headings: One a column.
        rows: Its cells; agents' names are not shortened yet.
        note: Below it.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def is_text(self, column: int) -> bool:
        """Whether a column holds texts, which stand on the left."""
        return self.headings[column] in _TEXTS


def ladder_sheets(standings: Standings) -> Iterator[Sheet]:
    """The ladders of ratings by number of seats, then that of the solo games."""
    for players, ladder in standings.ladders().items():
        taken = standings.milliseconds(players)
        games = counted(int(ladder["games"].sum()) // players, "game")
        rows = [
            [
                *_ranked(row, "rating", 0),
                number(row["games"]),
                milliseconds(taken.get(row["agent"])),
            ]
            for row in ladder.to_dicts()
        ]
        headings = ("#", "Agent", "Elo, 95 %", "Lead, 95 %", "Games", "ms")
        yield Sheet(
            f"{counted(players, 'seat')}, {games}", headings, rows, "ms: milliseconds a decision."
        )
    if standings.solo.height:
        rows = [
            [*_ranked(row, "mean", 1), number(row["median"], 1), number(row["deals"])]
            for row in standings.solo.to_dicts()
        ]
        headings = ("#", "Agent", "Mean score, 95 %", "Lead, 95 %", "Median", "Deals")
        games = counted(int(standings.solo["deals"].sum()), "game")
        yield Sheet(f"1 seat, {games}", headings, rows, "Leads are of the same deals.")


def _ranked(row: Row, value: str, digits: int) -> list[str]:
    """Rank, agent, strength and the lead on the next."""
    lead = estimate(row["lead"], row["lead_low"], row["lead_high"], digits)
    mark = _MARKS.get(row["verdict"] or "", "")
    strength = estimate(row[value], row["low"], row["high"], digits)
    return [row["rank"], row["agent"], strength, f"{lead} {mark}".strip()]


def combined_sheets(standings: Standings) -> Iterator[Sheet]:
    """The mean of the ladders, if there is one."""
    if standings.combined.height:
        rows = [
            [row["agent"], estimate(row["rating"], row["low"], row["high"])]
            for row in standings.combined.to_dicts()
        ]
        title = mean_of_ladders(standings.ladders())
        note = "Each ladder has the same weight."
        yield Sheet(title, ("Agent", "Elo, 95 %"), rows, note)


def fit_sheets(standings: Standings) -> Iterator[Sheet]:
    """How well each ladder fits, and the pairs that it fits worst."""
    for fit in standings.fits.to_dicts():
        pairs = standings.pairs.filter(players=fit["players"]).drop_nulls("z").to_dicts()
        worst = sorted((one for one in pairs if one["z"] > 0), key=lambda one: -one["z"])[:_WORST]
        rows = [
            [
                pair["agent"],
                pair["other"],
                _percents(pair, "ahead"),
                percent(pair["expected"]),
                number(pair["z"], 1),
            ]
            for pair in worst
        ]
        p = f"p {number(fit['p'], 3)}" if fit["p"] >= 0.001 else "p < 0.001"
        says = (
            f"One number an agent does not explain these pairs: measured pairs go before ratings, "
            f"whose intervals are {fit['widening']:.1f} times as wide."
            if fit["widening"] > 1
            else "One number an agent explains these pairs as far as games tell."
        )
        yield Sheet(
            f"Fit, {counted(fit['players'], 'seat')}: chi-square {number(fit['chi_square'], 1)} "
            f"over {counted(fit['compared'], 'pair')}, {fit['freedom']} df, {p}",
            ("Agent", "Other", "Ahead, %", "Expected, %", "z"),
            rows,
            f"{says} Worst pairs; z: standard errors between.",
        )


def matrix_sheets(standings: Standings, columns: int = 1000) -> Iterator[Sheet]:
    """How often each finished ahead of each, with at most so many columns of opponents."""
    for players, ladder in standings.ladders().items():
        agents = ladder["agent"].to_list()
        pairs = standings.pairs.filter(players=players).to_dicts()
        met = {(row["agent"], row["other"]): row for row in pairs}
        for start in range(0, len(agents), columns):
            others = agents[start : start + columns]
            rows = [
                [str(rank), agent, *(_share(met.get((agent, other))) for other in others)]
                for rank, agent in enumerate(agents, 1)
            ]
            ranks = map(str, range(start + 1, start + len(others) + 1))
            yield Sheet(
                f"Ahead of, %, {counted(players, 'seat')}{' (continued)' if start else ''}",
                ("#", "Agent", *ranks),
                rows,
                "Row against column, ties half; * surely other than 50.",
            )


def _share(pair: Row | None) -> str:
    """A cell of the matrix; empty where two never met, and of an agent with itself."""
    if pair is None:
        return ""
    sure = pair["low"] is not None and not pair["low"] <= 0.5 <= pair["high"]
    return percent(pair["ahead"], 0) + "*" * sure


def table_sheets(standings: Standings) -> Iterator[Sheet]:
    """Shares of victory and scores by number of seats, in the order of the ladders."""
    for players, ladder in standings.ladders().items():
        of_each = {row["agent"]: row for row in standings.tables.filter(players=players).to_dicts()}
        rows = [
            [
                agent,
                _percents(of_each[agent], "win_rate"),
                estimate(*_ends(of_each[agent], "mean_score", "score_"), digits=1),
            ]
            for agent in ladder["agent"]
        ]
        note = f"Equal agents win {percent(1 / players)} %. Scores leave forfeited games out."
        headings = ("Agent", "Won, %", "Mean score")
        yield Sheet(counted(players, "seat"), headings, rows, note)


def pair_sheets(standings: Standings) -> Iterator[Sheet]:
    """All pairs that met, once each: who finished ahead, what ratings expect, and scores."""
    for players, ladder in standings.ladders().items():
        rank = {agent: place for place, agent in enumerate(ladder["agent"])}
        met = standings.pairs.filter(players=players).to_dicts()
        once = [pair for pair in met if rank[pair["agent"]] < rank[pair["other"]]]
        once.sort(key=lambda pair: (rank[pair["agent"]], rank[pair["other"]]))
        rows = [
            [
                pair["agent"],
                pair["other"],
                number(pair["games"]),
                _percents(pair, "ahead"),
                percent(pair["expected"]),
                estimate(*_ends(pair, "score_lead", "score_"), digits=2),
            ]
            for pair in once
        ]
        headings = ("Agent", "Other", "Games", "Ahead, %", "Expected, %", "Score difference")
        if rows:
            yield Sheet(counted(players, "seat"), headings, rows)


def fault_sheets(standings: Standings) -> Iterator[Sheet]:
    """Who lost games by a fault, and how."""
    rows = []
    for row in standings.faults.to_dicts():
        example = shown_name(" ".join(row["example"].split()), 200)
        rows.append([row["agent"], row["fault"], number(row["count"]), example])
    if rows:
        headings = ("Agent", "Fault", "Games", "Example")
        yield Sheet("Games lost by a fault", headings, rows)


def _ends(row: Row, value: str, prefix: str = "") -> tuple[Any, Any, Any]:
    return row[value], row[f"{prefix}low"], row[f"{prefix}high"]


def _percents(row: Row, value: str) -> str:
    rate, low, high = (None if end is None else 100 * end for end in _ends(row, value))
    return estimate(rate, low, high, 1)


# ------------------------------------------------------------------------------------ in a terminal


def standings_tables(standings: Standings) -> RenderableType:
    """The ladders and what else has data, in 80 columns."""
    parts = [
        [*ladder_sheets(standings)],
        [*fit_sheets(standings), *matrix_sheets(standings, _NARROW)],
    ]
    sheets = [
        *itertools.chain(*(parts[::-1] if standings.misfit else parts)),
        *combined_sheets(standings),
        *fault_sheets(standings),
    ]
    if not sheets:
        return Text("No game has been finished yet.")
    legend = Text(f"{RANKS} {VERDICTS}", style="dim")
    shown: list[RenderableType] = [*map(_table, sheets), legend]
    return Group(*(Padding(part, (0, 0, 1, 0)) for part in shown))


def _table(sheet: Sheet) -> Table:
    table = Table(
        title=Text(sheet.title, style="bold"),
        title_justify="left",
        caption=Text(sheet.note, style="dim") if sheet.note else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    for column, heading in enumerate(sheet.headings):
        if sheet.is_text(column):
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    for row in sheet.rows:
        table.add_row(*(Text(shown_name(cell, 200)) for cell in row))
    return table


# -------------------------------------------------------------------------------------- as Markdown


def ladder_markdown(standings: Standings) -> str:
    """The ladders and how well they fit as Markdown tables, then the mean of the ladders."""
    parts = [[*ladder_sheets(standings)], [*fit_sheets(standings)]]
    ordered = itertools.chain(*(parts[::-1] if standings.misfit else parts))
    ladders = [*ordered, *combined_sheets(standings)]
    return "\n".join([*map(markdown, ladders), f"{RANKS} {VERDICTS}\n"])


def markdown(sheet: Sheet) -> str:
    """A sheet as a Markdown table under its title."""
    rule = ["---" if sheet.is_text(column) else "---:" for column in range(len(sheet.headings))]
    rows = [
        [
            _code(cell) if sheet.is_text(column) else cell.replace("*", r"\*")
            for column, cell in enumerate(row)
        ]
        for row in sheet.rows
    ]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in (sheet.headings, rule, *rows))
    note = sheet.note.replace("*", r"\*")
    return f"{sheet.title}:\n\n{lines}\n" + (f"\n{note}\n" if note else "")


def _code(agent: str) -> str:
    """A name as Markdown code, safe for backticks and bars."""
    name = shown_name(agent).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"
