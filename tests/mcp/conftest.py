"""Compiled rules for servers, whose requests wait no longer for them than clients do."""

import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all


@pytest.fixture(autouse=True, scope="session")
def _compiled():
    for name in registry.names():
        compile_all(registry.game(name))
