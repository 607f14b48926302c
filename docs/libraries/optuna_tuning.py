"""Tune three settings of `shakespeare train` with Optuna.

Every trial is a short run with two seats. Optuna maximises the mean score
against random play. In tuning.png, each setting has a plot of all trials.
"""

import argparse
from pathlib import Path

import optuna
from rich.console import Console

from shakespeare_training.config import make_config
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train

parser = argparse.ArgumentParser()
parser.add_argument("--trials", type=int, default=16)
parser.add_argument("--decisions", type=int, default=60_000)
parser.add_argument("--out", type=Path, default=Path("runs/tuning"))
args = parser.parse_args()
FIXED_SETTINGS = {
    "game": "shakespeare",
    "players": [2],
    "decisions": args.decisions,
    "width": 64,
    "n_envs": 128,
    "n_steps": 32,
    "batch_size": 1024,
    "opponents": {"current": 1.0},
    "evaluation_opponents": ["random"],
    "first_evaluation_games": 2,
    "final_evaluation_games": 400,
}


def score(trial):
    """Return a trial's mean score against random play."""
    settings = FIXED_SETTINGS | {
        "learning_rate": trial.suggest_float(
            "learning_rate", 1e-4, 1e-2, log=True
        ),
        "ent_coef": trial.suggest_float("ent_coef", 1e-4, 1e-1, log=True),
        "gae_lambda": trial.suggest_float("gae_lambda", 0.8, 1.0),
    }
    config = make_config(settings, "tuning")
    folder = args.out / f"trial-{trial.number}"
    with Run.create(config, folder, device="cpu") as run:
        train(run, Console(quiet=True))
    against_random = [
        result for result in run.history if result.opponent == "random"
    ]
    return against_random[-1].mean_score


sampler = optuna.samplers.TPESampler(seed=0)
study = optuna.create_study(direction="maximize", sampler=sampler)
study.optimize(score, n_trials=args.trials)
best = ", ".join(
    f"{name}={value:.3g}" for name, value in study.best_params.items()
)
print(f"{study.best_value:.1f} points with {best}")
axes = optuna.visualization.matplotlib.plot_slice(study)
axes[0].figure.savefig(args.out / "tuning.png", bbox_inches="tight")
