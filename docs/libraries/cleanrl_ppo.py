"""PPO in one file, in the manner of CleanRL: masked self-play of all seats.

Rewards that a seat receives between two of its decisions count for the
earlier one.
"""

import argparse

import numpy as np
import torch
from torch import nn

from shakespeare_agents import make
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
parser = argparse.ArgumentParser()
parser.add_argument("--decisions", type=int, default=500_000)
parser.add_argument("--seed", type=int, default=0)
asked = parser.parse_args()

torch.manual_seed(asked.seed)
games = Batch(n=GAMES, players=SEATS, seed=asked.seed, reward="margin")
every = np.arange(GAMES)
high = torch.as_tensor(games.game.layout.high)
body = nn.Sequential(nn.Linear(len(high), 256), nn.ReLU())
policy = nn.Linear(256, games.actions.size)
critic = nn.Linear(256, 1)
network = nn.ModuleList([body, policy, critic])
adam = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)


def forward(obs, mask):
    """Return policies and values for int8[m, D] and bool[m, A]."""
    hidden = body(obs / high)
    logits = policy(hidden).masked_fill(~mask, -1e9)
    return torch.distributions.Categorical(logits=logits), critic(hidden).T[0]


def advantages(rewards, values, seats, dones):
    """Return GAE along each seat's decisions, and where its next is known."""
    found = np.zeros_like(values)
    closed = np.zeros(values.shape, bool)
    ahead = np.zeros_like(rewards[0])  # by game and seat, as the next three
    value = np.zeros_like(ahead)
    gain = np.zeros_like(ahead)
    known = np.zeros_like(ahead)
    for t in range(STEPS - 1, -1, -1):
        ahead[dones[t]] = 0.0
        value[dones[t]] = 0.0
        gain[dones[t]] = 0.0
        known[dones[t]] = 1.0
        ahead += rewards[t]
        at = every, seats[t]
        closed[t] = known[at]
        known[at] = 1.0
        step = ahead[at] + GAMMA * (value[at] + LAMBDA * gain[at]) - values[t]
        found[t] = step * closed[t]
        ahead[at] = 0.0
        value[at] = values[t]
        gain[at] = found[t]
    return torch.tensor(found)[closed], torch.tensor(closed)


def rollout():
    """Play STEPS decisions in every game, and return them as columns."""
    columns = {name: [] for name in ("obs", "mask", "action", "log_prob")}
    columns |= {name: [] for name in ("value", "reward", "seat", "done")}
    for _ in range(STEPS):
        obs = torch.tensor(games.obs)
        mask = torch.tensor(games.mask)
        with torch.no_grad():
            choice, value = forward(obs, mask)
        action = choice.sample()
        columns["obs"].append(obs)
        columns["mask"].append(mask)
        columns["action"].append(action)
        columns["log_prob"].append(choice.log_prob(action))
        columns["value"].append(value)
        columns["seat"].append(games.to_move.copy())
        reward, done = games.step(action.numpy())
        columns["reward"].append(reward.copy())
        columns["done"].append(done.copy())
    columns = {name: np.stack(rows) for name, rows in columns.items()}
    gain, closed = advantages(
        columns.pop("reward"),
        columns["value"],
        columns.pop("seat"),
        columns.pop("done"),
    )
    rows = {
        name: torch.tensor(column)[closed] for name, column in columns.items()
    }
    return rows | {"advantage": gain}


def act(obs, masks, rng):
    """Return the likeliest actions, as an agent for the arena."""
    return forward(torch.tensor(obs), torch.tensor(masks))[0].probs.argmax(1)


decisions = 0
while decisions < asked.decisions:
    rows = rollout()
    decisions += GAMES * STEPS
    learned = f"{decisions:,} of {asked.decisions:,} decisions"
    print("learning from", learned, flush=True)
    size = len(rows["action"])
    shuffled = [torch.randperm(size) for _ in range(EPOCHS)]
    for picked in torch.cat(shuffled).split(MINIBATCH):
        part = {name: column[picked] for name, column in rows.items()}
        choice, value = forward(part["obs"], part["mask"])
        gain = part["advantage"]
        loss = (value - part["value"] - gain).pow(2).mean() / 2
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        log_prob = choice.log_prob(part["action"])
        ratio = (log_prob - part["log_prob"]).exp()
        clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
        loss -= torch.min(ratio * gain, clipped * gain).mean()
        adam.zero_grad()
        (loss - ENTROPY * choice.entropy().mean()).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        adam.step()
won = {}
for other in ("random", "heuristic"):
    agents = {"ppo": make(act, games.game), other: make(other, games.game)}
    table = [Entrant(*named) for named in agents.items()]
    won[other] = evaluate(table, "shakespeare", games=1000)["ppo"].win_rate
print(f"{decisions:,} decisions; share of games won against", won)
