"""Behaviour cloning: a network learns to decide as recorded agents did, and what came of it."""

import argparse
import math
import time
from pathlib import Path

import gymnasium
import numpy as np
import polars as pl
import torch
from torch.nn import functional

from shakespeare_agents import make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.checkpoint import save_checkpoint
from shakespeare_agents.network import ILLEGAL
from shakespeare_env import registry
from shakespeare_env.datasets import Batches, read_recorded
from shakespeare_training.expert_iteration.policy import ForecastingPolicy
from shakespeare_training.ppo.policy import policy_arguments

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path, help="of a dataset or an arena")
parser.add_argument("out", type=Path, help="of the checkpoint")
parser.add_argument(
    "--agent",
    default="heuristic",
    help="who is learned from, and played against",
)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--width", type=int, default=256)
parser.add_argument(
    "--size", type=int, default=2048, help="decisions in a batch"
)
parser.add_argument(
    "--rate",
    type=float,
    default=2e-3,
    help="first learning rate; it falls to 0",
)
parser.add_argument(
    "--games", type=int, default=4000, help="of the evaluation"
)
asked = parser.parse_args()

# Games of one deal are alike, so that whole deals are kept back.
games = read_recorded(asked.folder)
kept_back = pl.col("deal") % 20 == 0
learned = Batches(
    games.filter(~kept_back),
    size=asked.size,
    seed=asked.seed,
    agent=asked.agent,
)
others = Batches(games.filter(kept_back), size=asked.size, agent=asked.agent)
name, players = games.select("game", "players").first().collect().row(0)
game = registry.game(name)

torch.manual_seed(asked.seed)
policy = ForecastingPolicy(
    gymnasium.spaces.Box(game.layout.low, game.layout.high, dtype=np.int8),
    gymnasium.spaces.Discrete(game.actions.size),
    lambda _left: asked.rate,
    seats=game.max_seats,
    **policy_arguments(asked.width, game.layout),
)


def losses(batch):
    """Of the policy, of the forecasts together, and the share of choices that agree."""
    observations, masks, actions, _, before, scores, shares, seats, *_ = map(
        torch.from_numpy, batch
    )
    found = policy.heads(observations, masks)
    present = torch.arange(game.max_seats) < seats[:, None]
    log_shares = found.win_logits.masked_fill(
        ~present, float(ILLEGAL)
    ).log_softmax(1)
    changes = (scores - before).float() / game.score_scale
    misses = (
        (found.scores - changes).square() * present
    ).sum() / present.sum()
    forecasts = functional.mse_loss(found.values, changes[:, 0]) + misses
    forecasts = forecasts - (shares * log_shares).sum(1).mean()
    agreed = (found.log_probabilities.argmax(1) == actions).float().mean()
    return (
        functional.nll_loss(found.log_probabilities, actions),
        forecasts,
        agreed,
    )


def mean_losses(batches):
    """Over all decisions, learning nothing."""
    with torch.no_grad():
        rows = [(*losses(batch), batch.size) for batch in batches]
    *means, sizes = torch.tensor(rows).T
    return [float((mean * sizes).sum() / sizes.sum()) for mean in means]


began = time.monotonic()
steps = asked.epochs * math.ceil(learned.decisions / asked.size)
falling = torch.optim.lr_scheduler.CosineAnnealingLR(policy.optimizer, steps)
for epoch in range(asked.epochs):
    for batch in learned.epoch(epoch):
        imitation, forecasts, _ = losses(batch)
        policy.optimizer.zero_grad()
        (imitation + 0.5 * forecasts).backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        policy.optimizer.step()
        falling.step()
    imitation, forecasts, agreed = mean_losses(others)
    minutes = (time.monotonic() - began) / 60
    print(
        f"epoch {epoch + 1}, {minutes:.1f} minutes: decisions kept back cost {imitation:.4f}, "
        f"forecasts {forecasts:.4f}; {agreed:.2%} agree",
        flush=True,
    )

save_checkpoint(
    asked.out,
    policy.tensors(),
    game,
    players=[players],
    command=f"python docs/recipes/clone.py {asked.folder} {asked.out} --seed {asked.seed}",
    settings={key: str(value) for key, value in vars(asked).items()},
    figures={"decisions": learned.decisions, "agreed": agreed},
)
clone = Entrant("clone", make(str(asked.out), game))
table = [
    clone,
    *[Entrant(asked.agent, make(asked.agent, game))] * (players - 1),
]
result = evaluate(table, name, games=asked.games, seed=asked.seed + 1)
print(result)
