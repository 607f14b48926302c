"""The contract that every game fulfils. Code outside a game's folder uses a game only through it.

A game is a NumPy structured dtype, compiled rules that act on one record of that type, an action
table and an observation layout. Every record has these fields:

    random   uint64       the state of the game's generator (`rng.py`)
    players  int8         the number of seats at the table
    to_move  int8         the seat to decide, -1 when the game is over
    winners  int8[seats]  1 for each winner, once the game is over
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shakespeare_env.checks.values import did_you_mean, is_integer, short_repr
from shakespeare_env.core.presentation import Presentation
from shakespeare_env.core.records import StateField
from shakespeare_env.sources import source_digest

Record = Any
"""One game: `np.void` in Python, a record type in compiled code."""
Records = npt.NDArray[np.void]

UNKNOWN = "?"
"""Stands for a value that a seat may not know, in a position as the seat sees it."""
SPECTATOR = -1
"""Stands for a spectator in place of a seat, for example in `Game.seen_by`."""

_ENVIRONMENT_ARGUMENTS = {
    "autoreset",
    "box",
    "n",
    "num_envs",
    "opponents",
    "players",
    "render_mode",
    "reward",
    "seat",
    "seed",
    "threads",
}
"""Arguments of environments. A misspelled option may have been meant to be one of them."""
_RELATIVE_SEAT = re.compile(r"\{\+(\d+)\}")
_FIRST_VERB = re.compile(r"^[a-z]+")


@dataclass(frozen=True)
class Block:
    """A block of actions of one kind, with consecutive ids, as a game's `actions.py` declares it.

    Attributes:
        name: The block's name, unique in the table.
        texts: The text of each action.
        descriptions: The English description of each action.
        kind: What all of them do, in the words of the game, such as "wager cylinders". Without it,
            the kind of an action is its text up to the colon.
    """

    name: str
    texts: tuple[str, ...]
    descriptions: tuple[str, ...]
    kind: str = ""


class ActionTable:
    """The table of all actions of a game, whose ids follow the order of the blocks.

    Texts name seats relative to the mover, so that an id means the same to every seat: `{+2}` is
    the second seat clockwise from the mover.

    Attributes:
        blocks: The blocks in order.
        start: The id of each block's first action, by the block's name.
        texts: The text of each action.
        descriptions: The English description of each action. It begins with a verb in the
            imperative, and has seats as `{+2}` and further verbs in braces, such as "take all
            cards, and {play} again".
        is_relative: Whether any text names a seat.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = tuple(blocks)
        self.start: dict[str, int] = {}
        texts: list[str] = []
        for block in self.blocks:
            if len(block.texts) != len(block.descriptions):
                raise ValueError(
                    f"block {block.name!r} has {len(block.texts)} texts and "
                    f"{len(block.descriptions)} descriptions; give each action one of both"
                )
            self.start[block.name] = len(texts)
            texts += block.texts
        repeated = sorted({text for text in texts if texts.count(text) > 1})
        if repeated:
            raise ValueError(f"two actions share a text: {repeated}; give each its own")
        self.texts = tuple(texts)
        self.descriptions = tuple(text for block in self.blocks for text in block.descriptions)
        self.is_relative = any(map(_RELATIVE_SEAT.search, texts))
        # Both caches are by the seat to move and the number of players.
        self._texts: dict[tuple[int, int], tuple[str, ...]] = {}
        self._ids: dict[tuple[int, int], dict[str, int]] = {}

    @property
    def size(self) -> int:
        """The number of actions."""
        return len(self.texts)

    def kind(self, action: int) -> str:
        """Return what kind of action one is, in the words of the game."""
        block = self.blocks[bisect_right(list(self.start.values()), action) - 1]
        return block.kind or self.texts[action].partition(":")[0]

    def texts_for(self, seat: int, players: int) -> tuple[str, ...]:
        """Return the texts of all actions when a seat moves.

        At a table with fewer than the most seats, some texts name seats that are not there.
        """
        if not self.is_relative:
            return self.texts
        if (seat, players) not in self._texts:
            texts = tuple(_with_seats(text, seat, players) for text in self.texts)
            self._texts[seat, players] = texts
        return self._texts[seat, players]

    def ids_for(self, seat: int, players: int) -> dict[str, int]:
        """Return the ids of actions by their texts, without actions that name absent seats."""
        key = (seat, players) if self.is_relative else (0, 0)
        if key not in self._ids:
            texts = self.texts_for(seat, players)
            self._ids[key] = {
                texts[action]: action
                for action in range(self.size)
                if self._names_only_seats_of(action, players)
            }
        return self._ids[key]

    def _names_only_seats_of(self, action: int, players: int) -> bool:
        """Return whether all seats that an action names are at a table of `players` seats."""
        distances = _RELATIVE_SEAT.findall(self.texts[action])
        return all(int(distance) < players for distance in distances)

    def text(self, action: int, seat: int, players: int) -> str:
        """Return the text of an action when a seat moves."""
        return self.texts_for(seat, players)[action]

    def description(self, action: int, seat: int, players: int) -> str:
        """Return the description of an action when a seat moves, for `seat_names.with_names`."""
        text = _FIRST_VERB.sub(r"{\g<0>}", self.descriptions[action])
        # Doubled braces stand for one brace: the result is a placeholder such as `{seat 2}`.
        return _with_seats(text, seat, players, form="{{seat {}}}")


