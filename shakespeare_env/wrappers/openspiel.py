"""OpenSpiel games. Importing this module registers `python_shakespeare` and all other games.

Chance is explicit and comes first: four chance nodes with 256 outcomes each draw the bytes of a
seed s. The game that follows is `Position.new(seed=s)`, including all chance events to come. A
search that clones a state would therefore see the future. A search that calls
`resample_from_infostate`, such as IS-MCTS, does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.position import Position
from shakespeare_env.core.row_rules import REWARDS, SCORE, reward_code

try:
    import pyspiel
except ImportError as fault:
    raise ImportError(
        "OpenSpiel is not installed; on Linux and macOS: pip install open_spiel"
    ) from fault

SEED_BYTES = 4
"""The number of chance nodes before a game. Each draws a byte of the seed, from the highest."""
_BYTE_VALUES = 256
_MOST_DECISIONS = 2000
"""More decisions than any game has. The longest of thousands of random games had under 300."""


class OpenSpielGame(pyspiel.Game):
    """A game of the registry as an OpenSpiel game. Every registered game has its own subclass.

    Args:
        params: `players`; `reward`, which must be one that is paid at the end; variants, such as
            `strategic_rest`.

    Attributes:
        name: The game's name in the registry, set by each subclass.

    Raises:
        ValueError: A parameter has a value that the game does not allow.
    """

    name: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        loaded = registry.game(self.name)
        self._arguments = _default_arguments(self.name) | dict(params or {})
        reward = self._arguments["reward"]
        if reward_code(reward) == SCORE:
            raise ValueError(
                f"reward={reward!r} is paid at every step, not at the end as OpenSpiel needs it: "
                "choose win, margin or rank"
            )
        players = loaded.check_players(self._arguments["players"])
        loaded.option_bits(_variants(self.name, self._arguments), [players])
        bound = 1.0
        if players == 1 or reward == "margin":
            bound = 2**16 / loaded.score_scale  # scores are int16, so no difference reaches 2**16
        info = pyspiel.GameInfo(
            num_distinct_actions=loaded.actions.size,
            max_chance_outcomes=_BYTE_VALUES,
            num_players=players,
            min_utility=-bound,
            max_utility=bound,
            max_game_length=_MOST_DECISIONS,
        )
        super().__init__(_game_type(self.name), info, dict(params or {}))

    def new_initial_state(self) -> OpenSpielState:
        """Return the state before the first chance node."""
        return OpenSpielState(self, self.name, self._arguments)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> SeatObserver:
        """Return the observer that OpenSpiel asks for, or raise ValueError if there is none."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(
                "observations are of one seat, hold all that it sees, and take no parameters"
            )
        return SeatObserver(registry.game(self.name).layout.size, kind.perfect_recall)


class OpenSpielState(pyspiel.State):
    """A state of a game, and what each seat remembers of the game so far.

    Attributes:
        position: The position, or None until chance has drawn the seed.
    """

    def __init__(self, game: OpenSpielGame, name: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(game)
        # OpenSpiel clones and serialises everything in `__dict__`. So the state keeps the game's
        # name and not the game.
        self.position: Position | None = None
        self._name = name
        self._arguments = dict(arguments)
        self._seed = b""
        self._memories = [b""] * arguments["players"]
        self._returns = [0.0] * arguments["players"]

    def current_player(self) -> int:
        """Return the seat that is to decide, `PlayerId.CHANCE` or `PlayerId.TERMINAL`."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.position.to_move
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position is not None and self.position.to_move is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the values of the seed's next byte, all equally likely."""
        return [(value, 1 / _BYTE_VALUES) for value in range(_BYTE_VALUES)]

    def returns(self) -> list[float]:
        """Return the reward of each seat, which is 0 until the game is over."""
        return list(self._returns)

    def observation(self, seat: int) -> Any:
        """Return a seat's observation, int8[D], which is all zeros before the seed is drawn."""
        if self.position is None:
            return np.zeros(registry.game(self._name).layout.size, np.int8)
        return self.position.observation(seat)

    def information(self, seat: int) -> str:
        """Return a digest of all that a seat has seen and done, and its present observation."""
        return f"{self._memories[seat].hex()}:{self.observation(seat).tobytes().hex()}"

    def resample_from_infostate(
        self, seat: int, probability_sampler: Callable[[], float]
    ) -> OpenSpielState:
        """Draw a state that a seat cannot tell from this one, with new random events to follow.

        The other seats forget what they have seen. `history` remains that of this state.
        """
        possible: OpenSpielState = self.clone()
        if self.position is not None:
            seed = int(probability_sampler() * 2**53)
            possible.position = self.position.determinize(seat, seed)
            possible._memories = [b""] * len(self._memories)
            possible._memories[seat] = self._memories[seat]
        return possible

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position is not None
        return [int(action) for action in self.position.action_mask().nonzero()[0]]

    def _apply_action(self, action: int) -> None:
        arguments = self._arguments
        if self.position is None:
            self._seed += bytes([action])
            if len(self._seed) == SEED_BYTES:
                self.position = Position.new(
                    self._name,
                    players=arguments["players"],
                    seed=int.from_bytes(self._seed),
                    **_variants(self._name, arguments),
                )
            return
        seat = self.current_player()
        memory = self._memories[seat] + self.observation(seat).tobytes() + action.to_bytes(2)
        self._memories[seat] = blake2b(memory, digest_size=16).digest()
        before = self.position.record()
        self.position.push(self.position.move_text(action))
        if self.is_terminal():
            # A position computes no rewards. A batch plays the last move again to compute them.
            players = arguments["players"]
            last = Batch(
                self._name, n=1, players=players, reward=arguments["reward"], autoreset=False
            )
            last.load(slice(0, 1), before)
            rewards, _ = last.step([action])
            self._returns = rewards[0, :players].tolist()

    def _action_to_string(self, player: int, action: int) -> str:
        if self.position is None or player < 0:
            return f"seed byte {action}"
        return registry.game(self._name).actions.text(action, player, self.position.players)

    def __str__(self) -> str:
        return f"seed {self._seed.hex()}" if self.position is None else str(self.position)


class SeatObserver:
    """An OpenSpiel observer of one seat.

    Attributes:
        tensor: The observation, float32[D].
        dict: The tensor under the name `observation`.
    """

    def __init__(self, size: int, perfect_recall: bool) -> None:
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"observation": self.tensor}
        self._perfect_recall = perfect_recall

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write a seat's observation into the tensor."""
        self.tensor[:] = state.observation(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return a seat's observation as text, with all that it remembers if recall is perfect."""
        if self._perfect_recall:
            return state.information(player)
        return str(state.observation(player).tobytes().hex())


def _default_arguments(name: str) -> dict[str, Any]:
    loaded = registry.game(name)
    variants = dict.fromkeys(loaded.options, False)
    return {"players": loaded.max_seats, "reward": REWARDS[0], **variants}


def _variants(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {variant: arguments[variant] for variant in registry.game(name).options}


def _game_type(name: str) -> pyspiel.GameType:
    seats = registry.seats(name)
    return pyspiel.GameType(
        short_name=f"python_{name}",
        long_name=name.capitalize(),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats[-1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_default_arguments(name),
    )


# OpenSpiel holds what is registered until after the interpreter has ended. That is safe for a class
# but not for a function, so every game is registered as a class of its own.
for _name in registry.names():
    _game = type(f"{OpenSpielGame.__name__}_{_name}", (OpenSpielGame,), {"name": _name})
    pyspiel.register_game(_game_type(_name), _game)
