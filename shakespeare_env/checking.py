"""Checks of a game: of its rules, its secrets, and the games that a seat considers possible.

The game is played at random. Findings are told in the game's own words, with the seed of the game
in which they occur.
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
from shakespeare_env.core.game import SPECTATOR, Game, Record
from shakespeare_env.core.position import Position
from shakespeare_env.errors import PositionError, own_frames
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

_LONGEST = 10_000  # the number of decisions that no game should reach
_POSITIONS = 12  # the positions of each game that are looked at closely
_MOVES = 6  # the moves of each such position
_DRAWS = 24  # the possible games that show which numbers a seat does not know
_MANY_DRAWS = 300  # the same before a game is called impossible, since few may miss a rare number


def check_game(game: Game, *, games: int = 5, seed: int = 0) -> list[str]:
    """Play a game at random and return what is wrong with it.

    The check covers every number of seats and each variant. It tests that

    - positions are in range and consistent, and text and copies hold all of a position;
    - rules write what they should and stay inside arrays, and a batch plays like a single game;
    - what a seat is shown and told depends on nothing that it may not know;
    - choices that others made in secret could have been made in every game that a seat considers
      possible.

    Args:
        game: The game; it is registered if it is not yet.
        games: The number of games at each table.
        seed: The seed of the first game; the others have the seeds that follow.

    Returns:
        Each kind of finding once, with the remedy and the game in which it occurs. The list is
        empty if the game is sound as far as these games show.

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
    kind: str  # findings of one kind are told once
    text: str


class ViewedMove(NamedTuple):
    """A move in one of two games that a viewer cannot tell apart, and what the viewer is told."""

    before: Position
    move: str
    after: Position
    told: ToldMove


def told_pairs(
    position: Position, viewer: int, seed: int, most: int = _MOVES
) -> Iterator[tuple[ViewedMove, ViewedMove]]:
    """Yield pairs of moves that look alike to a viewer, who must be told of both in the same words.

    The moves are those of a position, and of another one that the viewer cannot tell from it. Moves
    that lead to the same position, and the last moves of games, may be told as they are.

    Args:
        position: A position whose mover is not the viewer.
        viewer: A seat, or `SPECTATOR`.
        seed: Decides the other position, which moves are tried, and chance to come.
        most: The number of moves tried in each position.
    """
    rng = np.random.default_rng(seed)
    log = GameLog(None, viewer)
    alike: dict[str, list[ViewedMove]] = {}
    worlds = [position.copy(), _twin(position, viewer, seed)]
    for before in worlds:
        before.reseed(seed)
        moves = before.moves()
        for move in rng.permutation(moves)[:most].tolist():
            after = before.copy()
            after.push(move)
            if after.to_move is not None:
                told = ViewedMove(before, move, after, log.told(before, move, after))
                alike.setdefault(_view(after, viewer), []).append(told)
    for group in alike.values():
        for one, other in combinations(group, 2):
            is_wiped = one.after == other.after or _lead_to_one(worlds, one, other)
            if one.move == other.move or not is_wiped:
                yield one, other


def _lead_to_one(worlds: list[Position], one: ViewedMove, other: ViewedMove) -> bool:
    """Return whether two moves lead to the same position from one of two positions."""
    for before in worlds:
        if {one.move, other.move} <= {*before.moves()}:
            after_one = before.copy()
            after_other = before.copy()
            after_one.push(one.move)
            after_other.push(other.move)
            if after_one == after_other:
                return True
    return False


def _twin(position: Position, viewer: int, seed: int) -> Position:
    """Return a position that a viewer cannot tell from another one."""
    seats = range(position.players) if viewer == SPECTATOR else [viewer]
    for seat in seats:
        position = position.determinize(seat, seed)
    return position


def _view(position: Position, viewer: int) -> str:
    """Return all that a viewer is shown of a position, as text."""
    seat = None if viewer == SPECTATOR else viewer
    seen = b"" if seat is None else position.observation(seat).tobytes()
    return json.dumps([position.seen_by(seat), seen.hex(), position.to_move])


