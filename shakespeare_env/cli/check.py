"""`shakespeare check`: do all views show the same games on this machine?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from shakespeare_env.checks.memory import require_memory
from shakespeare_env.cli import choices
from shakespeare_env.core import registry

if TYPE_CHECKING:
    from shakespeare_env.equality import Setting

_MOST = 100_000
_BYTES_A_GAME = 2**20
"""Memory of a game's trace: some hundreds of decisions with their observations."""


def check(
    game_name: Annotated[
        str | None, choices.game_option("The game to check.", "every game")
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, max=_MOST, help="Games in a row, one after another.")
    ] = 2,
    rows: Annotated[int, typer.Option(min=1, max=_MOST, help="Games played side by side.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=2**63, help="Seed of the games.")] = 0,
) -> None:
    """Step all views side by side: every observation, mask and reward must agree."""
    # Here and below: it takes a while to import, which the shell's completion need not.
    from shakespeare_env.equality import VIEWS, DifferenceError, compare, is_installed, play

    chosen = registry.names() if game_name is None else (choices.find_game(game_name).name,)
    require_memory(
        f"comparing {rows} x {games} games",
        rows * games * _BYTES_A_GAME,
        "use fewer --rows or --games",
    )
    settings = [setting for name in chosen for setting in settings_of(name, seed, rows, games)]
    views = [view for view in VIEWS if is_installed(view)]
    console = Console()
    found: Counter[tuple[str, str, int]] = Counter()  # decisions by game, view and seats
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("comparing", total=len(settings) * len(views))
        for setting in settings:
            course = play(setting)
            for view in views:
                progress.update(
                    task, description=f"{setting.game}, {setting.players} seats: {view}"
                )
                try:
                    decisions = compare(view, setting, course)
                except DifferenceError as difference:
                    progress.stop()
                    choices.give_up(str(difference))
                found[setting.game, view, setting.players] += decisions
                progress.advance(task)
    for name in chosen:
        console.print(_table(name, views, found))
    for view in VIEWS:
        if view not in views:
            console.print(f"{view}: not compared, stable-baselines3 is not installed")
    console.print(f"All views agree at {found.total():,} decisions.")


def _table(name: str, views: list[str], found: Counter[tuple[str, str, int]]) -> Table:
    from shakespeare_env.core import rewards

    game = registry.game(name)
    seats = range(game.min_seats, game.max_seats + 1)
    titles = [f"{players} seat{'s' * (players > 1)}" for players in seats]
    rewarded = ", ".join(rewards.NAMES)
    table = Table(
        "view",
        *titles,
        title=f"{name}: decisions compared",
        caption=f"with every variant, and the rewards {rewarded}",
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for view in views:
        table.add_row(view, *(f"{found[name, view, players]:,}" for players in seats))
    return table


def settings_of(name: str, seed: int, rows: int, games: int) -> Iterator[Setting]:
    """A game at every seat count, with every reward and every variant played there."""
    from shakespeare_env.core import rewards
    from shakespeare_env.equality import Setting

    game = registry.game(name)
    for players in range(game.min_seats, game.max_seats + 1):
        variants: list[dict[str, bool]] = [{}]
        variants += [{option: True} for option, seats in game.options.items() if players in seats]
        for options in variants:
            for reward in rewards.NAMES:
                yield Setting(name, players, reward, seed, options, rows, games)
