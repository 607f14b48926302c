"""PPO in one file, in the manner of CleanRL: masked self-play of all seats.

Rewards that a seat receives between two of its decisions are credited to
the first one.
"""

import argparse

import numpy as np
import torch
from torch import nn

from shakespeare_arena import Entrant, evaluate
from shakespeare_env import Batch

SEATS = 2
GAMES = 128
STEPS = 128
EPOCHS = 3
MINIBATCH = 2048
RATE = 1e-3
GAMMA = 1.0
LAMBDA = 0.95
CLIP = 0.2
ENTROPY = 0.01


class Net(nn.Module):
    """A network that returns the policy's logits and the value."""

    def __init__(self, game):
        super().__init__()
        # The highest value of each number in an observation, for scaling.
        high = torch.as_tensor(game.layout.high, dtype=torch.float32)
        self.register_buffer("high", high)
        self.body = nn.Sequential(nn.Linear(len(high), 256), nn.ReLU())
        self.policy = nn.Linear(256, game.actions.size)
        self.critic = nn.Linear(256, 1)

    def forward(self, obs):
        hidden = self.body(obs / self.high)
        return self.policy(hidden), self.critic(hidden)


def forward(network, obs, mask):
    """Return policies and values for observations and action masks."""
    logits, value = network(obs)
    logits = logits.masked_fill(~mask, -1e9)
    return torch.distributions.Categorical(logits=logits), value[:, 0]


def estimate_advantages(rewards, values, seats, dones):
    """Return GAE along each seat's decisions, and which decisions have one.

    A seat's last decision in an unfinished game has none, since its next
    decision is not known yet.
    """
    all_games = np.arange(GAMES)
    advantages = np.zeros_like(values)
    complete = np.zeros(values.shape, bool)
    # By game and seat: the reward until the next decision, the value and
    # advantage of that decision, and whether they are known.
    reward = np.zeros_like(rewards[0])
    next_value = np.zeros_like(reward)
    next_advantage = np.zeros_like(reward)
    known = np.zeros_like(reward)
    for t in range(STEPS - 1, -1, -1):
        reward[dones[t]] = 0.0
        next_value[dones[t]] = 0.0
        next_advantage[dones[t]] = 0.0
        known[dones[t]] = 1.0
        reward += rewards[t]
        mover = all_games, seats[t]
        complete[t] = known[mover]
        known[mover] = 1.0
        after = next_value[mover] + LAMBDA * next_advantage[mover]
        advantage = reward[mover] + GAMMA * after - values[t]
        advantages[t] = advantage * complete[t]
        reward[mover] = 0.0
        next_value[mover] = values[t]
        next_advantage[mover] = advantages[t]
    return torch.tensor(advantages)[complete], torch.tensor(complete)


def rollout(games, network):
    """Play STEPS decisions in every game, and return them as columns."""
    columns = {
        "obs": [],
        "mask": [],
        "action": [],
        "log_prob": [],
        "value": [],
        "reward": [],
        "seat": [],
        "done": [],
    }
    for _ in range(STEPS):
        obs = torch.tensor(games.obs)
        mask = torch.tensor(games.mask)
        with torch.no_grad():
            distribution, value = forward(network, obs, mask)
        action = distribution.sample()
        columns["obs"].append(obs)
        columns["mask"].append(mask)
        columns["action"].append(action)
        columns["log_prob"].append(distribution.log_prob(action))
        columns["value"].append(value)
        columns["seat"].append(games.to_move.copy())
        reward, done = games.step(action.numpy())
        columns["reward"].append(reward.copy())
        columns["done"].append(done.copy())
    columns = {name: np.stack(rows) for name, rows in columns.items()}
    advantages, complete = estimate_advantages(
        columns.pop("reward"),
        columns["value"],
        columns.pop("seat"),
        columns.pop("done"),
    )
    rows = {
        name: torch.tensor(column)[complete]
        for name, column in columns.items()
    }
    return rows | {"advantage": advantages}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--decisions", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", default="net.pth", help="file of the weights"
    )
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    games = Batch(n=GAMES, players=SEATS, seed=args.seed, reward="margin")
    network = Net(games.game)
    adam = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)

    decisions = 0
    while decisions < args.decisions:
        rows = rollout(games, network)
        decisions += GAMES * STEPS
        progress = f"{decisions:,} of {args.decisions:,} decisions"
        print("learning from", progress, flush=True)
        size = len(rows["action"])
        shuffled = [torch.randperm(size) for _ in range(EPOCHS)]
        for picked in torch.cat(shuffled).split(MINIBATCH):
            batch = {name: column[picked] for name, column in rows.items()}
            distribution, value = forward(
                network, batch["obs"], batch["mask"]
            )
            advantage = batch["advantage"]
            # The critic's target is the old value plus the advantage.
            loss = (value - batch["value"] - advantage).pow(2).mean() / 2
            advantage = (advantage - advantage.mean()) / (
                advantage.std() + 1e-8
            )
            log_prob = distribution.log_prob(batch["action"])
            ratio = (log_prob - batch["log_prob"]).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss -= torch.min(ratio * advantage, clipped * advantage).mean()
            adam.zero_grad()
            (loss - ENTROPY * distribution.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            adam.step()
    torch.save(network.state_dict(), args.out)
    won = {}
    for opponent in ("random", "heuristic"):
        table = [Entrant("ppo", network), opponent]
        report = evaluate(table, "shakespeare", games=1000)
        won[opponent] = report["ppo"].win_rate
    print(f"{decisions:,} decisions; share of games won against", won)
