"""Standings as sheets of text, and their layout for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shakespeare_arena.reports import (
    counted,
    format_estimate,
    format_milliseconds,
    format_number,
    printable_name,
)

if TYPE_CHECKING:
    from shakespeare_arena.ladders.standings import Standings

RANKS_EXPLAINED = (
    "A rank is one more than the number of agents that are surely stronger (at 95 %); "
    "= marks shared ones."
)
VERDICTS_EXPLAINED = (
    "The mark behind a lead compares the agent with the next one: > stronger, = equal, ? open. The "
    "verdicts on all ladders are jointly right with 95 % confidence, so they are stricter than the "
    "single intervals."
)
_MARKS = {"stronger": ">", "equal": "=", "open": "?", None: ""}
_TEXTS = {"Agent", "Other", "Fault", "Example", "Digest"}
"""Headings of columns that are aligned left."""
_WORST = 5  # the number of worst-fitting pairs shown for a ladder
_MOST_OPPONENTS = 12  # the most columns of opponents beside a name in 80 columns
_LONGEST_CELL = 200  # the most characters of a cell


@dataclass(frozen=True)
class Sheet:
    """A table whose cells are texts, with a title above and a note below.

    Names are complete. The code that prints a sheet shortens them.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def is_text(self, column: int) -> bool:
        """Return whether a column holds texts, which are aligned left."""
        return self.headings[column] in _TEXTS


def ladder_sheets(standings: Standings) -> Iterator[Sheet]:
    """Yield the ladder of ratings of each number of seats, then that of the solo games."""
    for players, ladder in standings.ladders().items():
        milliseconds = standings.milliseconds(players)
        rows = []
        for row in ladder.to_dicts():
            games = format_number(row["games"])
            time = format_milliseconds(milliseconds.get(row["agent"]))
            rows.append([*_ranked(row, "rating", digits=0), games, time])
        games_at_table = int(ladder["games"].sum()) // players
        yield Sheet(
            f"{counted(players, 'seat')}, {counted(games_at_table, 'game')}",
            ("#", "Agent", "Elo, 95 %", "Lead, 95 %", "Games", "ms"),
            rows,
            "ms: milliseconds a decision.",
        )
    if standings.solo.height:
        rows = []
        for row in standings.solo.to_dicts():
            median = format_number(row["median"], 1)
            rows.append([*_ranked(row, "mean", digits=1), median, format_number(row["deals"])])
        yield Sheet(
            f"1 seat, {counted(int(standings.solo['deals'].sum()), 'game')}",
            ("#", "Agent", "Mean score, 95 %", "Lead, 95 %", "Median", "Deals"),
            rows,
            "A lead is over the deals that both agents played.",
        )


def _ranked(row: Mapping[str, Any], value: str, digits: int) -> list[str]:
    """Return the first cells of a ladder's row: rank, agent, the value, and the marked lead.

    The value's interval is in the columns `low` and `high`, the lead's in `lead_low` and
    `lead_high`.
    """
    lead = f"{format_estimate(row, 'lead', 'lead_', digits)} {_MARKS[row['verdict']]}"
    return [row["rank"], row["agent"], format_estimate(row, value, digits=digits), lead.strip()]


def fit_sheets(standings: Standings) -> Iterator[Sheet]:
    """Yield for each ladder how well it fits, and the pairs that it fits worst."""
    for fit in standings.fits.to_dicts():
        pairs = standings.pairs.filter(players=fit["players"]).drop_nulls("z").to_dicts()
        more_than_expected = (pair for pair in pairs if pair["z"] > 0)
        worst = sorted(more_than_expected, key=lambda pair: -pair["z"])[:_WORST]
        p = f"p {format_number(fit['p'], 3)}" if fit["p"] >= 0.001 else "p < 0.001"
        if fit["widening"] > 1:
            conclusion = (
                "One rating per agent does not explain these pairs. Trust measured pairs more "
                f"than ratings, whose intervals were made {fit['widening']:.1f} times as wide."
            )
        else:
            conclusion = "One rating per agent explains these pairs as far as games tell."
        yield Sheet(
            f"Fit, {counted(fit['players'], 'seat')}: "
            f"chi-square {format_number(fit['chi_square'], 1)} "
            f"over {counted(fit['compared'], 'pair')}, {fit['freedom']} df, {p}",
            ("Agent", "Other", "Ahead, %", "Expected, %", "z"),
            [_fit_row(pair) for pair in worst],
            f"{conclusion} The pairs that fit worst; z: the difference in standard errors.",
        )


