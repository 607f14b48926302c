"""Standings as tables for a terminal, 80 columns wide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

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
_MARKS = {"stronger": ">", "equal": "=", "open": "?", None: ""}
_TEXTS = {"Agent", "Other", "Fault", "Example", "Digest"}
"""Headings of columns that stand on the left."""
_WORST = 5  # the number of pairs that a ladder shows as those it fits worst
_NARROW = 12  # the most opponents beside a name in 80 columns
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sheet:
    """A table in words, with a title above and a note below; names are not shortened yet."""

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
        rows = [
            [
                *_ranked(row, "rating", 0),
                number(row["games"]),
                milliseconds(taken.get(row["agent"])),
            ]
            for row in ladder.to_dicts()
        ]
        yield Sheet(
            f"{counted(players, 'seat')}, {counted(int(ladder['games'].sum()) // players, 'game')}",
            ("#", "Agent", "Elo, 95 %", "Lead, 95 %", "Games", "ms"),
            rows,
            "ms: milliseconds a decision.",
        )
    if standings.solo.height:
        yield Sheet(
            f"1 seat, {counted(int(standings.solo['deals'].sum()), 'game')}",
            ("#", "Agent", "Mean score, 95 %", "Lead, 95 %", "Median", "Deals"),
            [
                [*_ranked(row, "mean", 1), number(row["median"], 1), number(row["deals"])]
                for row in standings.solo.to_dicts()
            ],
            "Leads are of the same deals.",
        )


def _ranked(row: Row, value: str, digits: int) -> list[str]:
    lead = f"{estimate(row, 'lead', 'lead_', digits)} {_MARKS[row['verdict']]}"
    return [row["rank"], row["agent"], estimate(row, value, digits=digits), lead.strip()]


def fit_sheets(standings: Standings) -> Iterator[Sheet]:
    """How well each ladder fits, and the pairs that it fits worst."""
    for fit in standings.fits.to_dicts():
        pairs = standings.pairs.filter(players=fit["players"]).drop_nulls("z").to_dicts()
        worst = sorted((pair for pair in pairs if pair["z"] > 0), key=lambda pair: -pair["z"])
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
            [[*_ahead(pair), number(pair["z"], 1)] for pair in worst[:_WORST]],
            f"{says} Worst pairs; z: standard errors between.",
        )


def _ahead(pair: Row) -> list[str]:
    ahead = estimate(pair, "ahead", digits=1, unit=100)
    return [pair["agent"], pair["other"], ahead, number(100 * pair["expected"], 1)]


def matrix_sheets(standings: Standings) -> Iterator[Sheet]:
    """How often each finished ahead of each, with at most `_NARROW` columns of opponents."""

    def share(pair: Row | None) -> str:
        if pair is None:  # the two never met, or an agent and itself
            return ""
        sure = pair["low"] is not None and not pair["low"] <= 0.5 <= pair["high"]
        return number(100 * pair["ahead"]) + "*" * sure

    for players, ladder in standings.ladders().items():
        agents = ladder["agent"].to_list()
        pairs = standings.pairs.filter(players=players).to_dicts()
        met = {(row["agent"], row["other"]): row for row in pairs}
        for start in range(0, len(agents), _NARROW):
            others = agents[start : start + _NARROW]
            ranks = map(str, range(start + 1, start + len(others) + 1))
            yield Sheet(
                f"Ahead of, %, {counted(players, 'seat')}{' (continued)' if start else ''}",
                ("#", "Agent", *ranks),
                [
                    [str(rank), agent, *(share(met.get((agent, other))) for other in others)]
                    for rank, agent in enumerate(agents, 1)
                ],
                "Row against column, ties half; * surely other than 50.",
            )


def table_sheets(standings: Standings) -> Iterator[Sheet]:
    """Shares of victory and scores by number of seats, in the order of the ladders."""
    for players, ladder in standings.ladders().items():
        of_each = {row["agent"]: row for row in standings.tables.filter(players=players).to_dicts()}
        yield Sheet(
            counted(players, "seat"),
            ("Agent", "Won, %", "Mean score"),
            [
                [
                    agent,
                    estimate(of_each[agent], "win_rate", digits=1, unit=100),
                    estimate(of_each[agent], "mean_score", "score_", 1),
                ]
                for agent in ladder["agent"]
            ],
            f"Equal agents win {number(100 / players, 1)} %. Scores leave forfeited games out.",
        )


def fault_sheets(standings: Standings) -> Iterator[Sheet]:
    """Who lost games by a fault, and how."""
    if standings.faults.height:
        yield Sheet(
            "Games lost by a fault",
            ("Agent", "Fault", "Games", "Example"),
            [
                [agent, fault, number(count), shown_name(" ".join(example.split()), 200)]
                for agent, fault, count, example in standings.faults.iter_rows()
            ],
        )


# ------------------------------------------------------------------------------------ in a terminal


def standings_tables(standings: Standings, more: Sequence[Sheet] = ()) -> RenderableType:
    """The ladders and what else has data, in 80 columns, then more sheets."""
    if not standings.games:
        return Text("No game has been finished yet.")
    pairs = [*fit_sheets(standings), *matrix_sheets(standings)]
    sheets = [*in_order(standings, pairs), *fault_sheets(standings)]
    sheets += more
    shown: list[RenderableType] = [*map(_table, sheets), Text(f"{RANKS} {VERDICTS}", style="dim")]
    return Group(*(Padding(part, (0, 0, 1, 0)) for part in shown))


def in_order(standings: Standings, pairs: list[Sheet]) -> list[Sheet]:
    """The ladders and sheets on pairs, which come first where ratings do not tell them."""
    ladders = [*ladder_sheets(standings)]
    return pairs + ladders if standings.misfit else ladders + pairs


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


# ----------------------------------------------------------------------------- words and numbers


def shown_name(name: str, room: int = 48) -> str:
    """An agent's name on one line, at most `room` characters: signs that do not print replaced.

    Names come from users, and some signs move a terminal's cursor or turn the text around. Long
    names lose their middle: paths differ at their ends.
    """
    printable = "".join(sign if sign.isprintable() else "\ufffd" for sign in name)
    if len(printable) <= room:
        return printable
    kept = room - 1
    return f"{printable[: kept - kept // 2]}…{printable[len(printable) - kept // 2 :]}"


def number(value: float | None, digits: int = 0) -> str:
    """A number with grouped thousands and `digits` decimals."""
    if value is None or not math.isfinite(value):
        return "–"
    # Adding 0 turns a rounded −0 into 0.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def milliseconds(value: float | None) -> str:
    """Two significant digits, three decimals at most: 0.004, 0.90, 24, 1,600."""
    if value is None or value >= 9.95 or value == 0:
        return number(value)
    return number(value, min(3, 1 - math.floor(math.log10(value))))


def estimate(row: Row, value: str, ends: str = "", digits: int = 0, unit: int = 1) -> str:
    """A figure and its interval: `213 (195 to 232)`; nothing without it."""
    figures = [row[name] for name in (value, f"{ends}low", f"{ends}high")]
    if figures[0] is None:
        return ""
    shown, low, high = (number(figure and unit * figure, digits) for figure in figures)
    return shown if None in figures else f"{shown} ({low} to {high})"


def counted(count: int, noun: str) -> str:
    """`1 game`, `1,200 games`."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"
