"""Runs of a second or so, and all that one is."""

from __future__ import annotations

import json
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.core import registry
from shakespeare_training.config import make_config
from shakespeare_training.stopping import Stop

_SHORT: dict[str, Any] = {
    "width": 16,
    "decisions": 1500,
    "opponents": {"current": 0.5, "past": 0.3, "heuristic": 0.2},
    "snapshot_every": 400,
    "max_snapshots": 2,
    "precision": "float32",
}
_PPO: dict[str, Any] = {
    **{"n_envs": 16, "n_steps": 16, "batch_size": 64, "evaluation_opponents": ["random"]},
    **{"score_reward_coef_end": 0.5, "win_reward_coef": 0.5, "ent_coef_end": 0.0},
}
_SEARCHING: dict[str, Any] = {
    **{"algorithm": "expert_iteration", "n_envs": 6, "n_epochs": 1, "batch_size": 128},
    **{"simulations": 4, "considered": 2, "horizon": 1, "warmup_decisions": 700},
    **{"evaluation_opponents": [], "first_evaluation_games": 1, "final_evaluation_games": 1},
}


def small(name):
    """Settings of a short run of a game, at all its tables."""
    return make_config({"game": name, **_SHORT, **_PPO}, "small")


SMALL = small(registry.DEFAULT)


def searching(name=registry.DEFAULT, **settings):
    """Settings of a short run of expert iteration."""
    return make_config({"game": name, **_SHORT, **_SEARCHING, **settings}, "searching")


class Quietly(BaseCallback):
    """Takes snapshots as a run does; saves and stops it at the first rollout after `leave_at`."""

    def __init__(self, run, leave_at=float("inf")):
        super().__init__()
        self.run_kept, self.leave_at = run, leave_at
        self.round = run.decisions // 400
        self.left = False

    def _on_rollout_start(self):
        run = self.run_kept
        if run.decisions // 400 > self.round:
            run.add_snapshot()
            self.round = run.decisions // 400
        self.left = run.decisions >= self.leave_at
        if self.left:
            run.save()

    def _on_step(self):
        return not self.left


class StopsAfter(Stop):
    """Is asked to stop after some decisions of a run, or when it has looked a few times."""

    def __init__(self, run=None, decisions=0, checks=10**9):
        super().__init__()
        self.run, self.decisions, self.checks = run, decisions, checks

    def check(self):
        self.checks -= 1
        is_late = self.run is not None and self.run.decisions > self.decisions
        self.requested = is_late or self.checks < 0
        super().check()


def fingerprint(run):
    """All that a run is; of its games every field, and not what lies between two fields."""
    moment, games = run.moment(), run.learner.league.batch.save(slice(None))
    arrays = {name: tensor.numpy().tobytes() for name, tensor in moment.arrays.items()}
    arrays["games"] = {field: games[field].tolist() for field in games.dtype.names}
    return moment.state.model_dump(include={"decisions", "updates", "rng", "league"}), arrays


def edit_state(folder, change):
    """Change the JSON of a run, as a damaged disk or a stranger might."""
    path = folder / "run.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
