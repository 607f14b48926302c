"""`shakespeare findings`: questions about good play, asked in many boxes; and what to look up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_env.cli.choices import give_up, interrupted
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.extras import needing

_EXTRA, _WHAT = "arena", "findings need"
_WHO = ("heuristic", "network")

Answers = Annotated[Path, typer.Argument(metavar="FOLDER", help="Answers of `findings`.")]


def findings(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Resumed if unfinished.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    boxes: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Box files to ask in, beside the package's own; may be given again.",
            show_default="the one in force",
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help=f"Who holds every seat: {lineup_options.WHO} May be given again.",
            show_default=" and ".join(_WHO),
        ),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(
            help="Seats at the table; may be given again.", show_default="as many as possible"
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(min=1, help="Games to begin with; every question plays more of them.")
    ] = 100,
    seed: lineup_options.Seed = 0,
    only: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Questions to ask.", show_default="all")
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Ask what good play is worth, in many boxes and with several players."""
    # Here and below, slow imports are late to keep the shell's completion quick.
    try:
        with needing(_EXTRA, _WHAT):
            from shakespeare_research.asking import ask, boxes_of, shards_of

        shards = shards_of(
            game_name,
            boxes_of(game_name, boxes or ()),
            list(dict.fromkeys(player or _WHO)),
            list(dict.fromkeys(players or [choices.find_game(game_name).max_seats])),
            games=games,
            seed=seed,
            only=only.split(",") if only else (),
        )
        with workers_options.chosen(workers, ray) as crew:
            for _ in track(
                ask(out, shards, crew), "asking", len(shards), console=Console(stderr=True)
            ):
                pass
    except (ShakespeareEnvError, ValueError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except KeyboardInterrupt:
        interrupted("Unfinished. ")
    typer.echo(f"{out}: {len(shards)} plays. What they say: {command('findings', 'report', out)}")


def findings_report(
    answers: Answers,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write page.md, findings.parquet, facts.json and plots there."
        ),
    ] = None,
) -> None:
    """Say which findings hold in any box, and what the others depend on."""
    try:
        with needing(_EXTRA, _WHAT):
            from shakespeare_research.report import Report, plot_question, sentence

        report = Report(answers)
    except (ShakespeareEnvError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    if out is None:
        typer.echo(report.trained())
        for verdict, number in sorted(Counter(one.verdict for one in report.findings).items()):
            typer.echo(f"{verdict}: {number}")
        for one in report.findings:
            typer.echo(f"- {sentence(one)}")
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / "page.md").write_text(report.page(), encoding="utf-8")
    report.frame().write_parquet(out / "findings.parquet")
    report.facts().write_json(out / "facts.json")
    for question, players in {(one.question.name, one.players): 0 for one in report.findings}:
        picture = plot_question(report, question, players)
        (out / f"{question}-{players}.png").write_bytes(picture.png())
    typer.echo(f"Written: {out}")


def boxes_ask(
    answers: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER", help="Answers of `findings`.", show_default="the package's own"
        ),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows to show.")] = 20,
) -> None:
    """List the printed facts worth looking up first: those that findings hang on most."""
    try:
        with needing(_EXTRA, _WHAT):
            from shakespeare_research.report import Report, shipped_facts

        facts = Report(answers).facts() if answers else shipped_facts()
    except (ShakespeareEnvError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    console = Console()
    for by, what in (("fact", "On your copy"), ("group", "Group of facts")):
        table = Table(what, "Facts", "Share, %")
        for one in facts.filter(facts["by"] == by).head(rows).iter_rows(named=True):
            entries = ", ".join(one["entries"] or [one["group"]]).replace("_", " ")
            table.add_row(
                one["name"], entries, f"{100 * one['share']:.1f} ± {196 * one['error']:.1f}"
            )
        console.print(table)
    console.print("Share: of the findings' variance between boxes; ±: 95 % interval.")
