"""The commands `shakespeare train` and `shakespeare exploit`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.lineup import complete_agent
from shakespeare_agents.cli.playing import games_progress
from shakespeare_agents.naming import HOW_TO_NAME, names
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_env.cli.choices import exit_with_error
from shakespeare_env.core import registry
from shakespeare_env.errors import (
    ShakespeareEnvError,
    TrainingError,
    WorkerError,
    agent_notes,
    own_frames,
)
from shakespeare_training.terminal import UnbreakableConsole, busy, import_training, stoppable

if TYPE_CHECKING:
    from stable_baselines3.common.callbacks import BaseCallback

    from shakespeare_agents.workers import Workers
    from shakespeare_training.config import TrainingConfig
    from shakespeare_training.runs.run import Run

RESULT_NAME = "exploit.json"
_CONFIGURED = "as configured"
_FAULTS = ShakespeareEnvError, ValueError, TypeError, ImportError
"""Errors of settings, files and agents, which end a command with their message alone."""


def _complete_setting(incomplete: str) -> list[str]:
    from shakespeare_training.config import TrainingConfig

    return [f"{name}=" for name in TrainingConfig.model_fields if name.startswith(incomplete)]


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        autocompletion=_complete_setting,
        help="Any other setting of the learner, such as learning_rate=1e-3; may be repeated.",
    ),
]


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
            help="An agent in Python that --resume may import, as the run's settings name it; "
            "may be repeated.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT",
            help="Checkpoint whose weights to start from: network, or a folder. If it was trained "
            "with another box, the default settings are those that adapt it.",
            autocompletion=complete_agent,
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1, ... or auto: a GPU if it can be used.")
    ] = "auto",
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

    Ctrl-C stops a run without losing anything, and --resume continues it. Processes or a Ray
    cluster can play the games of expert iteration; PPO has no use for them.
    """
    console = UnbreakableConsole()
    if minutes is not None and not math.isfinite(minutes):
        raise typer.BadParameter(f"{minutes} is not a duration", param_hint="--minutes")
    if resume is not None:
        read = {"resume", "trust", "decisions", "minutes", "device", "workers", "ray", "callbacks"}
        if registry.is_file_reference(
            game_name
        ):  # says where the run's game is, and changes nothing
            read.add("game_name")
        words = "--resume keeps a run's folder and settings, of which only --decisions may change"
        choices.refuse_unread(context, read, words)
    elif print_config:
        read = {"print_config", "config", "game_name", "start", "settings", "seed"}
        read |= {"decisions", "minutes"}
        choices.refuse_unread(context, read, "--print-config trains nothing")
    else:
        read = context.params.keys() - {"trust"}
        choices.refuse_unread(context, read, "only --resume asks for trust")
    folder = resume or out or Path("runs")
    with ExitStack() as opened:
        stop = opened.enter_context(stoppable(console, "Stopped before learning began."))
        import_training(console)
        from shakespeare_training.config import as_toml
        from shakespeare_training.runs.run import Run
        from shakespeare_training.runs.train import train as train_run

        with _exit_on(folder, *_FAULTS):
            makers = {name: _callback_maker(name) for name in callbacks or ()}
            game = None if game_name is None else choices.find_game(game_name)
            if resume is not None:
                with busy(console, "loading the run"):
                    run = opened.enter_context(
                        Run.resume(
                            resume,
                            decisions=decisions,
                            device=device,
                            trusted=trust or (),
                            minutes=minutes,
                        )
                    )
                choices.check_own_game(game, run.config.game, resume)
                crew = opened.enter_context(_crew(run.config.algorithm, workers, ray))
            else:
                name = None if game is None else game.name
                given = {"game": name, "decisions": decisions, "seed": seed}
                overrides = {name: value for name, value in given.items() if value is not None}
                overrides |= _parsed(settings)
                chosen, origin = _chosen(config, overrides, start, minutes)
                if print_config:
                    typer.echo(as_toml(chosen), nl=False)
                    return
                # Before the folder is made.
                crew = opened.enter_context(_crew(chosen.algorithm, workers, ray))
                folder = out or _new_folder(chosen.game, chosen.seed)
                with busy(console, "building the learner"):
                    run = opened.enter_context(
                        Run.create(chosen, folder, start=origin, device=device, minutes=minutes)
                    )
            made = [_make_callback(name, maker, run) for name, maker in makers.items()]
        with _exit_on(folder, TrainingError):
            train_run(run, console, stop, crew, made)


def _new_folder(kind: str, seed: int) -> Path:
    return Path("runs") / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}-seed{seed}"


def _parsed(settings: list[str] | None) -> dict[str, Any]:
    from shakespeare_training.config import parse_override

    return dict(map(parse_override, settings or []))


