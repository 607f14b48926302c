"""Facts of a position by name."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents.strategy.facts import field
from shakespeare_env import Batch, registry

LAYOUT = registry.game("shakespeare").layout


def test_fields_are_found_by_name():
    batch = Batch("shakespeare", 5, players=4, seed=3)
    assert field(LAYOUT, "day", batch.obs).tolist() == [1] * 5
    assert field(LAYOUT, "seat0.prestige", batch.obs).tolist() == [5] * 5
    assert field(LAYOUT, "seat0.initiative", np.zeros_like(batch.obs)).tolist() == [0] * 5
    craftsmen = batch.obs[:, LAYOUT["seat0.metrics"].slice][:, -1]
    assert field(LAYOUT, "seat0.metrics.craftsmen", batch.obs).tolist() == craftsmen.tolist()


def test_a_field_that_is_missing_is_refused():
    observations = np.zeros((1, LAYOUT.size), np.int8)
    with pytest.raises(KeyError, match="seat0"):
        field(LAYOUT, "seat0.luck", observations)
    with pytest.raises(KeyError, match="first_places"):
        field(LAYOUT, "seat0.metrics.luck", observations)
    with pytest.raises(ValueError, match="stage_spaces"):
        field(LAYOUT, "seat0.metrics", observations)
