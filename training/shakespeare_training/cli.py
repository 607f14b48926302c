"""`shakespeare train`: from settings to a checkpoint to play against."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.cli.options import workers as workers_options
from shakespeare_env.cli.choices import DEFAULT_GAME, complete_game, find_game
from shakespeare_env.core import registry
from shakespeare_env.errors import ShakespeareEnvError, TrainingError
from shakespeare_training.terminal import (
    UnbreakableConsole,
    busy,
    complete_setting,
    give_up_on,
    import_what_trains,
    stoppable,
)

if TYPE_CHECKING:
    from shakespeare_agents.workers import Workers

_CONFIGURED = "as configured"
_OVERRIDES = "--set"
"""The name of settings from the command line in errors."""


def _complete_config(ctx: typer.Context, incomplete: str) -> list[str]:
    """Bundled settings and TOML files that begin so, and folders on the way."""
    from shakespeare_training.config_text import bundled_names

    game = ctx.params.get("game_name") or DEFAULT_GAME
    found = bundled_names(game) if game in registry.names() else []
    folder, _, begun = incomplete.rpartition("/")
    written = f"{folder}/" if "/" in incomplete else ""
    try:
        for path in sorted(Path(written or ".").iterdir()):
            if path.is_dir() and (begun or not path.name.startswith(".")):
                found.append(f"{written}{path.name}/")
            elif path.suffix == ".toml":
                found.append(f"{written}{path.name}")
    except (OSError, ValueError):  # no such folder, or no permission
        pass
    return [name for name in found if name.startswith(incomplete)]


def train(
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="NAME",
            help="ppo, expert_iteration, or a TOML file of settings.",
            show_default="ppo",
            autocompletion=_complete_config,
        ),
    ] = None,
    game_name: Annotated[
        str | None,
        typer.Option(
            "--game",
            help=f"One of: {', '.join(registry.names())}.",
            show_default=f"{_CONFIGURED}, or {DEFAULT_GAME}",
            autocompletion=complete_game,
        ),
    ] = None,
    decisions: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Length of the run; a decision is one step of the seat to move.",
            show_default=_CONFIGURED,
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.0, help="Time limit; schedules follow it.", show_default="none"),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed.", show_default=_CONFIGURED)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            autocompletion=complete_setting,
            help="Any other setting, such as learning_rate=1e-3; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run.", show_default="runs/<game>-<time>-seed<seed>"),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Folder of a run to continue.", show_default=False)
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Python that --resume may run, as the run's settings name it; may be repeated.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Checkpoint whose weights to start from.", show_default=False),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1, ... or auto: a GPU if it can be used.")
    ] = "auto",
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
    track: Annotated[
        list[str] | None,
        typer.Option(
            metavar="wandb|mlflow|tensorboard",
            help="Log to this tracker; may be repeated. TensorBoard's files are always written.",
            show_default=False,
        ),
    ] = None,
    callbacks: Annotated[
        list[str] | None,
        typer.Option(
            "--callback",
            metavar="FILE.py:NAME",
            help="Call what this makes of a run, a callback of Stable-Baselines3; may be repeated.",
            show_default=False,
        ),
    ] = None,
    film: Annotated[
        bool, typer.Option("--film", help="Film a game at every evaluation, as an HTML page.")
    ] = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the settings with comments, and exit.")
    ] = False,
) -> None:
    """Train a network by self-play, and evaluate it as it learns.

    Ctrl-C stops it, nothing is lost, and --resume goes on. Processes or a Ray cluster play the
    games of expert iteration; PPO has no use for them.
    """
    console = UnbreakableConsole()
    if minutes is not None and not math.isfinite(minutes):
        raise typer.BadParameter(f"{minutes} is not a duration", param_hint="--minutes")
    if trust and resume is None:
        raise typer.BadParameter("only --resume asks for it", param_hint="--trust")
    folder = resume or out or Path("runs")
    with ExitStack() as opened:
        stop = opened.enter_context(stoppable(console, "Stopped before learning began."))
        import_what_trains(console)
        from shakespeare_agents.networks.checkpoint import read_card
        from shakespeare_training import config_text
        from shakespeare_training.runs.observers import observers_wanted
        from shakespeare_training.runs.run import Run
        from shakespeare_training.runs.train import train as train_run

        given = {"decisions": decisions, "seed": seed}
        overrides: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
        with give_up_on(folder, ShakespeareEnvError, ValueError, TypeError, ImportError):
            observers_of = observers_wanted(
                track=track or (), callbacks=callbacks or (), films=film
            )
            overrides |= map(config_text.parse_override, settings or [])
            if resume is not None and not print_config:
                _refuse_changes(
                    {"--game": game_name, "--config": config, "--out": out, "--start": start},
                    overrides,
                )
                with busy(console, "loading the run"):
                    run = Run.resume(
                        resume,
                        decisions=overrides.get("decisions"),
                        device=device,
                        trusted=trust or (),
                        minutes=minutes,
                    )
                crew = opened.enter_context(_crew(run.config.algorithm, workers, ray))
            else:
                if game_name is not None:
                    overrides["game"] = find_game(game_name).name
                chosen = config_text.chosen_config(config, overrides, _OVERRIDES)
                if print_config:
                    typer.echo(config_text.as_toml(chosen), nl=False)
                    return
                # Before the folder is made.
                crew = opened.enter_context(_crew(chosen.algorithm, workers, ray))
                stamp = time.strftime("%Y%m%d-%H%M%S")
                folder = out or Path("runs") / f"{chosen.game}-{stamp}-seed{chosen.seed}"
                with busy(console, "building the learner"):
                    run = Run.create(chosen, folder, start=start, device=device, minutes=minutes)
                searches = chosen.algorithm == "expert_iteration"
                if start is not None and searches and (heads := read_card(start).heads):
                    said = f"the heads {' and '.join(heads)} of {start} are kept: no warm-up"
                    console.print(said, highlight=False, soft_wrap=True)
        with run:
            with give_up_on(folder, TypeError):
                observers = observers_of(run)
            with give_up_on(folder, TrainingError):
                train_run(run, console, stop, crew, observers)


def _crew(algorithm: str, workers: int, ray: str | None) -> AbstractContextManager[Workers | None]:
    """Who plays the games of expert iteration."""
    if algorithm == "ppo" and (workers != 1 or ray is not None):
        raise typer.BadParameter(
            "PPO's games stay in the process that learns, where one question to the network "
            "answers a step of all of them; leave it out, or learn from searches: "
            "--config expert_iteration",
            param_hint="--workers" if ray is None else "--ray",
        )
    return workers_options.chosen(workers, ray)


def _refuse_changes(options: dict[str, Any], overrides: dict[str, Any]) -> None:
    wrong = [name for name, value in options.items() if value is not None]
    wrong += sorted(overrides.keys() - {"decisions"})
    if wrong:
        raise typer.BadParameter(
            f"a run keeps its settings and its folder; drop {', '.join(wrong)} "
            "(of the settings only --decisions may change)",
            param_hint="--resume",
        )
