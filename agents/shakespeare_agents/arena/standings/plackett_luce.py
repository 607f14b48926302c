"""Plackett-Luce strengths by penalised maximum likelihood.

Luce 1959, "Individual choice behavior"; Plackett 1975, "The analysis of permutations": every place
goes to one of those still in the game with a probability proportional to exp(strength).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import scipy.optimize

from shakespeare_agents.arena.standings.choices import Choices, Floats

ELO = 400 / math.log(10)
"""Elo points in a natural unit of strength."""


def strengths(found: Choices, chosen: Floats, shown: Floats, start: Floats | None = None) -> Floats:
    """The most likely strengths, in natural units; the virtual agent's is 0.

    Args:
        found: Holds the `sets` that the choices are from, the penalty's included.
        chosen: float[n + 1], how often each agent was chosen.
        shown: float[s], how often each set was.
        start: float[n], where to start.

    Returns:
        float[n].
    """
    n = len(found.digests)
    sets, free = found.sets, found.sets[:, :n]

    def loss(at: Floats) -> tuple[float, Floats]:
        held = np.exp(at)
        total = free @ held + sets[:, n]
        value = shown @ np.log(total) - chosen[:n] @ at
        return float(value), held * (free.T @ (shown / total)) - chosen[:n]

    # Steps are bounded, which keeps exp within its range; the loss is convex.
    best = scipy.optimize.minimize(
        loss,
        np.zeros(n) if start is None else start,
        jac=True,
        hess=partial(curvature, found, shown),
        method="trust-exact",
        options={"initial_trust_radius": 2.0, "max_trust_radius": 8.0, "gtol": 1e-6},
    )
    return np.asarray(best.x)


def curvature(found: Choices, shown: Floats, at: Floats) -> Floats:
    """float[n, n]: the second derivatives of the loss at float[n]."""
    n, held = len(at), np.exp(at)
    free = found.sets[:, :n]
    shares = free * held / (free @ held + found.sets[:, n])[:, None]
    weighted = shares * shown[:, None]
    return np.asarray(np.diag(weighted.sum(axis=0)) - weighted.T @ shares)
