"""Sequential halving: a budget of playouts shared among candidate moves.

In every phase all candidates left meet the same possible games with the same chance; then the worse
half is dropped.  The root is Gumbel MuZero's (Danihelka et al. 2022, "Policy improvement by
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
    """A phase's playouts of m games, game by game, candidate by candidate."""

    places: NDArray[np.int64]  # int64[d], the game of each possible game, in ascending order
    sources: NDArray[np.int64]  # int64[k], which of the d possible games each playout starts from
    games: NDArray[np.int64]  # int64[k], the game that each is for
    candidates: NDArray[np.int64]  # int64[k], which candidate it tries
    actions: NDArray[np.int64]  # int64[k]


@dataclass
class Candidates:
    """The candidate moves of m games, the most promising first."""

    actions: NDArray[np.int64]  # int64[m, C]
    ranks: NDArray[np.float64]  # float64[m, C], logit plus noise; -inf where there is no candidate
    alive: NDArray[np.bool_]  # bool[m, C]
    totals: NDArray[np.float64]  # float64[m, C], sums of utilities
    visits: NDArray[np.int64]  # int64[m, C]
    phases: NDArray[np.int64]  # int64[m], the number of phases for the number of candidates

    @classmethod
    def of(
        cls, log_policy: NDArray[np.float64], noise: NDArray[np.float64], most: int
    ) -> Candidates:
        """The `most` moves, 2 or more, of the highest sums of log-probability and noise.

        Both are float64[m, A]; illegal actions have the log-probability -inf.
        """
        ranks = np.where(log_policy >= np.log(_LEAST), log_policy + noise, -np.inf)
        actions = np.argsort(-ranks, axis=1, kind="stable")[:, :most]
        ranks = np.take_along_axis(ranks, actions, axis=1)
        alive = np.isfinite(ranks)
        zeros = np.zeros(actions.shape)
        phases = np.ceil(np.log2(np.maximum(alive.sum(axis=1), 2))).astype(np.int64)
        return cls(actions, ranks, alive, zeros, zeros.astype(np.int64), phases)

    def playouts(self, each: NDArray[np.int64]) -> Playouts:
        """Playouts of the candidates left; `each`, int64[m], is the number of each in a game."""
        begins = np.cumsum(each) - each
        games, candidates = np.nonzero(self.alive & (each > 0)[:, None])
        counts = each[games]
        pairs = np.repeat(np.arange(len(games)), counts)
        within = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
        games, candidates = games[pairs], candidates[pairs]
        return Playouts(
            np.repeat(np.arange(len(each)), each),
            begins[games] + within,
            games,
            candidates,
            self.actions[games, candidates],
        )

    def count(self, played: Playouts, utilities: NDArray[np.float64]) -> None:
        """Add the utilities of playouts, float64[k]."""
        pairs = played.games * self.actions.shape[1] + played.candidates
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
        """float64[m, C]: mean utilities, 0 where nothing was played."""
        return self.totals / np.maximum(self.visits, 1)

    def best(self) -> NDArray[np.int64]:
        """int64[m]: the actions left once every game is down to one candidate."""
        chosen: NDArray[np.int64] = self.actions[np.arange(len(self.actions)), self.alive.argmax(1)]
        return chosen


class Outcomes(NamedTuple):
    """How k playouts ended, or are expected to."""

    win: NDArray[np.float32]  # float32[k, S], shares of the victory
    score: NDArray[np.float32]  # float32[k, S], final scores in units of the game's scale
    seats: NDArray[np.int64]  # int64[k], the seats that search
    players: NDArray[np.int64]  # int64[k]


def margin(ends: Outcomes) -> NDArray[np.float64]:
    """float64[k]: the own score less the best of the others; alone, the own score."""
    seats = np.arange(ends.score.shape[1])
    others = (seats < ends.players[:, None]) & (seats != ends.seats[:, None])
    best = np.where(others, ends.score, -np.inf).max(axis=1)
    return score(ends) - np.where(ends.players > 1, best, 0.0)


def score(ends: Outcomes) -> NDArray[np.float64]:
    """float64[k]: the own score."""
    return ends.score[np.arange(len(ends.seats)), ends.seats].astype(np.float64)


def win(ends: Outcomes) -> NDArray[np.float64]:
    """float64[k]: the own share of the victory; alone, the own score."""
    shares = ends.win[np.arange(len(ends.seats)), ends.seats].astype(np.float64)
    return np.where(ends.players > 1, shares, score(ends))


def lead(ends: Outcomes) -> NDArray[np.float64]:
    """float64[k]: the own score less the mean of the others; alone, the own score."""
    own = score(ends)
    seats = np.arange(ends.score.shape[1])
    present = np.where(seats < ends.players[:, None], ends.score.astype(np.float64), 0.0)
    others = (present.sum(axis=1) - own) / np.maximum(ends.players - 1, 1)
    ahead: NDArray[np.float64] = own - others
    return ahead


UTILITIES: dict[str, Callable[[Outcomes], NDArray[np.float64]]] = {
    "lead": lead,
    "margin": margin,
    "score": score,
    "win": win,
}


def utility_named(name: str) -> Callable[[Outcomes], NDArray[np.float64]]:
    """A utility; ValueError if there is none of that name."""
    if name not in UTILITIES:
        known = ", ".join(UTILITIES)
        raise ValueError(f"utility={name!r}{did_you_mean(name, UTILITIES)}: choose one of {known}")
    return UTILITIES[name]
