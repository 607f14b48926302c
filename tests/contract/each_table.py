"""Marks that run a test at tables of every game, each given as the argument `table`."""

import pytest

from tests.contract.random_games import PLAIN_FULL_TABLES, PLAIN_TABLES, SMALL_TABLES, TABLES

all_tables = pytest.mark.parametrize("table", TABLES, ids=str)
"""Tables of every size, without and with each variant."""
plain_tables = pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
"""Tables of every size, without variants."""
full_tables = pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
"""The largest table of each game."""
small_tables = pytest.mark.parametrize("table", SMALL_TABLES, ids=str)
"""The smallest table of each game at which somebody sits opposite."""
