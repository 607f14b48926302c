"""The policy that a search teaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.search.agent import Found


def improved_policy(found: Found, sharpness: float) -> NDArray[np.float32]:
    """float32[m, A]: the prior, moved by the values of the moves tried.

    Completed values (Danihelka et al. 2022): a move that was not tried counts as much as those that
    were do on average, by their prior.  Decisions without search keep their prior, so that learning
    from them leaves the policy where it is.

    Args:
        found: What a search found in m games.
        sharpness: Logits that a unit of utility weighs as much as.
    """
    tried = found.visits > 0
    values = np.where(tried, found.values, 0.0)
    weights = np.where(tried, found.prior, 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)
    mean = (weights * values).sum(axis=1, keepdims=True) / total
    gains = np.where(tried, sharpness * (values - mean), 0.0)
    logits = np.log(found.prior, out=np.full(found.prior.shape, -np.inf), where=found.prior > 0.0)
    logits += gains
    policy = np.exp(logits - logits.max(axis=1, keepdims=True))
    policy /= policy.sum(axis=1, keepdims=True)
    improved: NDArray[np.float32] = policy.astype(np.float32)
    return improved
