"""An empty cache folder for a test."""

import pytest


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """The folder in which this process keeps machine code during the test."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    return tmp_path
