"""The command `shakespeare train`."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.lineup import complete_agent
from shakespeare_env.cli import ARGUMENTS, choices
from shakespeare_env.core import registry
from shakespeare_env.errors import TrainingError
from shakespeare_training.cli.terminal import (
    FAULTS,
    Settings,
    UnbreakableConsole,
    busy,
    exit_on,
    import_training,
    new_folder,
    parse_settings,
    stoppable,
)
from shakespeare_training.stopping import is_first_process, is_in_group

if TYPE_CHECKING:
    from stable_baselines3.common.callbacks import BaseCallback

    from shakespeare_agents.naming import AgentSpec
    from shakespeare_agents.workers import Workers
    from shakespeare_training.config import TrainingConfig
    from shakespeare_training.runs.run import Run

_CONFIGURED = "as configured"  # the default that the help shows for what the settings decide


def train(
    context: typer.Context,
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="NAME",
            help="ppo, expert_iteration, or a TOML file of settings.",
            show_default="ppo",
        ),
    ] = None,
    game_name: Annotated[
        str | None, choices.game_option("The game", f"{_CONFIGURED}, or {choices.DEFAULT_GAME}")
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
    settings: Settings = None,
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
            help="Python that --resume may import, as the run's settings name it: an agent, a "
            "network or a reward; may be repeated.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT",
            help="Weights to start from: a checkpoint (network, or a folder), or a network of "
            "your own, my.py:NAME,weights=FILE. If a checkpoint was trained with another box, the "
            "default settings are those that adapt it.",
            autocompletion=complete_agent,
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1, ... or auto: a GPU if it can be used.")
    ] = "auto",
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes that learn together, each with a part of the games.",
            show_default="one for each core; 1 on a GPU or for a short run; with --resume as "
            "before",
        ),
    ] = None,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
    callbacks: Annotated[
        list[str] | None,
        typer.Option(
            "--callback",
            metavar="FILE.py:NAME",
            help="A callback of Stable-Baselines3: a class or function that takes the run; "
            "may be repeated.",
            show_default=False,
        ),
    ] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the settings with comments, and exit.")
    ] = False,
) -> None:
    """Train a network by self-play, and evaluate it as it learns.

    Ctrl-C stops a run without losing anything, and --resume continues it. By default all cores
    learn. Workers or a Ray cluster can play the games of expert iteration.
    """
    console = UnbreakableConsole(quiet=not is_first_process())
    if minutes is not None and not math.isfinite(minutes):
        raise typer.BadParameter(f"{minutes} is not a duration", param_hint="--minutes")
    _refuse_unused_options(context, game_name, resume, print_config)
    folder = resume or out or Path("runs")
    with ExitStack() as opened:
        stop = opened.enter_context(stoppable(console, "Stopped before learning began."))
        import_training(console)
        from shakespeare_training.building import checked_device, checked_processes
        from shakespeare_training.config import as_toml
        from shakespeare_training.group import joined_group, run_processes
        from shakespeare_training.runs.run import Run
        from shakespeare_training.runs.saving import read_state
        from shakespeare_training.runs.train import train as train_run

        with exit_on(folder, *FAULTS):
            callback_makers = {name: _callback_maker(name) for name in callbacks or ()}
            game = None if game_name is None else choices.find_game(game_name)
            weights = None
            before: int | None = None
            if resume is not None:
                state = read_state(resume)
                chosen = state.config
                choices.check_own_game(game, chosen.game, resume)
                before = len(state.processes)
            else:
                given = {
                    "game": None if game is None else game.name,
                    "decisions": decisions,
                    "seed": seed,
                }
                overrides = {name: value for name, value in given.items() if value is not None}
                overrides |= parse_settings(settings)
                chosen, weights = _choose_config(config, overrides, start, minutes)
                if print_config:
                    typer.echo(as_toml(chosen), nl=False)
                    return
                folder = out or new_folder(chosen.game, chosen.seed)
        with exit_on(folder, *FAULTS):
            if not is_in_group():
                if processes is before is None and (callbacks or workers != 1 or ray is not None):
                    processes = 1
                size = checked_processes(processes, chosen, device, before)
                if size > 1 and (workers != 1 or ray is not None):
                    raise ValueError(
                        f"{size} processes that learn would each open the workers; give either "
                        "--processes or workers"
                    )
                if size > 1:
                    # The name of a new folder has the present time, so it is chosen here for all.
                    own = [] if resume is not None else ["--out", str(folder)]
                    # Without -P, Python would import modules from the current folder.
                    program = ["-P", "-m", "shakespeare_training"]
                    arguments = [*program, *context.meta[ARGUMENTS], *own]
                    on = checked_device(device)
                    raise typer.Exit(run_processes(size, arguments, stop, device=on))
            # The workers are opened first, so that no folder is left if that fails.
            running_workers = opened.enter_context(_open_workers(chosen.algorithm, workers, ray))
            group = opened.enter_context(joined_group())
            if processes is not None and processes != group.size:
                raise ValueError(
                    f"--processes {processes}, but {group.size} were started together; leave the "
                    "option out"
                )
            if resume is not None:
                with busy(console, "loading the run"):
                    run = opened.enter_context(
                        Run.resume(
                            resume,
                            decisions=decisions,
                            device=device,
                            trusted=trust or (),
                            minutes=minutes,
                            group=group,
                        )
                    )
                if len(state.processes) != group.size:
                    console.print(
                        f"The number of processes has changed from {len(state.processes)} to "
                        f"{group.size}, so the run is not the one that it would have been.",
                        soft_wrap=True,
                    )
            else:
                with busy(console, "building the learner"):
                    run = opened.enter_context(
                        Run.create(
                            chosen,
                            group.broadcast(folder),
                            start=weights,
                            device=device,
                            minutes=minutes,
                            group=group,
                        )
                    )
            made_callbacks = [
                _make_callback(name, maker, run)
                for name, maker in callback_makers.items()
                if group.rank == 0
            ]
        if group.size > 1:
            console.print(f"{group.size} processes learn together, with seed {chosen.seed}.")
        with exit_on(folder, TrainingError):
            train_run(run, console, stop, running_workers, made_callbacks)


def _refuse_unused_options(
    context: typer.Context, game_name: str | None, resume: Path | None, print_config: bool
) -> None:
    """Exit if an option was given that has no effect beside the others."""
    if resume is not None:
        used = {"resume", "trust", "decisions", "minutes", "device", "processes"}
        used |= {"workers", "ray", "callbacks"}
        # With --resume, FILE.py:NAME in --game does not choose a game. It names the file that has
        # the run's own game.
        if registry.is_file_reference(game_name):
            used.add("game_name")
        why = "--resume keeps a run's folder and settings, of which only --decisions may change"
    elif print_config:
        used = {"print_config", "config", "game_name", "start", "settings", "seed"}
        used |= {"decisions", "minutes"}
        why = "--print-config trains nothing"
    else:
        used = context.params.keys() - {"trust"}
        why = "only --resume imports what is trusted"
    choices.refuse_unused(context, used, why)


def _choose_config(
    config: str | None, overrides: dict[str, Any], start: str | None, minutes: float | None
) -> tuple[TrainingConfig, Path | None]:
    """Return the settings, and the checkpoint or the file of weights to start from.

    A network of the user's own is also that of the settings. A checkpoint changes the defaults of
    some settings:

    - The width is the checkpoint's.
    - There is no warm-up if the checkpoint has heads.
    - If the checkpoint was trained with another box, the defaults of PPO are those that adapt a
      network (`ADAPTING`), unless `config` names bundled settings.
    """
    from shakespeare_agents.naming import AgentSpec
    from shakespeare_agents.networks.checkpoint import read_card
    from shakespeare_training.config import (
        ADAPTING,
        FOREVER,
        MLP,
        bundled_names,
        chosen_config,
        no_start,
    )

    spec = None if start is None else AgentSpec.parse(start)
    if spec is not None and spec.python is not None:
        return _choose_own_network(config, overrides, spec)
    chosen = chosen_config(config, overrides, origin="--set")
    if spec is None:
        return chosen, None
    game = chosen.game
    if chosen.network != MLP:
        raise ValueError(
            f"--start {start} is a checkpoint, but the settings name the network {chosen.network}; "
            f"start from its weights: --start {chosen.network},weights=FILE"
        )
    checkpoint = spec.checkpoint(registry.game(game))
    if checkpoint is None:
        raise no_start(spec.text)
    card = read_card(checkpoint)
    defaults: dict[str, Any] = {"width": card.width}
    if card.heads and chosen.algorithm == "expert_iteration":
        defaults["warmup_decisions"] = 0
    has_another_box = card.game == game and card.box_digest != registry.box_digest(game)
    if has_another_box and chosen.algorithm == "ppo" and config not in bundled_names(game):
        defaults |= ADAPTING
        if minutes is not None:
            defaults["decisions"] = FOREVER
    return chosen_config(config, overrides, origin="--set", defaults=defaults), checkpoint


def _choose_own_network(
    config: str | None, overrides: dict[str, Any], spec: AgentSpec
) -> tuple[TrainingConfig, Path]:
    """Return the settings and the file of weights for a start from a network of the user's own."""
    from shakespeare_training.config import chosen_config, own_start

    network, weights = own_start(spec)
    chosen = chosen_config(config, {"network": network, **overrides}, origin="--start and --set")
    if chosen.network != network:
        raise ValueError(
            f"--start has the network {network}, but --set network={chosen.network}; leave one out"
        )
    return chosen, weights


