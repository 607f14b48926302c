"""`Position`: one game, with positions and moves in a notation for people and programs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import is_integer, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_games, first_fault, integers
from shakespeare_env.core.game import SPECTATOR, Game, Record, Records
from shakespeare_env.core.kernels import copy_records, kernels_of
from shakespeare_env.core.move_history import DECISION, Decisions, padded, without_hidden
from shakespeare_env.core.presentation import Event
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.core.row_rules import GameArrays
from shakespeare_env.core.seat_names import with_names
from shakespeare_env.errors import IllegalMove, PositionError

_ONLY_ROW = np.zeros(1, np.int64)


def _no_decisions() -> Decisions:
    return np.zeros((1, 0), DECISION)


@dataclass(eq=False)
class _Past:
    """How a position came about. The decisions are only worked out if somebody asks for them."""

    game: Game
    start: Records  # an earlier position, records[1]
    earlier: Callable[[], Decisions] = _no_decisions  # the decisions before it
    actions: tuple[int, ...] = ()  # the actions that were played since

    @cached_property
    def decisions(self) -> Decisions:
        """All decisions that are known, `DECISION`[1, k]."""
        earlier = self.earlier()
        if not self.actions:
            return earlier
        players = int(self.start["players"][0])
        batch = Batch(self.game.name, players=players, autoreset=False)
        batch.keep_history(earlier.shape[1] + len(self.actions))
        batch.load([0], self.start, earlier)
        for action in self.actions:
            batch.step([action])
        return batch.decisions([0])


class Position:
    """A position of one game, and the decisions that led to it.

    Forced moves are played automatically (rule D1) and do not count as decisions.

    `Position.new(seed=s)` is game 0 of `Batch(seed=s)`. Methods raise ValueError for a seat, a move
    or an action id that the game does not have.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._kernels = kernels_of(game)
        arrays = GameArrays.of(game, 1)
        self._arrays = tuple(arrays)
        self._record = arrays.games
        self._mask = arrays.mask
        self._to_move = arrays.to_move
        self._players = 0  # a copy of the record's field, which is slow to read
        self._lock = threading.RLock()  # makes threads wait for each other
        self._past: _Past  # set by `_begin`

    @classmethod
    def new(
        cls,
        game: str = registry.DEFAULT,
        *,
        players: int,
        seed: int = 0,
        deal: int = 0,
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> Position:
        """Return the first position of game `deal` of a seed.

        The other arguments and the errors are those of `Batch`.
        """
        position = cls(registry.game(game, box))
        seats = position.game.check_players(players)
        bits = position.game.option_bits(options, [seats])
        position._players = seats
        position._record["random"] = streams(seed, integers("deal", [deal], (1,)))
        seat_counts = np.full(1, seats, np.int8)
        first = 0
        last = 1
        position._kernels.set_up(position._arrays, _ONLY_ROW, first, last, seat_counts, bits)
        position._begin()
        return position

    @classmethod
    def from_dict(cls, position: Mapping[str, Any], *, seed: int = 0) -> Position:
        """Return a position from its notation. The seed decides all random events after it.

        Raises:
            PositionError: the position cannot be read or cannot occur; the message names the place
                and the remedy.
        """
        if not isinstance(position, Mapping) or not isinstance(position.get("game"), str):
            raise PositionError("position: it names no game; write an object with a key 'game'")
        try:
            game = registry.game(position["game"])
        except ValueError as unknown:
            raise PositionError(f"game: {unknown}") from None
        result = cls(game)
        result._record["random"] = streams(seed, _ONLY_ROW)
        game.from_dict(position, result._record[0])
        found = first_fault(game, result._record)
        if found is not None:
            _, fault = found
            raise PositionError(str(fault))
        result._refresh()
        return result

    @classmethod
    def of_record(cls, game: Game, record: Record) -> Position:
        """Return the position of a record, as from `Batch.save`, random state included.

        Raises:
            TypeError: the record is of another game.
            PositionError: the position cannot occur.
        """
        position = cls(game)
        _, records = checked_games(game, 1, _ONLY_ROW, record, {})
        position._record[:] = records
        position._refresh()
        return position

    @property
    def players(self) -> int:
        """The number of seats."""
        return self._players

    @property
    def to_move(self) -> int | None:
        """The seat to decide; None when the game is over."""
        seat = int(self._to_move[0])
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """The phase's name in the notation."""
        return self.game.phase(self._record[0])

    @property
    def winners(self) -> list[int] | None:
        """The winning seats; None before the end."""
        if self._to_move[0] >= 0:
            return None
        return [int(seat) for seat in np.flatnonzero(self._record[0]["winners"])]

    def scores(self) -> list[int]:
        """Return each seat's current score."""
        out = np.zeros((1, self.game.max_seats), np.int16)
        self._kernels.scores(self._record, _ONLY_ROW, out)
        return [int(score) for score in out[0, : self.players]]

    def moves(self) -> list[str]:
        """Return the legal moves in the order of the action table; none when the game is over."""
        texts = self.game.actions.texts_for(*self._mover())
        return [texts[action] for action in self._mask[0].nonzero()[0]]

    def push(self, move: str) -> None:
        """Play a move and all forced moves after it.

        Raises:
            IllegalMove: the move is not legal; the position is unchanged.
        """
        with self._lock:
            action = self._legal_action(move)
            self._kernels.play(self._record, self._mask, self._to_move, action)
            past = self._past
            self._past = _Past(past.game, past.start, past.earlier, (*past.actions, action))

    def _legal_action(self, move: str) -> int:
        """Return the id of a legal move."""
        action = self._action_ids().get(move) if isinstance(move, str) else None
        if action is None or not self._mask[0, action]:
            raise IllegalMove(move, seat=self.to_move, phase=self.phase, legal=self.moves())
        return action

    def _refresh(self) -> None:
        self._players = int(self._record[0]["players"])
        self._kernels.refresh(self._arrays, _ONLY_ROW)
        self._begin()

    def _begin(self, earlier: Callable[[], Decisions] = _no_decisions) -> None:
        """Let the past begin here, after some earlier decisions."""
        self._past = _Past(self.game, copy_records(self._record, _ONLY_ROW), earlier)

    def decisions(self, length: int, seat: int | None = None) -> Decisions:
        """Return the last decisions that led here, for `Batch.load`.

        A position that was made from notation or from a record has none.

        Args:
            length: The number of decisions, k.
            seat: The seat whose knowledge limits the actions; None means no limit.

        Returns:
            `move_history.DECISION`[1, k], the latest decision first.
        """
        if length == 0:
            return _no_decisions()
        decisions = self._past.decisions
        if seat is not None:
            decisions = without_hidden(decisions, np.array([self._check_seat(seat)]))
        return padded(decisions, length)

    def events(
        self, move: str, *, after: Position | None = None, seat: int | None = None
    ) -> list[Event]:
        """Return what a legal move and the forced moves after it do, without playing them.

        Args:
            move: The move.
            after: The position that it led to; by default the one that `push` would lead to.
            seat: The seat, or `SPECTATOR`, whose knowledge limits the events; None means no limit.
        """
        with self._lock:
            record = self.record()
            action = self._legal_action(move)
        if after is None:
            after = self.copy()
            after.push(move)
        return self.game.presentation.events(record, action, after.record(), seat)

    def action_mask(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool[A]; all False when the game is over."""
        return np.array(self._mask[0])

    def is_move(self, text: str) -> bool:
        """Return whether a text is a move of the seat to move, legal or not."""
        return isinstance(text, str) and text in self._action_ids()

    def action_id(self, move: str) -> int:
        """Return the id of a move of the seat to move, or of seat 0 when the game is over."""
        if not self.is_move(move):
            game = registry.game_argument(self.game.name)
            raise ValueError(
                f"{self.game.name} has no move {short_repr(move)} at this table; "
                f"`shakespeare check --actions --game {game}` lists them all"
            )
        return self._action_ids()[move]

    def move_text(self, action: int) -> str:
        """Return the text of an action of the seat to move, or of seat 0 when the game is over."""
        if not is_integer(action) or not 0 <= action < self.game.actions.size:
            last = self.game.actions.size - 1
            raise ValueError(f"action {short_repr(action)} is out of range 0 to {last}")
        return self.game.actions.text(action, *self._mover())

    def describe_move(self, move: str, names: Sequence[str] = ()) -> str:
        """Return an English description of a move; `names` are the players' names by seat."""
        return with_names(self.move_template(move), names)

    def move_template(self, move: str) -> str:
        """Return the description of a move, with placeholders for `seat_names.with_names`."""
        return self.game.actions.description(self.action_id(move), *self._mover())

    def _mover(self) -> tuple[int, int]:
        """Return the seat to move, or 0 when the game is over, and the number of seats."""
        return max(int(self._to_move[0]), 0), self._players

    def _action_ids(self) -> dict[str, int]:
        return self.game.actions.ids_for(*self._mover())

    def observation(self, seat: int) -> npt.NDArray[np.int8]:
        """Return the observation of a seat, int8[D], as `observation_layout` describes it."""
        out = np.zeros((1, self.game.layout.size), np.int8)
        seats = np.full(1, self._check_seat(seat), np.int8)
        with self._lock:
            self._kernels.observe(self._record, _ONLY_ROW, seats, out)
        return out.reshape(-1)

    def determinize(self, seat: int, seed: int) -> Position:
        """Draw a position that a seat cannot tell from this one.

        Of the decisions that led here it has what the seat knows.
        """
        possible = self.copy()
        seats = np.full(1, self._check_seat(seat), np.int8)
        seeds = np.full(1, check_seed(seed))
        self._kernels.determinize(possible._record, seats, seeds)
        possible._refresh()
        past = self._past
        possible._begin(lambda: without_hidden(past.decisions, seats))
        return possible

    def reseed(self, seed: int) -> None:
        """Let a seed decide all random events from now on."""
        with self._lock:
            self._record["random"] = streams(seed, _ONLY_ROW)
            past = self._past
            self._begin(lambda: past.decisions)

    def _check_seat(self, seat: int) -> int:
        if not is_integer(seat) or not 0 <= seat < self.players:
            last = self.players - 1
            raise ValueError(f"seat {short_repr(seat)} is not at this table; seats are 0 to {last}")
        return seat

    def to_dict(self) -> dict[str, Any]:
        """Return the position in notation, as a JSON object."""
        return self.game.to_dict(self._record[0])

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """Return the position in notation as a seat sees it, with `"?"` for secrets.

        None is a spectator, who knows only what every seat knows. `position.game.presentation` can
        draw the returned position.
        """
        viewer = SPECTATOR if seat is None else self._check_seat(seat)
        return self.game.seen_by(self.to_dict(), viewer)

    def record(self) -> Record:
        """Return a copy of the record, random state included, for `Batch.load`."""
        return copy_records(self._record, _ONLY_ROW)[0]

    def copy(self) -> Position:
        """Return an independent copy with the same random events to follow."""
        twin = Position(self.game)
        with self._lock:
            twin._record[:] = self._record
            twin._mask[:] = self._mask
            twin._to_move[:] = self._to_move
            twin._players = self._players
            twin._past = self._past
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        digest = registry.box_digest(self.game.name)
        with self._lock:
            return _restored, (self.game.name, digest, self._record.tobytes(), self._past.decisions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        if self.game is not other.game:
            return False
        names = set(self.game.state.names or ()) - {*self.game.hidden_from_text}
        return all(np.array_equal(self._record[name], other._record[name]) for name in names)

    __hash__ = None  # type: ignore[assignment]  # a position changes as it is played

    def svg(self, names: Sequence[str] = ()) -> str:
        """Return the position as an SVG document, secrets included.

        Args:
            names: The players' names by seat.
        """
        return self.game.presentation.picture(self.to_dict(), names)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.game.presentation.draw(self.to_dict())

    def __repr__(self) -> str:
        to_move = "over" if self.to_move is None else f"seat {self.to_move} to move"
        return f"<Position of {self.game.name}, {self.players} seats, {self.phase}, {to_move}>"


def _restored(name: str, digest: str, record: bytes, decisions: Decisions) -> Position:
    """Return a position from a pickle; `digest` is that of the box that it was played with."""
    game = registry.game_with_digest(name, digest)
    if len(record) != game.state.itemsize:
        raise PositionError(
            f"the record has {len(record)} bytes, not {game.state.itemsize}; it is cut off or is "
            "of another version"
        )
    position = Position.of_record(game, np.frombuffer(record, game.state)[0])
    position._begin(lambda: decisions)
    return position


def compile_all(game: Game) -> None:
    """Compile all entry points of a game's rules for the types of arguments that are in use."""
    batch = Batch(game.name, players=game.min_seats)
    batch.step(batch.random_actions())
    batch.determinize([0], [0], [0])
    batch.load([0], batch.save([0]))
    batch.observe([0])
    batch.scores()
    position = Position.new(game.name, players=game.min_seats)
    position.push(position.moves()[0])
    position.decisions(1)
