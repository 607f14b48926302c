"""A recurrent agent: PPO with a GRU, in the manner of CleanRL."""

import torch
import typer
from torch import nn
from torch.distributions import Categorical

from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch

OPPONENTS = {"random": 1, "heuristic": 1}
GAMES = 256
STEPS = 32
EPOCHS = 3
WIDTH = 128


class Recurrent(nn.Module):
    """A policy and a critic with a hidden state, or without."""

    def __init__(self, game, *, memory=True):
        super().__init__()
        self.memory = memory
        self.scale = torch.tensor(game.layout.high).rsqrt()
        self.encoder = nn.Linear(len(self.scale), WIDTH)
        self.gru = nn.GRUCell(WIDTH, WIDTH)
        self.policy = nn.Linear(WIDTH, game.actions.size)
        self.critic = nn.Linear(WIDTH, 1)

    def forward(self, seen, legal, begins, hidden):
        """Return policies and values, [T, n], and the last hidden state.

        `begins`, bool[T, n], marks the first observation of each game.
        """
        states = []
        inputs = self.encoder(seen * self.scale).relu()
        for step, forget in zip(inputs, begins, strict=True):
            kept = self.memory & ~forget[:, None]
            hidden = self.gru(step, hidden * kept)
            states.append(hidden)
        states = torch.stack(states)
        logits = self.policy(states).masked_fill(~legal, -1e9)
        return Categorical(logits=logits), self.critic(states)[..., 0], hidden

    @torch.no_grad()
    def act(self, observations, masks, rng):
        """Return the likeliest actions. `rng` keeps the hidden states."""
        memories = [rng.memory(place) for place in range(len(masks))]
        new = torch.zeros(WIDTH)
        hidden = torch.stack([kept.get("hidden", new) for kept in memories])
        seen = torch.tensor(observations)[None]
        legal = torch.tensor(masks)[None]
        begins = torch.zeros(1, len(masks), dtype=torch.bool)
        policy, _, hidden = self(seen, legal, begins, hidden)
        for kept, state in zip(memories, hidden, strict=True):
            kept["hidden"] = state.clone()
        return policy.probs[0].argmax(1).numpy()


def train(
    game: str = "figaro",
    players: int = 3,
    memory: bool = True,
    updates: int = 150,
    seed: int = 0,
    out: str = "recurrent.pth",
):
    """Train in seat after seat, and save the weights."""
    torch.manual_seed(seed)
    games = SingleAgentBatch(
        game,
        GAMES,
        players=players,
        opponents=OPPONENTS,
        reward="rank",
        seed=seed,
    )
    net = Recurrent(games.batch.game, memory=memory)
    adam = torch.optim.Adam(net.parameters(), 1e-3)
    begin = torch.ones(GAMES, dtype=torch.bool)
    hidden = torch.zeros(GAMES, WIDTH)
    for _ in range(updates):
        first_hidden = hidden
        steps = []
        for _ in range(STEPS + 1):  # the last one tells what follows
            seen = torch.tensor(games.observe())[None]
            legal = torch.tensor(games.action_masks())[None]
            inputs = (seen, legal, begin[None])
            with torch.no_grad():
                policy, value, hidden = net(*inputs, hidden)
            action = policy.sample()
            log_prob = policy.log_prob(action)
            reward, over = games.step(action[0].numpy())
            games.restart(over.nonzero()[0])
            reward = torch.tensor(reward)[None]
            steps.append((*inputs, action, log_prob, value, reward))
            begin = torch.tensor(over)
        columns = [torch.cat(column) for column in zip(*steps, strict=True)]
        *inputs, actions, log_probs, values, rewards = columns
        goes_on = ~inputs[2][1:]
        advantages = torch.zeros_like(values)
        for t in reversed(range(STEPS)):
            later = values[t + 1] + 0.95 * advantages[t + 1]
            advantages[t] = rewards[t] + goes_on[t] * later - values[t]
        targets = values + advantages
        advantages /= advantages.std()
        for _ in range(EPOCHS):
            for rows in torch.randperm(GAMES).chunk(4):
                at = slice(STEPS), rows
                shown = [column[at] for column in inputs]
                policy, value, _ = net(*shown, first_hidden[rows])
                ratio = (policy.log_prob(actions[at]) - log_probs[at]).exp()
                gain = torch.min(
                    ratio * advantages[at],
                    ratio.clamp(0.8, 1.2) * advantages[at],
                )
                error = (value - targets[at]).square() / 2
                loss = (error - gain - 0.01 * policy.entropy()).mean()
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                adam.step()
    torch.save(net.state_dict(), out)


if __name__ == "__main__":
    typer.run(train)