def _viewer(viewer: int) -> str:
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
        """Yield what is wrong until the game is over, or cannot be played on."""
        try:
            yield from self._findings()
        except Exception as fault:  # rules and parts of a game are somebody else's
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
        looked_at = 0
        while True:
            findings = list(self._findings_in_position(position))
            yield from findings
            if findings:
                return  # others would follow from them
            yield from self._findings_in_batch(position, batch)
            if position.to_move is None:
                break
            if len(self.moves) == _LONGEST:
                yield self._finding("end", f"no end after {_LONGEST} moves", "let `play` end it")
                return
            move = str(rng.choice(position.moves()))
            # The first positions of all, and then some.
            closely = looked_at < _POSITIONS and (len(self.moves) < 4 or rng.random() < 0.3)
            looked_at += closely
            before = position.copy()
            if closely:
                for seat in range(self.players):
                    yield from self._findings_in_knowledge(position, seat, rng)
                yield from self._findings_in_telling(position, rng)
            batch.step([before.action_id(move)])
            position.push(move)
            self.moves.append(move)
            if closely:
                yield from self._findings_in_move(before, move, position)
                yield from self._findings_in_possible_games(before, move, position, rng)
        yield from self._findings_in_the_end(position)

    def _findings_in_set_up(self, position: Position) -> Iterator[_Finding]:
        """Find fields that `set_up` leaves as they were, and seeds that do not decide all."""
        if self._new_position().record().tobytes() != position.record().tobytes():
            yield self._finding(
                "seed", "one seed sets up two different games", "draw with `below(game, n)` alone"
            )
        set_up = interpreted(self.game.rules.set_up)
        bits = self.game.option_bits(self._options, [self.players])
        records = np.zeros(2, self.game.state)
        for name, each in self.game.ranges.items():
            records[name][0] = each.low
            records[name][1] = each.high
        records["random"] = position.record()["random"]
        with np.errstate(over="ignore"):
            for record in records:
                set_up(record, self.players, bits)
        for name in self.game.ranges:
            if name not in self.game.hidden_from_text and not np.array_equal(*records[name]):
                what = f"set_up leaves some of {name} as it was"
                yield self._finding(f"set_up {name}", what, "write all of it")

    def _findings_in_position(self, position: Position) -> Iterator[_Finding]:
        """Find numbers out of range, broken checks, and what text or a copy loses."""
        if found := first_fault(self.game, np.array([position.record()])):
            fault = found[1]
            by = f"play({self.moves[-1]!r})" if self.moves else "set_up"
            yield self._finding(
                f"range {fault.place}",
                f"{by} leads to a position that cannot occur: {fault}",
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
        for name in _differing(self.game, read.record(), position.record()):
            rows = position.record()[name]
            given = read.record()[name]
            remedy = "give the field in `text`, or the rule that it `follows`"
            is_by_seat = self.game.ranges[name].by_seat
            if is_by_seat and np.array_equal(rows[: self.players], given[: self.players]):
                remedy = f"write {given.flat[-1]} for absent seats, which text leaves out"
            yield self._finding(
                f"text {name}",
                f"text gives {name} as {_number(read, name)}, but it is {_number(position, name)}",
                remedy,
            )
        if pickle.loads(pickle.dumps(position)) != position:
            yield self._finding("pickle", "a pickled position differs", "keep all of it in fields")
        for seat in range(self.players):
            seen = position.observation(seat)
            layout = self.game.layout
            for place in np.flatnonzero((seen < layout.low) | (seen > layout.high))[:1]:
                part = next(f for f in layout if f.slice.start <= place < f.slice.stop)
                yield self._finding(
                    f"bounds {part.name}",
                    f"{part.name}: seat {seat} sees {seen[place]}, not {part.low} to {part.high}",
                    "widen the layout, or mend `observe`",
                )

    def _findings_in_batch(self, position: Position, batch: Batch) -> Iterator[_Finding]:
        single = position.record()
        seat = position.to_move
        for name in _differing(self.game, batch.save([0])[0], single):
            yield self._finding(
                f"batch {name}", f"{name} differs in a batch", "let rules read one record alone"
            )
        if not np.array_equal(batch.mask[0], position.action_mask()):
            yield self._finding("batch mask", "a batch has other legal moves", "mend `legal`")
        if seat is not None and not np.array_equal(batch.obs[0], position.observation(seat)):
            yield self._finding("batch obs", "a batch observes something else", "mend `observe`")

    def _findings_in_move(self, before: Position, move: str, after: Position) -> Iterator[_Finding]:
        """Find rules that leave their arrays, and moves that change the position before them."""
        rules = self.game.rules
        record = before.record()
        mask = np.zeros(self.game.actions.size, np.bool_)
        try:
            found = interpreted(rules.legal)(record.copy(), mask)
            reached, _ = Tracer(rules.play, rules.legal, len(mask), {}).run(
                record, before.action_id(move)
            )
        except IndexError as outside:
            yield self._finding("arrays", f"a rule leaves an array: {outside}", "check the index")
            return
        if found != mask.sum():
            yield self._finding(
                "legal count", f"legal returns {found} and allows {mask.sum()}", "count each once"
            )
        for name in _differing(self.game, reached, after.record()):
            yield self._finding(
                f"compiled {name}",
                f"{name} is {short_repr(np.asarray(reached[name]).tolist())} where Python runs "
                f"play({move!r}), and {_number(after, name)} compiled",
                "keep numbers in range, and read nothing that changes besides the record",
            )

    def _findings_in_knowledge(
        self, position: Position, seat: int, rng: np.random.Generator
    ) -> Iterator[_Finding]:
        """Find what a seat is shown although it depends on what the seat may not know."""
        seed = int(rng.integers(2**32))
        twin = position.determinize(seat, seed)
        again = position.determinize(seat, seed + 1)
        alike = f"in two games that seat {seat} cannot tell apart"
        if found := first_fault(self.game, np.array([twin.record()])):
            fault = found[1]
            yield self._finding(
                f"possible {fault.place}",
                f"seat {seat} considers a position possible that cannot occur: {fault}",
                "mend `determinize`",
            )
            return
        here = position.seen_by(seat)
        there = twin.seen_by(seat)
        for key in here:
            if here[key] != there[key]:
                yield self._finding(
                    f"seen {key}",
                    f"{key}: seat {seat} sees {short_repr(here[key])} and "
                    f"{short_repr(there[key])} {alike}",
                    f"let `{key}` hide what its field hides, or give your own `determinize`",
                )
        mine = position.observation(seat)
        theirs = twin.observation(seat)
        for part in self.game.layout:
            if not np.array_equal(mine[part.slice], theirs[part.slice]):
                yield self._finding(
                    f"observed {part.name}",
                    f"{part.name}: seat {seat} observes "
                    f"{short_repr(mine[part.slice].tolist())} and "
                    f"{short_repr(theirs[part.slice].tolist())} {alike}",
                    "let the field be visible to it, or leave it out of what it observes",
                )
        if position.to_move == seat and position.moves() != twin.moves():
            odd = sorted({*position.moves()} ^ {*twin.moves()})[0]
            yield self._finding(
                "moves",
                f"{odd!r} is legal for seat {seat} in one of two games that it cannot tell apart",
                "let `legal` read what the mover sees",
            )
        if position.scores() != twin.scores():
            yield self._finding(
                "scores",
                f"scores are {position.scores()} and {twin.scores()} {alike}",
                "let `scores` read what all see",
            )
        for name in _differing(
            self.game, again.record(), twin.determinize(seat, seed + 1).record()
        ):
            yield self._finding(
                f"drawn {name}",
                f"{name}: what seat {seat} considers possible depends on what it may not know",
                "let `determinize` draw it independently of the truth",
            )

    def _findings_in_telling(
        self, position: Position, rng: np.random.Generator
    ) -> Iterator[_Finding]:
        for viewer in (SPECTATOR, *range(self.players)):
            if viewer == position.to_move:
                continue
            for one, other in told_pairs(position, viewer, int(rng.integers(2**32))):
                if one.told != other.told:
                    yield self._finding(
                        "told",
                        f"{_viewer(viewer)} sees the same after {one.move!r} as after "
                        f"{other.move!r} and is told {_said(one.told)!r} and {_said(other.told)!r}",
                        "give `is_secret` or `events` that tell what is seen alone",
                    )

    def _findings_in_possible_games(
        self, before: Position, move: str, after: Position, rng: np.random.Generator
    ) -> Iterator[_Finding]:
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
                    told = _hidden_difference(possible, after)
                    yield self._finding(
                        "impossible",
                        f"seat {seat} considers {told} possible after the move of seat {mover}, "
                        "which no legal move leads to",
                        "give a `Check` that such a choice breaks, or your own `determinize`",
                    )
                    return

    def _findings_in_the_end(self, position: Position) -> Iterator[_Finding]:
        if not position.winners:
            remedy = "let `play` write `winners` at the end"
            yield self._finding("winners", "nobody has won", remedy)


def _can_have_come(
    before: Position, seat: int, actions: Iterable[int], possible: Position, draws: int
) -> bool | None:
    """Return whether an action leads to a possible game from one that looked like `before`.

    None if that cannot be found out.
    """
    game = before.game
    record = before.record()
    reached = possible.record()
    legal = followable(game.rules.legal)
    play = followable(game.rules.play)
    fault = followable(game.rules.fault)
    names = [name for name in game.ranges if name not in game.hidden_from_text]
    drawn = [before.determinize(seat, seed).record() for seed in range(draws)]
    places = []
    for name in names:
        values = range(game.ranges[name].low, game.ranges[name].high + 1)
        differs = [one[name].reshape(-1) != record[name].reshape(-1) for one in drawn]
        places += [(name, int(place), values) for place in np.flatnonzero(np.any(differs, axis=0))]

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


def _hidden_difference(possible: Position, true: Position) -> str:
    """Name the fields in which a possible game differs from the true one, with what they hold."""
    here = possible.to_dict()
    there = true.to_dict()
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
