"""Sequential halving: a budget of playouts shared among candidate moves.

A possible game is a complete game that agrees with all that the searching seat knows. In every
phase, all remaining candidates are tried in the same possible games with the same random numbers.
Then the worse half is dropped. As at the root of Gumbel MuZero (Danihelka et al. 2022, "Policy
improvement by planning with Gumbel"), candidates are ranked by the sum of Gumbel noise (if any),
logit and utility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean
from shakespeare_env.core.game import Records

_LEAST_PROBABILITY = 1e-3  # moves that the prior finds less likely are no candidates


class Playouts(NamedTuple):
    """The k playouts of a phase, which start from d possible games.

    Several games are searched at once, and each has possible games of its own. All possible games
    together are numbered from 0 to d - 1. Playouts are sorted by searched game, and then by
    candidate.
    """

    source_games: NDArray[np.int64]
    """int64[d], for each possible game, the searched game that it agrees with; ascending."""
    sources: NDArray[np.int64]  # int64[k], the possible game from which each playout starts
    games: NDArray[np.int64]  # int64[k], the searched game to which each playout belongs
    candidates: NDArray[np.int64]  # int64[k], the candidate that each playout tries
    actions: NDArray[np.int64]  # int64[k], the candidate's action


@dataclass
class Candidates:
    """The candidate moves of m games, the most promising first."""

    actions: NDArray[np.int64]  # int64[m, C]
    prior_scores: NDArray[np.float64]
    """float64[m, C], logit plus noise; -inf where there is no candidate."""
    alive: NDArray[np.bool_]  # bool[m, C], the candidates that are left
    totals: NDArray[np.float64]  # float64[m, C], sums of utilities
    visits: NDArray[np.int64]  # int64[m, C], numbers of playouts
    phases: NDArray[np.int64]  # int64[m], the phases until one candidate is left

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
        is_likely = log_policy >= np.log(_LEAST_PROBABILITY)
        prior_scores = np.where(is_likely, log_policy + noise, -np.inf)
        actions = np.argsort(-prior_scores, axis=1, kind="stable")[:, :most]
        prior_scores = np.take_along_axis(prior_scores, actions, axis=1)
        alive = np.isfinite(prior_scores)
        return cls(
            actions=actions,
            prior_scores=prior_scores,
            alive=alive,
            totals=np.zeros(actions.shape),
            visits=np.zeros(actions.shape, np.int64),
            phases=np.ceil(np.log2(np.maximum(alive.sum(axis=1), 2))).astype(np.int64),
        )

    def playouts(self, per_candidate: NDArray[np.int64]) -> Playouts:
        """List the playouts of a phase.

        Args:
            per_candidate: int64[m], by game, the number of playouts of each candidate that is left.
        """
        first_sources = np.cumsum(per_candidate) - per_candidate
        games, candidates = np.nonzero(self.alive & (per_candidate > 0)[:, None])
        counts = per_candidate[games]
        # Repeat each pair of game and candidate once for each of its playouts.
        pairs = np.repeat(np.arange(len(games)), counts)
        first_playouts = np.cumsum(counts) - counts
        number_in_pair = np.arange(len(pairs)) - first_playouts[pairs]
        games = games[pairs]
        candidates = candidates[pairs]
        return Playouts(
            source_games=np.repeat(np.arange(len(per_candidate)), per_candidate),
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
        """Drop the worse half of the candidates in some games.

        Args:
            sharpness: The factor of utilities, which are added to prior scores.
            games: bool[m], the games in which candidates are dropped.
        """
        values = np.where(self.alive, self.prior_scores + sharpness * self.means(), -np.inf)
        order = np.argsort(-values, axis=1, kind="stable")
        positions = np.argsort(order, axis=1)
        kept = (self.alive.sum(axis=1) + 1) // 2
        self.alive &= (positions < kept[:, None]) | ~games[:, None]

    def means(self) -> NDArray[np.float64]:
        """Return the candidates' mean utilities, float64[m, C]. They are 0 without playouts."""
        return self.totals / np.maximum(self.visits, 1)

    def best(self) -> NDArray[np.int64]:
        """Return the action of the first candidate that is left in each game, int64[m]."""
        candidates = self.alive.argmax(axis=1)
        actions: NDArray[np.int64] = self.actions[np.arange(len(self.actions)), candidates]
        return actions


class Outcomes(NamedTuple):
    """The results of k playouts, which are forecasts for playouts that did not go to the end."""

    win: NDArray[np.float32]  # float32[k, S], shares of the victory
    score: NDArray[np.float32]  # float32[k, S], final scores in units of the game's scale
    seats: NDArray[np.int64]  # int64[k], the seats that search
    players: NDArray[np.int64]  # int64[k], the numbers of seats at the table

    @classmethod
    def of(
        cls,
        playouts: Playouts,
        records: Records,
        win: NDArray[np.float32],
        score: NDArray[np.float32],
    ) -> Outcomes:
        """Return the results of playouts from possible games, records [d]."""
        return cls(
            win=win,
            score=score,
            seats=records["to_move"][playouts.sources].astype(np.int64),
            players=records["players"][playouts.sources].astype(np.int64),
        )


def margin(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score minus the best other, float64[k]. With one seat, it is the score."""
    seats = np.arange(outcomes.score.shape[1])
    is_other = (seats < outcomes.players[:, None]) & (seats != outcomes.seats[:, None])
    best_other = np.where(is_other, outcomes.score, -np.inf).max(axis=1)
    return score(outcomes) - np.where(outcomes.players > 1, best_other, 0.0)


def score(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score, float64[k]."""
    rows = np.arange(len(outcomes.seats))
    return outcomes.score[rows, outcomes.seats].astype(np.float64)


def win(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own share of the victory, float64[k]. With one seat, it is the own score."""
    rows = np.arange(len(outcomes.seats))
    shares = outcomes.win[rows, outcomes.seats].astype(np.float64)
    return np.where(outcomes.players > 1, shares, score(outcomes))


def lead(outcomes: Outcomes) -> NDArray[np.float64]:
    """Return the own score minus the others' mean, float64[k]. With one seat, it is the score."""
    own = score(outcomes)
    is_present = np.arange(outcomes.score.shape[1]) < outcomes.players[:, None]
    scores = np.where(is_present, outcomes.score.astype(np.float64), 0.0)
    mean_of_others = (scores.sum(axis=1) - own) / np.maximum(outcomes.players - 1, 1)
    ahead: NDArray[np.float64] = own - mean_of_others
    return ahead


UTILITIES: dict[str, Callable[[Outcomes], NDArray[np.float64]]] = {
    "lead": lead,
    "margin": margin,
    "score": score,
    "win": win,
}
"""Functions that say what a playout is worth to the seat that searches, by name."""


def utility_named(name: str) -> Callable[[Outcomes], NDArray[np.float64]]:
    """Return one of `UTILITIES`.

    Raises:
        ValueError: there is no utility of this name.
    """
    if name not in UTILITIES:
        question = did_you_mean(name, UTILITIES)
        choices = ", ".join(UTILITIES)
        raise ValueError(f"utility={name!r}{question}: choose one of {choices}")
    return UTILITIES[name]
