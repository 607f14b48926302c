"""The command `shakespeare findings`: ask questions about good play in many boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.storage import write_output
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_env.cli.choices import exit_interrupted, exit_with_error
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.extras import requires_extra


def findings(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write answers, drawn boxes or a report with plots here. Unfinished answers are "
            "resumed.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Report on the answers in this folder.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=100_000,
            help="Draw N plausible boxes to ask in. Reconstructed facts are drawn within the "
            "limits of their sources.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="The groups of facts that --sample draws, such as actors,costs.",
            show_default="all",
        ),
    ] = None,
    boxes: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Ask in the boxes of this folder and in the package's own. May be given again.",
            show_default="the one in force",
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help=f"The agent at every seat: {lineup_options.AGENT_CHOICES} May be given again.",
            show_default="the heuristic and the newest network",
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(
            help="The number of seats. May be given again.", show_default="as many as possible"
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, help="Games to begin with. Every question plays more.")
    ] = 100,
    seed: lineup_options.Seed = 0,
    only: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="The questions to ask.", show_default="all"),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    workers: workers_options.WorkerCount = 1,
    ray: workers_options.RayAddress = None,
) -> None:
    """Ask questions about good play in many boxes, draw such boxes, or report on the answers."""
    if sample is not None:
        used = {"sample", "groups", "out", "seed", "game_name"}
        choices.refuse_unused(context, used, "--sample draws boxes and asks nothing")
    elif report is not None:
        choices.refuse_unused(context, {"report", "out"}, "--report asks nothing anew")
    else:
        used = context.params.keys() - {"groups"}
        choices.refuse_unused(context, used, "only --sample draws groups of facts")
    # Without --out a report is printed. Everything else needs a folder.
    if out is None and (report is None or sample is not None):
        raise typer.BadParameter("give a folder to write to", param_hint="--out")
    try:
        if sample is not None and out is not None:
            _sample(out, choices.find_game(game_name).name, sample, seed, groups)
            return
        # Slow imports come late, which keeps the shell's completion quick.
        with requires_extra("arena", "findings need"):
            if report is not None:
                _report(report, out)
                return
            from shakespeare_research.asking import ask, boxes_of, shards_of
            from shakespeare_research.self_play import default_agents

        assert out is not None
        game = choices.find_game(game_name)
        shards = shards_of(
            game.name,
            boxes_of(game.name, boxes or ()),
            list(dict.fromkeys(player or default_agents(game))),
            list(dict.fromkeys(players or [game.max_seats])),
            games=games,
            seed=seed,
            only=only.split(",") if only else (),
        )
        with workers_options.open_chosen_workers(workers, ray) as chosen_workers:
            answered = ask(out, shards, chosen_workers)
            list(track(answered, "asking", len(shards), console=Console(stderr=True)))
    except (ShakespeareEnvError, ValueError, ModuleNotFoundError) as fault:
        exit_with_error(str(fault))
    except KeyboardInterrupt:
        exit_interrupted("Unfinished. ")
    typer.echo(f"{out} has the answers of {len(shards)} plays. To report on them, run")
    typer.echo(f"  {command('findings', '--report', out)}")


def _sample(out: Path, game: str, count: int, seed: int, groups: str | None) -> None:
    from shakespeare_env.boxes import box_file_names, sample_box

    if out.exists() and any(out.iterdir()):
        exit_with_error(f"{out} is not empty; give a new folder")
    drawn_groups = None if groups is None else groups.split(",")
    out.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(box_file_names(count)):
        write_output(out / name, sample_box(game, seed, number, drawn_groups).encode())
    typer.echo(f"Wrote {count} boxes to {out}.")


def _report(answers: Path, out: Path | None) -> None:
    from shakespeare_env.datasets.frames import parquet_bytes
    from shakespeare_research.plots import plot_findings
    from shakespeare_research.report import FindingsReport

    report = FindingsReport(answers)
    if out is None:
        typer.echo(report.page())
        return
    out.mkdir(parents=True, exist_ok=True)
    write_output(out / "page.md", report.page().encode())
    write_output(out / "findings.parquet", parquet_bytes(report.frame()))
    write_output(out / "facts.json", report.facts().write_json().encode())
    for group in report.by_question():
        name = f"{group[0].question.name}-{group[0].players}.png"
        write_output(out / name, plot_findings(group).png())
    typer.echo(f"Wrote the report to {out}.")
