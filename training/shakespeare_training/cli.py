"""`shakespeare train`: self-play PPO, from settings to a checkpoint one can play against."""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from shakespeare_env import registry
from shakespeare_env.cli.choices import DEFAULT_GAME, find_game, give_up
from shakespeare_env.errors import ShakespeareEnvError, TrainingError


def train(
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="Settings, a TOML file; what it leaves out has its default.",
            show_default="the game's own",
        ),
    ] = None,
    game_name: Annotated[
        str | None,
        typer.Option(
            "--game",
            help=f"One of: {', '.join(registry.names())}.",
            show_default=f"as configured, or {DEFAULT_GAME}",
        ),
    ] = None,
    decisions: Annotated[
        int | None, typer.Option(min=1, help="Length of the run.", show_default="as configured")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.0, help="Leave the run after so many.", show_default="no limit"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of everything random.", show_default="as configured")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting, such as learning_rate=1e-3; may be given several times.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run.", show_default="runs/, game and time"),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Folder of a run to go on with.", show_default=False)
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Checkpoint to take the first weights from.", show_default=False),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, or auto: the GPU where there is one.")
    ] = "auto",
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the settings, documented, and stop.")
    ] = False,
) -> None:
    """Train a network by self-play, and measure it as it learns."""
    console = LastingConsole()
    try:
        from shakespeare_training.config import as_toml, parse_override, read_config, usual_config
        from shakespeare_training.runs.run import Run
        from shakespeare_training.runs.train import train as run_to_its_end
    except ModuleNotFoundError as missing:
        give_up(f"training needs {missing.name}: pip install 'shakespeare-env[train]'")
    given: dict[str, Any] = {"decisions": decisions, "seed": seed}
    if minutes is not None and not math.isfinite(minutes):
        raise typer.BadParameter(f"{minutes} is no length of time", param_hint="--minutes")
    try:
        overrides = {name: value for name, value in given.items() if value is not None}
        overrides |= dict(map(parse_override, settings or []))
        if resume is not None and not print_config:
            _refuse_changes(
                {"--game": game_name, "--config": config, "--out": out, "--start": start}, overrides
            )
            run = Run.resume(resume, decisions=overrides.get("decisions"), device=device)
        else:
            if game_name is not None:
                overrides["game"] = find_game(game_name).name
            chosen = (
                read_config(config, overrides)
                if config is not None
                else usual_config(game_name or DEFAULT_GAME, overrides)
            )
            if print_config:
                typer.echo(as_toml(chosen), nl=False)
                return
            stamp = time.strftime("%Y%m%d-%H%M%S")
            folder = out or Path("runs") / f"{chosen.game}-{stamp}-seed{chosen.seed}"
            run = Run.begin(chosen, folder, start=start, device=device)
    except (ShakespeareEnvError, ValueError, TypeError) as fault:
        give_up("\n".join([str(fault), *getattr(fault, "__notes__", [])]))
    except OSError as fault:
        give_up(f"the run cannot be written ({fault}); give another folder with --out")
    try:
        run_to_its_end(run, console, minutes)
    except TrainingError as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(
            f"the run cannot be written ({fault}); what was saved before is as it was, and "
            "--resume goes on from there"
        )


class LastingConsole(Console):
    """A console that falls silent when nobody reads it any more, rather than end the run."""

    def on_broken_pipe(self) -> None:
        """Say nothing more."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse_changes(options: dict[str, Any], overrides: dict[str, Any]) -> None:
    """A run that goes on has its settings and its folder; its length alone may change."""
    wrong = [name for name, value in options.items() if value is not None]
    wrong += sorted(overrides.keys() - {"decisions"})
    if wrong:
        raise typer.BadParameter(
            f"a run keeps its settings and its folder, so {', '.join(wrong)} cannot go with it; "
            "only --decisions can change",
            param_hint="--resume",
        )
