"""The command `shakespeare`: play and watch games, train and evaluate agents, ..."""

import typer

from shakespeare_env.cli import (
    actions,
    check,
    dataset,
    evaluate,
    observation,
    play,
    protocol,
    replay,
    show,
    train,
    watch,
)

app = typer.Typer(
    name="shakespeare",
    help="Play through games of the environment and look at them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.command()(watch.watch)
app.command()(play.play)
app.command()(show.show)
app.command()(train.train)
app.command()(evaluate.evaluate)
app.command()(dataset.dataset)
app.command()(replay.replay)
app.command()(check.check)
app.command()(actions.actions)
app.command()(observation.observation)
app.command()(protocol.protocol)
