"""Games in Gymnasium's and PettingZoo's registries."""

from __future__ import annotations

import gymnasium
import pettingzoo

_SINGLE = "shakespeare_env.wrappers.gym:SingleAgentEnv"
_VECTOR = "shakespeare_env.wrappers.vector:SingleAgentVectorEnv"
_OF_PETTINGZOO = {
    "aec": "shakespeare_env.wrappers.aec:env",
    "parallel": "shakespeare_env.wrappers.parallel:parallel_env",
}
_registered: set[str] = set()


def register(name: str, seats: range) -> None:
    """Register Gymnasium's `<Name>-v0` and any `<Name>-Solo-v0`, and PettingZoo's `<name>_v0`.

    PettingZoo has a registry since 1.27. A name is registered once.

    Args:
        name: The name of a game.
        seats: Its seat counts.
    """
    if name in _registered:
        return
    _registered.add(name)
    _register_seat(f"{name.capitalize()}-v0", game=name)
    if 1 in seats:
        _register_seat(f"{name.capitalize()}-Solo-v0", game=name, players=1)
    if hasattr(pettingzoo, "register"):
        for kind, entry_point in _OF_PETTINGZOO.items():
            pettingzoo.register(kind, f"{name}_v0", entry_point=entry_point, kwargs={"game": name})


def _register_seat(env_id: str, **arguments: object) -> None:
    gymnasium.register(
        env_id, entry_point=_SINGLE, vector_entry_point=_VECTOR, kwargs=dict(arguments)
    )
