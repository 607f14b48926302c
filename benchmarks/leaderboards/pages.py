"""The leaderboards' pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from benchmarks.leaderboards.strength import strength_svg
from shakespeare_agents.arena.leaderboard import ladder_markdown, ladder_svg
from shakespeare_agents.arena.report import about_results, write_report
from shakespeare_agents.arena.standings import Standings, standings_of
from shakespeare_agents.storage import write_atomically
from shakespeare_env.core import registry
from shakespeare_env.datasets.results_reading import read_results

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "leaderboards.md"


def fields_of(name: str) -> list[Path]:
    """The files of a game's fields, in the order in which they are played."""
    return sorted(HERE.glob(f"{name}*.toml"), key=lambda path: path.stem)


def standings_by_game() -> dict[str, Standings]:
    """The standings by the games that are kept."""
    return {name: standings_of(read_results(HERE / name)) for name in registry.names()}


def write_pages() -> Iterator[Path]:
    """Write the page, pictures and reports; what was written."""
    standings = standings_by_game()
    for name, found in standings.items():
        folder = ROOT / "docs" / name
        write_atomically(folder / "ladder.svg", ladder_svg(found).encode())
        write_atomically(folder / "strength.svg", strength_svg(found))
        fields = [path.read_text(encoding="utf-8") for path in fields_of(name)]
        about = replace(
            about_results(HERE / name, read_results(HERE / name)),
            command="make leaderboards",
            field="\n".join(fields),
        )
        write_report(found, about, folder / "arena.html")
        yield from (folder / "ladder.svg", folder / "strength.svg", folder / "arena.html")
    write_atomically(PAGE, page(standings).encode())
    yield PAGE


def page(standings: dict[str, Standings]) -> str:
    """docs/leaderboards.md."""
    introduction = (HERE / "introduction.md").read_text(encoding="utf-8")
    return "\n".join([introduction, *(_section(name, found) for name, found in standings.items())])


def _section(name: str, found: Standings) -> str:
    parts = [
        f"## {name.capitalize()}",
        f"{_counted(found)}: [the whole report]({name}/arena.html).",
        f"![The ladders of {name}, with intervals]({name}/ladder.svg)",
        ladder_markdown(found),
        _cycles(found.cycles),
        f"![Strength against time a decision, {name}]({name}/strength.svg)",
        "Win rates, mean scores, and how often the row's agent finished ahead of the column's, %, "
        "ties half:",
        *(_table(found, players) for players in found.ladders()),
        "Win rates and scores depend on whom the arena made an agent meet: read "
        "them beside the ratings, not instead of them.",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _counted(found: Standings) -> str:
    return f"{found.games:,} games of {found.matches:,} matches"


def _table(found: Standings, players: int) -> str:
    """Win rates and scores at a table, and who finished ahead of whom."""
    ladder = found.ladders()[players]
    order = ladder["agent"].to_list()
    own = {row["agent"]: row for row in found.tables.filter(players=players).to_dicts()}
    pairs = found.pairs.filter(players=players).to_dicts()
    ahead = {(row["agent"], row["other"]): row["ahead"] for row in pairs}
    rows = [
        [f"{place} `{agent}`", _share(own[agent]), f"{own[agent]['mean_score']:.1f}"]
        + [f"{100 * ahead[agent, other]:.0f}" if (agent, other) in ahead else "" for other in order]
        for place, agent in enumerate(order, 1)
    ]
    heads = ["", "wins, %", "mean score", *map(str, range(1, len(order) + 1))]
    return f"### {players} seats\n\n{_markdown(heads, rows)}"


def _share(row: dict[str, float]) -> str:
    return f"{100 * row['win_rate']:.1f} ({100 * row['low']:.1f} to {100 * row['high']:.1f})"


def _cycles(cycles: pl.DataFrame) -> str:
    sure = cycles.filter(pl.col("significant"))
    if sure.is_empty():
        return "No three agents are shown to beat each other in a circle."
    found = [
        f"{one['first']}, {one['second']}, {one['third']} ({one['players']} seats)"
        for one in sure.to_dicts()
    ]
    return f"A cycle, each ahead of the next and the last of the first: {'; '.join(found)}."


def _markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
