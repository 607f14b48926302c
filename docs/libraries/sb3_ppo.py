"""MaskablePPO of sb3-contrib learns one seat of two against random play."""

import gymnasium
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch


def games(n, reward):
    """Return an environment of n games with masks for sb3-contrib."""
    table = SingleAgentBatch(
        n=n, players=2, opponents="random", reward=reward, seed=0
    )
    return VecMonitor(SB3SingleAgentVecEnv(table))


def mean_result(learner):
    """Return the mean of 200 new games, in which 1 is a win and -1 a loss."""
    return evaluate_policy(learner, games(50, "win"), n_eval_episodes=200)[0]


learner = MaskablePPO(
    "MlpPolicy",
    games(64, "score"),
    n_steps=64,
    batch_size=1024,
    n_epochs=4,
    learning_rate=1e-3,
    gamma=1.0,
    seed=0,
)
before = mean_result(learner)
print(f"against random play: {before:+.2f} untrained; learning", flush=True)
learner.learn(50_000)
after = mean_result(learner)
print(f"against random play: {after:+.2f} trained", flush=True)

# Gymnasium plays one game at a time.
env = gymnasium.make("Shakespeare-v0", players=2, opponents="random")
env = ActionMasker(Monitor(env), lambda game: game.unwrapped.action_masks())
single, _ = evaluate_policy(learner, env, n_eval_episodes=20)
MaskablePPO("MlpPolicy", env, n_steps=128, seed=0).learn(256)
print(f"in 20 games of gymnasium.make: {single:+.2f}")
