"""A recurrent agent: an actor-critic (A2C) with a GRU."""

import torch
import typer
from torch import nn
from torch.distributions import Categorical

from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch

GAME = {"game": "figaro", "players": 3, "reward": "rank"}
OPPONENTS = {"random": 1, "heuristic": 1}
GAMES = 64
STEPS = 16
WIDTH = 128


class Recurrent(nn.Module):
    """A policy and a critic with a hidden state, unless `memory` is False."""

    def __init__(self, game, *, memory=True):
        super().__init__()
        self.memory = memory
        # Inputs are divided by the square roots of their highest values.
        self.scale = torch.tensor(game.layout.high).rsqrt()
        self.gru = nn.GRUCell(len(self.scale), WIDTH)
        self.policy = nn.Linear(WIDTH, game.actions.size)
        self.critic = nn.Linear(WIDTH, 1)

    def forward(self, observations, masks, hidden):
        """Return the policies, values and next hidden states of n games."""
        inputs = torch.tensor(observations) * self.scale
        hidden = self.gru(inputs, hidden * self.memory)
        logits = self.policy(hidden).masked_fill(~torch.tensor(masks), -1e9)
        return Categorical(logits=logits), self.critic(hidden)[:, 0], hidden

    @torch.no_grad()
    def act(self, observations, masks, rng):
        """Return the likeliest actions. `rng` keeps the hidden states."""
        memories = [rng.memory(place) for place in range(len(masks))]
        past = [memory.get("gru", torch.zeros(WIDTH)) for memory in memories]
        policy, _, hidden = self(observations, masks, torch.stack(past))
        for memory, state in zip(memories, hidden, strict=True):
            memory["gru"] = state.clone()
        return policy.probs.argmax(1).numpy()


def train(out: str, seed: int = 0, memory: bool = True, updates: int = 1000):
    """Train in seat after seat, and save the weights."""
    torch.manual_seed(seed)
    env = SingleAgentBatch(n=GAMES, opponents=OPPONENTS, seed=seed, **GAME)
    net = Recurrent(env.batch.game, memory=memory)
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    hidden = torch.zeros(GAMES, WIDTH)
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            policy, value, hidden = net(env.batch.obs, env.batch.mask, hidden)
            action = policy.sample()
            reward, over = map(torch.tensor, env.step(action.numpy()))
            env.restart(over.numpy().nonzero()[0])
            hidden = hidden * ~over[:, None]  # a new game has no past
            steps.append((policy, action, value, reward, over))
        hidden = hidden.detach()
        target = net(env.batch.obs, env.batch.mask, hidden)[1].detach()
        loss = torch.zeros(GAMES)
        for policy, action, value, reward, over in reversed(steps):
            target = reward + ~over * target
            advantage = target - value
            loss += advantage.square() / 4 - 0.01 * policy.entropy()
            loss -= advantage.detach() * policy.log_prob(action)
        adam.zero_grad()
        loss.mean().backward()
        adam.step()
    torch.save(net.state_dict(), out)


if __name__ == "__main__":
    typer.run(train)
