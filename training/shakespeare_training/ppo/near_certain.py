"""Learning from a random part of the near-certain decisions, each standing for several.

Most moves of a trained network are near-certain and teach little, but cost an update as much as the
others.  A minibatch keeps a part of them and repeats what the network says of these, instead of
asking it about all: every decision counts as often as before in expectation, and so do the means of
the loss, and the mean and deviation by which advantages are normalised.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

NEAR_CERTAIN = 0.99
"""A decision is near-certain if its move was likelier than this when it was made.

The rare ones in which another move was drawn teach most, and are not.
"""


class Repeated(NamedTuple):
    """Which rows of a minibatch stand for several decisions.

    Attributes:
        kept: How many, the last ones.
        total: For how many, themselves among them.
    """

    kept: int
    total: int

    def spread(self, found: torch.Tensor) -> torch.Tensor:
        """What was found for each row, [k, ...], for every decision of the minibatch."""
        if self.kept == self.total:
            return found
        alone = len(found) - self.kept
        # Copies of a whole block, rather than an index: gradients are summed in a fixed order.
        copies = found[alone:].repeat(math.ceil(self.total / self.kept), *[1] * (found.ndim - 1))
        return torch.cat([found[:alone], copies[: self.total]])


def thinned(
    decisions: NDArray[np.intp], near_certain: NDArray[np.bool_], share: float
) -> tuple[NDArray[np.intp], Repeated]:
    """Replace all but a share of the near-certain decisions by repetitions of that share.

    Args:
        decisions: intp[n], of a minibatch in random order: the first of a kind are a random part.
        near_certain: bool[n].
        share: Above 0, to 1; at least one is kept.

    Returns:
        intp[n], the repetitions last, and how many these are.
    """
    certain = decisions[near_certain]
    kept = math.ceil(share * len(certain))
    repeated = np.resize(certain[:kept], len(certain))
    return np.concatenate([decisions[~near_certain], repeated]), Repeated(kept, len(certain))
