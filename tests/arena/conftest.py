"""What tests of the arena share."""

from collections.abc import Iterator

import pytest

from shakespeare_agents.arena.standings import ratings


@pytest.fixture(scope="module")
def few_replicates() -> Iterator[None]:
    """A bootstrap that is quick, with standard errors that are off by a tenth."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "REPLICATES", 50)
        yield
