"""A recurrent agent: PPO with a GRU, in the manner of CleanRL."""

import argparse

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import shakespeare_env  # registers the environments

GAMES, STEPS, EPOCHS, WIDTH = 256, 32, 4, 128


class Recurrent(nn.Module):
    """A policy and critic that remember the game, if `memory` is on."""

    def __init__(self, game, *, memory=True):
        super().__init__()
        self.memory = memory
        self.register_buffer("high", torch.tensor(game.layout.high))
        self.encoder = nn.Linear(game.layout.size, WIDTH)
        self.gru = nn.GRUCell(WIDTH, WIDTH)
        self.policy = nn.Linear(WIDTH, game.actions.size)
        self.critic = nn.Linear(WIDTH, 1)

    def forward(self, observations, masks, over, hidden):
        """Return policies and values of T steps, and the last state."""
        inputs = torch.relu(self.encoder(observations / self.high))
        states = []
        for step, ended in zip(inputs, over, strict=True):
            hidden = self.gru(step, hidden)
            states.append(hidden)
            # The next observation is the first one of another game.
            hidden = hidden * (~ended[:, None] & self.memory)
        states = torch.stack(states)
        logits = self.policy(states).masked_fill(~masks, -1e9)
        return Categorical(logits=logits), self.critic(states)[..., 0], hidden

    @torch.no_grad()
    def act(self, observations, masks, rng):
        """Return the likeliest actions; each game has its own memory."""
        games = [rng.memory(place) for place in range(len(masks))]
        empty = torch.zeros(WIDTH)
        hidden = torch.stack([game.get("hidden", empty) for game in games])
        over = torch.zeros(1, len(games), dtype=bool)
        observations = torch.tensor(observations)[None]
        policy, _, hidden = self(observations, torch.tensor(masks), over, hidden)
        for game, state in zip(games, hidden, strict=True):
            game["hidden"] = state.clone()
        return policy.probs[0].argmax(1).numpy()


def train(args):
    torch.manual_seed(args.seed)
    envs = gymnasium.make_vec(
        args.env, GAMES, players=args.players, opponents=args.opponents
    )
    net = Recurrent(envs.games.batch.game, memory=args.memory)
    adam = torch.optim.Adam(net.parameters(), 1e-3, eps=1e-5)
    observations, infos = envs.reset(seed=args.seed)
    over = torch.zeros(GAMES, dtype=bool)
    hidden = torch.zeros(GAMES, WIDTH)
    won = []
    for update in range(args.updates):
        steps = []
        first = hidden
        for _ in range(STEPS):
            seen = torch.tensor(observations)
            mask = torch.tensor(infos["action_mask"], dtype=bool)
            with torch.no_grad():
                policy, value, hidden = net(seen[None], mask[None], over[None], hidden)
            action = policy.sample()
            observations, reward, ended, _, infos = envs.step(action[0].numpy())
            won.extend(infos["won"][ended] if ended.any() else [])
            reward = torch.tensor(reward)
            steps.append((seen, mask, over, action[0], policy.log_prob(action)[0], value[0], reward))
            over = torch.tensor(ended)
        seen, mask, ends, action, log_prob, value, reward = map(torch.stack, zip(*steps))
        with torch.no_grad():
            seen_next = torch.tensor(observations)[None]
            next_value = net(seen_next, mask[:1], over[None], hidden)[1][0]
        advantage = torch.zeros(STEPS, GAMES)
        following = torch.zeros(GAMES)
        next_over = over
        for t in reversed(range(STEPS)):
            target = reward[t] + ~next_over * (next_value + 0.95 * following)
            advantage[t] = following = target - value[t]
            next_value = value[t]
            next_over = ends[t]
        for _ in range(EPOCHS):
            for rows in torch.randperm(GAMES).chunk(4):
                live = ~ends[:, rows]
                policy, new_value, _ = net(seen[:, rows], mask[:, rows], ends[:, rows], first[rows])
                gain = advantage[:, rows]
                loss = (new_value - value[:, rows] - gain)[live].square().mean() / 2
                gain = (gain - gain[live].mean()) / (gain[live].std() + 1e-8)
                ratio = (policy.log_prob(action[:, rows]) - log_prob[:, rows]).exp()
                surrogate = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
                loss -= (surrogate + 0.01 * policy.entropy())[live].mean()
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                adam.step()
        if update % 10 == 9:
            print(f"{(update+1)*STEPS*GAMES:,} decisions, {sum(won) / max(len(won),1):.1%} of the games won", flush=True)
            won.clear()
            torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="Figaro-v0")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--opponents", default="heuristic")
    parser.add_argument("--memory", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--updates", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="recurrent.pth")
    train(parser.parse_args())
