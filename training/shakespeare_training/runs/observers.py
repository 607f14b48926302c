"""What follows a run as it learns: trackers, films, and callbacks of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import KVWriter

from shakespeare_agents import make
from shakespeare_agents.naming import PythonName
from shakespeare_agents.python_agents import load
from shakespeare_env.core import registry
from shakespeare_env.core.position import Position
from shakespeare_env.film import film_page, write_film_page
from shakespeare_env.play.generators import GameGenerators
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.tracking import check_trackers, trackers
from shakespeare_training.stopping import Stop

FILMS = "films"
"""The folder of films in that of a run."""


@dataclass(frozen=True)
class Observers:
    """What is told of a run.

    Attributes:
        outputs: Get whatever the learner logs.
        callbacks: Callbacks of Stable-Baselines3; they are called after the run's own.
    """

    outputs: Sequence[KVWriter] = ()
    callbacks: Sequence[BaseCallback] = ()


def observers_wanted(
    *, track: Sequence[str] = (), callbacks: Sequence[str] = (), films: bool = False
) -> Callable[[Run], Observers]:
    """What makes the observers that a command asks for, checked before there is a run.

    Args:
        track: Names of trackers (`tracking.TRACKERS`).
        callbacks: `FILE.py:NAME`, classes or functions that make a `BaseCallback` of a `Run`.
        films: Whether a game is filmed at every evaluation.

    Raises:
        ValueError: there is no such tracker, file or name.
        ImportError: a tracker is not installed, or a file cannot be imported.
    """
    check_trackers(track)
    makers = {name: _maker(name) for name in callbacks}

    def observers_of(run: Run) -> Observers:
        if run.is_complete:  # nothing is going to be observed
            return Observers()
        made = [Films(run)] if films else []
        for name, maker in makers.items():
            made.append(maker(run))
            if not isinstance(made[-1], BaseCallback):
                raise TypeError(
                    f"{name} made {type(made[-1]).__name__} of a Run: it must make a BaseCallback "
                    "of Stable-Baselines3"
                )
        return Observers(trackers(track, run), made)

    return observers_of


class Guests(CallbackList):
    """The callbacks of others: one that returns False stops the run as Ctrl-C does."""

    def __init__(self, callbacks: Sequence[BaseCallback], stop: Stop) -> None:
        super().__init__([*callbacks])
        self._stop = stop

    def _on_step(self) -> bool:
        if not super()._on_step():
            self._stop.request()
        return True


class Films(BaseCallback):
    """Films a game of the learner with itself after every evaluation, always the same deal.

    The films are HTML pages, `films/<decisions>.html` in the run's folder.
    """

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._film()

    def _on_training_end(self) -> None:
        self._film()

    def _film(self) -> None:
        run = self._run
        path = run.folder / FILMS / f"{run.decisions}.html"
        is_new = run.history and run.history[-1].decisions == run.decisions and not run.unmeasured
        if is_new and not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_film_page(path, film_of(run.folder, run.config.game, max(run.config.players)))


def film_of(checkpoint: Path, game: str, players: int) -> str:
    """A game of a checkpoint with itself as an HTML page."""
    agent: Any = make(checkpoint, registry.game(game))
    chance = GameGenerators.of_games(0, np.zeros(1, np.int64))
    position = Position.new(game, players=players, seed=0)
    positions, moves = [position.copy()], list[str]()
    while (seat := position.to_move) is not None:
        seen, mask = position.observation(seat)[None], position.action_mask()[None]
        (action,) = agent.act(seen, mask, chance)
        moves.append(position.game.actions.text(int(action), seat, players))
        position.push(moves[-1])
        positions.append(position.copy())
    return film_page(positions, moves, [checkpoint.name] * players)


def _maker(name: str) -> Callable[[Run], Any]:
    source, _, attribute = name.rpartition(":")
    if not source.endswith(".py") or not attribute:
        raise ValueError(f"the callback {name!r} is not named in a file: give FILE.py:NAME")
    maker: Callable[[Run], Any] = load(PythonName(source, attribute))
    return maker
