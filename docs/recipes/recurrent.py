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
        self.encoder = nn.Linear(len(self.scale), WIDTH)
        self.gru = nn.GRUCell(WIDTH, WIDTH)
        self.policy = nn.Linear(WIDTH, game.actions.size)
        self.critic = nn.Linear(WIDTH, 1)

    def forward(self, observations, masks, hidden):
        """Return the policies, values and next hidden states of n games."""
        inputs = self.encoder(torch.tensor(observations) * self.scale).relu()
        hidden = self.gru(inputs, hidden * self.memory)
        logits = self.policy(hidden).masked_fill(~torch.tensor(masks), -1e9)
        return Categorical(logits=logits), self.critic(hidden)[:, 0], hidden

    @torch.no_grad()
    def act(self, observations, masks, rng):
        """Return the likeliest actions. `rng` keeps the hidden states."""
        memories = [rng.memory(place) for place in range(len(masks))]
        initial = torch.zeros(WIDTH)
        hidden = [memory.get("hidden", initial) for memory in memories]
        policy, _, hidden = self(observations, masks, torch.stack(hidden))
        for memory, state in zip(memories, hidden, strict=True):
            memory["hidden"] = state.clone()
        return policy.probs.argmax(1).numpy()


def train(out: str, seed: int = 0, memory: bool = True, updates: int = 1000):
    """Train in seat after seat, and save the weights."""
    torch.manual_seed(seed)
    games = SingleAgentBatch(n=GAMES, opponents=OPPONENTS, seed=seed, **GAME)
    net = Recurrent(games.batch.game, memory=memory)
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    hidden = torch.zeros(GAMES, WIDTH)
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            obs = games.observe()
            policy, value, hidden = net(obs, games.action_masks(), hidden)
            action = policy.sample()
            reward, over = games.step(action.numpy())
            games.restart(over.nonzero()[0])
            reward = torch.tensor(reward)
            goes_on = torch.tensor(~over)
            hidden = hidden * goes_on[:, None]  # a new game has no past
            log_prob = policy.log_prob(action)
            steps.append((value, log_prob, policy.entropy(), reward, goes_on))
        hidden = hidden.detach()
        with torch.no_grad():
            obs = games.observe()
            _, next_value, _ = net(obs, games.action_masks(), hidden)
        advantage = torch.zeros(GAMES)
        loss = torch.zeros(GAMES)
        for value, log_prob, entropy, reward, goes_on in reversed(steps):
            target = reward + goes_on * (next_value + 0.95 * advantage)
            next_value = value.detach()
            advantage = target - next_value  # GAE with gamma 1, lambda 0.95
            loss += (target - value).square() / 4
            loss -= advantage * log_prob + 0.01 * entropy
        adam.zero_grad()
        (loss.mean() / STEPS).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        adam.step()
    torch.save(net.state_dict(), out)


if __name__ == "__main__":
    typer.run(train)
