"""Three settings of `shakespeare train` tuned with Optuna.

Every trial is a short run at two seats; its score against random play is
to be as high as possible.  tuning.png shows every trial by its settings.
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
SAME = {
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
    settings = SAME | {
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
    measured = {(one.players, one.opponent): one for one in run.history}
    return measured[2, "random"].mean_score


sampler = optuna.samplers.TPESampler(seed=0)
study = optuna.create_study(direction="maximize", sampler=sampler)
study.optimize(score, n_trials=args.trials)
best = ", ".join(f"{k}={v:.3g}" for k, v in study.best_params.items())
print(f"{study.best_value:.1f} points with {best}")
axes = optuna.visualization.matplotlib.plot_slice(study)
axes[0].figure.savefig(args.out / "tuning.png", bbox_inches="tight")
