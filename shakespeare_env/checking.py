"""Checks of a game's rules, of its secrets, and of the games that a seat considers possible.

The game is played at random. Findings use the names of the game's own fields and moves, and give
the seed of the game in which they occur. A seat considers a game possible if the game agrees with
all that the seat knows; `Position.determinize` draws such a game.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
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
from shakespeare_env.core.game import SPECTATOR, Game, Record
from shakespeare_env.core.position import Position
from shakespeare_env.errors import PositionError, own_frames
from shakespeare_env.play.branching import (
    Branches,
    ImpossibleError,
    NotFollowedError,
    OpenPlace,
    OpenRecord,
    execution_paths,
    followable,
    play_forced_moves,
)
from shakespeare_env.play.history import GameLog, ToldMove
from shakespeare_env.play.tracing import Tracer, interpreted

_MOST_DECISIONS = 10_000  # more than any game should have
_CLOSE_CHECKS = 12  # positions of each game that get the slow checks, too
_MOVES = 6  # moves tried in each such position
_DRAWS = 24  # possible games that are drawn to find the numbers that a seat does not know
_MANY_DRAWS = 300  # drawn before a game is called impossible, since few draws may miss a number


def check_game(game: Game, *, games: int = 5, seed: int = 0) -> list[str]:
    """Play a game at random and return what is wrong with it.

    The check covers every number of seats and each variant. It tests that

    - positions are in range and consistent, and text and copies keep every part of a position;
    - rules write what they should and stay inside arrays, and a batch plays like a single game;
    - what a seat is shown and told depends on nothing that it may not know;
    - choices that others made in secret could have been made in every game that a seat considers
      possible.

    Args:
        game: The game. It is registered unless it already is.
        games: The number of games at each number of seats, with and without each variant.
        seed: The seed of the first game; the others have the seeds that follow.

    Returns:
        The first finding of each kind, with the remedy and the game in which it occurs. The list
        is empty if nothing is wrong in these games.

    Raises:
        ValueError: another game is registered under this name.
    """
    if game.name not in registry.names() or registry.game(game.name) is not game:
        registry.register(game)
    findings: dict[str, str] = {}
    for players in range(game.min_seats, game.max_seats + 1):
        variants = [name for name, seats in game.options.items() if players in seats]
        for variant in (None, *variants):
            for number in range(seed, seed + games):
                for finding in _RandomGame(game, players, variant, number).all_findings():
                    findings.setdefault(finding.kind, finding.text)
    return list(findings.values())


class _Finding(NamedTuple):
    kind: str  # only the first finding of a kind is reported
    text: str


class ViewedMove(NamedTuple):
    """A move in one of two games that a viewer cannot tell apart, and what the viewer is told."""

    before: Position
    move: str
    after: Position
    told: ToldMove
    in_history: tuple[int, ...]  # the decision in `Batch.history`; empty for a spectator


def told_pairs(
    position: Position, viewer: int, seed: int, most: int = _MOVES
) -> Iterator[tuple[ViewedMove, ViewedMove]]:
    """Yield pairs of moves that look alike to a viewer, who must be told of both in the same words.

    The moves are legal in the position, or in another one that the viewer cannot tell from it.
    Moves that end the game are left out. So are pairs of different moves that lead to the same
    position, since the viewer may be told of these in different words.

    Args:
        position: A position whose mover is not the viewer.
        viewer: A seat, or `SPECTATOR`.
        seed: Decides the other position, which moves are tried, and all random events after them.
        most: The number of moves tried in each position.
    """
    rng = np.random.default_rng(seed)
    log = GameLog(None, viewer)
    moves_by_view: dict[str, list[ViewedMove]] = {}
    positions = [position.copy(), _indistinguishable(position, viewer, seed)]
    for before in positions:
        before.reseed(seed)
        moves = before.moves()
        for move in rng.permutation(moves)[:most].tolist():
            after = before.copy()
            after.push(move)
            if after.to_move is not None:
                told = log.told(before, move, after)
                viewed = ViewedMove(before, move, after, told, _in_history(before, move, viewer))
                moves_by_view.setdefault(_view(after, viewer), []).append(viewed)

    for alike in moves_by_view.values():
        for one, other in combinations(alike, 2):
            if one.move == other.move or not _lead_to_one_position(positions, one, other):
                yield one, other


def _in_history(before: Position, move: str, viewer: int) -> tuple[int, ...]:
    """Return how a move stands in the history that a seat observes; nothing for a spectator."""
    if viewer == SPECTATOR:
        return ()
    batch = Batch(before.game.name, players=before.players, autoreset=False)
    batch.keep_history(1)
    record = before.record()
    batch.load([0], np.array([record], record.dtype))
    batch.step([before.action_id(move)])
    return tuple(batch.history([viewer])[0, 0].tolist())


def _lead_to_one_position(positions: list[Position], one: ViewedMove, other: ViewedMove) -> bool:
    """Return whether two moves lead to the same position.

    They do so as they were played, or when both are played from one of the given positions.
    """
    if one.after == other.after:
        return True
    for before in positions:
        if {one.move, other.move} <= set(before.moves()):
            after_one = before.copy()
            after_other = before.copy()
            after_one.push(one.move)
            after_other.push(other.move)
            if after_one == after_other:
                return True
    return False


def _indistinguishable(position: Position, viewer: int, seed: int) -> Position:
    """Draw a position that a viewer cannot tell from the given one."""
    seats = range(position.players) if viewer == SPECTATOR else [viewer]
    for seat in seats:
        position = position.determinize(seat, seed)
    return position


def _view(position: Position, viewer: int) -> str:
    """Return everything that a viewer is shown of a position, as text."""
    seat = None if viewer == SPECTATOR else viewer
    observation = b"" if seat is None else position.observation(seat).tobytes()
    return json.dumps([position.seen_by(seat), observation.hex(), position.to_move])


def _viewer_name(viewer: int) -> str:
    return "a spectator" if viewer == SPECTATOR else f"seat {viewer}"


@dataclass
class _RandomGame:
    """A game that is played at random and checked on the way."""

    game: Game
    players: int
    variant: str | None
    seed: int
    moves: list[str] = field(default_factory=list)

    @property
    def _options(self) -> dict[str, Any]:
        return {self.variant: True} if self.variant else {}

    def _new_position(self) -> Position:
        return Position.new(self.game.name, players=self.players, seed=self.seed, **self._options)

    def _finding(self, kind: str, what: str, remedy: str) -> _Finding:
        last = f", after move {len(self.moves)}, {self.moves[-1]!r}" if self.moves else ""
        variant = f", {self.variant}" if self.variant else ""
        where = f"seed {self.seed}, {self.players} seats{variant}{last}"
        return _Finding(kind, f"{what}; {remedy} ({where})")

    def all_findings(self) -> Iterator[_Finding]:
        """Play the game and yield its findings, until it is over or cannot go on."""
        try:
            yield from self._findings()
        except Exception as fault:  # a game's own functions may raise anything
            kind = type(fault).__name__
            lines = [frame.lineno for frame in own_frames(fault)]
            place = f" in {self.game.box.name}, line {lines[-1]}" if lines else ""
            yield self._finding(f"error {kind}", f"{kind}{place}: {fault}", "mend what raises it")

    def _findings(self) -> Iterator[_Finding]:
        rng = np.random.default_rng(self.seed)
        position = self._new_position()
        yield from self._findings_in_set_up(position)
        batch = Batch(
            self.game.name,
            1,
            players=self.players,
            seed=self.seed,
            autoreset=False,
            **self._options,
        )
        close_checks = 0
        while True:
            findings = list(self._findings_in_position(position))
            yield from findings
            if findings:
                return  # further findings would only be their consequences
            yield from self._findings_in_batch(position, batch)
            if position.to_move is None:
                break
            if len(self.moves) == _MOST_DECISIONS:
                what = f"no end after {_MOST_DECISIONS} moves"
                yield self._finding("end", what, "let `play` end it")
                return
            move = str(rng.choice(position.moves()))

            # Check the first four positions closely, and then about every third up to a limit.
            is_close_check = close_checks < _CLOSE_CHECKS and (
                len(self.moves) < 4 or rng.random() < 0.3
            )
            before = position.copy()
            if is_close_check:
                close_checks += 1
                for seat in range(self.players):
                    yield from self._findings_in_knowledge(position, seat, rng)
                yield from self._findings_in_telling(position, rng)

            batch.step([before.action_id(move)])
            position.push(move)
            self.moves.append(move)
            if is_close_check:
                yield from self._findings_in_move(before, move, position)
                yield from self._findings_in_possible_games(before, move, position, rng)
        yield from self._findings_in_the_end(position)

    def _findings_in_set_up(self, position: Position) -> Iterator[_Finding]:
        """Find fields that `set_up` does not write, and seeds that do not decide the whole game."""
        if self._new_position().record().tobytes() != position.record().tobytes():
            yield self._finding(
                "seed", "one seed sets up two different games", "draw only with `below(game, n)`"
            )
        set_up = interpreted(self.game.rules.set_up)
        bits = self.game.option_bits(self._options, [self.players])
        # Set up a record full of lowest numbers and one full of highest numbers. A field in which
        # they still differ afterwards was not fully written.
        records = np.zeros(2, self.game.state)
        for name, limits in self.game.ranges.items():
            records[name][0] = limits.low
            records[name][1] = limits.high
        records["random"] = position.record()["random"]
        with np.errstate(over="ignore"):
            for record in records:
                set_up(record, self.players, bits)
        for name in self.game.ranges:
            if name not in self.game.hidden_from_text and not np.array_equal(*records[name]):
                what = f"set_up leaves some of {name} as it was"
                yield self._finding(f"set_up {name}", what, "write all of it")

    def _findings_in_position(self, position: Position) -> Iterator[_Finding]:
        """Find numbers out of range, checks that fail, and what text or a copy loses."""
        found = first_fault(self.game, np.array([position.record()]))
        if found is not None:
            _, fault = found
            cause = f"play({self.moves[-1]!r})" if self.moves else "set_up"
            yield self._finding(
                f"range {fault.place}",
                f"{cause} leads to a position that cannot occur: {fault}",
                "mend the rule, the field's range or the check",
            )
            return
        text = json.loads(json.dumps(position.to_dict()))
        try:
            read = Position.from_dict(text)
        except PositionError as refused:
            what = f"a position is refused as text: {refused}"
            yield self._finding("text refused", what, "mend `text`")
            return
        for name in _differing_fields(self.game, read.record(), position.record()):
            played_rows = position.record()[name]
            read_rows = read.record()[name]
            remedy = "give the field in `text`, or the rule that it `follows`"
            is_by_seat = self.game.ranges[name].by_seat
            # If the seats at the table agree, then the absent seats differ.
            if is_by_seat and np.array_equal(
                played_rows[: self.players], read_rows[: self.players]
            ):
                remedy = f"write {read_rows.flat[-1]} for absent seats, which text leaves out"
            yield self._finding(
                f"text {name}",
                f"text gives {name} as {_value(read, name)}, but it is {_value(position, name)}",
                remedy,
            )
        if pickle.loads(pickle.dumps(position)) != position:
            yield self._finding("pickle", "a pickled position differs", "keep all of it in fields")
        for seat in range(self.players):
            seen = position.observation(seat)
            layout = self.game.layout
            for place in np.flatnonzero((seen < layout.low) | (seen > layout.high))[:1]:
                part = next(part for part in layout if part.slice.start <= place < part.slice.stop)
                yield self._finding(
                    f"bounds {part.name}",
                    f"{part.name}: seat {seat} sees {seen[place]}, not {part.low} to {part.high}",
                    "widen the layout, or mend `observe`",
                )

    def _findings_in_batch(self, position: Position, batch: Batch) -> Iterator[_Finding]:
        single = position.record()
        seat = position.to_move
        for name in _differing_fields(self.game, batch.save([0])[0], single):
            yield self._finding(
                f"batch {name}", f"{name} differs in a batch", "let rules read only their record"
            )
        if not np.array_equal(batch.mask[0], position.action_mask()):
            yield self._finding("batch mask", "a batch has other legal moves", "mend `legal`")
        if seat is not None and not np.array_equal(batch.obs[0], position.observation(seat)):
            yield self._finding("batch obs", "a batch observes something else", "mend `observe`")

    def _findings_in_move(self, before: Position, move: str, after: Position) -> Iterator[_Finding]:
        """Find rules that index beyond arrays, miscount moves, or change when they are compiled."""
        rules = self.game.rules
        record = before.record()
        mask = np.zeros(self.game.actions.size, np.bool_)
        try:
            count = interpreted(rules.legal)(record.copy(), mask)
            # The rules run without the compiler, and nobody is told of events.
            tracer = Tracer(rules.play, rules.legal, len(mask), tellers={})
            reached, _ = tracer.run(record, before.action_id(move))
        except IndexError as outside:
            yield self._finding("arrays", f"a rule leaves an array: {outside}", "check the index")
            return
        if count != mask.sum():
            what = f"legal returns {count} and allows {mask.sum()}"
            yield self._finding("legal count", what, "count each action once")
        for name in _differing_fields(self.game, reached, after.record()):
            yield self._finding(
                f"compiled {name}",
                f"{name} is {short_repr(np.asarray(reached[name]).tolist())} where Python runs "
                f"play({move!r}), and {_value(after, name)} compiled",
                "keep numbers in range, and read nothing that changes besides the record",
            )

    def _findings_in_knowledge(
        self, position: Position, seat: int, rng: np.random.Generator
    ) -> Iterator[_Finding]:
        """Find what a seat is shown although it depends on what the seat may not know."""
        seed = int(rng.integers(2**32))
        twin = position.determinize(seat, seed)
        in_two_games = f"in two games that seat {seat} cannot tell apart"
        found = first_fault(self.game, np.array([twin.record()]))
        if found is not None:
            _, fault = found
            yield self._finding(
                f"possible {fault.place}",
                f"seat {seat} considers a position possible that cannot occur: {fault}",
                "mend `determinize`",
            )
            return

        seen = position.seen_by(seat)
        seen_in_twin = twin.seen_by(seat)
        for key in seen:
            if seen[key] != seen_in_twin[key]:
                yield self._finding(
                    f"seen {key}",
                    f"{key}: seat {seat} sees {short_repr(seen[key])} and "
                    f"{short_repr(seen_in_twin[key])} {in_two_games}",
                    f"let `{key}` hide what its field hides, or give your own `determinize`",
                )

        observed = position.observation(seat)
        observed_in_twin = twin.observation(seat)
        for part in self.game.layout:
            if not np.array_equal(observed[part.slice], observed_in_twin[part.slice]):
                yield self._finding(
                    f"observed {part.name}",
                    f"{part.name}: seat {seat} observes "
                    f"{short_repr(observed[part.slice].tolist())} and "
                    f"{short_repr(observed_in_twin[part.slice].tolist())} {in_two_games}",
                    "make the field visible to the seat, or leave it out of the observation",
                )

        if position.to_move == seat and position.moves() != twin.moves():
            move = min(set(position.moves()) ^ set(twin.moves()))
            yield self._finding(
                "moves",
                f"{move!r} is legal for seat {seat} in one of two games that it cannot tell apart",
                "let `legal` read only what the mover sees",
            )
        if position.scores() != twin.scores():
            yield self._finding(
                "scores",
                f"scores are {position.scores()} and {twin.scores()} {in_two_games}",
                "let `scores` read only what everybody sees",
            )

        # Both games look alike to the seat, so it must draw the same possible game from either.
        drawn = position.determinize(seat, seed + 1)
        drawn_from_twin = twin.determinize(seat, seed + 1)
        for name in _differing_fields(self.game, drawn.record(), drawn_from_twin.record()):
            yield self._finding(
                f"drawn {name}",
                f"{name}: what seat {seat} considers possible depends on what it may not know",
                "let `determinize` draw it independently of the truth",
            )

    def _findings_in_telling(
        self, position: Position, rng: np.random.Generator
    ) -> Iterator[_Finding]:
        """Find moves that look alike to a viewer who is told of them in different words."""
        for viewer in (SPECTATOR, *range(self.players)):
            if viewer == position.to_move:
                continue
            for one, other in told_pairs(position, viewer, int(rng.integers(2**32))):
                if one.told != other.told:
                    yield self._finding(
                        "told",
                        f"{_viewer_name(viewer)} sees the same after {one.move!r} as after "
                        f"{other.move!r} and is told {_told_text(one.told)!r} and "
                        f"{_told_text(other.told)!r}",
                        "give `is_secret` or `events` that tell only what is seen",
                    )
                if one.in_history != other.in_history:
                    yield self._finding(
                        "history",
                        f"{_viewer_name(viewer)} sees the same after {one.move!r} as after "
                        f"{other.move!r}, and its history tells them apart",
                        "let `is_hidden` hide what is not seen yet",
                    )

    def _findings_in_possible_games(
        self, before: Position, move: str, after: Position, rng: np.random.Generator
    ) -> Iterator[_Finding]:
        """Find games that a seat considers possible although no move of the mover leads to them."""
        mover = before.to_move
        if before.record()["random"] != after.record()["random"]:
            return  # chance, which cannot be traced back, has decided something as well
        if self.game.is_secret(before.to_dict(), move):
            actions = list(self.game.actions.ids_for(mover or 0, self.players).values())
        else:
            actions = [before.action_id(move)]
        for seat in range(self.players):
            if seat == mover:
                continue
            seeds = rng.integers(2**32, size=2).tolist()
            others = [after.determinize(seat, seed) for seed in seeds]
            others = [possible for possible in others if possible != after]
            unknown = _unknown_numbers(before, seat, _DRAWS) if others else []
            for possible in others:
                # None means that the rules cannot be followed on all their execution paths.
                is_reachable = _is_reachable(before, actions, possible, unknown)
                if is_reachable is False:
                    unknown = _unknown_numbers(before, seat, _MANY_DRAWS)
                    is_reachable = _is_reachable(before, actions, possible, unknown)
                if is_reachable is None:
                    return  # the check takes long and would fail for the other seats, too
                if not is_reachable:
                    difference = _hidden_difference(possible, after)
                    yield self._finding(
                        "impossible",
                        f"seat {seat} considers {difference} possible after the move of seat "
                        f"{mover}, which no legal move leads to",
                        "give a `Check` that such a choice breaks, or your own `determinize`",
                    )
                    return

    def _findings_in_the_end(self, position: Position) -> Iterator[_Finding]:
        if not position.winners:
            remedy = "let `play` write `winners` at the end"
            yield self._finding("winners", "nobody has won", remedy)


def _unknown_numbers(position: Position, seat: int, draws: int) -> list[OpenPlace]:
    """Return the numbers that differ between a position and games that a seat considers possible.

    Args:
        position: The position.
        seat: The seat.
        draws: The number of possible games to draw.
    """
    game = position.game
    record = position.record()
    drawn = [position.determinize(seat, seed).record() for seed in range(draws)]
    found: list[OpenPlace] = []
    for name in _compared_fields(game):
        values = range(game.ranges[name].low, game.ranges[name].high + 1)
        differs = [one[name].reshape(-1) != record[name].reshape(-1) for one in drawn]
        for place in np.flatnonzero(np.any(differs, axis=0)):
            found.append((name, int(place), values))
    return found


def _compared_fields(game: Game) -> list[str]:
    return [name for name in game.ranges if name not in game.hidden_from_text]


def _is_reachable(
    before: Position, actions: Iterable[int], possible: Position, unknown: Sequence[OpenPlace]
) -> bool | None:
    """Return whether any of the actions could have led to a game that a seat considers possible.

    The actions are played in every position that the seat cannot tell from `before`. For this the
    rules run on a record in which the numbers that the seat does not know are open (see
    `play.branching`). Return None if not all execution paths of the rules can be followed.

    Args:
        before: The position before the action.
        actions: The actions that may have been played.
        possible: The possible game.
        unknown: The numbers that the seat does not know in `before`.
    """
    game = before.game
    record = before.record()
    target = possible.record()
    legal = followable(game.rules.legal)
    play = followable(game.rules.play)
    fault = followable(game.rules.fault)
    names = _compared_fields(game)

    def leads_to_target(action: int, branches: Branches) -> bool:
        # `start` keeps the position before the action; `moved` is a copy that the action changes.
        start = OpenRecord(branches, record, unknown)
        moved = OpenRecord(branches, record, ())
        for name in names:
            moved[name] = start.copied(name)
        play(moved, action)
        play_forced_moves(moved, legal, play, game.actions.size)
        # Comparing an open number splits the run into paths with and without the wanted value.
        for name in names:
            for reached, wanted in zip(moved.numbers(name), target[name].reshape(-1), strict=True):
                if reached != int(wanted):
                    raise ImpossibleError

        # The action must have been legal in a position without a fault.
        mask: NDArray[Any] = np.zeros(game.actions.size, object)
        legal(start, mask)
        return bool(mask[action]) and int(fault(start)) == 0

    some_not_followed = False
    for action in actions:
        try:
            if any(execution_paths(partial(leads_to_target, action))):
                return True
        except NotFollowedError:
            some_not_followed = True
    return None if some_not_followed else False


def _hidden_difference(possible: Position, true: Position) -> str:
    """Return the fields in which a possible game differs from the true one, with their values."""
    fields = possible.to_dict()
    true_fields = true.to_dict()
    return ", ".join(
        f"{key}={short_repr(value)}" for key, value in fields.items() if value != true_fields[key]
    )


def _differing_fields(game: Game, one: Record, other: Record) -> list[str]:
    return [
        name
        for name in game.ranges
        if name not in game.hidden_from_text and not np.array_equal(one[name], other[name])
    ]


def _value(position: Position, name: str) -> str:
    return short_repr(np.asarray(position.record()[name]).tolist())


def _told_text(told: ToldMove) -> str:
    return ", ".join(filter(None, (told.text, *told.effects)))
