"""The fixture of an empty cache folder."""

import pytest


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """The empty folder in which this process keeps machine code during the test."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    return tmp_path
