"""Train a network by self-play: `python -m training.train`."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.checkpoint import load_checkpoint, save_checkpoint
from agents.network import NetworkAgent
from agents.random_agent import RandomAgent
from shakespeare_env.batch import Batch
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.wrappers.sb3 import BatchVecEnv
from training.config import CONFIGS, TrainingConfig, read_config
from training.evaluate import Evaluation, evaluate, show_evaluations
from training.progress import RunProgress
from training.self_play import SelfPlayPPO

EVALUATION_GAMES = 200
_LAST_LEARNING_RATE = 0.1
_NO_LIMIT = 2**62


class Run:
    """One training run: a learner, and the folder its checkpoint is kept in.

    Args:
        config: Its settings.
        folder: Where the checkpoint goes.
        console: Where to show how it goes.
    """

    def __init__(self, config: TrainingConfig, folder: Path, console: Console) -> None:
        self.config = config
        self.folder = folder
        self.console = console
        self.figures: dict[str, Any] = {}
        self.batch = Batch(
            config.game,
            n=config.games,
            players=config.players,
            seed=config.seed,
            autoreset=False,
            reward=config.reward,
        )
        self.learner = make_learner(config, self.batch)
        self.progress = RunProgress(config.minutes, console, self.save)
        self.learner.remaining = self.progress.remaining

    def start_from(self, folder: Path) -> None:
        """Take the weights of a checkpoint; the optimiser begins anew.

        Raises:
            CheckpointError: it is damaged or not of this game and width.
        """
        network, card = load_checkpoint(folder, self.batch.game)
        if card.width != self.config.width:
            raise ValueError(
                f"{folder}: width {card.width}, but the run's is {self.config.width}; set `width` "
                "in its configuration"
            )
        self.learner.policy.load_state_dict(network.state_dict())

    def evaluate(self) -> Evaluation:
        """Play 200 games against random opponents, on deals of another seed than the training's."""
        config = self.config
        return evaluate(
            NetworkAgent(self.learner.policy),
            [RandomAgent()] * (config.players - 1),
            partial(Batch, config.game),
            games=EVALUATION_GAMES // config.players * config.players,
            seed=config.seed + 10**9,
        )

    def learn(self) -> None:
        """Train until the time is up or Ctrl-C is pressed, and save."""
        with _stopped_by_interrupt(self.progress, self.console):
            self.learner.learn(_NO_LIMIT, callback=self.progress, log_interval=_NO_LIMIT)
        self.save()

    def save(self) -> None:
        """Write the checkpoint with the figures so far."""
        progress = self.progress
        self.figures |= {
            "decisions": self.learner.num_timesteps,
            "games": progress.games,
            "minutes": round(progress.elapsed / 60, 2),
            "mean_winning_score": round(progress.mean_winning_score, 2) if progress.games else None,
        }
        save_checkpoint(
            self.folder,
            self.learner.policy,
            self.batch.game,
            players=self.config.players,
            width=self.config.width,
            settings=asdict(self.config),
            figures=self.figures,
        )


def make_learner(config: TrainingConfig, batch: Batch) -> SelfPlayPPO:
    """The learner of a configuration, on games of its own."""

    def learning_rate(remaining: float) -> float:
        share = _LAST_LEARNING_RATE + (1.0 - _LAST_LEARNING_RATE) * remaining
        return config.learning_rate * share

    learner = SelfPlayPPO(
        BatchVecEnv(batch),
        width=config.width,
        reward_scale=config.reward_scale,
        win_bonus=config.win_bonus,
        n_steps=config.steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        learning_rate=learning_rate,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        vf_coef=config.value,
        target_kl=config.target_kl,
        seed=config.seed,
        device="cpu",
    )
    # RunProgress shows the run; the default logger would only leave an empty temporary folder.
    learner.set_logger(Logger(folder=None, output_formats=[]))
    return learner


@contextmanager
def _stopped_by_interrupt(progress: RunProgress, console: Console) -> Iterator[None]:
    """Let the first Ctrl-C end the run in good order; a second one breaks it off."""
    before = signal.getsignal(signal.SIGINT)

    def stop(_number: int, _frame: FrameType | None) -> None:
        progress.stop = True
        signal.signal(signal.SIGINT, before)
        console.print("[yellow]stopping after this update; Ctrl-C again breaks it off")

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def main(
    config: Annotated[Path, typer.Option(help="settings, a TOML file")] = CONFIGS
    / "shakespeare.toml",
    minutes: Annotated[float | None, typer.Option(min=0.01, help="length of the training")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="of everything random")] = None,
    players: Annotated[int | None, typer.Option(min=1, help="seats in every game")] = None,
    out: Annotated[Path | None, typer.Option(help="folder of the checkpoint")] = None,
    start: Annotated[Path | None, typer.Option(help="checkpoint to go on from")] = None,
) -> None:
    """Train a network by self-play and measure it against random opponents."""
    console = Console()
    settings = read_config(config)
    settings = replace(
        settings,
        minutes=settings.minutes if minutes is None else minutes,
        seed=settings.seed if seed is None else seed,
        players=settings.players if players is None else players,
    )
    folder = out or Path("runs") / time.strftime(f"{settings.game}-%Y%m%d-%H%M%S")
    try:
        run = Run(settings, folder, console)
        if start is not None:
            run.start_from(start)
    except (ShakespeareEnvError, ValueError) as error:
        console.print(f"[red]{error}", highlight=False)
        raise typer.Exit(2) from error
    before = run.evaluate()
    run.learn()
    after = run.evaluate()
    run.figures["win_rate_before"] = before.win_rate
    run.figures["win_rate_after"] = after.win_rate
    run.save()
    title = f"{settings.players - 1} random opponents, {after.games} games, every seat as often"
    console.print(show_evaluations(title, {"before": before, "after": after}))
    console.print(
        f"Checkpoint: {folder}\n"
        f"Go on:      python -m training.train --start {folder} --minutes 30\n"
        f"Measure:    python -m training.evaluate {folder} --games 1000",
        highlight=False,
    )


if __name__ == "__main__":
    typer.run(main)
