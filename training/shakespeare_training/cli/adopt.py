"""The command `shakespeare adopt`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_training.cli.terminal import (
    UnbreakableConsole,
    import_training,
    new_folder,
    stoppable,
)

_MINUTES = 3.0


def adopt(
    agent: lineup_options.AgentName,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.01, help="Minutes of learning.", show_default=f"{_MINUTES:g} without --decisions"
        ),
    ] = None,
    decisions: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Decisions to learn from, rounded up to whole groups of games, which have tens of "
            "thousands. Without --minutes the same seed gives the same network.",
            show_default="as many as there is time for",
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(
            "--players",
            help="Seats at the table; give it several times for several tables.",
            show_default="every table",
        ),
    ] = None,
    width: Annotated[int, typer.Option(min=1, max=4096, help="Width of the network.")] = 256,
    games: Annotated[
        int,
        typer.Option(
            min=1,
            help="Games at each table that measure the checkpoint against the agent, rounded up to "
            "whole deals.",
        ),
    ] = 1000,
    seed: lineup_options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="New folder of the checkpoint.",
            show_default="runs/adopt-<game>-<time>-seed<seed>",
        ),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
) -> None:
    """Train a network to decide as an agent does, and measure how well it does.

    The network is a checkpoint for all commands. Ctrl-C ends learning early, and the network is
    measured as it is.
    """
    game = choices.find_game(game_name)
    with choices.usage_errors("--players"):
        tables = [game.check_players(count) for count in players or ()]
    # A single name would also make the default agent, which does not play here.
    named = [agent] * min(game.max_seats, 2)
    entrant, *_ = lineup_options.make_entrants(game, named, game.max_seats)
    if minutes is not None and not math.isfinite(minutes):
        raise typer.BadParameter(f"{minutes} is not a duration", param_hint="--minutes")
    if minutes is None and decisions is None:
        minutes = _MINUTES
    folder = out or new_folder(f"adopt-{game.name}", seed)
    console = UnbreakableConsole()

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    import_training(console)
    # Imported late, to keep the shell's completion quick.
    from shakespeare_agents.networks.checkpoint import CARD_NAME
    from shakespeare_env.errors import TrainingError, agent_notes
    from shakespeare_training.adoption import AdoptionSettings, adopt_agent
    from shakespeare_training.config import game_flag

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    last_stage = ""
    task = bar.add_task("", total=1.0)

    def on_progress(stage: str, share: float, learned: str) -> None:
        nonlocal last_stage
        bar.start()
        if stage != last_stage:
            last_stage = stage
            bar.reset(task)  # so that the forecast of the end begins anew
        bar.update(task, description=f"{stage}, {learned}", completed=share)

    game_words = game_flag(game.name)
    words = ["adopt", agent, *game_words]
    if minutes is not None:
        words += ["--minutes", f"{minutes:g}"]
    if decisions is not None:
        words += ["--decisions", str(decisions)]
    for count in tables:
        words += ["--players", str(count)]
    words += ["--width", str(width), "--games", str(games), "--seed", str(seed)]
    settings = AdoptionSettings(
        minutes=minutes, decisions=decisions, players=tables, width=width, games=games, seed=seed
    )
    with stoppable(console, "Stopped.") as stop:
        try:
            adoption = adopt_agent(
                entrant,
                folder,
                settings,
                game.name,
                command=command(*words),
                stop=stop,
                on_progress=on_progress,
            )
        except (TrainingError, ValueError) as fault:
            if agent_notes(fault):  # the agent is at fault, and its own lines are shown
                raise
            choices.exit_with_error(str(fault))
        except KeyboardInterrupt:
            if (folder / CARD_NAME).exists():
                say(f"Not measured. Checkpoint  {folder}")
            raise
        finally:
            bar.stop()
    console.print(adoption.table())
    say(f"Checkpoint  {folder}, from {adoption.decisions:,} decisions of {agent}")
    at_table = [*game_words, "--players", str(max(tables))] if tables else game_words
    say(f"Search      {command('evaluate', f'search,network={folder}', agent, *at_table)}")
    say(f"Play it     {command('play', *game_words, folder)}")
