"""Fixtures for tests of the table server."""

import pytest

from tests.table.tables import served


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A client of a server on which nobody has played yet."""
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found
