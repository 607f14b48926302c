"""Measurements, and histories of 1, 2 and 4 seats."""

from __future__ import annotations

from typing import Any

from shakespeare_training.runs.history import ITSELF, SOLO, History, Measurement

SCORES = (
    *("mean_score", "mean_winning_score"),
    *("score_low", "score_high", "winning_low", "winning_high"),
)


def measurement(decisions=0, seconds=0.0, players=4, opponent="random", scores=(), **figures):
    """The scores are those of `SCORES`, or the first of them."""
    rates = (None, None, None) if opponent in (SOLO, ITSELF) else (0.5, 0.4, 0.6)
    found: dict[str, Any] = {"games": 100, "mean_score": 20.0, "mean_winning_score": 25.5}
    found |= {"decisions": decisions, "seconds": seconds, "players": players, "opponent": opponent}
    found |= zip(("win_rate", "low", "high"), rates, strict=True)
    found |= zip(SCORES, scores, strict=False)
    return Measurement(**(found | figures))


def filled(*moments, rivals=("heuristic", "random")):
    """Moments are decisions and seconds; everything grows by one score or a tenth of all games."""
    history = History()
    for step, (decisions, seconds) in enumerate(moments):
        for players in (2, 4, 1):
            for rival in rivals if players > 1 else ():
                rate = min(0.2 + 0.1 * step + 0.1 * (rival == "random"), 0.9)
                rates = {"win_rate": rate, "low": rate - 0.05, "high": rate + 0.05}
                won = (20.0 + step, 25.0 + step)
                history.add(measurement(decisions, seconds, players, rival, won, **rates))
            best = 24.0 + step + players if players > 1 else 18.0 + step
            scores = (best, best, *(best - 0.75, best + 0.75) * 2)
            own = ITSELF if players > 1 else SOLO
            history.add(measurement(decisions, seconds, players, own, scores))
    return history