def _chosen(
    config: str | None, overrides: dict[str, Any], start: str | None, minutes: float | None
) -> tuple[TrainingConfig, Path | None]:
    """Return the settings, and the folder of the checkpoint to start from.

    A checkpoint gives the defaults of settings that are not named: its width, no warm-up if it has
    heads, and, if it was trained with another box, the settings to adapt it (`ADAPTING`), unless
    bundled settings are asked for by name.
    """
    from shakespeare_agents.naming import AgentSpec
    from shakespeare_agents.networks.checkpoint import read_card
    from shakespeare_training.config import ADAPTING, FOREVER, bundled_names, chosen_config

    chosen = chosen_config(config, overrides, "--set")
    if start is None:
        return chosen, None
    game = chosen.game
    origin = AgentSpec.parse(start).checkpoint(registry.game(game))
    if origin is None:
        raise ValueError(f"there is no checkpoint {start!r} to --start from; give a folder")
    card = read_card(origin)
    knows_another_box = card.game == game and card.box_digest != registry.box_digest(game)
    defaults: dict[str, Any] = {"width": card.width}
    if card.heads and chosen.algorithm == "expert_iteration":
        defaults["warmup_decisions"] = 0
    if knows_another_box and chosen.algorithm == "ppo" and config not in bundled_names(game):
        defaults |= {**ADAPTING, **({} if minutes is None else {"decisions": FOREVER})}
    return chosen_config(config, overrides, "--set", defaults), origin


def _crew(algorithm: str, workers: int, ray: str | None) -> AbstractContextManager[Workers | None]:
    if algorithm == "ppo" and (workers != 1 or ray is not None):
        raise typer.BadParameter(
            "PPO's games stay in the process that learns, where one question to the network "
            "answers a step of all of them; leave it out, or learn from searches: "
            "--config expert_iteration",
            param_hint="--workers" if ray is None else "--ray",
        )
    return workers_options.open_chosen_workers(workers, ray)


def _callback_maker(name: str) -> Callable[[Run], Any]:
    from shakespeare_agents.python_names import PythonName, load

    source, _, attribute = name.rpartition(":")
    if not source.endswith(".py") or not attribute:
        raise ValueError(f"the callback {name!r} is not named in a file: give FILE.py:NAME")
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
            f"{name} made {type(made).__name__} of a Run: it must make a BaseCallback of "
            "Stable-Baselines3"
        )
    return made


@contextmanager
def _exit_on(folder: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Exit with a message on errors of some kinds, lost workers, or if the run cannot be saved.

    An error of an agent, a callback or other code of the user is raised, to be shown as theirs.
    """
    from shakespeare_training.runs.saving import how_to_go_on

    try:
        yield
    except WorkerError as fault:
        exit_with_error(f"{fault}; {how_to_go_on(folder)}")
    except Exception as fault:
        if agent_notes(fault) or (isinstance(fault, OSError) and own_frames(fault)):
            remedy = how_to_go_on(folder)
            fault.add_note(f"{remedy[0].upper()}{remedy[1:]}")
            raise
        if isinstance(fault, kinds):
            exit_with_error("\n".join([str(fault), *getattr(fault, "__notes__", [])]))
        if isinstance(fault, OSError):
            exit_with_error(f"the run cannot be written ({fault}); {how_to_go_on(folder)}")
        raise


def exploit(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            autocompletion=complete_agent,
            help=f"Whose copies hold all seats but one: {', '.join(names())}, {HOW_TO_NAME}.",
        ),
    ],
    decisions: Annotated[
        int,
        typer.Option(
            "--decisions", min=1, help="Decisions in its seat to learn from, in whole rollouts."
        ),
    ] = 4_000_000,
    players: Annotated[
        int | None,
        typer.Option("--players", help="Seats at the table.", show_default="the game's most"),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=1,
            help="Games to measure by, rounded up to a multiple of the seats; 2401 are enough for "
            "± 2 percentage points.",
        ),
    ] = 2401,
    seed: lineup_options.Seed = 0,
    settings: Settings = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=f"New folder for the run and the result ({RESULT_NAME}).",
            show_default="runs/exploit-<game>-<time>-seed<seed>",
        ),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Measure how much one seat can win against copies of an agent in all others.

    The figure is a win rate beside parity, and a lower bound: below parity nothing was found.
    """
    game = choices.find_game(game_name)
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_arena.measure import table_sizes
    from shakespeare_training.exploit import ExploitSettings, exploit_by_ppo

    with choices.usage_errors("--players"):
        (seats,) = table_sizes(game, [game.max_seats if players is None else players])
    (frozen, *_) = lineup_options.make_opponents(game, [agent], seats)
    if getattr(frozen.agent, "is_slow", False):
        table = ["--game", registry.game_argument(game.name), "--players", str(seats)]
        instead = command("evaluate", "search", agent, *table)
        typer.echo(f"{agent} searches, so learning takes hours. Quicker: {instead}", err=True)
    console = UnbreakableConsole()
    with (
        stoppable(console, "Stopped before anything was measured.") as stop,
        workers_options.open_chosen_workers(workers, ray) as crew,
    ):
        progress = games_progress()
        task = progress.add_task("playing", total=games, decisions=0)

        def on_progress(decisions: int, finished: int) -> None:
            progress.start()  # not while it learns
            progress.update(task, completed=finished, decisions=decisions)

        import_training(console)
        out = out or _new_folder(f"exploit-{game.name}", seed)
        try:
            with _exit_on(out, *_FAULTS):
                response = exploit_by_ppo(
                    agent,
                    out,
                    ExploitSettings(
                        decisions=decisions,
                        players=seats,
                        games=games,
                        seed=seed,
                        training=_parsed(settings),
                    ),
                    game.name,
                    console=console,
                    stop=stop,
                    on_progress=on_progress,
                    workers=crew,
                )
        finally:
            progress.stop()
    if response is None:
        return
    console.print(response.evaluation.table())
    console.print(response.verdict(), highlight=False, markup=False, soft_wrap=True)
    with _exit_on(out):
        response.save(out / RESULT_NAME)