def _with_seats(text: str, mover: int, players: int, form: str = "{}") -> str:
    """Return a text with absolute seats in place of relative ones, each written by `form`.

    A seat that is not at the table is written as its distance from the mover.
    """

    def seat_text(relative: re.Match[str]) -> str:
        distance = int(relative[1])
        is_at_table = distance < players
        return form.format((mover + distance) % players if is_at_table else distance)

    return _RELATIVE_SEAT.sub(seat_text, text)


@dataclass(frozen=True)
class ObservationField:
    """A named part of an observation, such as `seat0.stage`.

    Attributes:
        name: The field's name, unique in the layout.
        start: The index of its first number in an observation.
        size: The count of its numbers.
        low: The least value of its numbers.
        high: The greatest value of its numbers; greater ones are clipped.
        description: What its numbers are, in words, their names included.
        names: The names of its numbers, in order; empty if they have none.
        is_one_hot: Whether it encodes a choice among `size`: the number of the choice is 1, and all
            others are 0. All are 0 if there is no choice, or if the seat may not know it.
    """

    name: str
    start: int
    size: int
    low: int
    high: int
    description: str
    names: tuple[str, ...] = ()
    is_one_hot: bool = False

    @property
    def slice(self) -> slice:
        """The slice of its numbers in an observation."""
        return slice(self.start, self.start + self.size)


class LayoutEntry(NamedTuple):
    """A field of an observation as a game declares it; see `ObservationField` for its attributes.

    The layout completes the description: it adds the names of the numbers, and says whether the
    field is one-hot.
    """

    name: str
    size: int
    low: int
    high: int
    description: str
    names: tuple[str, ...] = ()
    is_one_hot: bool = False


class ObservationLayout:
    """The layout of an observation, int8[size]. Iterating it yields its `ObservationField`s.

    Args:
        entries: The fields in order, as `LayoutEntry` or as plain tuples of its first attributes.

    Raises:
        ValueError: two fields share a name, or a field has names for only some of its numbers.
    """

    def __init__(self, entries: Iterable[LayoutEntry | tuple[str, int, int, int, str]]) -> None:
        self.fields: dict[str, ObservationField] = {}
        self.size = 0
        for given in entries:
            entry = LayoutEntry(*given)
            if entry.name in self.fields:
                raise ValueError(f"two fields of the observation are named {entry.name!r}")
            if entry.names and len(entry.names) != entry.size:
                raise ValueError(
                    f"{entry.name!r} has {entry.size} numbers and {len(entry.names)} names; "
                    "name all of them or none"
                )
            self.fields[entry.name] = ObservationField(
                name=entry.name,
                start=self.size,
                size=entry.size,
                low=entry.low,
                high=entry.high,
                description=_full_description(entry),
                names=entry.names,
                is_one_hot=entry.is_one_hot,
            )
            self.size += entry.size

    def __getitem__(self, name: str) -> ObservationField:
        return self.fields[name]

    def __iter__(self) -> Iterator[ObservationField]:
        return iter(self.fields.values())

    def offsets(self, prefix: str = "") -> Any:
        """Return the starts of fields as a named tuple that compiled rules can read.

        Args:
            prefix: Only fields whose names begin with this, such as `"seat0."`, are in the tuple.
                The prefix is removed from their names. By default, the tuple has all fields without
                a dot in their names.
        """
        starts: dict[str, int] = {}
        for full_name, entry in self.fields.items():
            name = full_name.removeprefix(prefix)
            # A name that still has a dot belongs to a field with another or a longer prefix.
            if full_name == prefix + name and name.isidentifier():
                starts[name] = entry.start
        offsets: Any = namedtuple("Offsets", starts)  # type: ignore[misc]
        return offsets(**starts)

    @cached_property
    def low(self) -> npt.NDArray[np.int8]:
        """The least value of each number, int8[size]."""
        return np.repeat([field.low for field in self], self._sizes).astype(np.int8)

    @cached_property
    def high(self) -> npt.NDArray[np.int8]:
        """The greatest value of each number, int8[size]."""
        return np.repeat([field.high for field in self], self._sizes).astype(np.int8)

    @property
    def _sizes(self) -> list[int]:
        return [field.size for field in self]


