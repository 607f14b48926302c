"""The commands `shakespeare train` and `shakespeare exploit`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.lineup import complete_agent
from shakespeare_agents.cli.playing import GamesProgress, random_game_decisions
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
from shakespeare_training.stopping import Stopped
from shakespeare_training.terminal import (
    UnbreakableConsole,
    busy,
    import_training,
    new_folder,
    stoppable,
)

if TYPE_CHECKING:
    from rich.console import Console
    from stable_baselines3.common.callbacks import BaseCallback

    from shakespeare_agents.making import Entrant
    from shakespeare_agents.naming import AgentSpec
    from shakespeare_agents.workers import Workers
    from shakespeare_arena.best_response import BestResponse
    from shakespeare_env.core.game import Game
    from shakespeare_training.config import TrainingConfig
    from shakespeare_training.exploit import Exploitation
    from shakespeare_training.runs.run import Run

RESULT_NAME = "exploit.json"
_DECISIONS = 4_000_000
"""Decisions that a response learns from by default."""
_CONFIGURED = "as configured"  # the default that the help shows for what the settings decide
_FAULTS = ShakespeareEnvError, ValueError, TypeError, ImportError
"""Errors of settings, files and agents. They end a command with a message and no traceback."""


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
    _refuse_unused_options(context, game_name, resume, print_config)
    folder = resume or out or Path("runs")
    with ExitStack() as opened:
        stop = opened.enter_context(stoppable(console, "Stopped before learning began."))
        import_training(console)
        from shakespeare_training.config import as_toml
        from shakespeare_training.runs.run import Run
        from shakespeare_training.runs.train import train as train_run

        with _exit_on(folder, *_FAULTS):
            callback_makers = {name: _callback_maker(name) for name in callbacks or ()}
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
                running_workers = opened.enter_context(
                    _open_workers(run.config.algorithm, workers, ray)
                )
            else:
                given = {
                    "game": None if game is None else game.name,
                    "decisions": decisions,
                    "seed": seed,
                }
                overrides = {name: value for name, value in given.items() if value is not None}
                overrides |= _parse_settings(settings)
                chosen, weights = _choose_config(config, overrides, start, minutes)
                if print_config:
                    typer.echo(as_toml(chosen), nl=False)
                    return
                # The workers are opened first, so that no folder is left if that fails.
                running_workers = opened.enter_context(
                    _open_workers(chosen.algorithm, workers, ray)
                )
                folder = out or new_folder(chosen.game, chosen.seed)
                with busy(console, "building the learner"):
                    run = opened.enter_context(
                        Run.create(chosen, folder, start=weights, device=device, minutes=minutes)
                    )
            made_callbacks = [
                _make_callback(name, maker, run) for name, maker in callback_makers.items()
            ]
        with _exit_on(folder, TrainingError):
            train_run(run, console, stop, running_workers, made_callbacks)


def _refuse_unused_options(
    context: typer.Context, game_name: str | None, resume: Path | None, print_config: bool
) -> None:
    """Exit if an option was given that has no effect beside the others."""
    if resume is not None:
        used = {"resume", "trust", "decisions", "minutes", "device", "workers", "ray", "callbacks"}
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


def _parse_settings(settings: list[str] | None) -> dict[str, Any]:
    from shakespeare_training.config import parse_override

    return dict(map(parse_override, settings or []))


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
            "PPO plays its games in the process that learns, where the network decides in all of "
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


@contextmanager
def _exit_on(folder: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Exit with a message on errors of some kinds, on lost workers, and if a run cannot be saved.

    An error in the user's own code, such as an agent or a callback, is raised with its traceback.
    """
    from shakespeare_training.runs.saving import how_to_continue

    try:
        yield
    except WorkerError as fault:
        exit_with_error(f"{fault}; {how_to_continue(folder)}")
    except Exception as fault:
        if agent_notes(fault) or (isinstance(fault, OSError) and own_frames(fault)):
            remedy = how_to_continue(folder)
            fault.add_note(f"{remedy[0].upper()}{remedy[1:]}")
            raise
        if isinstance(fault, kinds):
            exit_with_error("\n".join([str(fault), *getattr(fault, "__notes__", [])]))
        if isinstance(fault, OSError):
            exit_with_error(f"the run cannot be written ({fault}); {how_to_continue(folder)}")
        raise


