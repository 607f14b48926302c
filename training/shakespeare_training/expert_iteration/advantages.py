"""Advantages of the moves that a search tried."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.search.agent import Found


def advantages(found: Found) -> NDArray[np.float32]:
    """float32[m, A]: a move's value less the mean of those tried, weighted by their prior.

    Completed values (Danihelka et al. 2022): an untried move counts as that mean, so its advantage
    is 0, as are all advantages of a decision without search.
    """
    tried = found.visits > 0
    values = np.where(tried, found.values, 0.0)
    weights = np.where(tried, found.prior, 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    mean = (weights * values).sum(axis=1, keepdims=True) / total
    gained: NDArray[np.float32] = np.where(tried, values - mean, 0.0).astype(np.float32)
    return gained
