"""The commands `evaluate`, `measure`, `dataset` and `arena`."""

from __future__ import annotations

import signal
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.playing import (
    GamesProgress,
    ResultFile,
    random_game_decisions,
    show_games_progress,
    show_result,
    warn_of_agents_by_clock,
)
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError, CheckpointError, DatasetError, agent_notes

# Slow imports are inside the commands, to keep the shell's completion quick.


KeptGames = Annotated[
    Path | None,
    typer.Option(
        "--results",
        metavar="FOLDER",
        help="Keep the games in this folder, like `dataset`; the same command resumes.",
        show_default=False,
    ),
]


def evaluate(
    named: lineup_options.AgentNames = None,
    players: lineup_options.Players = None,
    games: lineup_options.Games = 1000,
    seed: lineup_options.Seed = 0,
    results: KeptGames = None,
    out: ResultFile = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Play agents against each other, and show win rates and scores with 95 % intervals.

    Ctrl-C shows the result of the deals that are complete.
    """
    from shakespeare_arena.evaluation import Evaluation, NoCompleteDeal

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    variants = choices.checked_variants(game, option, len(entrants))
    choices.check_writable(out)
    is_interrupted = False
    with _results_errors(results):
        evaluation = Evaluation(
            entrants,
            game.name,
            games=games,
            players=len(entrants),
            seed=seed,
            options=variants,
            results=results,
        )
        try:
            with (
                workers_options.open_chosen_workers(workers, ray) as chosen_workers,
                show_games_progress(evaluation.games, game, len(entrants), variants) as on_progress,
            ):
                evaluation.play(on_progress, chosen_workers)
        except KeyboardInterrupt:
            is_interrupted = True
    try:
        result = evaluation.result()
    except NoCompleteDeal as fault:
        choices.exit_interrupted(f"Stopped: {fault}. ", can_resume=results is not None)
    show_result(result, None if is_interrupted else out)
    warn_of_agents_by_clock(named or [])
    if is_interrupted:
        choices.exit_interrupted("Unfinished. ", can_resume=results is not None)


@contextmanager
def _results_errors(folder: Path | None) -> Iterator[None]:
    """Exit with an error if a folder of results cannot be used, but let agents' own errors pass."""
    try:
        yield
    except (ArenaError, DatasetError, ModuleNotFoundError, ValueError, TypeError) as fault:
        if folder is None or agent_notes(fault):  # an agent's code failed: show its traceback
            raise
        choices.exit_with_error(str(fault))
    except OSError as fault:
        if folder is None or agent_notes(fault):  # an agent's code failed: show its traceback
            raise
        choices.exit_with_error(
            f"{folder} cannot be written ({fault}); the same command resumes it"
        )


def measure(
    agent: lineup_options.AgentName,
    players: Annotated[
        list[int] | None,
        typer.Option(
            "--players",
            help="Seats at the table; give it several times for several tables.",
            show_default="every table of two seats or more",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Minutes of play, shared among the tables; each has at least one deal.",
            show_default="5, or no limit with --games",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The most games at each table, rounded up to whole deals. Without --minutes the "
            "same seed gives the same games.",
            show_default="as many as there is time for",
        ),
    ] = None,
    seed: lineup_options.Seed = 0,
    results: KeptGames = None,
    out: ResultFile = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Measure an agent by the playouts that a search needs to be as strong, at each table."""
    from shakespeare_arena.measure import Budget, table_sizes
    from shakespeare_arena.measure import measure as measure_strength

    game = choices.find_game(game_name)
    with choices.usage_errors("--players"):
        tables = table_sizes(game, players)
    variants = choices.checked_variants(game, option, max(tables))
    # `make_entrants` would add the default agent, which does not play here, to a single name. So
    # the agent is named twice, and the first entrant is taken.
    entrant = lineup_options.make_entrants(game, [agent, agent], max(tables))[0]
    choices.check_writable(out)
    with choices.usage_errors("--minutes"):
        budget = Budget(minutes, games)
    most_games = None
    if games is not None:
        most_games = sum(budget.deals(seats) * seats for seats in tables)
    with (
        _results_errors(results),
        workers_options.open_chosen_workers(workers, ray) as chosen_workers,
        show_games_progress(most_games, seconds=budget.seconds) as on_progress,
    ):
        try:
            result = measure_strength(
                entrant,
                game.name,
                players=tables,
                budget=budget,
                seed=seed,
                options=variants,
                on_progress=on_progress,
                workers=chosen_workers,
                results=results,
            )
        except (CheckpointError, ValueError) as fault:
            if agent_notes(fault):  # an agent's code failed: show its traceback
                raise
            choices.exit_with_error(str(fault))
    show_result(result, out)
    warn_of_agents_by_clock([agent])


def dataset(
    named: lineup_options.AgentNames = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="The folder of games; an unfinished recording is resumed.",
            show_default=False,
        ),
    ] = ...,  # type: ignore[assignment]
    players: lineup_options.Players = None,
    games: lineup_options.Games = 1000,
    seed: lineup_options.Seed = 0,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Record agents' games as Parquet files, with their moves and the agents' estimates."""
    from shakespeare_arena.dataset import write_dataset
    from shakespeare_arena.ladders import summaries
    from shakespeare_arena.reports import printable_name
    from shakespeare_env.datasets.reading import read_games

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    variants = choices.checked_variants(game, option, len(entrants))
    try:
        with (
            _results_errors(out),
            workers_options.open_chosen_workers(workers, ray) as chosen_workers,
            show_games_progress(games, game, len(entrants), variants) as on_progress,
        ):
            total = write_dataset(
                out,
                entrants,
                game.name,
                games=games,
                seed=seed,
                options=variants,
                on_progress=on_progress,
                workers=chosen_workers,
            )
    except KeyboardInterrupt:
        choices.exit_interrupted("Unfinished. ")
    typer.echo(f"{out}: {total:,} games.")
    warn_of_agents_by_clock(named or [])
    forfeited = read_games(out).drop_nulls("forfeited_by").collect()
    faults = summaries.faults(summaries.seat_rows(forfeited))
    for name, _, count, example in faults.iter_rows():
        words = printable_name(" ".join(example.split()), 200)
        typer.echo(f"{name} has forfeited {count:,} of these games, for example: {words}")


def arena(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Argument(
            metavar="ARENA.toml",
            help="The file that says who plays, at which tables, and for how long.",
            show_default="none; only --report and --merge can do without it",
        ),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The folder of finished games; an unfinished arena is resumed.",
            show_default="the name of ARENA.toml without .toml",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Play nothing, and show the standings with win rates.")
    ] = False,
    merge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Play nothing, and copy this folder's games, each counted once."
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games to play, in place of the file's.", show_default=False),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.001, help="Minutes of this run, in place of the file's.", show_default=False
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Run the programs and the Python code that the file names."),
    ] = False,
    own_game: choices.OwnGame = None,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Rank agents: let them play until their order is settled at 95 %, or time is up.

    Agents meet most often where least is known about their order. Every finished game is kept. The
    same command resumes an arena, even after the file has changed.
    """
    if merge:
        used = {"merge", "results", "report", "own_game"}
        words = "--merge, given before each folder, copies its games into --results and plays none"
        choices.refuse_unused(context, used, words)
    elif report:
        used = {"report", "own_game", "config" if results is None else "results"}
        choices.refuse_unused(context, used, "--report shows the games of one folder")
    folder = results
    if folder is None and config is not None:
        folder = config.with_suffix("")
    if folder is None:
        raise typer.BadParameter(
            "give the file of an arena, or its --results", param_hint="ARENA.toml"
        )
    if config is None and not (report or merge):
        raise typer.BadParameter("give the file of the arena to play", param_hint="ARENA.toml")
    # The game that `--game` names. `check_own_game` compares the arena's game with it below.
    own = None if own_game is None else choices.find_game(own_game)

    def report_command() -> str:
        # Called late, because reading the arena's file may register a game of its own.
        options = registry.game_file_options()
        return command("arena", "--report", "--results", folder, *options)

    try:
        from shakespeare_arena import tournament
        from shakespeare_arena.config import ArenaConfig
        from shakespeare_arena.games import results as results_folders
        from shakespeare_arena.ladders.sheets import standings_tables, table_sheets
        from shakespeare_arena.ladders.standings import standings_of
        from shakespeare_env.datasets.reading import game_of_results, read_results

        ending = ""
        names: list[str] = []
        if merge:
            ending = f"{folder}: {results_folders.merge(merge, folder):,} new games. "
        elif config and not report:
            given = {"games": games, "minutes": minutes}
            changes = {name: value for name, value in given.items() if value is not None}
            settings = ArenaConfig.read(config, trusted=trust).model_copy(update=changes)
            choices.check_own_game(own, settings.game, config)
            names = [each.agent for each in settings.agents if isinstance(each.agent, str)]
            # This comes before anything that lets the file's author run code here.
            untrusted = settings.untrusted_code()
            if untrusted and not trust:
                choices.exit_with_error(
                    f"{config} runs {'; '.join(map(repr, untrusted))}; add --trust if you trust it"
                )
            # SIGTERM then acts like Ctrl+C, which also ends the programs that were started.
            signal.signal(signal.SIGTERM, signal.default_int_handler)

            def decisions_per_game() -> float:
                tables = [
                    random_game_decisions(
                        registry.game(settings.game),
                        players,
                        dict.fromkeys(settings.variants, True),
                    )
                    for players in settings.players
                ]
                return statistics.fmean(tables)

            def on_progress(number: int, finished: int, planned: int, decisions: int) -> None:
                bar.update(decisions, finished, planned, f"round {number + 1}, ")

            with (
                workers_options.open_chosen_workers(workers, ray) as chosen_workers,
                GamesProgress(None, decisions_per_game) as bar,
            ):
                reason = tournament.run_arena(
                    settings, folder, on_progress=on_progress, workers=chosen_workers
                )
            ending = f"Stopped because {reason}. "
        choices.check_own_game(own, game_of_results(folder), folder)
        standings = standings_of(read_results(folder))
    except (ArenaError, DatasetError, ModuleNotFoundError) as fault:
        choices.exit_with_error(str(fault))
    except OSError as fault:
        choices.exit_with_error(
            f"the results cannot be written ({fault}); the same command resumes"
        )
    except KeyboardInterrupt:
        choices.exit_interrupted(f"Stopped; finished games are kept: {report_command()}\n")
    console = Console()
    extra = list(table_sheets(standings)) if report else []
    console.print(standings_tables(standings, extra))
    warn_of_agents_by_clock(names)
    if not report:
        console.print(f"{ending}To show win rates too:", highlight=False, markup=False)
        # `out` does not break the command into lines, so it can be copied.
        console.out(f"  {report_command()}", highlight=False)