def exploit(
    context: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            autocompletion=complete_agent,
            help="The agent whose copies hold all seats but one: "
            f"{', '.join(names())}, {HOW_TO_NAME}.",
        ),
    ],
    decisions: Annotated[
        int | None,
        typer.Option(
            "--decisions",
            min=1,
            help="Decisions that each response learns from, rounded up to whole rollouts.",
            show_default=f"{_DECISIONS:,}, or none in a small game, whose best response is "
            "computed exactly",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option("--players", help="Seats at the table.", show_default="the game's most"),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=1,
            help="Games of the measurement, rounded up to a multiple of the seats; 2401 are enough "
            "for ± 2 percentage points.",
        ),
    ] = 2401,
    seed: lineup_options.Seed = 0,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            min=1,
            help="Responses to learn, with successive seeds. The best plays again on fresh deals.",
        ),
    ] = 1,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT",
            help="Weights to start from: a checkpoint (network, or a folder), or a network of "
            "your own, my.py:NAME,weights=FILE.",
            autocompletion=complete_agent,
            show_default="the agent's own, or those that it searches with",
        ),
    ] = None,
    settings: Settings = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=f"Folder for the runs and the result ({RESULT_NAME}). The same command goes on "
            "with what was stopped there.",
            show_default="runs/exploit-<game>-<time>-seed<seed>",
        ),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Measure how much one seat can win against copies of an agent in all others.

    The figure is a win rate beyond parity. In small games it is exact. In others it is a lower
    bound, found by a response that learns. A figure below parity means that it found nothing.
    """
    game = choices.find_game(game_name)
    # Imported late, to keep the shell's completion quick.
    from shakespeare_agents.naming import AgentSpec
    from shakespeare_arena.measure import table_sizes
    from shakespeare_training.exploit import ExploitSettings, exploit_by_ppo, own_weights

    with choices.usage_errors("--players"):
        (seats,) = table_sizes(game, [game.max_seats if players is None else players])
    opponent, *_ = lineup_options.make_opponents(game, [agent], seats)
    console = UnbreakableConsole()
    out_option: list[Any] = []
    if out is None:
        out = new_folder(f"exploit-{game.name}", seed)
        out_option = ["--out", out]
    if decisions is None:
        exact = _exact_response(opponent, game, seats, out)
        if exact is not None:
            why = "without --decisions the best response is computed exactly"
            choices.refuse_unused(context, {"agent", "players", "out", "game_name"}, why)
            _show_and_save(console, exact, out)
            return
        decisions = _DECISIONS
    if getattr(opponent.agent, "is_slow", False):
        table = ["--game", registry.game_argument(game.name), "--players", str(seats)]
        instead = command("evaluate", "search", agent, *table)
        typer.echo(
            f"{agent} searches, so learning takes hours. This is quicker: {instead}", err=True
        )
    with _exit_on(out, *_FAULTS):
        training = _parse_settings(settings)
    own = own_weights(AgentSpec.parse(agent).network())
    if own is not None and start is None and training.get("network") != own[0]:
        network, weights = own
        typer.echo(
            f"The response learns from nothing. If {network} has the outputs that learning needs, "
            f"it can start from the agent's weights: --start {network},weights={weights}",
            err=True,
        )
    resume = command(*sys.argv[1:], *out_option)
    with (
        stoppable(console, f"Stopped. To resume: {resume}") as stop,
        workers_options.open_chosen_workers(workers, ray) as running_workers,
    ):
        # The bar appears with its first update. Before that, the training shows its own bar.
        measurements = seeds + 1 if seeds > 1 else 1
        at_random = partial(random_game_decisions, game, seats, {})
        progress = GamesProgress(games * measurements, at_random)
        import_training(console)
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
                        seeds=seeds,
                        start=start,
                        training=training,
                    ),
                    game.name,
                    console=console,
                    stop=stop,
                    on_progress=progress.update,
                    workers=running_workers,
                )
        finally:
            progress.close()
        if response is None:
            raise Stopped
    _show_and_save(console, response, out)


def _exact_response(opponent: Entrant, game: Game, seats: int, out: Path) -> BestResponse | None:
    """Return the exact best response to an agent, or say why there is none and return None."""
    from shakespeare_arena.best_response import NotExactError, best_response

    try:
        with _exit_on(out, *_FAULTS):
            return best_response(opponent.agent, opponent.name, game, seats)
    except NotExactError as fault:
        typer.echo(f"Not computed exactly ({fault}); PPO learns a response instead.", err=True)
        return None


def _show_and_save(console: Console, result: BestResponse | Exploitation, out: Path) -> None:
    console.print(result.table())
    console.print(result.verdict(), highlight=False, markup=False, soft_wrap=True)
    with _exit_on(out):
        out.mkdir(parents=True, exist_ok=True)
        result.save(out / RESULT_NAME)
