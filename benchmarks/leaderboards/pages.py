"""The leaderboards' pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shakespeare_agents.storage import write_atomically
from shakespeare_arena.report import strength_svg
from shakespeare_arena.sheets import ladder_markdown, markdown, matrix_sheets
from shakespeare_arena.standings import Standings, standings_of
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results

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
    """Write the page and its pictures; what was written."""
    standings = standings_by_game()
    for name, found in standings.items():
        path = ROOT / "docs" / name / "strength.svg"
        write_atomically(path, strength_svg(found).encode())
        yield path
    write_atomically(PAGE, page(standings).encode())
    yield PAGE


def page(standings: dict[str, Standings]) -> str:
    """docs/leaderboards.md."""
    introduction = (HERE / "introduction.md").read_text(encoding="utf-8")
    return "\n".join([introduction, *(_section(name, found) for name, found in standings.items())])


def _section(name: str, found: Standings) -> str:
    pairs, ladder = [*map(markdown, matrix_sheets(found))], [ladder_markdown(found)]
    parts = [
        f"## {name.capitalize()}",
        f"{found.games:,} games of {found.matches:,} matches.",
        *(pairs + ladder if found.misfit else ladder + pairs),
        f"![Strength against time a decision, {name}]({name}/strength.svg)",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
