"""Behaviour cloning: a network learns to play like a recorded agent."""

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
from shakespeare_training.networks.mlp import MlpPolicy
from shakespeare_training.networks.policy import (
    Outputs,
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
    "--rate", type=float, default=3e-3, help="the highest learning rate"
)
parser.add_argument(
    "--games", type=int, default=8000, help="games to evaluate"
)
args = parser.parse_args()

# The games of a deal are alike, so all of them are held out, or none.
games = read_games(args.folder)
is_held_out = pl.col("deal") % 20 == 0
size = args.size
training = Batches(
    games.filter(~is_held_out), size=size, seed=args.seed, agent=args.agent
)
held_out = Batches(games.filter(is_held_out), size=size, agent=args.agent)
name, players = games.select("game", "players").first().collect().row(0)
game = registry.game(name)

rng = torch.Generator().manual_seed(args.seed)
policy = MlpPolicy.fresh(game, rng, width=args.width)
network = policy.network
policy.use_bfloat16 = bfloat16_is_faster(policy, size)
# Muon needs half as many epochs as Adam, but it can only train matrices.
matrices = [weights for weights in network.parameters() if weights.ndim == 2]
others = [weights for weights in network.parameters() if weights.ndim != 2]
optimizers = [
    torch.optim.Muon(
        matrices,
        lr=args.rate,
        weight_decay=0.3,
        adjust_lr_fn="match_rms_adamw",
    ),
    torch.optim.Adam(others, lr=args.rate),
]
steps = args.epochs * math.ceil(training.decisions / size)


def rate_factor(step):
    """Return the learning rate's factor: a short rise, then a fall to 0."""
    warmup = min((step + 1) / (0.05 * steps), 1.0)
    return warmup * (1.0 - step / steps)


schedulers = [
    torch.optim.lr_scheduler.LambdaLR(optimizer, rate_factor)
    for optimizer in optimizers
]


def losses(batch):
    """Return the losses of policy and forecasts, and the accuracy."""
    observations = torch.from_numpy(batch.observations)
    masks = torch.from_numpy(batch.masks)
    actions = torch.from_numpy(batch.actions)
    with policy.in_precision(observations):
        features = network.features(observations)
        hidden = torch.relu(network.policy(features))
        logits = network.action(hidden)
        # The network soon knows the results of some thousand games by heart.
        # `detach` keeps this memory out of the features that the policy uses.
        hidden = torch.relu(network.outlook(features.detach()))
        win = network.win(hidden)
        score = network.score(hidden)
    log_probs = masked_log_softmax(logits, masks)
    changes = torch.from_numpy(batch.scores - batch.scores_before)
    forecasts = sum(
        forecast_losses(
            Outputs(log_probs, win.float(), score.float()),
            torch.from_numpy(batch.players),
            torch.from_numpy(batch.shares),
            changes.float() / game.score_scale,
        )
    )
    agreed = (log_probs.argmax(1) == actions).float().mean()
    return functional.nll_loss(log_probs, actions), forecasts, agreed


def held_out_losses():
    """Return the mean `losses` over the held-out decisions."""
    with torch.no_grad():
        rows = [(*losses(batch), batch.size) for batch in held_out]
    *columns, sizes = torch.tensor(rows).T
    return [float((column * sizes).sum() / sizes.sum()) for column in columns]


began = time.monotonic()
for epoch in range(args.epochs):
    for batch in training.epoch(epoch):
        imitation, forecasts, _ = losses(batch)
        network.zero_grad()
        (imitation + forecasts).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        for optimizer in optimizers:
            optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
    imitation, forecasts, agreed = held_out_losses()
    print(
        f"epoch {epoch + 1}, {(time.monotonic() - began) / 60:.1f} minutes; "
        f"held out: policy {imitation:.4f}, forecasts {forecasts:.4f}, "
        f"{agreed:.1%} agree",
        flush=True,
    )

save_checkpoint(
    args.out,
    policy.tensors(),
    game,
    players=[players],
    command=f"python docs/recipes/clone.py {args.folder} {args.out}",
    settings={key: str(value) for key, value in vars(args).items()},
    figures={"decisions": training.decisions, "agreed": agreed},
)
clone = Entrant("clone", make(str(args.out), game))
original = Entrant(args.agent, make(args.agent, game))
table = [clone, *[original] * (players - 1)]
print(evaluate(table, name, games=args.games, seed=args.seed + 1))
