"""A run's figures in the experiment trackers that people use, beside TensorBoard's files."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from numbers import Real
from typing import Any

from stable_baselines3.common.logger import KVWriter

from shakespeare_env.checks.values import meant
from shakespeare_env.extras import needing
from shakespeare_training.runs.run import Run

PROJECT = "shakespeare-env"
"""The project or experiment that holds the runs."""
_FORBIDDEN = re.compile(r"[^\w\-. :/]")
"""What MLflow allows in no name."""


def check_trackers(names: Iterable[str]) -> None:
    """Import the trackers named.

    Raises:
        ValueError: there is no such tracker.
        ModuleNotFoundError: it is not installed.
    """
    for name in names:
        if name not in TRACKERS:
            known = ", ".join(TRACKERS)
            raise ValueError(f"there is no tracker {name!r}{meant(name, TRACKERS)}: give {known}")
        if TRACKERS[name]:
            with needing(name, f"--track {name} needs"):
                import_module(name)


def trackers(names: Iterable[str], run: Run) -> list[KVWriter]:
    """A writer for each tracker named, opened; SB3's logger writes to it and closes it.

    TensorBoard's files are always written, so it has none.
    """
    makers = [TRACKERS[name] for name in dict.fromkeys(names)]
    return [maker(run) for maker in makers if maker]


class WandbWriter(KVWriter):
    """Writes to Weights & Biases; `WANDB_MODE=offline` keeps it on this machine."""

    def __init__(self, run: Run) -> None:
        import wandb

        self._run = wandb.init(
            project=PROJECT,
            name=run.folder.name,
            dir=run.folder,
            id=_identity(run),
            resume="allow",
            config=run.config.to_json(),
        )

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Log all numbers."""
        self._run.log(_numbers(key_values), step=step)

    def close(self) -> None:
        """End the run there."""
        self._run.finish()


class MLflowWriter(KVWriter):
    """Writes to MLflow, where `MLFLOW_TRACKING_URI` says."""

    def __init__(self, run: Run) -> None:
        from mlflow import MlflowClient
        from mlflow.entities import Metric, Param

        self._metric = Metric
        self._client = MlflowClient()
        known = self._client.get_experiment_by_name(PROJECT)
        experiment = known.experiment_id if known else self._client.create_experiment(PROJECT)
        tag = _identity(run)
        found = self._client.search_runs([experiment], f"tags.run = '{tag}'")
        if found:
            self._id = found[0].info.run_id
            self._client.update_run(self._id, status="RUNNING")
            return
        made = self._client.create_run(experiment, run_name=run.folder.name, tags={"run": tag})
        self._id = made.info.run_id
        settings = run.config.to_json().items()
        self._client.log_batch(self._id, params=[Param(name, str(at)) for name, at in settings])

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Log all numbers, under names without the signs that MLflow refuses."""
        now = round(time.time() * 1000)
        numbers = _numbers(key_values).items()
        metrics = [self._metric(_FORBIDDEN.sub("_", name), x, now, step) for name, x in numbers]
        self._client.log_batch(self._id, metrics=metrics)

    def close(self) -> None:
        """End the run there."""
        self._client.set_terminated(self._id)


TRACKERS: Mapping[str, Callable[[Run], KVWriter] | None] = {
    "tensorboard": None,
    "wandb": WandbWriter,
    "mlflow": MLflowWriter,
}
"""Name of a tracker -> what makes its writer; None if it is always written."""


def _identity(run: Run) -> str:
    """The same for a run after it is resumed, so that the tracker goes on with it."""
    what = f"{run.folder.resolve()} {run.commands[0]}"
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items() if isinstance(value, Real)}