def seat_blocks(fields: Iterable[LayoutEntry], seats: int) -> list[LayoutEntry]:
    """Return a block of fields for each seat: `seat0.NAME` for the observer, then clockwise."""
    block = tuple(fields)
    return [
        entry._replace(name=f"seat{seat}.{entry.name}") for seat in range(seats) for entry in block
    ]


def _full_description(entry: LayoutEntry) -> str:
    prefix = "one-hot: " if entry.is_one_hot else ""
    names = f": {', '.join(entry.names)}" if entry.names else ""
    return f"{prefix}{entry.description}{names}"


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game; each changes one record in place and allocates nothing.

    Attributes:
        set_up: (game, players, options). Set up a game by drawing from game["random"], and write
            every other field. `options` has a bit for each variant.
        legal: (game, mask) -> int. Write the mover's legal actions into `mask`, bool[A], which is
            all False before, and return their number.
        play: (game, action). Play a legal action up to the next decision, even if that decision
            leaves no choice.
        observe: (game, seat, out). Write the seat's observation into `out`, int8[D], which is all 0
            before.
        determinize: (game, seat). Draw everything that a seat does not know, from game["random"].
        scores: (game, out). Write the current scores into `out`, int16[seats]; more is better.
        fault: (game) -> int. Return the number of the record's fault, from 1 on, or 0 if it has
            none. `Game.explain` puts the fault into words. It is called only for
            records whose numbers are in range. The other rules are safe on a record without a
            fault, and lead only to such records.
        rewind: (game) -> bool. Take back the secret choices of other seats that the mover does not
            know yet, forced choices included. The seat that made the first of them is then to move.
            If there are none, change nothing and return False. Seats whose choices it takes back
            together may choose at the same time (`play/simultaneous.py`).
        is_hidden: (game, seat, action) -> bool. Return whether the other seats still do not know
            that a seat has chosen an action, given any later position. It reads only what
            everybody knows. None if the game does not say when secret choices are revealed.
    """

    set_up: Callable[[Record, int, int], None]
    legal: Callable[[Record, Any], int]
    play: Callable[[Record, int], None]
    observe: Callable[[Record, int, Any], None]
    determinize: Callable[[Record, int], None]
    scores: Callable[[Record, Any], None]
    fault: Callable[[Record], int]
    rewind: Callable[[Record], bool]
    is_hidden: Callable[[Record, int, int], bool] | None = None


class PositionFault(NamedTuple):
    """A reason why a position cannot occur.

    Attributes:
        name: The name of the fault, such as `shares_colour`.
        place: The key of the notation, or the field of the record, that must be corrected.
        value: The value that the position holds there.
        says: The requirement that it breaks, such as "name a seat at the table".
    """

    name: str
    place: str
    value: Any
    says: str

    def __str__(self) -> str:
        return f"{self.place}: {short_repr(self.value)} cannot be; {self.says}"


@dataclass(frozen=True, eq=False)  # one object per game, compared by identity
class Game:
    """A game, ready to be played by `Position` and `Batch`.

    Attributes:
        name: The game's name in lower case.
        min_seats: The fewest seats.
        max_seats: The most seats, and the length of every array by seat.
        options: The variants, each with the seat counts that allow it.
        state: The dtype of records.
        ranges: The ranges of the record's fields except `random`, by name.
        hidden_from_text: The fields of the record that positions in text leave out.
        actions: The action table.
        layout: The layout of observations.
        rules: The compiled rules.
        good_scores: The winning scores that the rule book calls good, by seat count. A game that
            can be played alone needs an entry for one seat, which is its `solo_target`.
        score_scale: The points that count as one unit of reward.
        to_dict: (record) -> the position as the JSON object of the notation.
        from_dict: (dict, record). Write a position into a record; PositionError if it cannot be
            read. `rules.fault` then tells whether the position can occur.
        explain: (record, number) -> the `PositionFault` of the number that `rules.fault` returned.
        phase: (record) -> the phase's name in the notation.
        seen_by: (dict, seat or `SPECTATOR`) -> the position with `UNKNOWN` for all that the seat
            may not know; positions that differ only there become equal.
        is_secret: (dict, move) -> whether a move of the seat to move is hidden from the others.
        presentation: How positions are drawn and worded.
        box: The file of printed facts (`box.toml`) in force, or the Python file that defines a game
            without such a file.
        digest: The SHA-256 of what the game was made from. Whatever is saved of a game holds this
            digest. By default it is computed from `box` when this object is made, since the file
            may change later.
        forecast_horizon: The number of decisions of each seat after which a search should use a
            network's forecast instead of playing on; None if playouts to the end are better. An
            analysis, which has more time, then uses forecasts where the last round begins.
    """

    name: str
    min_seats: int
    max_seats: int
    options: Mapping[str, range]
    state: np.dtype[np.void]
    ranges: Mapping[str, StateField]
    hidden_from_text: tuple[str, ...]
    actions: ActionTable
    layout: ObservationLayout
    rules: Rules
    good_scores: Mapping[int, float]
    score_scale: float
    to_dict: Callable[[Record], dict[str, Any]] = field(repr=False)
    from_dict: Callable[[Mapping[str, Any], Record], None] = field(repr=False)
    explain: Callable[[Record, int], PositionFault] = field(repr=False)
    phase: Callable[[Record], str] = field(repr=False)
    seen_by: Callable[[Mapping[str, Any], int], dict[str, Any]] = field(repr=False)
    is_secret: Callable[[Mapping[str, Any], str], bool] = field(repr=False)
    presentation: Presentation = field(repr=False)
    box: Path
    digest: str = field(default="", repr=False)
    forecast_horizon: int | None = None

    def __post_init__(self) -> None:
        if self.min_seats == 1 and self.solo_target is None:
            raise ValueError(f"{self.name} can be played alone; give a good score for one seat")
        if not self.digest:
            object.__setattr__(self, "digest", source_digest(self.box))

    @property
    def solo_target(self) -> float | None:
        """The score to beat in a solo game; None if the game cannot be played alone."""
        return self.good_scores.get(1)

    @property
    def chapter_field(self) -> str | None:
        """The record's field that counts days or rounds; None if the game has a single chapter."""
        key = self.presentation.chapter
        fields: Mapping[str, Any] = self.state.fields or {}
        is_number = key in fields and np.issubdtype(fields[key][0], np.integer)
        return key if is_number and key != "players" else None

    def option_bits(self, options: Mapping[str, object], players: Iterable[int]) -> int:
        """Return the variants that are switched on, as bits in the order of `options`.

        Args:
            options: Variants by name, each switched on or off.
            players: The seat counts of the games that are played with them.

        Raises:
            TypeError: a variant is unknown, or its value is not a bool.
            ValueError: a variant is not for one of the seat counts.
        """
        bits = 0
        counts = list(players)
        for name, value in options.items():
            if name not in self.options:
                # Somebody may give an environment's argument to a function that takes only options.
                known = (_ENVIRONMENT_ARGUMENTS | set(self.options)) - {name}
                # The message begins in Python's own words, which other libraries look for.
                raise TypeError(
                    f"{self.name} got an unexpected keyword argument {name!r}"
                    f"{did_you_mean(name, known)}; its options: {', '.join(self.options) or 'none'}"
                )
            if not isinstance(value, bool | np.bool_):
                raise TypeError(f"option {name}={short_repr(value)} must be True or False")
            for count in counts:
                if value and count not in self.options[name]:
                    allowed = ", ".join(map(str, self.options[name]))
                    raise ValueError(
                        f"{self.name} cannot be played with {name}=True and players={count}; the "
                        f"variant is for these numbers of seats: {allowed}"
                    )
            bits |= int(value) << list(self.options).index(name)
        return bits

    def check_players(self, players: int) -> int:
        """Return a seat count as an int.

        Raises:
            TypeError: it is not an integer.
            ValueError: the game is not played by so many seats.
        """
        if not is_integer(players):
            raise TypeError(f"players={short_repr(players)} must be an integer")
        if not self.min_seats <= players <= self.max_seats:
            raise ValueError(
                f"players={players}: {self.name} is played by {self.min_seats} to "
                f"{self.max_seats} seats"
            )
        return int(players)
