"""Fixtures for tests of the table server."""

import pytest

from shakespeare_table.browser.judging.background import BackgroundJudge
from tests.table.tables import served


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A client of a server on which nobody has played yet, and which judges no decision."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BackgroundJudge, "add", lambda *_arguments: None)
        with served(tmp_path_factory.mktemp("games")) as found:
            yield found
