"""Ratings with the covariance that the bootstrap tends to, for looking at games as they come.

Huber 1967, "The behavior of maximum likelihood estimates under nonstandard conditions"; White 1982,
"Maximum likelihood estimation of misspecified models": with H the loss's curvature and g the slope
of each match's part of it, H^-1 (sum of g g^T) H^-1. Like the bootstrap it assumes only that
matches are independent; it needs one fit instead of hundreds.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shakespeare_agents.arena.standings.bootstrap import Ratings, centring
from shakespeare_agents.arena.standings.choices import choices, with_penalty
from shakespeare_agents.arena.standings.plackett_luce import ELO, curvature, strengths


def quick_ratings(results: pl.DataFrame) -> Ratings:
    """Ratings by all games at two seats or more; the strengths are those of the bootstrap's."""
    observed = choices(results)
    found = with_penalty(observed)
    n = len(found.digests)
    if n == 0:
        return Ratings((), np.zeros(0), np.zeros((0, 0)), observed.parts())
    everything = np.ones(found.chosen.shape[0])
    shown = found.shown.T @ everything
    best = strengths(found, found.chosen.T @ everything, shown)
    held = np.exp(np.append(best, 0.0))
    shares = found.sets * held / (found.sets @ held)[:, None]
    slopes = np.asarray((found.shown @ shares - found.chosen)[:, :n])
    bread = np.linalg.inv(curvature(found, shown, best))
    centre = ELO * centring(best)
    spread = centre @ bread
    covariance = spread @ (slopes.T @ slopes) @ spread.T
    return Ratings(found.digests, centre @ best, covariance, observed.parts())
