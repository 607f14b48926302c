"""Behaviour cloning: a network learns to decide as a recorded agent did."""

import argparse
import math
import time
from pathlib import Path

import polars as pl
import torch
from torch.nn import functional

from shakespeare_agents import make
from shakespeare_agents.networks.checkpoint import save_checkpoint
from shakespeare_arena import Entrant, evaluate
from shakespeare_env.core import registry
from shakespeare_env.datasets import Batches, read_games
from shakespeare_training.policy import (
    Outputs,
    PolicyNetwork,
    bfloat16_is_faster,
    forecast_losses,
    masked_log_softmax,
)

parser = argparse.ArgumentParser()
parser.add_argument(
    "folder", type=Path, help="the folder of a dataset or an arena"
)
parser.add_argument("out", type=Path, help="the checkpoint's folder")
parser.add_argument("--agent", default="heuristic", help="the agent to clone")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=8)
parser.add_argument("--width", type=int, default=256)
parser.add_argument(
    "--size", type=int, default=1024, help="decisions per batch"
)
parser.add_argument(
    "--rate", type=float, default=3e-3, help="the first learning rate"
)
parser.add_argument(
    "--games", type=int, default=8000, help="games to evaluate"
)
asked = parser.parse_args()

# Whole deals are kept back, as the games of a deal are alike.
games = read_games(asked.folder)
is_kept = pl.col("deal") % 20 == 0
size = asked.size
learned = Batches(
    games.filter(~is_kept), size=size, seed=asked.seed, agent=asked.agent
)
kept = Batches(games.filter(is_kept), size=size, agent=asked.agent)
name, players = games.select("game", "players").first().collect().row(0)
game = registry.game(name)

policy = PolicyNetwork(
    game.layout,
    actions=game.actions.size,
    seats=game.max_seats,
    width=asked.width,
    rng=torch.Generator().manual_seed(asked.seed),
)
policy.use_bfloat16 = bfloat16_is_faster(policy, size)
# Muon learns from an epoch what Adam does from two, but only matrices.
matrices = [w for w in policy.parameters() if w.ndim == 2]
others = [w for w in policy.parameters() if w.ndim != 2]
optimizers = [
    torch.optim.Muon(
        matrices,
        lr=asked.rate,
        weight_decay=0.3,
        adjust_lr_fn="match_rms_adamw",
    ),
    torch.optim.Adam(others, lr=asked.rate),
]
steps = asked.epochs * math.ceil(learned.decisions / size)


def factor(step):
    """Scale the learning rate: up in the first steps, then down to 0."""
    return min((step + 1) / (0.05 * steps), 1.0) * (1.0 - step / steps)


rates = [torch.optim.lr_scheduler.LambdaLR(one, factor) for one in optimizers]


def losses(batch):
    """Return losses of policy and forecasts, and the share of agreement."""
    seen, masks, actions = map(torch.from_numpy, batch[:3])
    with policy.in_precision(seen):
        features = policy.features(seen)
        hidden = torch.relu(policy.policy(features))
        logits = policy.action(hidden)
        # The ends of some thousand games are soon learned by heart. They must
        # not shape what the policy sees in a position, hence the detach.
        hidden = torch.relu(policy.outlook(features.detach()))
        win = policy.win(hidden)
        score = policy.score(hidden)
    choices = masked_log_softmax(logits, masks)
    changes = torch.from_numpy(batch.scores - batch.scores_before)
    forecasts = sum(
        forecast_losses(
            Outputs(choices, win.float(), score.float()),
            torch.from_numpy(batch.players),
            torch.from_numpy(batch.shares),
            changes.float() / game.score_scale,
        )
    )
    agreed = (choices.argmax(1) == actions).float().mean()
    return functional.nll_loss(choices, actions), forecasts, agreed


def kept_losses():
    """Return the mean losses over the decisions kept back."""
    with torch.no_grad():
        rows = [(*losses(batch), batch.size) for batch in kept]
    *found, sizes = torch.tensor(rows).T
    return [float((of * sizes).sum() / sizes.sum()) for of in found]


began = time.monotonic()
for epoch in range(asked.epochs):
    for batch in learned.epoch(epoch):
        imitation, forecasts, _ = losses(batch)
        policy.zero_grad()
        (imitation + forecasts).backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        for one in (*optimizers, *rates):
            one.step()
    imitation, forecasts, agreed = kept_losses()
    print(
        f"epoch {epoch + 1}, {(time.monotonic() - began) / 60:.1f} minutes; "
        f"kept back: policy {imitation:.4f}, forecasts {forecasts:.4f}, "
        f"{agreed:.1%} agree",
        flush=True,
    )

save_checkpoint(
    asked.out,
    policy.tensors(),
    game,
    players=[players],
    command=f"python docs/recipes/clone.py {asked.folder} {asked.out}",
    settings={key: str(value) for key, value in vars(asked).items()},
    figures={"decisions": learned.decisions, "agreed": agreed},
)
clone = Entrant("clone", make(str(asked.out), game))
cloned = Entrant(asked.agent, make(asked.agent, game))
table = [clone, *[cloned] * (players - 1)]
print(evaluate(table, name, games=asked.games, seed=asked.seed + 1))
