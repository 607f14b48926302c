"""Standings in the terminal and as Markdown, whatever the names of agents contain."""

import io
import re

import pytest
from rich.console import Console

from benchmarks.leaderboards.pages import ladder_markdown
from shakespeare_arena.ladders.sheets import standings_tables, table_sheets
from shakespeare_arena.ladders.standings import standings_of
from shakespeare_arena.reports import printable_name
from tests.arena.simulated_results import simulated

NAMES = ("search,simulations=256", "network", "heuristic", "greedy", "random")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} $x$",
    "[bold]x[/bold] [/]",
    "a\x1b[31mred\x07\u202e\r\nb",
    "|`*_[a](b)",
    "y" * 500,
)
"""Names that mean something to HTML, terminals or Markdown, and a long one."""


@pytest.fixture(scope="module", params=[NAMES, HOSTILE, ("a", "b"), ()], ids=len)
def standings(request):
    """Return standings of agents, strongest first. The last one forfeits some of its games."""
    names = request.param
    if not names:
        return standings_of(simulated({"nobody": 0.0}, tables=(1,), matches=1).head(0))
    strengths = {name: -200.0 * place for place, name in enumerate(names)}
    tables = (1, 2, 4) if len(names) > 2 else (1,)
    return standings_of(simulated(strengths, tables=tables, matches=60, forfeits={names[-1]: 0.1}))


def estimate(row, name, digits=0):
    """Format an estimate with its interval."""
    value, low, high = [f"{row[column]:.{digits}f}" for column in (name, "low", "high")]
    return f"{value} ({low} to {high})".replace("-", "−")


def test_all_estimates_are_shown_within_80_columns(standings):
    text = io.StringIO()
    Console(file=text, width=80, color_system=None).print(
        standings_tables(standings, [*table_sheets(standings)])
    )
    said = text.getvalue()
    assert all(sign.isprintable() or sign == "\n" for sign in said)
    assert max(map(len, said.splitlines())) <= 80
    for row in standings.ladder.to_dicts():
        assert estimate(row, "rating") in said
    for row in standings.solo.to_dicts():
        assert estimate(row, "mean", digits=1) in said
    if not standings.games:
        assert said.strip() == "No game has been finished yet."


def test_markdown_has_a_row_for_each_agent_and_no_name_ends_its_cell(standings):
    text = ladder_markdown(standings)
    rows = [line for line in text.splitlines() if re.match(r"\| \d+=? \|", line)]
    assert len(rows) == standings.ladder.height + standings.solo.height
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} <= {7}
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert printable_name("runs/" + "x" * 90 + "/final", 20) == "runs/xxxxx…xxx/final"
