"""Write the pages and pictures made from code: `make docs`.

Per game: its action table, observation layout, a table in play with a detail, and the bundled
network's calibration. For Shakespeare also what decisions were worth to its networks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from shakespeare_agents import plot_style as style
from shakespeare_agents.networks.bundled import bundled_checkpoint, bundled_versions
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_agents.strategy.calibration import forecasts
from shakespeare_agents.strategy.plots import plot_calibration
from shakespeare_env import Position
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from shakespeare_training.runs.evaluation import Measurement, seats_text

HERE = Path(__file__).parent
N_SEATS, SEED, SHARE = 3, 1, 0.76
"""The drawn game: its seats if allowed, its seed, and the share of it played."""
CALIBRATION_GAMES = 500
DESCENT, BEFORE = (3, 4, 5, 10, 11, 12), 20_100_000
"""Networks that PPO trained one from another; version 3 had earlier runs of so many decisions."""
DETAIL = {"shakespeare": (12, 106, 810, 678), "figaro": (1062, 518, 526, 374)}
"""What is legible at page width: left, top, width, height."""


def page(game: str, command: str) -> str:
    """A command's Markdown about a game."""
    words = [command, "--game", game, "--markdown"]
    return CliRunner().invoke(app, words, catch_exceptions=False).output


def table(game: str) -> str:
    """A random game in progress, as an SVG document."""
    generator = np.random.default_rng(SEED)
    seats = registry.seats(game)
    position = Position.new(game, players=min(max(N_SEATS, seats[0]), seats[-1]), seed=SEED)
    played = [position.copy()]
    while position.to_move is not None:
        position.push(str(generator.choice(position.moves())))
        played.append(position.copy())
    return played[int(SHARE * len(played))].svg() + "\n"


def detail(game: str) -> str:
    """The table cropped to `DETAIL`, if listed there."""
    if game not in DETAIL:
        return table(game)
    left, top, width, height = DETAIL[game]
    window = f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}"'
    return re.sub(r'viewBox="[^"]+" width="\d+" height="\d+"', window, table(game), count=1)


PAGES: dict[str, Callable[[str], str]] = {
    "actions.md": lambda game: page(game, "actions"),
    "observation.md": lambda game: page(game, "observation"),
    "table.svg": table,
    "detail.svg": detail,
}
"""Files made for every game."""


def strength_by_decisions() -> None:
    """Draw what decisions were worth to networks of the package's box, one after another."""
    found: dict[int, list[tuple[int, float, int]]] = {}
    learned = BEFORE
    for version in DESCENT:
        figures = read_card(bundled_checkpoint(registry.game("shakespeare"), version)).figures
        for one in (Measurement(**entry) for entry in figures["history"]):
            if one.opponent == "network,version=1" and one.percents is not None:
                row = learned + one.decisions, one.percents[0], one.games
                found.setdefault(one.players, []).append(row)
        learned += figures["decisions"]
        for judged in figures.get("panel", {}).get("judgements", ()):
            if judged["opponent"] == "version 1":
                row = learned, 100 * judged["won"], judged["games"]
                found[judged["players"]].append(row)
    picture = style.picture(900, 460, layout="constrained")
    axes = picture.subplots()
    style.prepare(axes, "Games won against copies of network 1, %", "decisions, log scale")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda count, _: f"{count / 1e6:,.0f}M")
    axes.set_xticks([2**k * 1_000_000 * 25 for k in range(7)])
    ends = np.array([BEFORE, 2_000_000_000])
    for place, (players, rows) in enumerate(sorted(found.items())):
        decisions, won, games = np.array(rows).T
        slope, start = np.polyfit(np.log2(decisions), won, 1, w=np.sqrt(games))
        error = 196 * np.sqrt(won / 100 * (1 - won / 100) / games)
        label = f"{seats_text(players)}: {slope:+.1f} a doubling"
        looks = {**style.bars(place), "linewidth": 0, "markersize": 4, "alpha": 0.8}
        axes.errorbar(decisions, won, error, label=label, **looks)
        axes.plot(ends, start + slope * np.log2(ends), color=style.COLOURS[place], linewidth=1.2)
    axes.legend(frameon=False, labelcolor=style.INK, fontsize=9.5)
    (HERE / "shakespeare" / "strength_by_decisions.png").write_bytes(picture.png())


def calibration(name: str) -> None:
    """Draw what the newest bundled network's forecasts are worth, if it has heads."""
    game = registry.game(name)
    if not bundled_versions(game) or not read_card(bundled_checkpoint(game)).heads:
        return
    version, players = int(bundled_checkpoint(game).name), game.max_seats
    rows = forecasts(name, players=players, games=CALIBRATION_GAMES, player="network")
    title = f"Forecasts of the bundled {name} network, version {version}, at {players} seats"
    (HERE / name / "calibration.png").write_bytes(plot_calibration(rows, title=title).png())


def main() -> None:
    """Write everything."""
    for name in registry.names():
        (HERE / name).mkdir(exist_ok=True)
        for file, made in PAGES.items():
            (HERE / name / file).write_text(made(name), encoding="utf-8")
        calibration(name)
    strength_by_decisions()


if __name__ == "__main__":
    main()
