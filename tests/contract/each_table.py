"""Marks that run a test with tables of every game, as its argument `table`."""

import pytest

from tests.contract.random_games import PLAIN_FULL_TABLES, PLAIN_TABLES, SMALL_TABLES, TABLES

all_tables = pytest.mark.parametrize("table", TABLES, ids=str)
"""Every number of seats, without and with each variant."""
plain_tables = pytest.mark.parametrize("table", PLAIN_TABLES, ids=str)
"""Every number of seats."""
full_tables = pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
"""The most seats."""
small_tables = pytest.mark.parametrize("table", SMALL_TABLES, ids=str)
"""The fewest seats at which somebody sits opposite."""
