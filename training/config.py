"""The settings of a training run, read from a TOML file in `training/configs`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

CONFIGS = Path(__file__).parent / "configs"


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides how a run goes, apart from the speed of the machine.

    Attributes:
        game: Name of the game.
        players: Seats in every game.
        minutes: Length of the training.
        seed: Of games, first weights, draws and shuffles.
        reward: Reward of the `Batch`.
        reward_scale: Rewards are multiplied by it, so that returns come out at about one.
        win_bonus: Added to the (scaled) reward at the end of a game: shared by the winners, taken
            evenly from the others.
        games: Games played at once, n.
        steps: Decisions of each game in a rollout, T.
        batch_size: Decisions in a minibatch, about.
        epochs: Times each decision is learnt from.
        learning_rate: At the beginning; it falls to a tenth over the run.
        gamma: Discount per own decision.
        gae_lambda: Trade of bias against variance in the advantages.
        clip_range: How far the update may move a probability.
        entropy: Weight of the entropy in the loss.
        value: Weight of the value's error in the loss.
        target_kl: An update stops early beyond 1.5 times this divergence.
        width: Width of the network's layers.
    """

    game: str
    players: int
    minutes: float
    seed: int
    reward: str
    reward_scale: float
    win_bonus: float
    games: int
    steps: int
    batch_size: int
    epochs: int
    learning_rate: float
    gamma: float
    gae_lambda: float
    clip_range: float
    entropy: float
    value: float
    target_kl: float
    width: int


def read_config(path: Path) -> TrainingConfig:
    """Read a configuration.

    Raises:
        ValueError: an entry is missing, unknown or of the wrong type.
    """
    with path.open("rb") as file:
        data = tomllib.load(file)
    kinds = {"str": str, "int": int, "float": float}
    expected = {entry.name: kinds[str(entry.type)] for entry in fields(TrainingConfig)}
    if wrong := expected.keys() ^ data.keys():
        missing, unknown = sorted(expected.keys() - data.keys()), sorted(wrong & data.keys())
        raise ValueError(f"{path}: entries missing: {missing}, unknown: {unknown}")
    for name, kind in expected.items():
        if kind is float and type(data[name]) is int:
            data[name] = float(data[name])
        if type(data[name]) is not kind:
            raise ValueError(f"{path}: {name} = {data[name]!r} must be of type {kind.__name__}")
    return TrainingConfig(**data)