def _open_workers(
    algorithm: str, workers: int, ray: str | None
) -> AbstractContextManager[Workers | None]:
    if algorithm == "ppo" and (workers != 1 or ray is not None):
        raise typer.BadParameter(
            "PPO plays its games in the processes that learn, where the network decides in all of "
            "them at once; leave the option out, or choose --config expert_iteration",
            param_hint="--workers" if ray is None else "--ray",
        )
    return workers_options.open_chosen_workers(workers, ray)


def _callback_maker(name: str) -> Callable[[Run], Any]:
    """Import the class or function that `FILE.py:NAME` names, which makes a callback for a run."""
    from shakespeare_agents.python_names import PythonName, load

    source, _, attribute = name.rpartition(":")
    if not source.endswith(".py") or not attribute:
        raise ValueError(f"the callback {name!r} names no file of Python; give FILE.py:NAME")
    maker: Callable[[Run], Any] = load(PythonName(source, attribute))
    return maker


def _make_callback(name: str, maker: Callable[[Run], Any], run: Run) -> BaseCallback:
    from stable_baselines3.common.callbacks import BaseCallback

    from shakespeare_agents.python_names import fault_in_words

    try:
        made = maker(run)
    except Exception as fault:
        raise TypeError(f"{name} makes no callback: {fault_in_words(fault)}") from fault
    if not isinstance(made, BaseCallback):
        raise TypeError(
            f"{name} made an object of type {type(made).__name__} from the run; it must make a "
            "BaseCallback of Stable-Baselines3"
        )
    return made
