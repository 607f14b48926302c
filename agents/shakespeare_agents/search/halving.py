"""Sequential halving: a budget of playouts shared among candidate moves.

In every phase all candidates left meet the same possible games with the same chance; then the worse
half is dropped. The root is that of Gumbel MuZero (Danihelka et al. 2022, "Policy improvement by
planning with Gumbel"): candidates are ranked by Gumbel noise, if any, plus logit plus utility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean

_LEAST = 1e-3  # the least probability of candidates


class Playouts(NamedTuple):
    """The k playouts of a phase, game by game, candidate by candidate, from d possible games."""

    places: NDArray[np.int64]  # int64[d], the game of each possible game, in ascending order
    sources: NDArray[np.int64]  # int64[k], which of the d possible games each playout starts from
    games: NDArray[np.int64]  # int64[k], the game that each is for
    candidates: NDArray[np.int64]  # int64[k], which candidate it tries
    actions: NDArray[np.int64]  # int64[k], the action of that candidate


@dataclass
class Candidates:
    """The candidate moves of m games, the most promising first."""

    actions: NDArray[np.int64]  # int64[m, C]
    ranks: NDArray[np.float64]  # float64[m, C], logit plus noise; -inf where there is no candidate
    alive: NDArray[np.bool_]  # bool[m, C], the candidates left
    totals: NDArray[np.float64]  # float64[m, C], sums of utilities
    visits: NDArray[np.int64]  # int64[m, C], numbers of playouts
    phases: NDArray[np.int64]  # int64[m], the phases needed to halve down to one candidate

    @classmethod
    def of(
        cls, log_policy: NDArray[np.float64], noise: NDArray[np.float64], most: int
    ) -> Candidates:
        """Choose the moves with the highest sums of log-probability and noise.

        Args:
            log_policy: float64[m, A], log-probabilities; -inf for illegal actions.
            noise: float64[m, A].
            most: The most candidates of a game, at least 2.
        """
        ranks = np.where(log_policy >= np.log(_LEAST), log_policy + noise, -np.inf)
        actions = np.argsort(-ranks, axis=1, kind="stable")[:, :most]
        ranks = np.take_along_axis(ranks, actions, axis=1)
        alive = np.isfinite(ranks)
        return cls(
            actions=actions,
            ranks=ranks,
            alive=alive,
            totals=np.zeros(actions.shape),
            visits=np.zeros(actions.shape, np.int64),
            phases=np.ceil(np.log2(np.maximum(alive.sum(axis=1), 2))).astype(np.int64),
        )

    def playouts(self, each: NDArray[np.int64]) -> Playouts:
        """List the playouts of a phase.

        Args:
            each: int64[m], the playouts of each candidate left, by game.
        """
        first_sources = np.cumsum(each) - each
        games, candidates = np.nonzero(self.alive & (each > 0)[:, None])
        counts = each[games]
        # A row for each playout of each pair of game and candidate.
        pairs = np.repeat(np.arange(len(games)), counts)
        number_in_pair = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
        games = games[pairs]
        candidates = candidates[pairs]
        return Playouts(
            places=np.repeat(np.arange(len(each)), each),
            sources=first_sources[games] + number_in_pair,
            games=games,
            candidates=candidates,
            actions=self.actions[games, candidates],
        )

    def add(self, playouts: Playouts, utilities: NDArray[np.float64]) -> None:
        """Add the utilities of playouts, float64[k]."""
        pairs = playouts.games * self.actions.shape[1] + playouts.candidates
        size = self.totals.size
        self.totals += np.bincount(pairs, utilities, size).reshape(self.totals.shape)
        self.visits += np.bincount(pairs, minlength=size).reshape(self.visits.shape)

    def halve(self, sharpness: float, games: NDArray[np.bool_]) -> None:
        """Drop the worse half of the candidates of some games, bool[m]."""
        values = np.where(self.alive, self.ranks + sharpness * self.means(), -np.inf)
        places = np.argsort(np.argsort(-values, axis=1, kind="stable"), axis=1)
        kept = -(-self.alive.sum(axis=1) // 2)
        self.alive &= (places < kept[:, None]) | ~games[:, None]

    def means(self) -> NDArray[np.float64]:
        """Return the candidates' mean utilities, float64[m, C], 0 where nothing was played."""
        return self.totals / np.maximum(self.visits, 1)

    def best(self) -> NDArray[np.int64]:
        """Return the actions left once every game is down to one candidate, int64[m]."""
        chosen: NDArray[np.int64] = self.actions[np.arange(len(self.actions)), self.alive.argmax(1)]
        return chosen


class Outcomes(NamedTuple):
    """How k playouts ended, or are expected to."""

    win: NDArray[np.float32]  # float32[k, S], shares of the victory
    score: NDArray[np.float32]  # float32[k, S], final scores in units of the game's scale
    seats: NDArray[np.int64]  # int64[k], the seats that search
    players: NDArray[np.int64]  # int64[k], the seats at the table


def margin(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score less the best of the others, float64[k]; alone, the own score."""
    seats = np.arange(outcomes.score.shape[1])
    others = (seats < outcomes.players[:, None]) & (seats != outcomes.seats[:, None])
    best = np.where(others, outcomes.score, -np.inf).max(axis=1)
    return score(outcomes) - np.where(outcomes.players > 1, best, 0.0)


def score(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score, float64[k]."""
    rows = np.arange(len(outcomes.seats))
    return outcomes.score[rows, outcomes.seats].astype(np.float64)


def win(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own share of the victory, float64[k]; alone, the own score."""
    rows = np.arange(len(outcomes.seats))
    shares = outcomes.win[rows, outcomes.seats].astype(np.float64)
    return np.where(outcomes.players > 1, shares, score(outcomes))


def lead(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score less the mean of the others, float64[k]; alone, the own score."""
    own = score(outcomes)
    is_present = np.arange(outcomes.score.shape[1]) < outcomes.players[:, None]
    present = np.where(is_present, outcomes.score.astype(np.float64), 0.0)
    others = (present.sum(axis=1) - own) / np.maximum(outcomes.players - 1, 1)
    ahead: NDArray[np.float64] = own - others
    return ahead


UTILITIES: dict[str, Callable[[Outcomes], NDArray[np.float64]]] = {
    "lead": lead,
    "margin": margin,
    "score": score,
    "win": win,
}
"""What a playout is worth to the seat that searches, by name."""


def utility_named(name: str) -> Callable[[Outcomes], NDArray[np.float64]]:
    """Return one of `UTILITIES`; ValueError if there is none of that name."""
    if name not in UTILITIES:
        known = ", ".join(UTILITIES)
        raise ValueError(f"utility={name!r}{did_you_mean(name, UTILITIES)}: choose one of {known}")
    return UTILITIES[name]
