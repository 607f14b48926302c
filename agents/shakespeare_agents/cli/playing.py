"""Options of commands that play many games: workers, progress bars and results."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from shakespeare_agents.naming import AgentSpec
from shakespeare_env.cli.choices import exit_with_error

if TYPE_CHECKING:
    from shakespeare_agents.workers import Workers
    from shakespeare_env.core.game import Game

WorkerCount = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=1024,
        help="Processes that play the games. Their number changes no result.",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="auto|local|ADDRESS",
        help="Play on a Ray cluster: the one that this machine belongs to (auto), one that is "
        "started on this machine alone (local), or the one at an address.",
        show_default=False,
    ),
]
ResultFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.json", help="Write the results to this file as JSON."),
]


@contextmanager
def open_chosen_workers(processes: int, ray: str | None) -> Iterator[Workers | None]:
    """Open the chosen workers for the length of a block. Yield None for this process itself."""
    if ray is not None and processes != 1:
        raise typer.BadParameter("give --workers or --ray, not both", param_hint="--ray")
    if ray is None and processes == 1:
        yield None
        return
    # This slow import is made here to keep the shell's completion quick.
    from shakespeare_agents.workers import open_workers

    with open_workers(processes, ray) as workers:
        yield workers


_RANDOM_GAMES = 32
"""The number of random games that estimate how many decisions a game has."""
_MOST_DECISIONS = 10_000  # in a random game
_SPEED_S = 120.0
"""The seconds over which the bar averages its speed, since a single step may take long."""


def forecast_decisions(decided: int, ended: int, games: int, at_random: float) -> float:
    """Forecast the total number of decisions of games that are played side by side.

    Args:
        decided: The number of decisions so far.
        ended: The number of games that have ended so far.
        games: The number of all games.
        at_random: The mean number of decisions of a game in which all play at random.
    """
    if not ended:
        return max(at_random * games, decided)
    # `decided` includes the decisions of unfinished games, so `decided / ended` is too high at
    # first. It counts for little before most games have ended.
    weight = min(ended / games, 1.0) ** 4
    per_game = (1 - weight) * at_random + weight * decided / ended
    return max(per_game * games, decided)


class GamesProgress(AbstractContextManager["GamesProgress"]):
    """A progress bar on stderr for games that are played side by side, so that most end late.

    It counts decisions, so that it shows progress and forecasts the end from the first step on
    (see `forecast_decisions`).

    Args:
        total: The number of games, or None if it is not known.
        decisions_per_game: Returns the mean decisions of a random game. It is called after the
            first step. If it is not given, the bar counts games.
        seconds: The seconds after which play ends, or infinity. If it is finite and
            `decisions_per_game` is not given, the bar counts seconds, too.
    """

    def __init__(
        self,
        total: int | None,
        decisions_per_game: Callable[[], float] | None = None,
        seconds: float = math.inf,
    ) -> None:
        self._games = total
        self._seconds = seconds
        self._began = time.monotonic()
        self._decisions_per_game = decisions_per_game
        self._at_random: float | None = None  # what `decisions_per_game` has returned
        self._kept = 0  # games of earlier runs, played before the first decision
        self._progress = Progress(
            TextColumn("{task.description}{task.fields[decisions]:,} decisions"),
            BarColumn(),
            TextColumn("{task.fields[games]} games"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=_SPEED_S,
        )
        self._task = self._progress.add_task("", total=None, decisions=0, games=0)

    def __enter__(self) -> GamesProgress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar."""
        self._progress.stop()

    def update(
        self, decisions: int, games: int, total: int | None = None, description: str = ""
    ) -> None:
        """Show the numbers of decisions and of finished games so far.

        Args:
            decisions: The number of decisions.
            games: The number of finished games, with those of earlier runs.
            total: The number of all games, if it has changed.
            description: The text before the bar.
        """
        self._progress.start()  # in case no block was entered; a second start does nothing
        if total is not None:
            self._games = total
        if decisions == 0:
            self._kept = games
        shown = f"{games:,}" if self._games is None else f"{games:,}/{self._games:,}"
        fields: dict[str, Any] = {"decisions": decisions, "games": shown}
        if self._decisions_per_game is None:
            shares = [(time.monotonic() - self._began) / max(self._seconds, 1e-3)]
            if self._games is not None:
                shares.append(games / self._games)
            if max(shares):
                fields |= {"completed": max(shares), "total": 1}
        elif self._games is not None and decisions:
            if self._at_random is None:
                self._at_random = self._decisions_per_game()
            ended = games - self._kept
            to_play = max(self._games - self._kept, 1)
            expected = forecast_decisions(decisions, ended, to_play, self._at_random)
            fields |= {"completed": decisions, "total": expected}
        self._progress.update(self._task, description=description, **fields)


def random_game_decisions(game: Game, players: int, options: Mapping[str, bool]) -> float:
    """Return the mean number of decisions of a game in which all play at random."""
    from shakespeare_env.core.batch import Batch

    variants: dict[str, Any] = dict(options)
    batch = Batch(game.name, _RANDOM_GAMES, players=players, autoreset=False, **variants)
    decisions = 0
    for _ in range(_MOST_DECISIONS):
        playing = int((batch.to_move >= 0).sum())
        if not playing:
            break
        decisions += playing
        batch.step(batch.random_actions())
    return decisions / _RANDOM_GAMES


@contextmanager
def show_games_progress(
    total: int | None,
    game: Game | None = None,
    players: int | None = None,
    options: Mapping[str, bool] | None = None,
    seconds: float = math.inf,
) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar for the length of a block, and yield a function that updates it.

    The function takes the numbers of decisions and of finished games so far. Given the game and the
    number of seats, or the seconds that play may take, the bar forecasts the end before the first
    game is over.
    """
    per_game = None
    if game is not None and players is not None:
        per_game = partial(random_game_decisions, game, players, options or {})
    with GamesProgress(total, per_game, seconds) as progress:
        yield progress.update


def show_result(result: Any, out: Path | None) -> None:
    """Print the `table()` of a result, and `save` the result to a file if one is given."""
    Console().print(result.table())
    if out is not None:
        try:
            result.save(out)
        except OSError as error:
            exit_with_error(f"cannot write {out}: {error}")


def warn_of_agents_by_clock(named: Iterable[str]) -> None:
    """Print a warning below results if some of the named agents decide by the clock."""
    by_clock = [name for name in dict.fromkeys(named) if AgentSpec.parse(name).goes_by_clock]
    if by_clock:
        Console().print(
            f"By the clock: {', '.join(by_clock)}. These games cannot be repeated, and on a faster "
            "or less busy machine such an agent is stronger.",
            markup=False,
            highlight=False,
        )
