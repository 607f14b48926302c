"""Settings of runs that take about a second, and fingerprints to compare runs."""

from __future__ import annotations

import json
from typing import Any

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
    "n_envs": 16,
    "n_steps": 16,
    "batch_size": 64,
    "evaluation_opponents": ["random"],
    "score_reward_coef_end": 0.5,
    "win_reward_coef": 0.5,
    "ent_coef_end": 0.0,
}
_EXPERT_ITERATION: dict[str, Any] = {
    "algorithm": "expert_iteration",
    "n_envs": 6,
    "n_epochs": 1,
    "batch_size": 128,
    "simulations": 4,
    "considered": 2,
    "horizon": 1,
    "warmup_decisions": 700,
    "evaluation_opponents": [],
    "first_evaluation_games": 1,
    "final_evaluation_games": 1,
}


def small(name):
    """Return settings of a short run of PPO, at all tables of a game."""
    return make_config({"game": name, **_SHORT, **_PPO}, "small")


SMALL = small(registry.DEFAULT)


def searching(name=registry.DEFAULT, **settings):
    """Return settings of a short run of expert iteration."""
    return make_config({"game": name, **_SHORT, **_EXPERT_ITERATION, **settings}, "searching")


def learn_quietly(run, save_at=float("inf")):
    """Train without evaluations; after `save_at` decisions, save the run and return."""
    snapshots = run.decisions // 400
    with run.learning() as learner:
        while run.decisions < run.config.decisions:
            if run.decisions // 400 > snapshots:
                run.learner.add_snapshot()
                snapshots = run.decisions // 400
            if run.decisions >= save_at:
                run.save()
                return
            learner.collect()
            learner.train()


class StopsAfter(Stop):
    """Requests a stop after some decisions of a run, or after some calls of `check`."""

    def __init__(self, run=None, decisions=0, checks=10**9):
        super().__init__()
        self.run = run
        self.decisions = decisions
        self.checks = checks

    def check(self):
        self.checks -= 1
        has_played_enough = self.run is not None and self.run.decisions > self.decisions
        self.requested = has_played_enough or self.checks < 0
        super().check()


def fingerprint(run):
    """Return all that decides how a run continues, with games as fields, without their padding."""
    point = run.resume_point()
    games = run.learner.league.batch.save(slice(None))
    arrays = {name: tensor.numpy().tobytes() for name, tensor in point.arrays.items()}
    arrays["games"] = {field: games[field].tolist() for field in games.dtype.names}
    state = point.state.model_dump(include={"decisions", "updates", "opponents", "processes"})
    return state, arrays


def edit_state(folder, change):
    """Change the JSON file of a run, as a damaged disk or a stranger might."""
    path = folder / "run.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
