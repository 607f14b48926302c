"""Games of matches, played together and told as rows of results as they end."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.referee import RefereedLineup
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import Batch
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import NOBODY, play_out
from shakespeare_env.version import version

Columns = dict[str, list[Any]]
"""Rows of `RESULTS`, column by column."""
KEPT_EVERY_S = 1.0
"""How long a finished game may wait for others to be written with."""
_DIGITS = 32
"""Of a key, hexadecimal."""
_FIRST_ROOM = 256
"""Actions a game, to begin with."""


@dataclass(frozen=True)
class Seating:
    """A game to be played: a match in one of its rotations."""

    match: Match
    rotation: int

    @property
    def digests(self) -> tuple[str, ...]:
        """The agents by seat."""
        seats = self.match.players
        return tuple(self.match.lineup[(seat - self.rotation) % seats] for seat in range(seats))


@dataclass(frozen=True)
class Rules:
    """What all games of an arena's run share, and what writes their rows.

    Attributes:
        game: Its name.
        variants: By name.
        seed: Of the deals and the agents' draws.
        agents: By digest.
        names: By digest.
        threads: That step the games.
    """

    game: str
    variants: tuple[str, ...]
    seed: int
    agents: Mapping[str, AnyAgent]
    names: Mapping[str, str]
    threads: int = 1
    box_digest: str = field(init=False)
    package_version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "box_digest", registry.box_digest(self.game))
        object.__setattr__(self, "package_version", version())

    def key(self, seating: Seating) -> str:
        """Of all that decides a game."""
        return self._hash(seating.match, seating.digests, seating.rotation)

    def match_key(self, match: Match) -> str:
        """Of what the games of a match have in common."""
        return self._hash(match, match.lineup, None)

    def _hash(self, match: Match, digests: Sequence[str], rotation: int | None) -> str:
        table = [self.game, self.box_digest, self.variants, match.players, self.seed, match.deal]
        text = json.dumps([*table, digests, rotation])
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def play(
    seatings: Sequence[Seating],
    rules: Rules,
    keep: Callable[[Columns], None],
    on_step: Callable[[int], None] | None = None,
) -> None:
    """Play some games together; `keep` gets the rows of those that have ended, each once.

    A game depends on its seating and the rules alone. `on_step` gets the number of decisions.
    Interrupted, it keeps what has ended.
    """
    table = _Table(seatings, rules)
    kept_at = time.monotonic()

    def after(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        nonlocal kept_at
        table.note_ended(rows)
        if on_step is not None:
            on_step(len(rows))
        if table.ended and time.monotonic() - kept_at >= KEPT_EVERY_S:
            keep(table.take())
            kept_at = time.monotonic()

    try:
        play_out(table.batch, table.referee, before_step=table.note_actions, after_step=after)
    finally:
        table.referee.end()
        if table.ended:
            keep(table.take())


class _Table:
    """Some games in a batch, and what their rows are made from."""

    def __init__(self, seatings: Sequence[Seating], rules: Rules) -> None:
        self.rules, self.seatings = rules, seatings
        players = np.array([one.match.players for one in seatings])
        deals = np.array([one.match.deal for one in seatings])
        rotations = np.array([one.rotation for one in seatings])
        variants: dict[str, Any] = dict.fromkeys(rules.variants, True)
        self.batch = Batch(
            rules.game,
            len(seatings),
            players=players,
            threads=rules.threads,
            autoreset=False,
            **variants,
        )
        self.batch.reset(rules.seed, deals)
        generators = GameGenerators.of_games(rules.seed, deals * players + rotations)
        digests = list(dict.fromkeys(digest for one in seatings for digest in one.match.lineup))
        index = {digest: number for number, digest in enumerate(digests)}
        seats = np.full((len(seatings), self.batch.game.max_seats), NOBODY, np.int32)
        for row, one in enumerate(seatings):
            seats[row, : one.match.players] = [index[digest] for digest in one.digests]
        self.referee = RefereedLineup(
            [rules.agents[digest] for digest in digests],
            seats,
            generators,
            [rules.names[digest] for digest in digests],
        )
        self.ended: list[int] = []
        self._counts = np.zeros(len(seatings), np.int64)
        self._actions = np.zeros((len(seatings), _FIRST_ROOM), np.int16)

    def note_actions(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Before a step: the actions of games that go on."""
        goes_on = ~self.referee.forfeited[rows]
        rows, actions = rows[goes_on], actions[goes_on]
        counts = self._counts[rows]
        if len(rows) and counts.max() == self._actions.shape[1]:
            self._actions = np.hstack([self._actions, np.zeros_like(self._actions)])
        self._actions[rows, counts] = actions
        self._counts[rows] = counts + 1

    def note_ended(self, rows: NDArray[np.int64]) -> None:
        """After a step: which games are over."""
        over = (self.batch.to_move[rows] < 0) | self.referee.forfeited[rows]
        self.ended += rows[over].tolist()

    def take(self) -> Columns:
        """The rows of the games that have ended since."""
        thinking = self.referee.thinking
        seconds, decisions = thinking.seconds, thinking.decisions
        columns = _columns(self._row(row, seconds[row], decisions[row]) for row in self.ended)
        self.ended = []
        return columns

    def _row(
        self, row: int, seconds: NDArray[np.float64], decisions: NDArray[np.int32]
    ) -> dict[str, Any]:
        seating, rules = self.seatings[row], self.rules
        match, players = seating.match, seating.match.players
        forfeit = self.referee.forfeits.get(row)
        if forfeit is None:
            scores = self.batch.final_scores[row, :players].tolist()
            places = places_of(scores, self.batch.final_winners[row, :players].tolist())
        else:
            scores = list(forfeit.scores)
            places = [players if seat == forfeit.seat else 1 for seat in range(players)]
        return {
            "key": rules.key(seating),
            "match": rules.match_key(match),
            "game": rules.game,
            "box_digest": rules.box_digest,
            "package_version": rules.package_version,
            "variants": list(rules.variants),
            "players": players,
            "seed": rules.seed,
            "deal": match.deal,
            "rotation": seating.rotation,
            "agents": [rules.names[digest] for digest in seating.digests],
            "digests": list(seating.digests),
            "scores": scores,
            "places": places,
            "forfeited_by": None if forfeit is None else forfeit.seat,
            "fault": None if forfeit is None else forfeit.kind,
            "fault_details": None if forfeit is None else forfeit.details,
            "seconds": seconds[:players].tolist(),
            "decisions": decisions[:players].tolist(),
            "actions": self._actions[row, : self._counts[row]].tolist(),
        }


def places_of(scores: Sequence[int], winners: Sequence[bool]) -> list[int]:
    """The finishing order by seat: winners share place 1, the others go by score.

    Equal scores share the best of their places; the game's tie-breaks decide only who wins.
    """
    worth = [(won, score) for won, score in zip(winners, scores, strict=True)]
    return [1 + sum(other > own for other in worth) if not own[0] else 1 for own in worth]


def _columns(rows: Iterable[dict[str, Any]]) -> Columns:
    found = list(rows)
    return {name: [row[name] for row in found] for name in found[0]}
