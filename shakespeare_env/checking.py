"""Whether a game is sound: its rules, its secrets, and the games that a seat considers possible.

The games are played at random. What is wrong is said in the game's own words, with the seed of the
game in which it happens.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import first_fault
from shakespeare_env.core.game import NO_SEAT, Game, Record
from shakespeare_env.core.position import Position
from shakespeare_env.errors import PositionError, own_steps
from shakespeare_env.play.branching import (
    Branches,
    ImpossibleError,
    NotFollowedError,
    OpenRecord,
    execution_paths,
    followable,
    play_forced_moves,
)
from shakespeare_env.play.history import GameLog, ToldMove
from shakespeare_env.play.tracing import Tracer, interpreted

_LONGEST = 10_000  # decisions, more than any game should have
_POSITIONS = 12  # of each game, looked at closely
_MOVES = 6  # of each such position
_DRAWS = 24  # possible games that show which numbers a seat does not know
_MANY_DRAWS = 300  # before a game is said to be impossible, since few may not show a rare number


def check_game(game: Game, *, games: int = 5, seed: int = 0) -> list[str]:
    """Play a game at random and say what is wrong with it.

    At every number of seats and with each variant it is tested that positions are in range and
    consistent, that text and copies hold all of a position, that rules write what they should and
    stay inside arrays, that a batch plays as a single game, that what a seat is shown and told
    depends on nothing that it may not know, and that the choices that others made in secret could
    have been made in every game that a seat considers possible.

    Args:
        game: The game; it is registered if it is not yet.
        games: Games at each table.
        seed: The seed of the first one; the others have the following ones.

    Returns:
        Each kind of fault once, with the remedy and the game in which it occurs; none if the game
        is sound as far as these games show.

    Raises:
        ValueError: another game is registered under this name.
    """
    if game.name not in registry.names() or registry.game(game.name) is not game:
        registry.register(game)
    found: dict[str, str] = {}
    for players in range(game.min_seats, game.max_seats + 1):
        for variant in (None, *(name for name, seats in game.options.items() if players in seats)):
            for number in range(seed, seed + games):
                for fault in _RandomGame(game, players, variant, number).all_faults():
                    found.setdefault(fault.kind, fault.text)
    return list(found.values())


class _Fault(NamedTuple):
    kind: str  # faults of one kind are told once
    text: str


class ToldOf(NamedTuple):
    """A move in one of two games that a viewer cannot tell apart, and what it is told of it."""

    before: Position
    move: str
    after: Position
    told: ToldMove


def told_pairs(
    position: Position, viewer: int, seed: int, most: int = _MOVES
) -> Iterator[tuple[ToldOf, ToldOf]]:
    """Yield moves that look alike to a viewer, who must be told of them in the same words.

    They are moves from a position and from another one that the viewer cannot tell from it. Moves
    that lead to one and the same position, and the last ones of games, may be told as they are.

    Args:
        position: A position whose mover is not the viewer.
        viewer: A seat, or `NO_SEAT` for a spectator.
        seed: Decides which other position, which of its moves, and chance to come.
        most: Moves of each position.
    """
    rng, log = np.random.default_rng(seed), GameLog(None, viewer)
    alike: dict[str, list[ToldOf]] = {}
    worlds = [position.copy(), _twin(position, viewer, seed)]
    for before in worlds:
        before.reseed(seed)
        moves = before.moves()
        for move in rng.permutation(moves)[:most].tolist():
            after = before.copy()
            after.push(move)
            if after.to_move is not None:
                told = ToldOf(before, move, after, log.told(before, move, after))
                alike.setdefault(_view(after, viewer), []).append(told)
    for group in alike.values():
        for one, other in combinations(group, 2):
            is_wiped = one.after == other.after or _lead_to_one(worlds, one, other)
            if one.move == other.move or not is_wiped:
                yield one, other


def _lead_to_one(worlds: list[Position], one: ToldOf, other: ToldOf) -> bool:
    """Return whether two moves lead to the same position from one of two positions."""
    for before in worlds:
        if {one.move, other.move} <= {*before.moves()}:
            ends = before.copy(), before.copy()
            ends[0].push(one.move)
            ends[1].push(other.move)
            if ends[0] == ends[1]:
                return True
    return False


def _twin(position: Position, viewer: int, seed: int) -> Position:
    """Return a position that a viewer cannot tell from another one."""
    seats = range(position.players) if viewer == NO_SEAT else [viewer]
    for seat in seats:
        position = position.determinize(seat, seed)
    return position


def _view(position: Position, viewer: int) -> str:
    """Return all that a viewer is shown of a position, as text."""
    seat = None if viewer == NO_SEAT else viewer
    seen = b"" if seat is None else position.observation(seat).tobytes()
    return json.dumps([position.seen_by(seat), seen.hex(), position.to_move])


def _viewer(viewer: int) -> str:
    return "a spectator" if viewer == NO_SEAT else f"seat {viewer}"


@dataclass
class _RandomGame:
    """A game played at random, and what is wrong with it."""

    game: Game
    players: int
    variant: str | None
    seed: int
    moves: list[str] = field(default_factory=list)

    @property
    def _options(self) -> dict[str, Any]:
        return {self.variant: True} if self.variant else {}

    def _fault(self, kind: str, what: str, remedy: str) -> _Fault:
        last = f", after move {len(self.moves)}, {self.moves[-1]!r}" if self.moves else ""
        variant = f", {self.variant}" if self.variant else ""
        where = f"seed {self.seed}, {self.players} seats{variant}{last}"
        return _Fault(kind, f"{what}; {remedy} ({where})")

    def all_faults(self) -> Iterator[_Fault]:
        """Yield what is wrong until the game is over, or cannot be played on."""
        try:
            yield from self._faults()
        except Exception as fault:  # rules and parts of a game are somebody else's
            kind, lines = type(fault).__name__, [step.lineno for step in own_steps(fault)]
            place = f" in {self.game.box.name}, line {lines[-1]}" if lines else ""
            yield self._fault(f"error {kind}", f"{kind}{place}: {fault}", "mend what raises it")

    def _faults(self) -> Iterator[_Fault]:
        rng = np.random.default_rng(self.seed)
        position = Position.new(
            self.game.name, players=self.players, seed=self.seed, **self._options
        )
        yield from self._faults_of_set_up(position)
        batch = Batch(
            self.game.name,
            1,
            players=self.players,
            seed=self.seed,
            autoreset=False,
            **self._options,
        )
        looked_at = 0
        while True:
            faults = list(self._faults_of_position(position))
            yield from faults
            if faults:
                return  # others would follow from them
            yield from self._faults_of_batch(position, batch)
            if position.to_move is None:
                break
            if len(self.moves) == _LONGEST:
                yield self._fault("end", f"no end after {_LONGEST} moves", "let `play` end it")
                return
            move = str(rng.choice(position.moves()))
            # The first positions of all, and then some.
            closely = looked_at < _POSITIONS and (len(self.moves) < 4 or rng.random() < 0.3)
            looked_at += closely
            before = position.copy()
            if closely:
                for seat in range(self.players):
                    yield from self._faults_of_knowledge(position, seat, rng)
                yield from self._faults_of_telling(position, rng)
            batch.step([before.action_id(move)])
            position.push(move)
            self.moves.append(move)
            if closely:
                yield from self._faults_of_move(before, move, position)
                yield from self._faults_of_possible_games(before, move, position, rng)
        yield from self._faults_of_the_end(position)

    def _faults_of_set_up(self, position: Position) -> Iterator[_Fault]:
        """Find fields that `set_up` leaves as they were, and seeds that do not decide all."""
        again = Position.new(self.game.name, players=self.players, seed=self.seed, **self._options)
        if again.record().tobytes() != position.record().tobytes():
            yield self._fault(
                "seed", "one seed sets up two different games", "draw with `below(game, n)` alone"
            )
        set_up, bits = (
            interpreted(self.game.rules.set_up),
            self.game.option_bits(self._options, [self.players]),
        )
        records = np.zeros(2, self.game.state)
        for name, each in self.game.ranges.items():
            records[name] = np.reshape(
                [each.low, each.high], (2,) + (1,) * len(records[name].shape[1:])
            )
        records["random"] = position.record()["random"]
        with np.errstate(over="ignore"):
            for record in records:
                set_up(record, self.players, bits)
        for name in self.game.ranges:
            if name not in self.game.hidden_from_text and not np.array_equal(*records[name]):
                yield self._fault(
                    f"set_up {name}", f"set_up leaves some of {name} as it was", "write all of it"
                )

    def _faults_of_position(self, position: Position) -> Iterator[_Fault]:
        """Find numbers out of range, broken checks, and what text or a copy loses."""
        if fault := first_fault(self.game, np.array([position.record()])):
            name = fault[1].partition(":")[0]
            by = f"play({self.moves[-1]!r})" if self.moves else "set_up"
            yield self._fault(
                f"range {name}",
                f"{by} leads to a position that cannot be: {fault[1]}",
                "mend the rule, the field's range or the check",
            )
            return
        text = json.loads(json.dumps(position.to_dict()))
        try:
            read = Position.from_dict(text)
        except PositionError as refused:
            yield self._fault(
                "text refused", f"a position is refused as text: {refused}", "mend `text`"
            )
            return
        for name in _differing(self.game, read.record(), position.record()):
            rows, given = position.record()[name], read.record()[name]
            remedy = "give the field in `text`, or the rule that it `follows`"
            is_by_seat = self.game.ranges[name].by_seat
            if is_by_seat and np.array_equal(rows[: self.players], given[: self.players]):
                remedy = f"write {given.flat[-1]} for absent seats, which text leaves out"
            yield self._fault(
                f"text {name}",
                f"text gives {name} as {_number(read, name)}, but it is {_number(position, name)}",
                remedy,
            )
        if pickle.loads(pickle.dumps(position)) != position:
            yield self._fault("pickle", "a pickled position differs", "keep all of it in fields")
        for seat in range(self.players):
            seen, layout = position.observation(seat), self.game.layout
            for place in np.flatnonzero((seen < layout.low) | (seen > layout.high))[:1]:
                part = next(f for f in layout if f.slice.start <= place < f.slice.stop)
                yield self._fault(
                    f"bounds {part.name}",
                    f"{part.name}: seat {seat} sees {seen[place]}, not {part.low} to {part.high}",
                    "widen the layout, or mend `observe`",
                )

    def _faults_of_batch(self, position: Position, batch: Batch) -> Iterator[_Fault]:
        single, seat = position.record(), position.to_move
        for name in _differing(self.game, batch.save([0])[0], single):
            yield self._fault(
                f"batch {name}", f"{name} differs in a batch", "let rules read one record alone"
            )
        if not np.array_equal(batch.mask[0], position.action_mask()):
            yield self._fault("batch mask", "a batch has other legal moves", "mend `legal`")
        if seat is not None and not np.array_equal(batch.obs[0], position.observation(seat)):
            yield self._fault("batch obs", "a batch observes something else", "mend `observe`")

    def _faults_of_move(self, before: Position, move: str, after: Position) -> Iterator[_Fault]:
        """Find rules that leave their arrays, and moves that change the position before them."""
        rules, record = self.game.rules, before.record()
        mask = np.zeros(self.game.actions.size, np.bool_)
        try:
            found = interpreted(rules.legal)(record.copy(), mask)
            reached, _ = Tracer(rules.play, rules.legal, len(mask), {}).run(
                record, before.action_id(move)
            )
        except IndexError as outside:
            yield self._fault("arrays", f"a rule leaves an array: {outside}", "check the index")
            return
        if found != mask.sum():
            yield self._fault(
                "legal count", f"legal returns {found} and allows {mask.sum()}", "count each once"
            )
        for name in _differing(self.game, reached, after.record()):
            yield self._fault(
                f"compiled {name}",
                f"{name} is {short_repr(np.asarray(reached[name]).tolist())} where Python runs "
                f"play({move!r}), and {_number(after, name)} compiled",
                "keep numbers in range, and read nothing that changes besides the record",
            )

    def _faults_of_knowledge(
        self, position: Position, seat: int, rng: np.random.Generator
    ) -> Iterator[_Fault]:
        """Find what a seat is shown and depends on what it may not know."""
        seed = int(rng.integers(2**32))
        twin, again = position.determinize(seat, seed), position.determinize(seat, seed + 1)
        alike = f"in two games that seat {seat} cannot tell apart"
        if fault := first_fault(self.game, np.array([twin.record()])):
            yield self._fault(
                f"possible {fault[1].partition(':')[0]}",
                f"seat {seat} considers possible what cannot be: {fault[1]}",
                "mend `determinize`",
            )
            return
        here, there = position.seen_by(seat), twin.seen_by(seat)
        for key in here:
            if here[key] != there[key]:
                yield self._fault(
                    f"seen {key}",
                    f"{key}: seat {seat} sees {short_repr(here[key])} and "
                    f"{short_repr(there[key])} {alike}",
                    f"see to it that `{key}` hides what its field hides, or give `determinize`",
                )
        mine, theirs = position.observation(seat), twin.observation(seat)
        for part in self.game.layout:
            if not np.array_equal(mine[part.slice], theirs[part.slice]):
                yield self._fault(
                    f"observed {part.name}",
                    f"{part.name}: seat {seat} observes "
                    f"{short_repr(mine[part.slice].tolist())} and "
                    f"{short_repr(theirs[part.slice].tolist())} {alike}",
                    "let the field be visible to it, or leave it out of what it observes",
                )
        if position.to_move == seat and position.moves() != twin.moves():
            odd = sorted({*position.moves()} ^ {*twin.moves()})[0]
            yield self._fault(
                "moves",
                f"{odd!r} is legal for seat {seat} in one of two games that it cannot tell apart",
                "let `legal` read what the mover sees",
            )
        if position.scores() != twin.scores():
            yield self._fault(
                "scores",
                f"scores are {position.scores()} and {twin.scores()} {alike}",
                "let `scores` read what all see",
            )
        for name in _differing(
            self.game, again.record(), twin.determinize(seat, seed + 1).record()
        ):
            yield self._fault(
                f"drawn {name}",
                f"{name}: what seat {seat} considers possible depends on what it may not know",
                "let `determinize` draw it independently of the truth",
            )

    def _faults_of_telling(self, position: Position, rng: np.random.Generator) -> Iterator[_Fault]:
        for viewer in (NO_SEAT, *range(self.players)):
            if viewer == position.to_move:
                continue
            for one, other in told_pairs(position, viewer, int(rng.integers(2**32))):
                if one.told != other.told:
                    yield self._fault(
                        "told",
                        f"{_viewer(viewer)} sees the same after {one.move!r} as after "
                        f"{other.move!r} and is told {_said(one.told)!r} and {_said(other.told)!r}",
                        "give `is_secret` or `events` that tell what is seen alone",
                    )

    def _faults_of_possible_games(
        self, before: Position, move: str, after: Position, rng: np.random.Generator
    ) -> Iterator[_Fault]:
        """Find games that seem possible after a move, though it cannot have led to them."""
        mover = before.to_move
        if before.record()["random"] != after.record()["random"]:
            return  # chance has decided something, too
        if self.game.is_secret(before.to_dict(), move):
            actions = [*self.game.actions.ids_for(mover or 0, self.players).values()]
        else:
            actions = [before.action_id(move)]
        for seat in range(self.players):
            if seat == mover:
                continue
            for seed in rng.integers(2**32, size=2).tolist():
                possible = after.determinize(seat, seed)
                if possible == after:
                    continue
                for draws in (_DRAWS, _MANY_DRAWS):
                    can_have_come = _can_have_come(before, seat, actions, possible, draws)
                    if can_have_come is None:
                        return  # the other seats would not find out, either, and it takes long
                    if can_have_come:
                        break
                else:
                    told = _hidden_difference(self.game, possible, after)
                    yield self._fault(
                        "impossible",
                        f"seat {seat} considers {told} possible after the move of seat {mover}, "
                        "which no legal move leads to",
                        "give a `Check` that such a choice breaks, or your own `determinize`",
                    )
                    return

    def _faults_of_the_end(self, position: Position) -> Iterator[_Fault]:
        if not position.winners:
            yield self._fault("winners", "nobody has won", "let `play` write `winners` at the end")


def _can_have_come(
    before: Position, seat: int, actions: Iterable[int], possible: Position, draws: int
) -> bool | None:
    """Return whether an action leads to a possible game from one that looked like `before`.

    None if that cannot be found out.
    """
    game, record, reached = before.game, before.record(), possible.record()
    legal, play = followable(game.rules.legal), followable(game.rules.play)
    fault = followable(game.rules.fault)
    names = [name for name in game.ranges if name not in game.hidden_from_text]
    drawn = [before.determinize(seat, seed).record() for seed in range(draws)]
    places = [
        (name, int(place), range(game.ranges[name].low, game.ranges[name].high + 1))
        for name in names
        for place in np.flatnonzero(
            np.any([one[name].reshape(-1) != record[name].reshape(-1) for one in drawn], axis=0)
        )
    ]

    def leads(action: int, branches: Branches) -> bool:
        first = OpenRecord(branches, record, places)
        moved = OpenRecord(branches, record, ())
        for name in names:
            moved[name] = first.copied(name)
        play(moved, action)
        play_forced_moves(moved, legal, play, game.actions.size)
        for name in names:
            for held, wanted in zip(moved.numbers(name), reached[name].reshape(-1), strict=True):
                if held != int(wanted):
                    raise ImpossibleError
        mask: NDArray[Any] = np.zeros(game.actions.size, object)
        legal(first, mask)
        return bool(mask[action]) and int(fault(first)) == 0

    unknown = False
    for action in actions:
        try:
            if any(execution_paths(partial(leads, action))):
                return True
        except NotFollowedError:
            unknown = True
    return None if unknown else False


def _hidden_difference(game: Game, possible: Position, true: Position) -> str:
    """Name a field in which a possible game differs from the true one, and what it holds."""
    here, there = possible.to_dict(), true.to_dict()
    return ", ".join(f"{key}={short_repr(here[key])}" for key in here if here[key] != there[key])


def _differing(game: Game, one: Record, other: Record) -> Iterable[str]:
    return [
        name
        for name in game.ranges
        if name not in game.hidden_from_text and not np.array_equal(one[name], other[name])
    ]


def _number(position: Position, name: str) -> str:
    return short_repr(np.asarray(position.record()[name]).tolist())


def _said(told: ToldMove) -> str:
    return ", ".join(filter(None, (told.text, *told.effects)))
