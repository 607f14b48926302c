"""`shakespeare evaluate`: how often agents win, and with which scores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shakespeare_agents.arena.evaluate import evaluate as play_games
from shakespeare_agents.arena.result import AgentResult, EvaluationResult
from shakespeare_agents.cli import lineup_options
from shakespeare_agents.cli.progress import games_progress
from shakespeare_agents.intervals import wilson_interval
from shakespeare_env.cli import choices

_NARROWEST = 56
"""Columns; keeps the title on one line."""


def evaluate(
    named: lineup_options.EntrantNames = None,
    players: lineup_options.EntrantSeats = None,
    games: lineup_options.Games = 1000,
    seed: lineup_options.EntrantSeed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write the results to this file as JSON."),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    threads: lineup_options.Threads = 1,
) -> None:
    """Play agents against each other: win rates and scores, with 95 % intervals."""
    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named or [], players)
    variants = choices.variants_at(game, option, len(entrants))
    if out is not None:
        _check_writable(out)
    games = -(-games // len(entrants)) * len(entrants)
    with games_progress() as progress:
        task = progress.add_task("playing", total=games, decisions=0)
        result = play_games(
            entrants,
            game.name,
            games=games,
            seed=seed,
            options=variants,
            threads=threads,
            on_progress=lambda decisions, finished: progress.update(
                task, completed=finished, decisions=decisions
            ),
        )
    Console().print(results_table(result))
    if out is not None:
        try:
            result.save(out)
        except OSError as error:
            choices.give_up(f"cannot write {out}: {error}")


def _check_writable(out: Path) -> None:
    """Give up before hours of play if the file cannot be written."""
    folder = out.parent
    if out.is_dir():
        choices.give_up(f"cannot write {out}: it is a folder; give the name of a file")
    if out.exists() and not out.is_file():
        # It would be replaced, /dev/null included.
        choices.give_up(f"cannot write {out}: it is a device or a pipe; give the name of a file")
    if not folder.is_dir():
        choices.give_up(f"cannot write {out}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        choices.give_up(f"cannot write {out}: you may not write in the folder {folder}")


def results_table(result: EvaluationResult) -> Table:
    """The results, one row per agent, 80 columns at most."""
    variants = [name for name, on in result.options.items() if on]
    where = ", ".join([result.game, _counted(result.players, "seat"), *variants])
    games, deals = _counted(result.games, "game"), _counted(result.deals, "deal")
    table = Table(
        title=f"{where}: {games}, {deals}, seed {result.seed}",
        caption=_caption(result),
        min_width=_NARROWEST,
    )
    table.add_column("Agent", overflow="fold")
    if result.players > 1:
        table.add_column("Won %, 95 % interval", justify="right", no_wrap=True)
        table.add_column("By seat, %", justify="right", no_wrap=True)
    table.add_column("Mean score", justify="right", no_wrap=True)
    for agent in result.agents:
        copies = f" ×{agent.copies}" if agent.copies > 1 else ""
        table.add_row(Text(agent.name + copies), *_figures(agent))
    return table


def _figures(agent: AgentResult) -> list[str]:
    score = _with_margin(agent.mean_score, agent.score_high)
    if agent.win_rate is None or agent.low is None or agent.high is None:
        return [score]
    rates = agent.seat_win_rates or ()
    return [
        f"{agent.win_rate:.1%} ({agent.low:.1%} to {agent.high:.1%})".replace("%", ""),
        " ".join(f"{rate:3.0%}".replace("%", "").rjust(3) for rate in rates),
        score,
    ]


def _caption(result: EvaluationResult) -> str:
    if result.solo_target is not None:
        return f"A good solo game passes {result.solo_target:g}."
    assert result.mean_winning_score is not None
    winning = _with_margin(result.mean_winning_score, result.winning_score_high)
    equal = f"{1 / result.players:.1%}".replace("%", " %")
    by_seat = max(map(_seat_margin, result.agents))
    return (
        f"Mean winning score {winning}. By seat ± {100 * by_seat:.1f} at most.\n"
        f"± is a 95 % interval; equal agents win {equal}."
    )


def _seat_margin(agent: AgentResult) -> float:
    """The longer side of the widest interval of a seat's win rate, 0 to 1."""
    rates = agent.seat_win_rates or ()
    games = agent.games // len(rates)
    ends = [(rate, *wilson_interval(rate * games, games)) for rate in rates]
    return max(max(rate - low, high - rate) for rate, low, high in ends)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _with_margin(mean: float, high: float | None) -> str:
    """A mean and its symmetric interval: `21.37 ± 0.52`."""
    return f"{mean:.2f}" if high is None else f"{mean:.2f} ± {high - mean:.2f}"
