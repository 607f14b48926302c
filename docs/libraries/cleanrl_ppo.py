"""PPO in one file, in the manner of CleanRL: masked self-play of all seats.

What a seat receives between two of its decisions counts for the earlier one.
"""

import argparse

import numpy as np
import torch
from torch import nn

from shakespeare_agents import make
from shakespeare_arena import Entrant, evaluate
from shakespeare_env import Batch

SEATS, GAMES, STEPS, EPOCHS, MINIBATCH = 2, 128, 128, 3, 2048
RATE, GAMMA, LAMBDA, CLIP, ENTROPY = 1e-3, 1.0, 0.95, 0.2, 0.01
parser = argparse.ArgumentParser()
parser.add_argument("--decisions", type=int, default=500_000)
parser.add_argument("--seed", type=int, default=0)
asked = parser.parse_args()

torch.manual_seed(asked.seed)
games = Batch(n=GAMES, players=SEATS, seed=asked.seed, reward="margin")
every, high = np.arange(GAMES), torch.as_tensor(games.game.layout.high)
body = nn.Sequential(nn.Linear(len(high), 256), nn.ReLU())
policy, critic = nn.Linear(256, games.actions.size), nn.Linear(256, 1)
network = nn.ModuleList([body, policy, critic])
adam = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)


def forward(obs, mask):
    """Choices by probability and values, from int8[m, D] and bool[m, A]."""
    hidden = body(obs / high)
    logits = policy(hidden).masked_fill(~mask, -1e9)
    return torch.distributions.Categorical(logits=logits), critic(hidden).T[0]


def advantages(rewards, values, seats, dones):
    """GAE along each seat's decisions, and where the seat's next is known."""
    found, closed = np.zeros_like(values), np.zeros(values.shape, bool)
    ahead, value, gain, known = (np.zeros_like(rewards[0]) for _ in range(4))
    for t in range(STEPS - 1, -1, -1):
        ahead[dones[t]] = value[dones[t]] = gain[dones[t]] = 0.0
        known[dones[t]] = 1.0
        ahead += rewards[t]
        at = every, seats[t]
        closed[t], known[at] = known[at], 1.0
        step = ahead[at] + GAMMA * (value[at] + LAMBDA * gain[at]) - values[t]
        found[t] = step * closed[t]
        ahead[at], value[at], gain[at] = 0.0, values[t], found[t]
    return torch.tensor(found)[closed], torch.tensor(closed)


def rollout():
    """STEPS decisions in every game, as rows to learn from."""
    kept = []
    for _ in range(STEPS):
        obs, mask = torch.tensor(games.obs), torch.tensor(games.mask)
        with torch.no_grad():
            choice, value = forward(obs, mask)
        action, seat = choice.sample(), games.to_move.copy()
        reward, done = (x.copy() for x in games.step(action.numpy()))
        row = obs, mask, action, choice.log_prob(action), value
        kept.append((*row, reward, value.numpy(), seat, done))
    *rows, rewards, values, seats, dones = zip(*kept, strict=True)
    gain, closed = advantages(*map(np.stack, (rewards, values, seats, dones)))
    return [*(torch.stack(row)[closed] for row in rows), gain]


def act(obs, masks, rng):
    """The likeliest action: an agent for the arena."""
    return forward(torch.tensor(obs), torch.tensor(masks))[0].probs.argmax(1)


decisions = 0
while decisions < asked.decisions:
    rows = rollout()
    decisions += GAMES * STEPS
    learned = f"{decisions:,} of {asked.decisions:,} decisions"
    print("learning from", learned, flush=True)
    shuffled = (torch.randperm(len(rows[0])) for _ in range(EPOCHS))
    for picked in torch.cat([*shuffled]).split(MINIBATCH):
        obs, mask, action, old, before, gain = (row[picked] for row in rows)
        choice, value = forward(obs, mask)
        loss = (value - before - gain).pow(2).mean() / 2
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        ratio = (choice.log_prob(action) - old).exp()
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
