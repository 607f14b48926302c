"""Parts that all environments share: spaces, state arrays, outcomes of episodes, rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch, victory_shares
from shakespeare_env.core.game import Game, Record
from shakespeare_env.drawing.raster import pixels

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4
"""Frames per second that people can follow. A frame is a decision."""
_ABOVE_ALL_SCORES = np.iinfo(np.int16).max
_BELOW_ALL_SCORES = np.iinfo(np.int16).min


def observation_parts(game: Game, history: int) -> dict[str, spaces.Space[Any]]:
    """Return the spaces of an observation's parts.

    These are `observation`, int8[D] with the layout's bounds, and `history`, int16[k, 2], unless
    its length k is 0 (`Batch.history`).
    """
    parts: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)
    }
    if history:
        high = np.tile(np.array([game.max_seats, game.actions.size], np.int16), (history, 1))
        parts["history"] = spaces.Box(np.zeros_like(high), high, dtype=np.int16)
    return parts


def observation_space(game: Game, history: int) -> spaces.Space[Any]:
    """Return the space of a seat's observations: a Box of int8[D] or, with a history, a Dict."""
    parts = observation_parts(game, history)
    return spaces.Dict(parts) if "history" in parts else parts["observation"]


Observations = NDArray[np.int8] | dict[str, NDArray[Any]]
"""Observations of m games: int8[m, D] or, with a history, a dict of `observation_parts`."""


def row_of(observations: Observations, row: int) -> Any:
    """Return the observation of one game."""
    if isinstance(observations, dict):
        return {name: part[row] for name, part in observations.items()}
    return observations[row]


def action_space(game: Game) -> spaces.Discrete:
    """Return the space of actions, the ids of the action table."""
    return spaces.Discrete(game.actions.size)


class StateView:
    """A function that returns a record as an array, for learners that may see everything.

    The array holds every field except the random state.

    Attributes:
        fields: The slice of the array that each field takes, by name.
        space: A Box of int32[K], bounded by the fields' types.
    """

    def __init__(self, game: Game) -> None:
        fields = [game.ranges[name] for name in game.state.names or () if name != "random"]
        sizes = [field.size for field in fields]
        ends = np.cumsum(sizes).tolist()
        self.fields = {
            field.name: slice(end - field.size, end)
            for field, end in zip(fields, ends, strict=True)
        }
        limits = [np.iinfo(field.kind) for field in fields]
        low = np.repeat([limit.min for limit in limits], sizes).astype(np.int32)
        high = np.repeat([limit.max for limit in limits], sizes).astype(np.int32)
        self.space = spaces.Box(low, high, dtype=np.int32)

    def __call__(self, record: Record) -> NDArray[np.int32]:
        """Return the state of a game, int32[K]."""
        parts: list[Any] = [np.ravel(record[name]) for name in self.fields]
        return np.concatenate(parts, dtype=np.int32)


def episode_outcomes(
    batch: Batch, rows: NDArray[np.int64], seats: NDArray[np.integer]
) -> dict[str, NDArray[Any]]:
    """Return how finished games ended, each for one seat.

    A wrapper may end a game at an illegal action. The action is not played, so in the batch the
    seat that chose it, the offender, is still to move.

    Args:
        batch: The batch of the games.
        rows: The games, int[m]. A game may occur several times, with different seats.
        seats: A seat of each game, int[m].

    Returns:
        Arrays by name. Most are [m]. Those with a value for each seat are [m, L], where L is the
        number of seats at the largest table of the batch:

        - `seat`, `players`, `score`.
        - `won`: the seat's share of the victory. In a solo game with a target, 1 above it, else 0.
        - `is_success`: equal to `won`, under the name that Stable-Baselines3 logs.
        - `rank`: 1 for winners. Others rank one below all seats that did better, and the offender
          ranks last.
        - `final_scores`, `winners`: by seat.
        - `illegal_action`: whether the seat is the offender.
    """
    game = batch.game
    seats = seats.astype(np.int64)
    players = batch.players[rows].astype(np.int64)
    length = int(batch.players.max())
    offenders = batch.to_move[rows]  # -1 in games without an offender
    distinct, places = np.unique(rows, return_inverse=True)
    scores = batch.scores(distinct)[places, :length]
    winners = (batch.final_winners[rows] & (offenders < 0)[:, None])[:, :length]
    # The indices of the seats' own values in flattened arrays [m, L].
    own_places = np.arange(0, scores.size, length) + seats
    own_scores = scores.take(own_places).astype(np.int64)
    won = victory_shares(winners).take(own_places)
    is_solo = players == 1
    if game.solo_target is not None and is_solo.any():
        won[is_solo & (own_scores <= game.solo_target)] = 0.0

    # Winners rank first, whatever their scores, and the offender ranks last.
    standing = scores.copy()
    standing[winners] = _ABOVE_ALL_SCORES
    seat = np.arange(length)
    is_absent = seat >= players[:, None]
    is_offender = seat == offenders[:, None]
    standing[is_absent | is_offender] = _BELOW_ALL_SCORES
    # bool[m, L], which seats did better than the one of the row.
    better = standing > standing.take(own_places)[:, None]
    return {
        "seat": seats,
        "players": players,
        "won": won,
        "is_success": won,
        "score": own_scores,
        "rank": 1 + np.add.reduce(better, 1),
        "final_scores": scores,
        "winners": winners,
        "illegal_action": seats == offenders,
    }


def as_infos(arrays: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return an info for each of m games, from arrays [m] or [m, ...] by name.

    Values are Python numbers, or arrays where a game has more than one number.
    """
    columns = [list(values) if values.ndim > 1 else values.tolist() for values in arrays.values()]
    return [dict(zip(arrays, row, strict=True)) for row in zip(*columns, strict=True)]


class Renderer:
    """A renderer that draws a game with all its secrets, in one of the render modes.

    Args:
        game: The game.
        mode: With "ansi", `render` returns text. With "rgb_array", it returns a picture,
            uint8[height, width, 3]. With "human", it prints the text. With None, it warns that
            there is no mode.
        modes: The modes that the environment supports.

    Raises:
        ValueError: The environment does not support the mode.
    """

    def __init__(self, game: Game, mode: str | None, modes: Sequence[str] = RENDER_MODES) -> None:
        if mode is not None and mode not in modes:
            known = ", ".join(map(repr, modes))
            question = did_you_mean(str(mode), modes)
            raise ValueError(f"render_mode={mode!r}{question}: choose None or one of {known}")
        self.mode = mode
        self._game = game.name  # and not the game, whose functions cannot always be pickled

    def render(self, record: Record) -> str | NDArray[np.uint8] | None:
        """Draw a position as the render mode says.

        Raises:
            ImportError: The mode is "rgb_array", and the extra `render` is not installed.
        """
        if self.mode is None:
            modes = ", ".join(RENDER_MODES)
            gymnasium.logger.warn(
                f"render() needs a render_mode: make the environment with one of {modes}"
            )
            return None
        game = registry.game(self._game)
        position = game.to_dict(record)
        if self.mode == "rgb_array":
            return pixels(game.presentation.picture(position))
        text = game.presentation.draw(position)
        if self.mode == "ansi":
            return text
        print(text)
        return None
