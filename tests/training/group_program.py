"""A program that processes run together, and in which each reports what it has seen."""

from __future__ import annotations

import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from shakespeare_training.config import make_config
from shakespeare_training.group import ProcessGroup, joined_group
from shakespeare_training.learners.rollout import normalised_advantages
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.stopping import Stop, exit_at_once

SIZE = 3
SETTINGS = {
    "players": [3, 4],
    "width": 16,
    "decisions": 1500,
    "n_envs": 22,
    "n_steps": 16,
    "batch_size": 64,
    "snapshot_every": 400,
    "max_snapshots": 2,
    "evaluate_every": 1000000,
    "evaluation_games": 4,
    "first_evaluation_games": 4,
    "final_evaluation_games": 4,
    "precision": '"float32"',
}
CONFIG = make_config(
    {
        "game": "figaro",
        **SETTINGS,
        "precision": "float32",
        "opponents": {"current": 0.5, "past": 0.3, "heuristic": 0.2},
        "evaluation_opponents": ["random"],
    },
    "group",
)


class StopsIn(Stop):
    """Is requested in one process, once the run has some decisions."""

    run: Run

    @property
    def requested(self) -> bool:
        return self.run.group.rank == 1 and self.run.decisions > CONFIG.decisions // 2

    @requested.setter
    def requested(self, _value: bool) -> None:
        pass


def decisions() -> tuple[torch.Tensor, torch.Tensor]:
    """Return errors of forecasts, float32[90, 2], and seats at the tables, int64[90]."""
    generator = torch.Generator().manual_seed(1)
    players = torch.randint(2, 5, (90,), generator=generator)
    players[:30] = 2  # the first process has no other tables
    return torch.randn(90, 2, generator=generator), players


def trained(folder: Path, group: ProcessGroup, stop: Stop | None = None) -> Run:
    with Run.create(CONFIG, folder, device="cpu", group=group) as run:
        if isinstance(stop, StopsIn):
            stop.run = run
        train(run, Console(quiet=True), stop)
    return run


def fingerprint(run: Run) -> tuple[Any, str]:
    point = run.resume_point()
    arrays = {name: tensor.numpy().tobytes() for name, tensor in point.arrays.items()}
    digest = hashlib.sha256(pickle.dumps(sorted(arrays.items()))).hexdigest()
    state = point.state.model_dump(include={"decisions", "updates", "opponents", "processes"})
    return state, digest


def main(folder: Path) -> None:
    """Train runs with the other processes, and write what this process has seen."""
    with joined_group() as group:
        rank = group.rank
        report: dict[str, Any] = {
            "gathered": group.all_gather(rank),
            "broadcast": group.broadcast(rank),
        }
        numbers = [torch.tensor([float(rank)]), torch.tensor([10.0 * rank])]
        group.all_average(numbers, weight=rank)
        report["means"] = [number.item() for number in numbers]
        errors, players = decisions()
        own = slice(30 * rank, 30 * (rank + 1))
        report["advantages"] = normalised_advantages(errors[own], players[own], 4, 1.0, 0.5, group)

        whole = trained(folder / "whole", group)
        report["whole"] = fingerprint(whole)
        report["first_results"] = [str(result) for result in whole.history if not result.decisions]
        weights = [tensor.tobytes() for tensor in whole.learner.policy.tensors().values()]
        report["weights"] = hashlib.sha256(b"".join(weights)).hexdigest()
        report["opponents"] = report["whole"][0]["opponents"]
        report["games"] = whole.learner.league.batch.save(slice(None)).tobytes()

        stopped = trained(folder / "broken", group, StopsIn())
        report["was_stopped"] = stopped.decisions < CONFIG.decisions
        with Run.resume(folder / "broken", device="cpu", group=group) as run:
            train(run, Console(quiet=True))
        report["resumed"] = fingerprint(run)
        (folder / f"{rank}.pickle").write_bytes(pickle.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    exit_at_once(0)
