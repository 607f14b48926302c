"""TorchRL's PPO learns one seat with masks; then all seats play."""

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Composite
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    GymEnv,
    PettingZooWrapper,
    TransformedEnv,
)
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.envs.utils import check_env_specs
from torchrl.modules import (
    MaskedCategorical,
    ProbabilisticActor,
    ValueOperator,
)
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import shakespeare_env

torch.manual_seed(0)
env = GymEnv(
    "Shakespeare-v0",
    categorical_action_encoding=True,
    players=2,
    opponents="random",
    reward="score",
)
actions = env.action_spec.n
# TorchRL reads only the infos whose types it is told.
masks = Composite(action_mask=Binary(actions, dtype=torch.int8))
env.set_info_dict_reader(default_info_dict_reader(["action_mask"], masks))
to_float = DTypeCastTransform(
    torch.int8, torch.float32, in_keys=["observation"]
)
to_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
env = TransformedEnv(env, Compose(to_float, to_bool, ActionMask()))
check_env_specs(env)


def network(outputs):
    """Return a network of two layers. Its first call sets the input size."""
    return nn.Sequential(
        nn.LazyLinear(128), nn.ReLU(), nn.LazyLinear(outputs)
    )


actor = ProbabilisticActor(
    TensorDictModule(network(actions), ["observation"], ["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(network(1), in_keys=["observation"])
# A first call sets the sizes of the lazy layers.
for module in (actor, critic):
    module(env.reset())
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
estimator = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
adam = torch.optim.Adam(loss.parameters(), 1e-3)
scores = []
collector = Collector(
    env,
    actor,
    frames_per_batch=1024,
    total_frames=4096,
    auto_register_policy_transforms=True,
)
for rows in collector:
    for _ in range(4):
        estimator(rows)
        for picked in torch.randperm(len(rows)).split(256):
            losses = loss(rows[picked])
            adam.zero_grad()
            total = losses["loss_objective"] + losses["loss_critic"]
            (total + losses["loss_entropy"]).backward()
            adam.step()
    games = rows["next", "done"].sum()
    # A reward of 1 is 10 points.
    scores.append(float(10 * rows["next", "reward"].sum() / games))
print("mean score of the games in each batch:", *map(round, scores))

# In the environment of all seats, each seat is a group of agents of its own.
# The group's `mask` says in which steps the seat decides.
table = PettingZooWrapper(
    shakespeare_env.env(players=3), use_mask=True, categorical_actions=True
)
check_env_specs(table)
played = table.rollout(60)
print({seat: int(played[seat, "mask"].sum()) for seat in table.group_map})