def _fit_row(pair: Mapping[str, Any]) -> list[str]:
    return [
        pair["agent"],
        pair["other"],
        format_estimate(pair, "ahead", digits=1, unit=100),
        format_number(100 * pair["expected"], 1),
        format_number(pair["z"], 1),
    ]


def matrix_sheets(standings: Standings, columns: int = _MOST_OPPONENTS) -> Iterator[Sheet]:
    """Yield how often each agent finished ahead of each other, with some opponents a sheet."""
    for players, ladder in standings.ladders().items():
        agents = ladder["agent"].to_list()
        pairs = standings.pairs.filter(players=players).to_dicts()
        met = {(pair["agent"], pair["other"]): pair for pair in pairs}
        for start in range(0, len(agents), columns):
            opponents = agents[start : start + columns]
            ranks = [str(start + column + 1) for column in range(len(opponents))]
            rows = []
            for rank, agent in enumerate(agents, 1):
                shares = [_share_ahead(met.get((agent, opponent))) for opponent in opponents]
                rows.append([str(rank), agent, *shares])
            yield Sheet(
                f"Ahead of, %, {counted(players, 'seat')}{' (continued)' if start else ''}",
                ("#", "Agent", *ranks),
                rows,
                "How often the row's agent finished ahead of the column's; ties count half. "
                "* surely other than 50.",
            )


def _share_ahead(pair: Mapping[str, Any] | None) -> str:
    if pair is None:  # the two never met, or are the same agent
        return ""
    is_sure = pair["low"] is not None and not pair["low"] <= 0.5 <= pair["high"]
    return format_number(100 * pair["ahead"]) + ("*" if is_sure else "")


def table_sheets(standings: Standings) -> Iterator[Sheet]:
    """Yield shares of the victory and scores by number of seats, in the order of the ladders."""
    for players, ladder in standings.ladders().items():
        at_table = standings.tables.filter(players=players).to_dicts()
        by_agent = {row["agent"]: row for row in at_table}
        rows = []
        for agent in ladder["agent"]:
            row = by_agent[agent]
            won = format_estimate(row, "win_rate", digits=1, unit=100)
            rows.append([agent, won, format_estimate(row, "mean_score", "score_", 1)])
        parity = format_number(100 / players, 1)
        yield Sheet(
            counted(players, "seat"),
            ("Agent", "Won, %", "Mean score"),
            rows,
            f"Equal agents win {parity} %. Scores leave forfeited games out.",
        )


def fault_sheets(standings: Standings) -> Iterator[Sheet]:
    """Yield a sheet of the games that agents lost by faults, if there are any."""
    if not standings.faults.height:
        return
    rows = []
    for agent, fault, count, example in standings.faults.iter_rows():
        on_one_line = printable_name(" ".join(example.split()), _LONGEST_CELL)
        rows.append([agent, fault, format_number(count), on_one_line])
    yield Sheet("Games lost by a fault", ("Agent", "Fault", "Games", "Example"), rows)


# ------------------------------------------------------------------------------------ in a terminal


def standings_tables(standings: Standings, extra: Sequence[Sheet] = ()) -> RenderableType:
    """Return the ladders and all other sheets with data as Rich tables, then extra sheets."""
    if not standings.games:
        return Text("No game has been finished yet.")
    pairs = [*fit_sheets(standings), *matrix_sheets(standings)]
    sheets = [*ladders_and_pairs(standings, pairs), *fault_sheets(standings), *extra]
    parts: list[RenderableType] = [_table(sheet) for sheet in sheets]
    parts.append(Text(f"{RANKS_EXPLAINED} {VERDICTS_EXPLAINED}", style="dim"))
    return Group(*(Padding(part, (0, 0, 1, 0)) for part in parts))


def ladders_and_pairs(standings: Standings, pairs: list[Sheet]) -> list[Sheet]:
    """Return ladders, then the sheets about pairs. The latter come first if ratings misfit.

    Ratings misfit if one rating per agent does not explain the games at some number of seats.
    """
    ladders = list(ladder_sheets(standings))
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
        table.add_row(*(Text(printable_name(cell, _LONGEST_CELL)) for cell in row))
    return table
